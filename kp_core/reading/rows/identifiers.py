"""Turn the ids of all sides into tables of where they meet, and of rules that make them meet one to one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations
from os.path import commonprefix, splitext
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from kp_core.corpus import Corpus, memoize, run_starts
from kp_core.errors import UsageError
from kp_core.reading.open.source import KNOWN_EXTENSIONS


def strip_extension(doc_id: str) -> str:
    """Take one known extension off an id.

    >>> strip_extension("C-7.txt"), strip_extension("C-7.2")
    ('C-7', 'C-7.2')
    """
    bare, ending = splitext(doc_id)
    return bare if ending.lower() in KNOWN_EXTENSIONS else doc_id


def _only_number(doc_id: str) -> str:
    """Return the number of an id that has one, as it counts.

    >>> _only_number("paper-1.pdf"), _only_number("P001"), _only_number("2-1")
    ('1', '1', '2-1')
    """
    numbers = re.findall(r"[0-9]+", doc_id)
    return numbers[0].lstrip("0") or "0" if len(numbers) == 1 else doc_id


def _last_part(doc_id: str) -> str:
    """Return what stands behind the last separator of an id.

    >>> _last_part("semeval_test_C-41"), _last_part("C 41")
    ('41', '41')
    """
    place = max(doc_id.rfind(mark, 0, -1) for mark in "_-/:. ") + 1
    return doc_id[place:] if re.fullmatch(r"\w+", doc_id[place:]) else doc_id


#: Rules for ids in the order in which they are offered: name → what it does in words, and the rule.
ID_RULES: dict[str, tuple[str, Callable[[str], str]]] = {
    "nfc-ids": ("compose accents (NFC)", lambda doc_id: unicodedata.normalize("NFC", doc_id)),
    "strip-path": ("strip the path", lambda doc_id: re.split(r"[/\\]", doc_id.rstrip("/\\"))[-1] or doc_id),
    "strip-extension": ("strip the extension", strip_extension),
    "casefold-ids": ("ignore case", str.casefold),
    "strip-zeros": ("strip leading zeros", lambda doc_id: doc_id.lstrip("0") or "0" if doc_id.isdigit() else doc_id),
    "last-part": ("keep what stands behind the last separator", _last_part),
    "only-number": ("keep the number alone", _only_number),
}
#: Rules that leave so little of an id that they are offered last.
_LOOSE = ("last-part", "only-number")
#: Fixes that concern no ids.
OTHER_FIXES: dict[str, str] = {
    "keep-first": "keep the first of two lists, or texts, for one document",
    "merge": "merge two lists for one document",
    "strip-common": "strip what all file names of systems (or annotators) begin or end with",
}
#: Every fix in words.
WORDS = {name: what for name, (what, _) in ID_RULES.items()} | OTHER_FIXES
#: A fix, what it does, two sides or sources, how many ids would match, and of how many.
_Offer: TypeAlias = tuple[str, str, str, str, int, int]


def id_fix(name: str) -> Callable[[str], str] | None:
    """Return the rule of a fix for ids, None for another fix; an unknown name is a usage error."""
    if name in ID_RULES:
        return ID_RULES[name][1]
    if name in OTHER_FIXES:
        return None
    raise UsageError(f"there is no fix '{name}'; choose among: {', '.join((*ID_RULES, *OTHER_FIXES))}")


def without_common(names: Sequence[str]) -> list[str]:
    """Strip what all names begin or end with, up to a separator; a single name stays.

    >>> without_common(["candidats.degree", "candidats.textrank"]), without_common(["a-run", "b-run"])
    (['degree', 'textrank'], ['a', 'b'])
    """
    if len(set(names)) < 2:
        return list(names)
    ends = (commonprefix(list(names)), commonprefix([name[::-1] for name in names]))  # noqa: RUF071 - of characters
    start, stop = (len(re.sub(r"[^._\- ]*$", "", end)) for end in ends)
    short = [name[start : len(name) - stop] for name in names]
    return short if all(short) and len(set(short)) == len(set(names)) else list(names)


def matches(left: Collection[str], right: Collection[str], rule: Callable[[str], str]) -> int:
    """Return how many more ids of both sides meet under a rule; 0 unless it keeps the ids of each side apart.

    >>> matches(["C-1", "C-2"], ["C-1.txt", "C-2.txt", "C-3.txt"], strip_extension)
    2
    """
    mapped_left, mapped_right = {rule(i) for i in left}, {rule(i) for i in right}
    if len(mapped_left) < len(set(left)) or len(mapped_right) < len(set(right)):
        return 0
    gained = len(mapped_left & mapped_right)
    return gained if gained > len(set(left) & set(right)) else 0


def near(doc_id: str, others: Sequence[str], limit: int = 3) -> list[str]:
    """Return up to three ids at edit distance two or less, the nearest first.

    >>> near("C-14", ["C-41", "C-4", "H-999"])
    ['C-4', 'C-41']
    """
    close = process.extract_iter(doc_id, others, scorer=Levenshtein.distance, score_cutoff=2)
    return [other for _, other in sorted((distance, other) for other, distance, _ in close)[:limit]]


def sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Return the documents of every annotator, system and of the texts, by side, in order; a side may be out."""
    return memoize(corpus, "sources", None, lambda: _sources(corpus))


