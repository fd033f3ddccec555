"""Compare the document ids of gold standard, systems and texts, and find rules that make them match one to one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
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
    """Remove a known extension from an id.

    >>> strip_extension("C-7.txt"), strip_extension("C-7.2")
    ('C-7', 'C-7.2')
    """
    stem, extension = splitext(doc_id)
    return stem if extension.lower() in KNOWN_EXTENSIONS else doc_id


def _only_number(doc_id: str) -> str:
    """Return the only number in an id, without leading zeros."""
    numbers = re.findall(r"[0-9]+", doc_id)
    return numbers[0].lstrip("0") or "0" if len(numbers) == 1 else doc_id


def _last_part(doc_id: str) -> str:
    index = max(doc_id.rfind(mark, 0, -1) for mark in "_-/:. ") + 1
    return doc_id[index:] if re.fullmatch(r"\w+", doc_id[index:]) else doc_id


#: Name of a rule for ids → its description and function, in the order in which they are offered.
ID_RULES: dict[str, tuple[str, Callable[[str], str]]] = {
    "nfc-ids": ("compose accents (NFC)", lambda doc_id: unicodedata.normalize("NFC", doc_id)),
    "strip-path": ("strip the path", lambda doc_id: re.split(r"[/\\]", doc_id.rstrip("/\\"))[-1] or doc_id),
    "strip-extension": ("strip the extension", strip_extension),
    "casefold-ids": ("ignore case", str.casefold),
    "strip-zeros": ("strip leading zeros", lambda doc_id: doc_id.lstrip("0") or "0" if doc_id.isdigit() else doc_id),
    "last-part": ("keep the part after the last separator", _last_part),
    "only-number": ("keep only the number", _only_number),
}
#: Rules that drop most of an id, and so are offered last and only if all ids match.
_LOOSE = ("last-part", "only-number")
_STRICT = [name for name in ID_RULES if name not in _LOOSE]
#: Combinations of rules that are tried, in order.
_CANDIDATES = [*((name,) for name in _STRICT), *combinations(_STRICT, 2), *((name,) for name in _LOOSE)]
#: Fixes that do not change ids.
OTHER_FIXES: dict[str, str] = {
    "keep-first": "keep the first of two lists, or texts, for one document",
    "merge": "merge two lists for one document",
    "strip-common": "strip the common beginning and end of the file names of systems (or annotators)",
    "types-from-ids": "take the document type from the beginning of the id",
}
#: Fix → its description.
WORDS = {name: description for name, (description, _) in ID_RULES.items()} | OTHER_FIXES
#: A fix, its description, two sides or sources, the number of ids that would match, and the number that could.
_Offer: TypeAlias = tuple[str, str, str, str, int, int]


def types_in_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return id → document type if every id is a type and a number, with two to ten types; otherwise nothing.

    >>> types_in_ids(["C-1", "C-17", "H-3", "H-4"])
    {'C-1': 'C', 'C-17': 'C', 'H-3': 'H', 'H-4': 'H'}
    >>> types_in_ids(["lecture-01", "lecture-02"]), types_in_ids(["C-1", "H-3"]), types_in_ids(["C-1", "C-2", "tides"])
    ({}, {}, {})
    """
    types = {doc_id: match[1] for doc_id in ids if (match := re.fullmatch(r"(.*?[^\W\d_])[\W_]*\d+", doc_id))}
    sizes = Counter(types.values())
    fit = len(types) == len(ids) and 2 <= len(sizes) <= 10 and min(sizes.values()) > 1
    return types if fit else {}


def id_fix(name: str) -> Callable[[str], str] | None:
    """Return the rule of a fix that changes ids, None for other fixes; refuse an unknown name."""
    if name in ID_RULES:
        return ID_RULES[name][1]
    if name in OTHER_FIXES:
        return None
    raise UsageError(f"there is no fix '{name}'; choose among: {', '.join((*ID_RULES, *OTHER_FIXES))}")


