"""Define the dashboard: the state of a session, widgets, parts of pages, and the frame around each page."""

from collections.abc import Mapping
from pathlib import Path

from kp_core.reading.limits import at_start, whole_number

_HERE = Path(__file__).resolve().parent
_IN_WHEEL = _HERE / "dashboard"
#: The folder of app.py, pages and sample_data, in the project or in the installed wheel.
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _HERE.parent


def session_limit(environment: Mapping[str, str]) -> int | None:
    """Return the maximum number of open sessions from `KPSCOPE_SESSIONS`, or None if it is not set.

    >>> session_limit({"KPSCOPE_SESSIONS": "30"})
    30
    """
    variable = "KPSCOPE_SESSIONS"
    return whole_number(environment, variable, 1) if environment.get(variable) else None


MAX_SESSIONS = at_start(session_limit)
