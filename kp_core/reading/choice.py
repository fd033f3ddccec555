"""Hold what a user decided about one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kp_core.corpus import Role


@dataclass(frozen=True)
class Choice:
    """What a user decided about one file; whatever is None or absent is guessed.

    columns  role of a column or field → its name in the file, such as {"doc_id": "Nr", "phrase": "Begriff"}
    options  the switches of a family, such as {"inner": "variants"}
    use      no: the file is left out; as-read: what looks odd in it is meant so
    """

    role: Role | None = None
    family: str | None = None
    encoding: str | None = None
    higher_is_better: bool | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    use: Literal["as-read", "no"] | None = None

    def several(self, option: str) -> list[str]:
        """Return the columns or sheets that were named for an option, each in a line of its own."""
        return list(filter(None, self.options.get(option, "").split("\n")))
