"""Answer one question a module: from prepared data to a result with its uncertainty; words that are data are TOML."""

from typing import Any

from kp_core.errors import read_toml

WORDS: dict[str, Any] = read_toml("studies/studies.toml")
