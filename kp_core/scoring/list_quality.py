"""Turn lists as returned, including repeats, into counts that need no gold standard.

Source: Wu, Yin & Chang 2024 (KPEval), diversity; Chan et al. 2019, number of keyphrases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import memoize
from kp_core.scoring.alignment import Lists, ordered_hits, ranked_lists
from kp_core.scoring.codes import Bools, CodedRun, Codes, Floats, Ints, padded, padded_blocks, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.given import given_of
from kp_core.scoring.prepare import Prepared
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines


def returned_counts(
    data: Prepared, systems: Mapping[str, Counts], sides: Callable[[Lists], Ints] | None = None, place: int = 0
) -> dict[str, Counts]:
    """Return the counts of the lists as returned, or of their rows on one side of the keyphrases (`sides == place`).

    Every row is a hit. Further columns: whether the phrase is `repeated` from above in its list, its number of `words`
    and of `repeated words`, whether it is `present` in the text (NaN without a text), and its total similarity to all
    phrases above it, `alike` (NaN without a similarity).
    """
    settings, made = data.settings.changed(duplicates="keep"), dict[str, Counts]()
    for name, counts in systems.items():
        run = data.coded.runs[name]
        lists = ranked_lists(run, data.identities, settings)
        lists = lists if sides is None else lists.only(sides(lists) == place)
        ones, (words, repeated_words) = np.ones(len(lists.form)), _words(data, lists)
        with_text = np.array([bool(text) for text in data.texts], bool)[lists.owner]
        present = np.full(len(with_text), np.nan)
        present[with_text] = occurs_in_text(data)(lists.owner[with_text], lists.form[with_text])
        columns = {
            "repeated": lists.repeated.astype(float),
            "words": words,
            "repeated words": repeated_words,
            "present": present,
            "alike": _alike(data, run, lists),
        }
        rows = replace(ordered_hits(lists.owner, lists.rank, ones, ones, ones), further=columns)
        made[name] = replace(counts, hits=rows, length=lists.length, rows=lists.length, returned_rows=None, judged=None)
    return made


def _words(data: Prepared, lists: Lists) -> tuple[Floats, Floats]:
    """Count the words of each row, in its normalized form, and those that occur earlier in its list."""
    split = pc.split_pattern(data.identities.forms.cast(pa.large_string()), " ")
    length = np.diff(split.offsets.to_numpy()).astype(np.int64)
    code = split.flatten().dictionary_encode().indices.to_numpy().astype(np.int64)
    start = np.cumsum(length) - length
    words = length[lists.form]
    row = np.repeat(np.arange(len(words)), words)
    key = lists.owner[row] * (code.max(initial=0) + 1) + code[ragged(start[lists.form], words)]
    new = np.bincount(row[np.unique(key, return_index=True)[1]], minlength=len(words))
    return words.astype(float), (words - new).astype(float)


def occurs_in_text(data: Prepared) -> Callable[[Ints, Ints | Codes], Bools]:
    """Return a function that tests whether forms, in any spelling, occur in texts."""
    normaliser, coded, identities = Normaliser.parse(data.settings.normalise), data.coded, data.identities
    key = (str(normaliser), data.settings.titles)
    texts = memoize(data.corpus, "text lines", key, lambda: token_lines(data.texts, normaliser))
    # Phrases are processed like texts: tokens first, stems last.
    raw = coded.phrases.to_pylist()
    predicted = gold = token_lines(raw, normaliser)
    if data.settings.gold_stemmed == "yes":
        gold = token_lines(raw, normaliser.without_stemmer())
    spelled: list[dict[str, None]] = [{} for _ in range(len(identities.forms))]
    for forms, spellings in ((identities.predicted, predicted), (identities.gold, gold)):
        for form, line in zip(forms.tolist(), spellings, strict=True):
            spelled[form][line] = None
    any_order, known = "sort" in normaliser.steps, dict[int, bool]()

    def occurs_in(document: Ints, form: Ints | Codes) -> Bools:
        keys = (document.astype(np.int64) * len(spelled) + form).tolist()
        for key in {*keys} - known.keys():
            text, number = divmod(key, len(spelled))
            known[key] = any(occurs(line, texts[text], any_order) for line in spelled[number])
        return np.array([known[key] for key in keys], bool)

    return occurs_in


def _alike(data: Prepared, run: CodedRun, lists: Lists) -> Floats:
    """Return the sum of the similarities of each row to the rows above it in its list."""
    if not data.corpus.vocabulary.has_similarities:
        return np.full(len(lists.form), np.nan)
    given, sums = given_of(data.corpus, data.coded, data.settings), [np.empty(0)]
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1]
    same = phrase if given.vectors is not None else lists.form  # a table of pairs may lack equal phrases
    start = np.cumsum(lists.length) - lists.length
    for block in padded_blocks(lists.length**2):
        number, form = (padded(codes, start[block], lists.length[block], -1) for codes in (phrase, same))
        value = np.where(form[:, :, None] == form[:, None], 1.0, given.blocks(number, number))
        sums.append(np.tril(value, -1).sum(axis=2, dtype=float)[number >= 0])
    return np.concatenate(sums)
