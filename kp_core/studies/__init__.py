"""Answer one question per module, with results and their uncertainty."""

from typing import Any

from kp_core.errors import read_toml

WORDS: dict[str, Any] = read_toml("studies/studies.toml")
