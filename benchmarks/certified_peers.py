"""Answer cases of the certified set with an installed library: pytrec_eval, ranx or ir_measures.

These libraries compare ids, so each phrase is passed in the normalized form of the case, a gold entry in its first
spelling. A list becomes a dictionary, in which a repeated phrase keeps its best rank. Each library computes its own
mean over documents, whatever the case asks for, so that differences show its conventions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kp_core.settings import Settings
from kp_core.text.normalise import Normaliser

if TYPE_CHECKING:
    from benchmarks.certified import Answer, Tally

#: Names of the measures: without a cutoff, at k, and over the whole list (M).
PYTREC = {"MAP": "map", "MRR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref"}
PYTREC |= {"P@k": "P_{k}", "R@k": "recall_{k}", "MAP@k": "map_cut_{k}", "nDCG@k": "ndcg_cut_{k}"}
PYTREC |= {"success@k": "success_{k}", "P@M": "set_P", "R@M": "set_recall", "F1@M": "set_F"}
RANX = {"MAP": "map", "MRR": "mrr", "nDCG": "ndcg", "nDCG-exp": "ndcg_burges", "Rprec": "r-precision", "bpref": "bpref"}
RANX |= {"P@k": "precision@{k}", "R@k": "recall@{k}", "F1@k": "f1@{k}", "MAP@k": "map@{k}", "MRR@k": "mrr@{k}"}
RANX |= {"nDCG@k": "ndcg@{k}", "nDCG-exp@k": "ndcg_burges@{k}", "success@k": "hit_rate@{k}", "hits@k": "hits@{k}"}
RANX |= {"P@M": "precision", "R@M": "recall", "F1@M": "f1", "RBP": "rbp.90", "RBP(p=0.5)": "rbp.50"}
IR = {"MAP": "AP", "MRR": "RR", "nDCG": "nDCG", "Rprec": "Rprec", "bpref": "Bpref"}
IR |= {"P@k": "P@{k}", "R@k": "R@{k}", "MAP@k": "AP@{k}", "MRR@k": "RR@{k}", "nDCG@k": "nDCG@{k}"}
IR |= {"success@k": "Success@{k}", "P@M": "SetP", "R@M": "SetR", "F1@M": "SetF"}


@dataclass(frozen=True)
class Files:
    """A case as TREC qrels and run: grades and scores by document; empty documents and lists are left out."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    level: int


def files_of(case: dict[str, Any]) -> Files | None:
    """Return a case as qrels and run; None for annotators, subsets, subjects and agreement, which have no such form."""
    several = any(isinstance(lists, dict) for lists in case["gold"].values())
    by_subject = case["convention"] == "subject_empty"
    if several or by_subject or "subset" in case or "lists" not in case:
        return None
    settings = Settings(**case["settings"])
    normaliser = Normaliser.parse(settings.normalise)
    of_gold = normaliser.without_stemmer() if settings.gold_stemmed == "yes" else normaliser
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for document, entries in case["gold"].items():
        firsts = [entry if isinstance(entry, str) else entry[0] for entry in entries]
        grades = case.get("grades", {}).get(document, {})
        for form, phrase in zip(of_gold.apply(firsts), firsts, strict=True):
            qrels.setdefault(document, {})[form] = grades.get(phrase, 1)
    for document, phrases in case["lists"].items():
        scores = case.get("scores", {}).get(document, range(len(phrases), 0, -1))
        for form, score in zip(normaliser.apply(phrases), scores, strict=True):
            run.setdefault(document, {}).setdefault(form, float(score))
    return Files(qrels, run, math.ceil(settings.rel))


def name_in(names: Mapping[str, str], case: dict[str, Any]) -> str | None:
    """Return the name of the measure of a case in a library, with the cutoff."""
    k = {"all": "M"}.get(case["settings"].get("k"), case["settings"].get("k"))
    measure = case["measure"].replace("@k", f"@{k}")
    if measure in names:
        return names[measure]
    cut = re.fullmatch(r"(.+)@(\d+)", measure)
    name = names.get(f"{cut[1]}@k") if cut else None
    return name.format(k=cut[2]) if cut and name else None


def pytrec_eval(name: str, files: Files) -> float:
    """Return the mean of trec_eval over the documents for which it returns values."""
    import pytrec_eval

    asked = re.sub(r"_(\d+)$", r".\1", name)
    evaluator = pytrec_eval.RelevanceEvaluator(files.qrels, {asked}, relevance_level=files.level)
    values = [item[name] for item in evaluator.evaluate(files.run).values()]
    return sum(values) / len(values) if values else math.nan


def ranx(name: str, files: Files) -> float:
    """Return the mean of ranx; a missing list is passed as an empty list, because ranx refuses missing lists."""
    from ranx import Qrels, Run, evaluate

    if not files.qrels or not files.run:
        return math.nan if not files.qrels else 0.0
    level = "" if name.startswith("ndcg") or files.level == 1 else f"-l{files.level}"
    return float(evaluate(Qrels(files.qrels), Run(files.run), name + level, make_comparable=True))


def ir_measures(name: str, files: Files) -> float:
    """Return the mean of ir_measures."""
    import ir_measures

    measure = ir_measures.parse_measure(name)
    if files.level != 1 and "rel" in measure.SUPPORTED_PARAMS:
        measure = measure(rel=files.level)
    return float(ir_measures.calc_aggregate([measure], files.qrels, files.run)[measure]) if files.qrels else math.nan


PEERS = {"pytrec_eval": (PYTREC, pytrec_eval), "ranx": (RANX, ranx), "ir_measures": (IR, ir_measures)}


def installed() -> dict[str, Callable[[dict[str, Any]], Answer]]:
    """Return the installed libraries: name → function from a case to its answer."""
    return {name: _asker(*PEERS[name]) for name in PEERS if find_spec(name)}


def _asker(names: Mapping[str, str], score: Callable[[str, Files], float]) -> Callable[[dict[str, Any]], Answer]:
    def answer(case: dict[str, Any]) -> Answer:
        name, files = name_in(names, case), files_of(case)
        return score(name, files) if name and files else None

    return answer


def table(by_peer: Mapping[str, list[Tally]]) -> Iterable[str]:
    """Yield the lines of a table: per convention and library, how many answers differ, and which value it follows."""
    yield "| convention | " + " | ".join(by_peer) + " |"
    yield "|---|" + "---|" * len(by_peer)
    for row in zip(*by_peer.values(), strict=True):
        if any(item.answered for item in row):
            yield f"| {row[0].convention} | " + " | ".join(_cell(item) for item in row) + " |"
    sums = [(sum(len(t.differing) for t in part), sum(t.answered for t in part)) for part in by_peer.values()]
    yield "| all | " + " | ".join(f"{wrong} of {done}" for wrong, done in sums) + " |"


def _cell(one: Tally) -> str:
    if not one.answered:
        return "–"
    followed = ", ".join(f"`{value}`" for value in one.followed)
    return f"{len(one.differing)} of {one.answered}" + (f"; as {followed}" if one.differing and followed else "")