def without_common(names: Sequence[str]) -> list[str]:
    """Strip the common prefix and suffix of names, up to separators; a single name is unchanged.

    >>> without_common(["candidats.degree", "candidats.textrank"]), without_common(["a-run", "b-run"])
    (['degree', 'textrank'], ['a', 'b'])
    """
    if len(set(names)) < 2:
        return list(names)
    ends = (commonprefix(list(names)), commonprefix([name[::-1] for name in names]))  # noqa: RUF071 - of characters
    start, stop = (len(re.sub(r"[^._\- ]*$", "", end)) for end in ends)
    stripped = [name[start : len(name) - stop] for name in names]
    return stripped if all(stripped) and len(set(stripped)) == len(set(names)) else list(names)


def labels_of(names: Sequence[str]) -> dict[str, str]:
    """Return name → name without what all share; names stay complete if a label would have no letter.

    >>> labels_of(["candidats.degree", "candidats.textrank"]), labels_of(["run-1", "run-2"])
    ({'candidats.degree': 'degree', 'candidats.textrank': 'textrank'}, {'run-1': 'run-1', 'run-2': 'run-2'})
    """
    stripped = without_common(names)
    has_letters = all(any(map(str.isalpha, label)) for label in stripped)
    return dict(zip(names, stripped if has_letters else names, strict=True))


def applied(names: Sequence[str], doc_id: str) -> str:
    """Apply rules to an id, one after the other."""
    for name in names:
        doc_id = ID_RULES[name][1](doc_id)
    return doc_id


def sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Return {side: {source: its documents in order}}; the sides are gold, systems and texts."""
    return memoize(corpus, "sources", None, lambda: _sources(corpus))


def _sources(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    texts = corpus.documents.loc[corpus.documents["text"].notna(), "doc_id"].tolist()
    by_side = {"texts": {"texts": texts}} if texts else {}
    for side, role, table in (("systems", "system", corpus.runs), ("gold", "gold", corpus.gold)):
        column = "system" if role == "system" else "annotator"
        starts = np.union1d(*(run_starts(pa.array(table[name])) for name in (column, "doc_id")))
        rows = table.iloc[starts].rename(columns={column: "source"})
        pairs = pd.concat([rows, corpus.empty[corpus.empty["role"] == role]])[["source", "doc_id"]].drop_duplicates()
        lists: dict[str, list[str]] = {}
        for source, doc_id in zip(*(pa.array(pairs[name]).to_pylist() for name in pairs), strict=True):
            lists.setdefault(source, []).append(doc_id)
        if lists:
            by_side = {side: lists} | by_side
    return by_side


def sides(corpus: Corpus) -> dict[str, list[str]]:
    """Return the documents of the gold standard, the systems and the texts, in order."""
    by_side = sources(corpus)
    return {side: list(dict.fromkeys(chain.from_iterable(lists.values()))) for side, lists in by_side.items()}


def coverage(corpus: Corpus) -> pd.DataFrame:
    """Count the documents of each side, of their union, and of their intersection.

    >>> from kp_core.reading.load import load
    >>> coverage(load(gold={"d1": ["tide"], "d2": []}, systems={"a": {"d1": ["sea"]}})).to_numpy().tolist()
    [['gold', 2], ['systems', 1], ['every side', 1], ['all', 2]]
    """
    by_side = sides(corpus)
    common = set.intersection(*map(set, by_side.values())) if by_side else set()
    rows = [*((side, len(ids)) for side, ids in by_side.items()), ("every side", len(common))]
    return pd.DataFrame([*rows, ("all", len(corpus.documents))], columns=["side", "documents"])


def _unmatched_sides(corpus: Corpus) -> Iterator[tuple[str, str, list[str], list[str], list[str]]]:
    """Yield each ordered pair of sides, the document ids of both, and the ids that only the first has."""
    for (first_side, ids), (second_side, other_ids) in permutations(sides(corpus).items(), 2):
        other_set = set(other_ids)
        yield first_side, second_side, ids, other_ids, [doc_id for doc_id in ids if doc_id not in other_set]


def gaps(corpus: Corpus, limit: int = 10) -> pd.DataFrame:
    """Return one row per pair of sides: how many documents the first has, how many only it has, and some of these."""
    rows = [
        (first_side, second_side, len(ids), len(missing_ids), ", ".join(missing_ids[:limit]))
        for first_side, second_side, ids, _, missing_ids in _unmatched_sides(corpus)
    ]
    return pd.DataFrame(rows, columns=["in", "not in", "documents", "only here", "first"])


def unmatched(corpus: Corpus, limit: int = 10) -> pd.DataFrame:
    """Return the ids of only one side, with up to three ids of the other side at edit distance two or less."""
    rows = []
    for first_side, second_side, _, other_ids, missing_ids in _unmatched_sides(corpus):
        candidates = sorted(other_ids) if missing_ids else []
        for doc_id in missing_ids[:limit]:
            similar_ids = process.extract(doc_id, candidates, scorer=Levenshtein.distance, score_cutoff=2, limit=3)
            rows.append((doc_id, first_side, second_side, ", ".join(candidate for candidate, _, _ in similar_ids)))
    return pd.DataFrame(rows, columns=["doc_id", "in", "not in", "similar"])


def missing(corpus: Corpus, limit: int = 10) -> pd.DataFrame:
    """Return one row per system that lacks a list for some document of the gold standard."""
    gold_ids, lists = sides(corpus).get("gold", []), sources(corpus).get("systems", {})
    ids_by_system = {system: set(lists.get(system, ())) for system in corpus.systems}
    lacking = {system: [doc_id for doc_id in gold_ids if doc_id not in ids] for system, ids in ids_by_system.items()}
    rows = [(system, len(ids), len(gold_ids), ", ".join(ids[:limit])) for system, ids in lacking.items() if ids]
    return pd.DataFrame(rows, columns=["system", "no list", "of", "first"])


def fixes(corpus: Corpus) -> pd.DataFrame:
    """Return one row per fix applied on loading."""
    return pd.DataFrame([(name, WORDS[name]) for name in corpus.report.fixes], columns=["fix", "what it does"])


def suggestions(corpus: Corpus) -> pd.DataFrame:
    """Return the fixes that make ids of two sides match one to one; pairs of fixes are joined by a comma.

    If a fix for whole sides does not exist, single annotators or systems are tried.
    """
    return memoize(corpus, "suggestions", None, lambda: _suggestions(sources(corpus), sides(corpus)))


def _suggestions(sources_by_side: dict[str, dict[str, list[str]]], by_side: dict[str, list[str]]) -> pd.DataFrame:
    rows: list[_Offer] = []
    for first_side, second_side in combinations(by_side, 2):
        side_offers = _offers({first_side: by_side[first_side]}, {second_side: by_side[second_side]})
        rows += side_offers or _offers(sources_by_side[first_side], sources_by_side[second_side])
    for lists in sources_by_side.values() if not rows else ():
        first_name, *other_names = lists
        rows += _offers({first_name: lists[first_name]}, {name: lists[name] for name in other_names})
    return pd.DataFrame(rows, columns=["fix", "what it does", "left", "right", "match", "of"])


def _offers(first: Mapping[str, list[str]], second: Mapping[str, list[str]]) -> list[_Offer]:
    offers = []
    for name, ids in second.items():
        attempts = (_offer(first_name, set(first_ids), name, set(ids)) for first_name, first_ids in first.items())
        offers.append(next(filter(None, attempts), None))
    return [*filter(None, offers)]


def _offer(first_name: str, first_ids: set[str], second_name: str, second_ids: set[str]) -> _Offer | None:
    """Return the first fix, or pair of fixes, that matches most ids of two sides without making any two equal."""
    total = min(len(first_ids), len(second_ids))
    for names in _CANDIDATES if first_ids != second_ids else ():
        mapped = [{applied(names, doc_id) for doc_id in ids} for ids in (first_ids, second_ids)]
        matches = len(mapped[0] & mapped[1])
        stay_distinct = len(mapped[0]) == len(first_ids) and len(mapped[1]) == len(second_ids)
        enough = matches == total or (matches * 2 >= total and names[0] not in _LOOSE)
        if stay_distinct and enough and matches > len(first_ids & second_ids):
            return ",".join(names), " and ".join(WORDS[name] for name in names), first_name, second_name, matches, total
    return None
