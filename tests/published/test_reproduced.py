"""Numbers of values that presets reproduce, from the scripts' formulas: published rankings and random lists."""

from itertools import accumulate, product
from operator import or_

import numpy as np
import pytest
import pytrec_eval

import kp_core as kp
from kp_core.text.stem import stem_words
from tests.corpora import corpus_of, document_values
from tests.measure_names import TREC
from tests.published import semeval


@pytest.fixture(scope="module")
def corpus(shared):
    return semeval.corpus(shared, "published")


@pytest.fixture(scope="module")
def lists(corpus):
    """Return (system, document) → stems of the list and of the gold standard, which is released as stems."""
    gold = corpus.gold.groupby("doc_id")["phrase"].agg(lambda own: [p.lower() for p in own])
    runs = corpus.runs.groupby(["system", "doc_id"])["phrase"].agg(lambda own: [p.lower().split() for p in own])
    words = list({word for own in runs for phrase in own for word in phrase})
    stem = dict(zip(words, stem_words(words, "porter-nltk"), strict=True))
    stems = {key: [" ".join(map(stem.__getitem__, phrase)) for phrase in own] for key, own in runs.items()}
    return {(system, doc): (stems[system, doc], gold[doc]) for system, doc in product(corpus.systems, gold.index)}


def prf(hits, returned, size):
    p, r = hits / returned if returned else 0, hits / size if size else 0
    return {"P": p, "R": r, "F1": 2 * p * r / (p + r) if p + r else 0}


def kpeval(found, gold, only_returned=False, more=()):
    """KPEval, metrics/exact_matching_metric.py: compute_classification_metrics_at_ks, ndcg_at_ks."""
    match, values = [p in gold for p in found], {}
    for letter, k in {5: 5, 10: 10, "M": len(found), "O": len(gold), **dict(more)}.items():
        returned = min(k, len(found)) if only_returned else k
        values |= {f"{name}@{letter}": x for name, x in prf(sum(match[:k]), returned, len(gold)).items()}
        dcg = [
            sum(1 / np.log2(i + 2) for i, hit in enumerate(part[:k]) if hit) for part in (match, sorted(match)[::-1])
        ]
        values[f"nDCG@{letter}"] = dcg[0] / dcg[1] if dcg[1] else 0
    return values


def without(values, *names):
    return {name: value for name, value in values.items() if not name.startswith(names)}


def kpeval_values(found, gold):
    return kpeval(list(dict.fromkeys(found)), set(gold))


def chan(found, gold):
    """evaluate_prediction.py of Chan et al.: no phrase with a comma, a period or <unk>, one word only once.

    Each mask sees all phrases (filter_prediction), so a one-word phrase that is invalid is the only one as well.
    """
    first = next((p for p in found if " " not in p), None)
    found = [p for p in found if " " in p or p == first]
    found = [p for p in dict.fromkeys(found) if not {",", ".", "<unk>"} & set(p.split())]
    return without(kpeval(found, set(gold), more={"G": max(len(found), len(set(gold)))}.items()), "nDCG", "P@G", "R@G")


def opennmt(found, gold):
    """OpenNMT-kpg: the same with meng_rui_precision = True, over the gold standard as listed."""
    found = [p for p in dict.fromkeys(found) if not {",", ".", "<unk>"} & set(p.split())]
    return without(kpeval(found, gold, True), "nDCG")


def jcdl20(found, gold):
    """JCDL_2020_KPE_Eval, evaluation/util.py: compute_rel, compute_prf, compute_averagep."""
    rel = [[j for j, item in enumerate(gold) if item == p] for p in found]
    seen = [len(part) for part in accumulate(map(set, rel), or_)]
    ap = sum(n / i for i, (n, part) in enumerate(zip(seen, rel, strict=True), 1) if part)
    values = {"MAP": ap / len(gold) if gold else 0}
    for k in (5, 10):
        top = min(k, len(found))
        values |= {f"{name}@{k}": x for name, x in prf(seen[top - 1] if top else 0, top, len(gold)).items()}
    return values


def pke(found, gold):
    """benchmarking-models.py of pke, evaluate: |set & set| over the length of the list, and of the references."""
    return {
        f"{name}@{k}": x
        for k in (5, 10)
        for name, x in prf(len({*found[:k]} & {*gold}), len(found[:k]), len(gold)).items()
    }


