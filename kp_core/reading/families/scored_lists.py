"""F9: JSON pairs, objects or dictionaries of phrase and score become lists with scores."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading import json_lists
from kp_core.reading.family import Choice, File, Recognition, Rows

NAME = "F9"
TITLE = "scored lists, JSON"
EXAMPLE = '{"d1": [["tide table", 0.82], ["harbour", 0.4]]}'
OPTIONS = {"inner": ("scored", "variants", "tokens")}


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise objects whose values are pairs, objects or dictionaries with scores."""
    return json_lists.recognise(NAME, ("scored",), files, role, choice)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read phrases with their scores."""
    return json_lists.read(recognition, role)
