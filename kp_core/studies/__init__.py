"""Answer one question a module: from prepared data to a result with its uncertainty; words that are data are TOML."""

import tomllib
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = tomllib.loads((files("kp_core") / "studies/studies.toml").read_text("utf-8"))