def kex(found, gold):
    """The benchmark of kex: hits among the first k over min(k, gold size); a miss has rank length + 1."""
    rank = next((i for i, p in enumerate(found, 1) if p in gold), len(found) + 1)
    values = {"MRR": 1 / rank}
    for k in (5, 10):
        both = prf(len({*found[:k]} & {*gold}), min(k, len(gold)), len(gold))
        values |= {f"{name}@{k}": x for name, x in both.items()}
    return values


def ijcnlp13(found, gold):
    """src/keyphrase-evaluation_inspec.py of Boudin 2013, evaluate: each stem once, references as listed."""
    found = list(dict.fromkeys(found))
    ranks = [i for i, p in enumerate(found, 1) if p in gold]
    values = {"MAP": sum(n / i for n, i in enumerate(ranks, 1)) / len(gold), "R@M": len(ranks) / len(gold)}
    for k in (5, 10):
        values |= {f"{name}@{k}": x for name, x in prf(sum(i <= k for i in ranks), k, len(gold)).items()}
    return values


AT = {"P_5": "P@5", "P_10": "P@10", "recall_10": "R@10", "ndcg_cut_10": "nDCG@10", "map_cut_10": "MAP@10"}


def trec(found, gold):
    """trec_eval 9, as pytrec_eval runs it."""
    names = {**{name: TREC[name] for name in ("map", "ndcg", "recip_rank", "Rprec")}, **AT, "success_5": "success@5"}
    asked = {"map", "ndcg", "recip_rank", "Rprec", "P.5,10", "recall.10", "ndcg_cut.10", "map_cut.10", "success.5"}
    run = {phrase: -float(rank) for rank, phrase in enumerate(dict.fromkeys(found))}
    values = pytrec_eval.RelevanceEvaluator({"d": dict.fromkeys(gold, 1)}, asked).evaluate({"d": run})["d"]
    return {ours: values[name] for name, ours in names.items()}


SCRIPTS = {"kpeval": kpeval_values, "chan": chan, "opennmt-kpg": opennmt, "jcdl20": jcdl20, "pke": pke, "kex": kex}
#: Scripts that end in a division by 0 where a document has no gold standard.
WITH_GOLD = ("pke", "kex", "ijcnlp13")


def equal_values(corpus, lists, preset, script, **options):
    """Return how many values of single documents equal those of the script, and how many were compared."""
    expected = {key: script(*part) for key, part in lists.items()}
    measures = list(next(iter(expected.values())))
    equal = compared = 0
    for row in document_values(corpus, measures, 5, preset=preset, **options).itertuples(index=False):
        if (row.system, row.document) in expected:
            compared += 1
            equal += abs(row.value - expected[row.system, row.document][row.measure]) <= 1e-9
    return equal, compared


@pytest.mark.published
@pytest.mark.parametrize("preset", [*SCRIPTS, "trec"])
def test_numbers_of_equal_values_match_methods_page(corpus, lists, preset):
    options = {"gold_stemmed": "yes", "normalise": "lower+space+porter-nltk"}
    equal, compared = equal_values(corpus, lists, preset, {**SCRIPTS, "trec": trec}[preset], **options)
    assert kp.PRESETS[preset].reproduced.startswith(f"{equal:,} / {compared:,}: ")


@pytest.mark.parametrize("preset", [*SCRIPTS, "ijcnlp13"])
def test_lists_with_repeats_punctuation_and_nothing(preset):
    rng, words = np.random.default_rng(17), ["b", "c", "d", ",", ".", "<unk>"]

    def draw(fewest, most):
        sizes = rng.integers(1, 3, rng.integers(fewest, most))
        return [" ".join(rng.choice(words, size)) for size in sizes]

    gold = {f"d{number}": draw(preset in WITH_GOLD, 9) for number in range(200)}
    runs = {document: draw(0, 13) for document in gold}
    lists = {("s", document): (runs[document], part) for document, part in gold.items()}
    script = {**SCRIPTS, "ijcnlp13": ijcnlp13}[preset]
    equal, compared = equal_values(corpus_of(gold, {"s": runs}), lists, preset, script)
    assert equal == compared == 200 * len(script(["b"], ["b"]))
