"""Build a corpus from small dictionaries, without reading files."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

import kp_core as kp
from kp_core.corpus import Ranking
from kp_core.scoring.prepare import prepare

#: A keyphrase, or its accepted spellings.
Entry = str | Sequence[str]
Lists = Mapping[str, Sequence[Entry]]


def _frame(rows: list[tuple[Any, ...]], columns: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)


def corpus_of(
    gold: Lists | Mapping[str, Lists],
    runs: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    *,
    scores: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    grades: Mapping[str, Mapping[str, float]] | None = None,
    texts: Mapping[str, str] | None = None,
    higher: bool = True,
) -> kp.Corpus:
    """Return a corpus.

    gold     {document: [keyphrase, ...]}, or {annotator: {document: [...]}}; an empty list is "saw it, chose nothing"
    runs     {system: {document: [phrase, ...]}}, best first; if scores of the same shape are given, sorted by score
    grades   {document: {keyphrase: grade}}
    """
    several = gold and all(isinstance(lists, Mapping) for lists in gold.values())
    by_annotator: Mapping[str, Any] = gold if several else {"gold": gold}
    entries, empty = [], []
    for annotator, lists in by_annotator.items():
        for document, phrases in lists.items():
            if not phrases:
                empty.append(("gold", annotator, document))
            for entry in phrases:
                spellings = (entry,) if isinstance(entry, str) else tuple(entry)
                grade = (grades or {}).get(document, {}).get(spellings[0])
                entries.append((document, annotator, spellings[0], grade, spellings if len(spellings) > 1 else None))
    rows, rankings = [], {}
    for system, lists in (runs or {}).items():
        rankings[system] = Ranking("score", higher) if scores and system in scores else Ranking("order")
        for document, phrases in lists.items():
            given: Sequence[Any] = (scores or {}).get(system, {}).get(document, [None] * len(phrases))
            listed = list(zip(phrases, given, strict=True))
            if scores and system in scores:
                listed.sort(key=lambda pair: -pair[1] if higher else pair[1])
            if not listed:
                empty.append(("system", system, document))
            rows += [(system, document, rank, phrase, score) for rank, (phrase, score) in enumerate(listed, 1)]
    gold_table = _frame(
        [entry[:4] for entry in entries], {"doc_id": "str", "annotator": "str", "phrase": "str", "relevance": "float64"}
    )
    if any(entry[4] for entry in entries):
        gold_table["variants"] = pd.Series([entry[4] for entry in entries], dtype=object)
    ids = list(dict.fromkeys([*(entry[0] for entry in entries), *(d for _, _, d in empty), *(r[1] for r in rows)]))
    return kp.Corpus(
        documents=_frame(
            [(document, (texts or {}).get(document), None, None) for document in ids],
            {"doc_id": "str", "text": "str", "title": "str", "group": "str"},
        ),
        gold=gold_table,
        runs=_frame(rows, {"system": "str", "doc_id": "str", "rank": "int64", "phrase": "str", "score": "float64"}),
        empty=_frame(empty, {"role": "str", "source": "str", "doc_id": "str"}),
        rankings=rankings,
    )


def scored(corpus: kp.Corpus, measures: str | Sequence[str], k: Any = None, **options: Any) -> pd.DataFrame:
    """Return the rows of an evaluation, by default without intervals."""
    return kp.evaluate(corpus, k=k, measures=measures, **({"interval": "none"} | options)).frame


def value(corpus: kp.Corpus, measure: str, k: Any = None, **options: Any) -> float:
    frame = scored(corpus, measure, k, **options)
    assert len(frame) == 1
    return float(frame["value"].iloc[0])


def document_values(corpus: kp.Corpus, measures: str | Sequence[str], k: Any = 10, **options: Any) -> pd.DataFrame:
    return kp.documents(corpus, settings(k, **options), measures).frame


def settings(k: Any = None, **options: Any) -> kp.Settings:
    """Return settings, by default without intervals."""
    return kp.Settings(k=k, **({"interval": "none"} | options))


def universe_sizes(corpus: kp.Corpus, universe: str, **conventions: Any) -> dict[str, float]:
    data = prepare(corpus, universe=universe, **conventions)
    return dict(zip(data.documents, data.universe.tolist(), strict=True))
