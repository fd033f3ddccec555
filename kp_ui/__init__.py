"""Arrange the dashboard: state of a session, widgets, parts of pages, and the frame around them."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
_IN_WHEEL = _HERE / "dashboard"
#: The folder that holds app.py, pages and sample_data: the project, or where they are in the wheel.
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _HERE.parent
