"""Turn a corpus into tables of where its sides meet: documents of one side only, and fixes that would match them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TypeAlias

import pandas as pd

from kp_core.corpus import Corpus, kept
from kp_core.reading.identifiers import ID_RULES, OTHER_FIXES, matches, near

#: A fix, what it does, two sides or sources, how many ids would match, and of how many.
_Offer: TypeAlias = tuple[str, str, str, str, int, int]
#: Every fix in words.
WORDS = {name: what for name, (what, _) in ID_RULES.items()} | OTHER_FIXES
_OFFERED = ["fix", "what it does", "left", "right", "match", "of"]


def sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Return the documents of every annotator, system and of the texts, by side, in order; a side may be out."""
    return kept(corpus, "sources", None, lambda: _sources(corpus))


def _sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    empty, documents = corpus.empty, corpus.documents
    found: dict[str, dict[str, list[str]]] = {"gold": {}, "systems": {}, "texts": {}}
    for side, role, names, table, column in (
        ("gold", "gold", corpus.annotators, corpus.gold, "annotator"),
        ("systems", "system", corpus.systems, corpus.runs, "system"),
    ):
        hollow = empty[empty["role"] == role]
        both = pd.concat([table[[column, "doc_id"]], hollow[["source", "doc_id"]].rename(columns={"source": column})])
        ids = both.drop_duplicates().groupby(column, sort=False)["doc_id"].agg(list)
        found[side] = {name: ids[name] for name in names if name in ids}
    texts = documents.loc[documents["text"].notna(), "doc_id"].tolist()
    found["texts"] = {"texts": texts} if texts else {}
    return {side: named for side, named in found.items() if named}


def sides(corpus: Corpus) -> dict[str, list[str]]:
    """Return the documents of the gold standard, the systems and the texts, in order."""
    every = sources(corpus)
    return {side: list(dict.fromkeys(one for ids in named.values() for one in ids)) for side, named in every.items()}


def coverage(corpus: Corpus) -> pd.DataFrame:
    """Return the number of documents of each side, of all of them, and of those that every side has.

    >>> from kp_core.reading.load import load
    >>> coverage(load(gold={"d1": ["tide"], "d2": []}, systems={"a": {"d1": ["sea"]}})).to_numpy().tolist()
    [['gold', 2], ['systems', 1], ['every side', 1], ['all', 2]]
    """
    found = sides(corpus)
    shared = set.intersection(*map(set, found.values())) if found else set()
    rows = [*((side, len(ids)) for side, ids in found.items()), ("every side", len(shared))]
    return pd.DataFrame([*rows, ("all", len(corpus.documents))], columns=["side", "documents"])


def gaps(corpus: Corpus, first: int = 10) -> pd.DataFrame:
    """Return one row for two sides: documents of each, how many only one has, and the first of these."""
    rows = []
    found = sides(corpus)
    for left, left_ids in found.items():
        for right, right_ids in found.items():
            if left != right:
                others = set(right_ids)
                only = [doc_id for doc_id in left_ids if doc_id not in others]
                rows.append((left, right, len(left_ids), len(only), ", ".join(only[:first])))
    return pd.DataFrame(rows, columns=["in", "not in", "documents", "only here", "first"])


def missing(corpus: Corpus, first: int = 10) -> pd.DataFrame:
    """Return one row a system that has no list for some document of the gold standard: how many, and the first."""
    needed = sides(corpus).get("gold", [])
    lists = sources(corpus).get("systems", {})
    rows = []
    for system in corpus.systems:
        there = set(lists.get(system, ()))
        lacking = [doc_id for doc_id in needed if doc_id not in there]
        if lacking:
            rows.append((system, len(lacking), len(needed), ", ".join(lacking[:first])))
    return pd.DataFrame(rows, columns=["system", "no list", "of", "first"])


def fixes(corpus: Corpus) -> pd.DataFrame:
    """Return one row a fix that the corpus was loaded with."""
    return pd.DataFrame([(name, WORDS[name]) for name in corpus.report.fixes], columns=["fix", "what it does"])


def suggestions(corpus: Corpus) -> pd.DataFrame:
    """Return the fixes for ids that make two sides meet one to one; where it takes two, they are joined by a comma.

    Where a side holds ids in several forms, because its annotators or systems differ, these are tried one by one.
    """
    every, found = sources(corpus), sides(corpus)
    rows: list[_Offer] = []
    for left, right in combinations(found, 2):
        rows += _offer(left, found[left], right, found[right]) or _one_by_one(every[left], every[right])
    if not rows:
        for named in every.values():
            first, *rest = named
            rows += _one_by_one({first: named[first]}, {name: named[name] for name in rest})
    return pd.DataFrame(rows, columns=_OFFERED)


def _offer(left: str, left_ids: list[str], right: str, right_ids: list[str]) -> list[_Offer]:
    """Return the first fix that makes more ids of two sides meet, or else the first two fixes together."""
    if set(left_ids) == set(right_ids):
        return []
    for names in [*((name,) for name in ID_RULES), *combinations(ID_RULES, 2)]:
        if met := matches(left_ids, right_ids, partial(_applied, names)):
            words = " and ".join(WORDS[name] for name in names)
            return [(",".join(names), words, left, right, met, min(len(set(left_ids)), len(set(right_ids))))]
    return []


def _applied(names: Sequence[str], doc_id: str) -> str:
    for name in names:
        doc_id = ID_RULES[name][1](doc_id)
    return doc_id


def _one_by_one(left: Mapping[str, list[str]], right: Mapping[str, list[str]]) -> Iterator[_Offer]:
    """Give the first fix for each source of the right side that makes it meet one of the left."""
    for name, ids in right.items():
        offers = (offer for other, others in left.items() for offer in _offer(other, others, name, ids))
        yield from [found] if (found := next(offers, None)) else []


def unmatched(corpus: Corpus, first: int = 10) -> pd.DataFrame:
    """Return ids that only one side has, with up to three ids of the other side at edit distance two or less."""
    found, rows = sides(corpus), []
    for left, left_ids in found.items():
        for right, right_ids in found.items():
            others = set(right_ids)
            only = [doc_id for doc_id in left_ids if doc_id not in others][:first] if left != right else []
            rows += [(doc_id, left, right, ", ".join(near(doc_id, right_ids))) for doc_id in only]
    return pd.DataFrame(rows, columns=["doc_id", "in", "not in", "similar"])
