"""Turn sentence extracts of several annotators into classes: “yes” is what survives trimming by agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, part_of
from kp_core.scoring.codes import Bools, Ints
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.sentence_ids import sentence_rows
from kp_core.settings import Settings
from kp_core.studies.sentence_study.attributes import attributes, columns
from kp_core.studies.trimming import Form, Levels, levels_of


@dataclass(frozen=True)
class Extracts:
    """The sentences of the documents that annotators saw, their attributes, and who chose which; S sentences.

    frame       one row a sentence, as `attributes` gives it; columns: its attributes as numbers (S, F)
    document, place, votes   (S,) number of the document, sentences before it there, annotators who chose it
    documents, groups        (D,) ids and types of the documents, in order
    """

    frame: pd.DataFrame
    columns: pd.DataFrame
    document: Ints
    place: Ints
    votes: Ints
    levels: Levels
    documents: tuple[str, ...]
    groups: tuple[str, ...]
    notes: tuple[Note, ...]

    def majority(self, threshold: float) -> Ints:
        """Return the votes that a sentence of each document needs at a threshold (D,), 0 where it is unreachable."""
        return self.levels.size(threshold)

    def left(self, majority: Ints) -> Bools:
        """Return which sentences stand in documents that reach these majorities (S,)."""
        return np.asarray(majority[self.document] > 0)

    def yes(self, majority: Ints) -> Bools:
        """Return which sentences survive trimming to these majorities (S,)."""
        return np.asarray(self.left(majority) & (self.votes >= majority[self.document]))


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
        notes.append(Note("info", "extracts", part_of(left, left + len(data.documents), "document", *verbs)))
    item = number[rows][data.choices.place]
    # A choice stands where its sentence stands in the text: the i-th choice of an annotator is the i-th earliest.
    choices = replace(data.choices, item=item, place=item, document=document[kept].astype(np.int64))
    frame = table[kept].reset_index(drop=True)
    types = frame.groupby("doc_id", sort=False)["group"].unique()
    types = types.where(types.map(len) == 1).map(lambda group: group[0], na_action="ignore")
    if len(mixed := types.index[types.isna()]):
        verbs = "has sentences of several types and is", "have sentences of several types and are"
        text = part_of(len(mixed), len(data.documents), "document", *verbs)
        notes.append(Note("warning", "group", f"{text} in no row by document type: {', '.join(mixed[:5])}"))
    return Extracts(
        frame,
        columns(frame),
        choices.document,
        frame.groupby("doc_id").cumcount().to_numpy(np.int64),
        choices.votes,
        levels_of(choices, data.universe, form),
        data.documents,
        tuple(types.reindex(list(data.documents)).fillna("")),
        tuple(notes),
    )
