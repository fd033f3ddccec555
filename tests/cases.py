"""Where the project and its sample stand; the cases in a TOML file beside a file of tests; the rows of an oracle."""

import csv
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LECTURES = ROOT / "sample_data" / "lectures"


def cases(tests: str) -> dict[str, Any]:
    """Return {table: rows}, as parametrize takes them; tests: the path of the file of tests."""
    return tomllib.loads(Path(tests).with_suffix(".toml").read_text("utf-8"))


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
