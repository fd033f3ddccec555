"""Turn results into sentences, and the registry into texts about methods."""

import tomllib
from importlib.resources import files
from typing import Any


def read(name: str) -> dict[str, Any]:
    """Return the prose or the table in a TOML file of this package."""
    return tomllib.loads((files("kp_core.words") / name).read_text(encoding="utf-8"))
