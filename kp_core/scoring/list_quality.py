"""Turn lists as they were returned, repeats among them, into what can be said of them without a gold standard.

Source: Wu, Yin & Chang 2024 (KPEval), diversity; Chan et al. 2019, number of keyphrases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.scoring.alignment import Lists, ranked_lists
from kp_core.scoring.codes import Bools, CodedRun, Floats, padded, padded_blocks, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.given import given_of
from kp_core.scoring.gold import Gold
from kp_core.scoring.hits import ListRows, ordered_hits
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.presence import occurs_in_text


def returned_counts(
    data: Prepared, gold: Gold, systems: Mapping[str, Counts], among: Callable[[Lists], Bools] | None = None
) -> dict[str, Counts]:
    """Return the counts of the lists as they were returned; among: the rows that are looked at."""
    settings, made = data.settings.changed(duplicates="keep"), dict[str, Counts]()
    for name, counts in systems.items():
        run = data.coded.runs[name]
        lists = ranked_lists(run, data.identities, settings)
        lists = lists if among is None else lists.only(among(lists))
        length, hits = lists.length, _rows(data, run, lists)
        made[name] = replace(counts, hits=hits, length=length, rows=length, returned=None, judged=None)
    return made


def _rows(data: Prepared, run: CodedRun, lists: Lists) -> ListRows:
    ones = np.ones(len(lists.form))
    words, repeated_words = _words(data, lists)
    return ListRows(
        **vars(ordered_hits(lists.owner, lists.rank, ones, ones, ones)),
        repeated=lists.repeated.astype(float),
        words=words,
        repeated_words=repeated_words,
        present=_present(data, lists),
        alike=_alike(data, run, lists),
    )


def _words(data: Prepared, lists: Lists) -> tuple[Floats, Floats]:
    """Return how many words each row has, and how many stand earlier in its list: words of its form, mostly stems."""
    split = pc.split_pattern(data.identities.forms.cast(pa.large_string()), " ")
    length = np.diff(split.offsets.to_numpy()).astype(np.int64)
    code = split.flatten().dictionary_encode().indices.to_numpy().astype(np.int64)
    start = np.cumsum(length) - length
    words = length[lists.form]
    row = np.repeat(np.arange(len(words)), words)
    key = lists.owner[row] * (code.max(initial=0) + 1) + code[ragged(start[lists.form], words)]
    new = np.bincount(row[np.unique(key, return_index=True)[1]], minlength=len(words))
    return words.astype(float), (words - new).astype(float)


def _present(data: Prepared, lists: Lists) -> Floats:
    there = np.array([bool(text) for text in data.texts], bool)[lists.owner]
    present = np.full(len(there), np.nan)
    present[there] = occurs_in_text(data)(lists.owner[there], lists.form[there])
    return present


def _alike(data: Prepared, run: CodedRun, lists: Lists) -> Floats:
    """Return the sum of the similarities of each row to the rows above it in its list."""
    if not data.corpus.vocabulary.tells_similarity:
        return np.full(len(lists.form), np.nan)
    given, found = given_of(data.corpus, data.coded, data.settings), [np.empty(0)]
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1]
    same = phrase if given.vectors is not None else lists.form  # which a table of pairs need not have
    start = np.cumsum(lists.length) - lists.length
    for block in padded_blocks(lists.length**2):
        own, form = (padded(one, start[block], lists.length[block], -1) for one in (phrase, same))
        value = np.where(form[:, :, None] == form[:, None], 1.0, given.blocks(own, own))
        found.append(np.tril(value, -1).sum(axis=2, dtype=float)[own >= 0])
    return np.concatenate(found)
