"""Define the dashboard: the state of a session, widgets, parts of pages, and the frame around each page."""

from pathlib import Path

from kp_core.reading.limits import at_start, whole_number

_HERE = Path(__file__).resolve().parent
_IN_WHEEL = _HERE / "dashboard"
#: The folder of app.py, pages and sample_data, in the project or in the installed wheel.
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _HERE.parent


def limit(variable: str) -> int:
    """Return the limit that an environment variable sets; 0 if it is not set."""
    return at_start(lambda environment: whole_number(environment, variable, 1) if environment.get(variable) else 0)


MAX_SESSIONS = limit("KPSCOPE_SESSIONS")
