"""Read the tables of cases that stand in a TOML file beside a file of tests."""

import tomllib
from pathlib import Path
from typing import Any


def cases(tests: str) -> dict[str, Any]:
    """Return {table: rows}, as parametrize takes them; tests: the path of the file of tests."""
    return tomllib.loads(Path(tests).with_suffix(".toml").read_text("utf-8"))
