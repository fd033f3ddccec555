"""Turn a file or archive into the readings that it allows, with their first rows, so that a user can choose."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from kp_core.corpus import Role
from kp_core.reading.families import family_named
from kp_core.reading.family import Choice, File, Recognition
from kp_core.reading.fields import in_words
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.sniff import readings_of, recognise
from kp_core.reading.source import Source, expand
from kp_core.reading.to_pandas import frame_of

#: Of an archive of many files that stand each by itself, so many are shown.
_SHOWN = 10


@dataclass(frozen=True)
class Preview:
    """One way to read a file: the recognition, the switches of its family, and its first rows.

    of  the file or files of an archive that are read so; empty where the reading is one of several of a single file
    """

    recognition: Recognition
    options: dict[str, tuple[str, ...]]
    rows: pd.DataFrame
    of: str = ""


def previews(
    source: Source, role: Role | None = None, choice: Choice | None = None, first: int = 3, limits: Limits = LIMITS
) -> list[Preview]:
    """Return every reading of a file, the likeliest first, with its first rows; of an archive how its files are read.

    >>> found = previews(Source("a.json", b'{"d": [["a", "b"], ["c"]]}'))
    >>> found[0].recognition.family, found[0].options["inner"], found[0].rows["phrase"].tolist()
    ('F1', ('phrases', 'variants', 'tokens', 'scored'), ['a', 'c'])
    """
    choice = choice or Choice()
    asked = choice.role or role
    bundle = expand(source, limits)
    files = [File(one, limits, choice=choice) for one in bundle.files]
    if bundle.folder:
        return [_preview(found, asked, first, _files(found)) for found in recognise(files, asked, {})[:_SHOWN]]
    found = readings_of(files[0], asked)
    return [_preview(reading, asked, first) for reading in sorted(found, key=lambda reading: -reading.confidence)]


def _files(recognition: Recognition) -> str:
    files = recognition.files
    return files[0].name if len(files) == 1 else f"{len(files):,} files, such as {files[0].name}"


def _preview(recognition: Recognition, role: Role | None, first: int, of: str = "") -> Preview:
    family = family_named(recognition.family)
    parts = family.read(recognition, role)
    table = parts[0].table.slice(0, first) if parts else None
    rows = pd.DataFrame() if table is None else frame_of(table, ()).drop(columns="list", errors="ignore")
    rows = rows.dropna(axis="columns", how="all")
    if "variants" in rows:
        rows["variants"] = ["; ".join(spellings or ()) for spellings in rows["variants"]]
    recognition = replace(recognition, evidence=in_words(recognition.evidence))
    return Preview(recognition, dict(getattr(family, "OPTIONS", {})) | recognition.offers, rows, of)
