"""Run published programs on the cases of the certified set, with the lists and labels of the brute force."""

import math
from collections import Counter
from typing import Any

import krippendorff
import numpy as np
import pytrec_eval
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, precision_recall_fscore_support
from statsmodels.stats.inter_rater import fleiss_kappa

from tests.certified import brute_force as brute

Answer = tuple[str, float]
TREC = {"MAP": "map", "MRR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref"}
TREC_AT = {"P": "P", "R": "recall", "MAP": "map_cut", "nDCG": "ndcg_cut", "success": "success"}
TREC_SET = {"P": "set_P", "R": "set_recall", "F1": "set_F"}
#: Conventions under which trec_eval counts.
LIKE_TREC = ("gold_list", "denominator", "ideal", "gain", "ap", "rr", "rr_miss", "ap_repeats", "duplicates", "hits_as")
#: MASI as in NLTK 3.10.4: before, its thirds were .67 and .33.
DISTANCES = {"alpha-Jaccard": jaccard_distance, "alpha-MASI": masi_distance}
LABELS = {"kappa": cohen_kappa_score, "MCC": matthews_corrcoef}


def published(case: dict[str, Any]) -> Answer | None:
    """Return name and answer of a published program that supports a case; None if there is none."""
    rules = brute.DEFAULTS | case["settings"]
    if case["measure"] in DISTANCES:
        return label_sets(case, rules)
    if "lists" not in case:
        return annotators(case, rules)
    name, k = brute.measure_and_cutoff(case, rules)
    if rules["annotators"].startswith("others"):
        return None
    if name in LABELS:
        return agreement(name, k, case, rules)
    if rules["average"].startswith("subject"):
        return subjects(name, k, case, rules)
    averaged = rules["average"] in ("usual", "macro") or name not in ("P", "R", "F1")
    like = all(rules[key] == brute.DEFAULTS[key] for key in LIKE_TREC) and rules["ties"] != "expected"
    wanted = (TREC if k == "" or name == "Rprec" else TREC_SET if k == "M" else TREC_AT).get(name)
    if wanted is None or not averaged or not like or (k in ("O", "G") and name != "Rprec"):
        return None
    return trec_eval(f"{wanted}.{k}" if isinstance(k, int) else wanted, case, rules)


def trec_eval(wanted: str, case: dict[str, Any], rules: dict[str, Any]) -> Answer | None:
    """Return the mean of trec_eval; the case decides about documents without gold or list, unknown to trec_eval."""
    values = []
    for document in brute.documents(case, rules).values():
        if not brute.counts(document, rules):
            continue
        gold, judged = document.gold, document.judged
        grades = [item.grade if rules["gains"] == "all" else min(0, item.grade) for item in judged]
        grades = [*(item.grade for item in gold), *map(math.trunc, grades)]
        unjudged = wanted == "bpref" and not any(item.grade >= 0 for item in judged)
        if not gold or unjudged or any(grade % 1 for grade in grades):
            return None
        run = dict[str, float]()
        for rank, phrase in enumerate(document.ranked):
            named = [f"{n}" for n, item in enumerate([*gold, *judged]) if phrase in item.spellings] or [f"x{rank}"]
            if len(named) > 1:
                return None
            run[named[0] if named[0] not in run else f"x{rank}"] = float(-rank)
        qrels = {f"{n}": int(grade) for n, grade in enumerate(grades)}
        level = max(1, math.ceil(rules["rel"]))
        evaluator = pytrec_eval.RelevanceEvaluator({"q": qrels}, {wanted}, relevance_level=level)
        values += evaluator.evaluate({"q": run})["q"].values() if run else [0.0]
    return ("pytrec_eval", float(np.mean(values))) if values else None


def agreement(name: str, k: Any, case: dict[str, Any], rules: dict[str, Any]) -> Answer | None:
    """Return kappa or MCC of labels, one per phrase of the universe; None if one side is constant."""
    rules = rules | brute.OF_SETS
    used = [document for document in brute.documents(case, rules).values() if brute.counts(document, rules)]
    labels = [brute.decisions(k, document) for document in used]
    if rules["average"] != "macro":
        labels = [[pair for pairs in labels for pair in pairs]] if labels else []
    sides = [tuple(zip(*pairs, strict=True)) for pairs in labels]
    if not sides or any(len(both) < 2 or len({*both[0]}) == 1 or len({*both[1]}) == 1 for both in sides):
        return None
    return "scikit-learn", float(np.mean([LABELS[name](gold, system) for gold, system in sides]))


def subjects(name: str, k: int, case: dict[str, Any], rules: dict[str, Any]) -> Answer:
    """Return precision, recall or F1 of indicators, documents by subjects, each of one spelling."""
    result = brute.documents(case, rules).values()
    due = [{spelling for item in document.gold for spelling in item.spellings} for document in result]
    listed = [{*document.ranked[:k]} for document in result]
    every = sorted(set().union(*due, *listed))
    table = [np.array([[subject in phrases for subject in every] for phrases in side]) for side in (due, listed)]
    mean = "weighted" if rules["average"] == "subject-weighted" else "macro"
    nothing = 0 if rules["subject_empty"] == "zero" else np.nan
    three = precision_recall_fscore_support(*table, average=mean, zero_division=nothing)
    return "scikit-learn", float(three[("P", "R", "F1").index(name)])


def label_sets(case: dict[str, Any], rules: dict[str, Any]) -> Answer | None:
    """Return NLTK's alpha over label sets; None if it would divide by 0."""
    sets = [
        (person, document, frozenset(brute.form(phrase, rules["normalise"]) for phrase in phrases))
        for person, lists in case["gold"].items()
        for document, phrases in lists.items()
    ]
    several = Counter(document for _, document, _ in sets)
    values = {phrases for _, document, phrases in sets if several[document] > 1}
    if len(values) < 2 or frozenset() in values:
        return None
    return "nltk", float(AnnotationTask(sets, distance=DISTANCES[case["measure"]]).alpha())


def annotators(case: dict[str, Any], rules: dict[str, Any]) -> Answer | None:
    """Return a coefficient of annotators from their labels: phrases by annotators, NaN if not seen."""
    name, people = case["measure"], list(case["gold"])
    if rules["average"] == "macro":
        return None
    units = [unit for units in brute.decisions_of_annotators(case, rules) for unit in units]
    table = np.array([[float(unit[person]) if person in unit else np.nan for person in people] for unit in units])
    if case.get("row", "all") != "all":
        both = table[:, [people.index(person) for person in case["row"].split("|")]]
        both = both[~np.isnan(both).any(axis=1)]
        if name != "kappa" or not len(both) or (both == both[0, 0]).all():
            return None
        return "scikit-learn", float(cohen_kappa_score(both[:, 0], both[:, 1]))
    if name == "alpha" and np.nanmin(table) != np.nanmax(table):
        return "krippendorff", float(krippendorff.alpha(table.T, level_of_measurement="nominal"))
    if name in ("K", "PABAK") and not np.isnan(table).any() and table.min() != table.max():
        counts = np.stack([(table == 0).sum(axis=1), (table == 1).sum(axis=1)], axis=1)
        return "statsmodels", float(fleiss_kappa(counts, method="fleiss" if name == "K" else "randolph"))
    return None
