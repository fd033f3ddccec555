"""Answer one question per module, from prepared data to a result with its uncertainty."""

from typing import Any

from kp_core.errors import read_toml

WORDS: dict[str, Any] = read_toml("studies/studies.toml")
