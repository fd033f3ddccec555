"""Agreement of annotators against statsmodels, krippendorff, irrCAC and NLTK, and against every pair counted by hand.

Known defects, kept out of the comparison: statsmodels refuses unequal numbers of annotators; krippendorff raises where
only one value occurs; irrCAC (Python) infers the categories from the data and takes a missing rating for one of them,
so the categories are given here. NLTK divides by 0 where two sets are empty; here they are equal. Gwet's shares of
“yes” also count items with one rating, which KPScope leaves out, so every document has two annotators here.
"""

from itertools import combinations, permutations, product

import numpy as np
import pytest

import kp_core as kp
from kp_core.scoring.label_sets import label_sets
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.prepare import prepare, prepare_annotators
from kp_core.studies.trimming import curve, levels
from tests.corpora import corpus_of

N = 30


def random_gold(seed, annotators=4, documents=12, missing=0.0):
    """Return {annotator: {document: phrases}}; some annotators did not see some documents, some chose nothing."""
    rng = np.random.default_rng(seed)
    gold = {f"r{r}": {} for r in range(annotators)}
    for d in range(documents):
        favourite = rng.permutation(N)[:6]
        for lists in gold.values():
            if rng.random() >= missing:
                chosen = [int(x) for x in favourite if rng.random() < 0.6]
                chosen += [int(x) for x in rng.permutation(N)[: rng.integers(0, 5)]]
                lists[f"d{d}"] = [f"p{x}" for x in dict.fromkeys(chosen)]
    return gold


def ratings(gold):
    """Return items by annotators: 1 yes, 0 no, NaN not seen."""
    documents = sorted({d for lists in gold.values() for d in lists})
    rows = []
    for document, x in product(documents, range(N)):
        rows.append([float(f"p{x}" in lists[document]) if document in lists else np.nan for lists in gold.values()])
    return np.array(rows)


def found(gold, measure, system="all", **options):
    result = kp.agreement(corpus_of(gold), measures=[measure], universe=N, normalise="none", interval="none", **options)
    return result.frame[result.frame["system"] == system]["value"].item()


def nltk_alpha(gold, distance):
    """Return NLTK's alpha over label sets; documents seen by one annotator are left out, as in alpha."""
    from nltk.metrics.agreement import AnnotationTask

    data = [(name, d, frozenset(part)) for name, lists in gold.items() for d, part in lists.items()]
    return AnnotationTask(data, distance=lambda a, b: distance(a, b) if a or b else 0.0).alpha()


def masi(a, b):
    """Return the distance of Passonneau 2006; NLTK's had .67 and .33 until 2026 (issue 3361)."""
    m = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - len(a & b) / len(a | b) * m


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_alpha_over_label_sets_against_nltk(seed, missing):
    from nltk.metrics.distance import jaccard_distance, masi_distance

    gold = random_gold(seed, missing=missing)
    gold["r0"]["d3"] = gold["r1"]["d3"] = gold["r1"]["d5"] = []  # two empty sets are equal
    for name in ("r2", "r3"):
        gold[name]["d4"] = list(gold["r1"].get("d4", ["p1"]))
    assert found(gold, "alpha-Jaccard") == pytest.approx(nltk_alpha(gold, jaccard_distance), abs=1e-12)
    assert found(gold, "alpha-MASI") == pytest.approx(nltk_alpha(gold, masi), abs=1e-12)
    assert found(gold, "alpha-MASI") == pytest.approx(nltk_alpha(gold, masi_distance), abs=2e-3)


def test_single_disagreement_over_label_sets_has_alpha_zero():
    """NLTK issue 2991: two annotators, one item, sets {l1} and {l1, l2}; alpha is 0, whatever the distance."""
    gold = {"A": {"d": ["l1"]}, "B": {"d": ["l1", "l2"]}}
    assert (found(gold, "alpha-MASI"), found(gold, "alpha-Jaccard")) == (0, 0)


def test_equal_label_sets_have_undefined_alpha_with_reason():
    """NLTK issue 1144: division by zero; N has no effect."""
    cases = {"one_set": ["p2", "p3"], "both_empty": []}
    for reason, part in cases.items():
        corpus = corpus_of({"A": {"d": part}, "B": {"d": part}})
        frame = kp.agreement(corpus, measures="alpha-MASI,alpha-Jaccard", interval="none").frame
        assert frame["value"].isna().all()
        assert frame["reason"].tolist() == [reason, reason]
    apart = kp.agreement(
        corpus_of({"A": {"d": ["p"]}, "B": {"e": ["p"]}}), measures="alpha-MASI", interval="none"
    ).frame
    assert apart["reason"].tolist() == ["single_annotator"]


