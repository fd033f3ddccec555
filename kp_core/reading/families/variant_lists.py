"""F1: a JSON object of lists of lists of strings becomes keyphrases with accepted variants."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading import json_lists
from kp_core.reading.family import Choice, File, Recognition, Rows

NAME = "F1"
TITLE = "variant lists, JSON"
EXAMPLE = '{"C-7": [["job shop"], ["quality of rest", "rest quality"]], "C-9": []}'
OPTIONS = {"inner": ("variants", "tokens", "scored")}


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise objects whose values are lists of lists of strings."""
    return json_lists.recognise(NAME, ("variants", "tokens"), files, role, choice)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read an inner list as one keyphrase with its variants."""
    return json_lists.read(recognition, role)
