"""Turn a corpus into parts of it: documents of one type or length, and keyphrases that stand in the text or do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.scoring.codes import Bools, Codes, Identities, Ints, code, identify
from kp_core.scoring.counts import count
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.match import prepare
from kp_core.scoring.prepare import Counted
from kp_core.scoring.universe import texts_of
from kp_core.settings import Settings
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines
from kp_core.text.tokenise import tokens

By = Literal["", "group", "length", "presence"]
#: What the parts of an evaluation may tell apart, and what that is.
PARTS = {
    "group": "type of the document",
    "length": "length of the text: the shortest third, the middle one, the longest",
    "presence": "keyphrases that stand in the text, and those that do not",
}


def parse_by(by: str) -> By:
    """Return what the parts tell apart; empty for the whole alone."""
    if by and by not in PARTS:
        raise UsageError(f"by is '{by}'; choose one of: {', '.join(PARTS)}")
    return cast(By, by)


def masks(corpus: Corpus, by: By) -> dict[str, Bools]:
    """Return the documents (D,) of each part, named as rows print it: `group:lecture`, `length:short`.

    Raises InputError where the documents have no type, or no text.
    """
    ids = list(code(corpus).documents)
    documents = corpus.documents.set_index("doc_id").reindex(ids)
    if by == "group":
        groups = documents["group"].fillna("").to_numpy(str)
        names = sorted({name for name in groups if name})
        if not names:
            raise InputError(
                "the documents", "no document type", "a column such as “type” or “group”", "Load it with the documents."
            )
        return {f"group:{name}": groups == name for name in names}
    if by == "length":
        _need_texts(corpus, "length")
        words = np.array([len(tokens(text)) for text in documents["text"].fillna("")], np.float64)
        there = _with_text(corpus)
        edges = np.quantile(words[there], [1 / 3, 2 / 3], method="inverted_cdf")
        third = np.searchsorted(edges, words)
        return {f"length:{name}": there & (third == place) for place, name in enumerate(("short", "medium", "long"))}
    return {}


def restricted(counted: Counted, documents: Bools) -> Counted:
    """Return the counts as if the gold standard spoke about some documents only."""
    ranking = replace(counted.ranking, known=counted.ranking.known & documents)
    if counted.table is counted.ranking:
        return Counted(ranking, ranking)
    return Counted(ranking, replace(counted.table, known=counted.table.known & documents))


def presence(
    corpus: Corpus, settings: Settings, without: int | None = None, fewest: Ints | None = None
) -> dict[str, dict[str, Counted]]:
    """Return the counts of every system for present and for absent keyphrases.

    A phrase is present if its tokens stand together in the text. Both sides are filtered, ranks are given anew.
    Source: Meng et al. 2017, on token boundaries.
    """
    _need_texts(corpus, "presence")
    coded, record = code(corpus), settings.conventions
    identities = identify(corpus, record)
    gold, negatives = gather(coded, identities, record, settings.annotators, without, fewest)
    stands = _standing(corpus, settings, identities)
    spelled = stands(gold.document[gold.spelling_item], gold.spelling_form)
    item = np.zeros(len(gold.grade), bool)
    item[gold.spelling_item[spelled]] = True
    with_text = _with_text(corpus)
    found: dict[str, dict[str, Counted]] = {"present": {}, "absent": {}}
    for system, run in coded.runs.items():
        lists = prepare(run, corpus.rankings[system], identities, record)
        row = stands(np.repeat(np.arange(len(lists.length)), lists.length), lists.form)
        for name, wanted in (("present", True), ("absent", False)):
            part: Gold = replace(gold.only(item == wanted), known=gold.known & with_text)
            nothing = np.zeros(len(gold.size))
            counts = count(lists.kept(row == wanted), run.listed, part, negatives, nothing, record)
            found[name][system] = Counted(counts, counts)
    return found


def _need_texts(corpus: Corpus, by: str) -> None:
    if not corpus.has_texts:
        raise InputError(
            "the documents", "no texts", f"the texts, for parts by {by}", "Load the texts of the documents."
        )


def _with_text(corpus: Corpus) -> Bools:
    texts = corpus.documents.set_index("doc_id")["text"].reindex(list(code(corpus).documents)).fillna("")
    return np.asarray((texts != "").to_numpy(bool))


class _Standing:
    """Tells whether forms, in one of their spellings, stand in texts; each pair is looked up once."""

    def __init__(self, texts: list[str], forms: list[tuple[str, ...]], any_order: bool) -> None:
        self.texts, self.forms, self.any_order = texts, forms, any_order

    def __call__(self, document: Ints, form: Ints | Codes) -> Bools:
        key = document.astype(np.int64) * len(self.forms) + form
        distinct, place = np.unique(key, return_inverse=True)
        pairs = [divmod(one, len(self.forms)) for one in distinct.tolist()]
        found = [
            any(occurs(line, self.texts[text], self.any_order) for line in self.forms[form]) for text, form in pairs
        ]
        return np.array(found, bool)[place]


def _standing(corpus: Corpus, settings: Settings, identities: Identities) -> _Standing:
    normaliser = Normaliser.parse(settings.conventions.normalise)
    lines = corpus.recent("text lines", str(normaliser), lambda: token_lines(texts_of(corpus), normaliser))
    # The phrases as they were written go the same way as the texts: tokens first, stems last.
    raw = code(corpus).phrases.to_pylist()
    stemmed = settings.conventions.gold_stemmed == "yes"
    sides = [(identities.predicted, token_lines(raw, normaliser))]
    sides.append((identities.gold, token_lines(raw, normaliser.without_stemmer()) if stemmed else sides[0][1]))
    spelled: list[dict[str, None]] = [{} for _ in range(len(identities.forms))]
    for forms, own in sides:
        for form, line in zip(forms.tolist(), own, strict=True):
            spelled[form][line] = None
    return _Standing(lines, [tuple(own) for own in spelled], "sort" in normaliser.steps)