def alpha_of_copies(gold, documents, weights):
    """Return alpha-MASI if copies of a document are taken for different documents, from every pair of sets.

    Two sets of different copies are as far apart as those of different documents on average.
    """
    copies = [
        (d, [set(of[d]) for of in gold.values() if d in of])
        for d, w in zip(documents, weights, strict=True)
        for _ in range(w)
    ]
    copies = [(d, chosen) for d, chosen in copies if len(chosen) > 1]
    sets = [(place, d, part) for place, (d, chosen) in enumerate(copies) for part in chosen]
    n = len(sets)

    def apart(a, b):
        return masi(a, b) if a or b else 0.0

    within = [[apart(a, b) for a, b in permutations(chosen, 2)] for _, chosen in copies]
    observed = sum(sum(item) / (len(chosen) - 1) for item, (_, chosen) in zip(within, copies, strict=True)) / n
    different = np.mean([apart(a, b) for (_, d, a), (_, e, b) in permutations(sets, 2) if d != e])
    pairs = n * (n - 1) - sum(map(len, within))
    return 1 - observed * n * (n - 1) / (sum(map(sum, within)) + different * pairs)


def test_weighted_label_sets_equal_copies_of_documents():
    gold, rng = random_gold(3, missing=0.2), np.random.default_rng(1)
    data = prepare_annotators(corpus_of(gold), kp.Settings(normalise="none"))
    part = label_sets(data.choices, MEASURES["alpha-MASI"].score)
    weights = rng.multinomial(12, np.ones(12) / 12, 20).astype(float)
    expected = [alpha_of_copies(gold, data.documents, row.astype(int)) for row in weights]
    assert part.alpha(weights) == pytest.approx(expected, abs=1e-12)
    # How alpha moves with a weight, by a small step; the interval by t is made of it.
    step, ones = 1e-6, np.ones(12)
    slopes = [
        (part.alpha((ones + step * e)[None]) - part.alpha((ones - step * e)[None]))[0] / 2 / step for e in np.eye(12)
    ]
    move, size = part.influence()
    assert move == pytest.approx(np.array(slopes), abs=1e-8)
    assert (size >= np.abs(move)).all()


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_coefficients_against_irrcac(seed, missing):
    cac = pytest.importorskip("irrCAC.raw", reason="skipped: irrCAC is not installed (see requirements-peers.txt)")
    import pandas as pd

    gold = random_gold(seed, missing=missing)
    several = {d for d in gold["r0"] | gold["r1"] if sum(d in lists for lists in gold.values()) > 1}
    gold = {name: {d: phrases for d, phrases in lists.items() if d in several} for name, lists in gold.items()}
    peer = cac.CAC(pd.DataFrame(ratings(gold)), categories=[0.0, 1.0])
    names = {
        "K": peer.fleiss(),
        "AC1": peer.gwet(),
        "PABAK": peer.bp(),
        "alpha": peer.krippendorff(),
        "Conger": peer.conger(),
    }
    for measure, item in names.items():
        assert found(gold, measure) == pytest.approx(item["est"]["coefficient_value"], abs=6e-6)  # it has five digits


def test_random_trimming_is_the_mean_over_all_subsets():
    """P_pos of one document, over every subset of its gold standard that has the trimmed size."""
    gold = {"A": {"d": ["p0", "p1", "p2", "p3"]}, "B": {"d": ["p0", "p1", "p4"]}, "C": {"d": ["p0", "p1", "p5"]}}
    runs = {"s": {"d": ["p1", "p9", "p4", "p0", "p8", "p3"]}}
    corpus = corpus_of(gold, runs)
    data = prepare(corpus, k=4, normalise="none", universe=20)
    table = curve(data, levels(data.choices, data.universe), ("nDCG@k", "P_pos"), [0.6], 2000)
    rows = table.set_index("measure")
    union, size = [f"p{i}" for i in range(6)], int(rows["gold"].iloc[0])
    assert size == 2
    options = {"universe": 20, "normalise": "none", "interval": "none"}
    values = [
        kp.evaluate(corpus_of({"d": list(part)}, runs), k=4, measures=["P_pos"], **options).frame["value"].item()
        for part in combinations(union, size)
    ]
    assert rows["null"]["P_pos"] == pytest.approx(np.mean(values), abs=1e-12)
    # Few distinct values: a percentile is one of them, where NumPy would lie between two of the fifteen.
    low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
    assert rows["null_low"]["P_pos"] == pytest.approx(low, abs=1e-9)
    assert rows["null_high"]["P_pos"] == pytest.approx(high, abs=1e-9)
    assert np.isnan(rows["null"]["nDCG@4"])
