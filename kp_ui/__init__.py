"""Define the dashboard: the state of a session, widgets, parts of pages, and the frame around each page."""

from pathlib import Path

from kp_core.reading.limits import at_start, whole_number

_HERE = Path(__file__).resolve().parent
#: The folder of app.py, pages and sample_data, in the project or in the installed wheel.
ROOT = next(folder for folder in (_HERE / "dashboard", _HERE.parent) if folder.is_dir())


def limit(variable: str) -> int:
    """Return the limit that an environment variable sets; 0 if it is not set."""
    return at_start(lambda environment: whole_number(environment, variable, 1) if environment.get(variable) else 0)


MAX_SESSIONS = limit("KPSCOPE_SESSIONS")