def _sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    found = dict[str, dict[str, list[str]]]()
    for side, role, names, table, column in (
        ("gold", "gold", corpus.annotators, corpus.gold, "annotator"),
        ("systems", "system", corpus.systems, corpus.runs, "system"),
    ):
        # The first row of every run of one source and document stands for the others.
        starts = np.union1d(*(run_starts(pa.array(table[name])) for name in (column, "doc_id")))
        rows = table.iloc[starts].rename(columns={column: "source"})
        pairs = pd.concat([rows, corpus.empty[corpus.empty["role"] == role]])[["source", "doc_id"]]
        documents = pairs.drop_duplicates().groupby("source", sort=False)["doc_id"].agg(list)
        found[side] = {name: documents[name] for name in names if name in documents}
    texts = corpus.documents.loc[corpus.documents["text"].notna(), "doc_id"].tolist()
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


def _alone(corpus: Corpus) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Give every two sides, and the documents that only the first, and that the second has."""
    for (left, left_ids), (right, right_ids) in permutations(sides(corpus).items(), 2):
        others = set(right_ids)
        yield left, right, [doc_id for doc_id in left_ids if doc_id not in others], right_ids


def gaps(corpus: Corpus, first: int = 10) -> pd.DataFrame:
    """Return one row for two sides: documents of each, how many only one has, and the first of these."""
    sizes = {side: len(ids) for side, ids in sides(corpus).items()}
    alone = _alone(corpus)
    rows = [(left, right, sizes[left], len(only), ", ".join(only[:first])) for left, right, only, _ in alone]
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
    return memoize(corpus, "suggestions", None, lambda: _suggestions(sources(corpus), sides(corpus)))


def _suggestions(every: dict[str, dict[str, list[str]]], found: dict[str, list[str]]) -> pd.DataFrame:
    rows: list[_Offer] = []
    for left, right in combinations(found, 2):
        rows += _offer(left, found[left], right, found[right]) or _one_by_one(every[left], every[right])
    if not rows:
        for named in every.values():
            first, *rest = named
            rows += _one_by_one({first: named[first]}, {name: named[name] for name in rest})
    return pd.DataFrame(rows, columns=["fix", "what it does", "left", "right", "match", "of"])


def _offer(left: str, left_ids: list[str], right: str, right_ids: list[str]) -> list[_Offer]:
    """Return the first fix that makes more ids of two sides meet, or else the first two fixes together."""
    if set(left_ids) == set(right_ids):
        return []
    strict = [name for name in ID_RULES if name not in _LOOSE]
    for names in [*((name,) for name in strict), *combinations(strict, 2), *((name,) for name in _LOOSE)]:
        of = min(len(set(left_ids)), len(set(right_ids)))
        met = matches(left_ids, right_ids, partial(applied, names))
        if met == of or (met * 2 >= of and not set(names) & set(_LOOSE)):
            words = " and ".join(WORDS[name] for name in names)
            return [(",".join(names), words, left, right, met, of)]
    return []


def applied(names: Sequence[str], doc_id: str) -> str:
    """Return an id after some rules, one after the other."""
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
    rows = [
        (doc_id, left, right, ", ".join(near(doc_id, others)))
        for left, right, only, others in _alone(corpus)
        for doc_id in only[:first]
    ]
    return pd.DataFrame(rows, columns=["doc_id", "in", "not in", "similar"])
