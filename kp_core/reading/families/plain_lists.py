"""F2: a JSON object of lists of strings, or a list of such lists, becomes lists of phrases."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading import json_lists
from kp_core.reading.family import Choice, File, Recognition, Rows

NAME = "F2"
TITLE = "lists, JSON"
EXAMPLE = '{"d1": ["tide table", "harbour"], "d2": []}'


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise objects whose values are lists of strings."""
    return json_lists.recognise(NAME, ("phrases",), files, role, choice)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read each list in its order."""
    return json_lists.read(recognition, role)
