"""Turn sentence extracts of several annotators into classes: “yes” is what survives trimming by agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, part_of
from kp_core.scoring.codes import Bools, Ints
from kp_core.scoring.gold import Choices
from kp_core.scoring.sentence_ids import sentence_rows
from kp_core.settings import Settings
from kp_core.studies.annotators import prepare_annotators
from kp_core.studies.sentence_study.attributes import Columns, attributes, columns
from kp_core.studies.trimming import Form, Levels, levels_of


@dataclass(frozen=True)
class Extracts:
    """The sentences of the documents that annotators saw, their attributes, and who chose which; S sentences.

    frame       one row a sentence, as `attributes` gives it
    columns     the attributes as numbers (S, F)
    choices     sentences are the items
    documents, groups   (D,) ids and types of the documents, in order; choices.document leads to them
    """

    frame: pd.DataFrame
    columns: Columns
    choices: Choices
    levels: Levels
    documents: tuple[str, ...]
    groups: tuple[str, ...]
    notes: tuple[Note, ...]

    @property
    def document(self) -> Ints:
        """Document of each sentence (S,)."""
        return self.choices.document

    def place(self) -> Ints:
        """Return how many sentences of its document come before each sentence (S,)."""
        return np.asarray(self.frame.groupby("doc_id", sort=False).cumcount(), np.int64)

    def majority(self, threshold: float) -> Ints:
        """Return the votes that a sentence of each document needs at a threshold (D,), 0 where it is unreachable."""
        return self.levels.size(threshold)

    def yes(self, majority: Ints) -> Bools:
        """Return which sentences survive trimming to these majorities (S,)."""
        needed = majority[self.document]
        return (needed > 0) & (self.choices.votes >= needed)


def extracts(corpus: Corpus, given: pd.DataFrame | None = None, form: Form = "binary") -> Extracts:
    """Return sentences, attributes and choices of a corpus whose gold standard names sentences.

    given   attributes that take the place of computed ones; form: as in `trim`

    Raises InputError where an entry is no sentence of its text, or where there are fewer than two annotators.
    """
    rows = sentence_rows(corpus.gold, corpus, "the gold standard")
    table, notes = attributes(corpus, given)
    data = prepare_annotators(corpus, Settings(normalise="none", universe="sentences", interval="none"))
    document = pd.Index(data.documents).get_indexer(pd.Index(table["doc_id"]))
    kept = document >= 0
    number = np.cumsum(kept) - 1
    if left := table.loc[~kept, "doc_id"].nunique():
        verbs = "has no extract and is left out", "have no extract and are left out"
        text = part_of(left, left + len(data.documents), "document", *verbs)
        notes.append(Note("info", "extracts", text))
    place = number[rows][data.choices.place]
    # A choice stands where its sentence stands in the text: the i-th choice of an annotator is the i-th earliest.
    choices = replace(data.choices, item=place, place=place, document=document[kept].astype(np.int64))
    frame = table[kept].reset_index(drop=True)
    return Extracts(
        frame,
        columns(frame),
        choices,
        levels_of(choices, data.universe, form),
        data.documents,
        _groups(frame, data.documents, notes),
        tuple(notes),
    )


def _groups(frame: pd.DataFrame, documents: tuple[str, ...], notes: list[Note]) -> tuple[str, ...]:
    """Return the type of each document, computed or given; one whose sentences have several types has none."""
    types = frame.groupby("doc_id", sort=False)["group"].unique()
    if mixed := [str(name) for name, own in types.items() if len(own) > 1]:
        verbs = "has sentences of several types and is", "have sentences of several types and are"
        text = part_of(len(mixed), len(documents), "document", *verbs)
        notes.append(Note("warning", "group", f"{text} in no row by document type: {', '.join(mixed[:5])}"))
    return tuple(str(types[name][0]) if name in types and len(types[name]) == 1 else "" for name in documents)
