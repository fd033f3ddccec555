"""The runs of a system are one row, and its interval takes documents and runs as samples."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import kp_core as kp
from kp_core.scoring.accumulate import influence
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import Sampled, multi_bootstrap, runs_of, variance_of
from kp_core.scoring.systems import count_systems
from kp_core.studies.over_k import over_k

Floats = NDArray[np.float64]
WORDS = [f"{a} {b}" for a in ("deep", "sparse", "topic", "user") for b in ("model", "graph", "index", "query", "web")]
RUNS = {"bart": 4, "t5": 2, "yake": 1}


def drawn(documents: int = 25, seed: int = 1) -> kp.Corpus:
    rng = np.random.default_rng(seed)
    gold = {f"d{i}": [str(w) for w in rng.choice(WORDS, 5, replace=False)] for i in range(documents)}
    systems = {}
    for (name, runs), share in zip(RUNS.items(), (0.55, 0.45, 0.3), strict=True):
        for run in range(runs):
            own = share + rng.normal(0, 0.05)
            systems[f"{name}#{run + 1}" if runs > 1 else name] = {
                d: [str(w) for w in dict.fromkeys(g if rng.random() < own else rng.choice(WORDS) for g in one)]
                for d, one in gold.items()
            }
    return kp.load(gold=gold, systems=systems)


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return drawn()


def by_run(corpus: kp.Corpus, measure: str = "F1@k", **settings: object) -> dict[str, Floats]:
    """Return system → its values (R, D)."""
    rows = kp.documents(corpus, measures=measure, k=5, **settings).frame
    values = {name: own["value"].to_numpy() for name, own in rows.groupby("system", sort=False)}
    return {system: np.stack([values[run] for run in runs]) for system, runs in runs_of(values).items()}


def of_a_run(x: Floats) -> tuple[float, float]:
    """Return the variance between single runs of a system (R, D), and the part of it that is none of runs."""
    runs, documents = x.shape
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    return float(np.var(x.mean(axis=1), ddof=1)), float((rest**2).sum() / ((runs - 1) * (documents - 1) * documents))


def borrowed(several: list[Floats]) -> tuple[float, float, int]:
    """Return both parts pooled over systems with several runs, and the degrees of freedom."""
    freedom = [len(x) - 1 for x in several]
    spread, within = (np.average([of_a_run(x)[part] for x in several], weights=freedom) for part in (0, 1))
    return float(spread), float(within), sum(freedom)


def two_way(systems: list[Floats], several: list[Floats] | None = None) -> tuple[float, float]:
    """Restate the formula: standard error and degrees of freedom of a mean, or of a difference; values (R, D) each.

    several: the systems with several runs, from which one with a single run borrows
    """
    documents = systems[0].shape[1]
    v_runs, v_both, parts = 0.0, 0.0, 0.0
    for x in systems:
        runs = len(x)
        if runs < 2:
            continue
        own = sum((row.mean() - x.mean()) ** 2 for row in x) / (runs - 1) / runs
        v_runs, parts = v_runs + own, parts + own**2 / (runs - 1)
        for r, d in product(range(runs), range(documents)):
            rest = x[r, d] - x[r].mean() - x[:, d].mean() + x.mean()
            v_both += rest**2 / ((runs - 1) * (documents - 1) * runs * documents)
    if several and min(map(len, systems)) == 1:
        spread, within, freedom = borrowed(several)
        share = sum(1 / len(x) for x in systems)
        v_runs, v_both, parts = share * spread, share * within, (share * spread) ** 2 / freedom
    apart = systems[0].mean(axis=0) - (systems[1].mean(axis=0) if len(systems) > 1 else 0)
    v_docs = ((apart - apart.mean()) ** 2).sum() / (documents - 1) / documents
    v = max(v_runs + v_docs - v_both, v_runs, v_docs)
    return v**0.5, v**2 / (parts + v_docs**2 / (documents - 1))


def test_what_stands_before_a_last_mark_is_the_system() -> None:
    assert runs_of(["a#1", "a#2", "b", "c#x", "d#1#2", "d#1#3"]) == {
        "a": ("a#1", "a#2"),
        "b": ("b",),
        "c#x": ("c#x",),
        "d#1": ("d#1#2", "d#1#3"),
    }


def test_mean_deviation_and_interval_of_a_system_by_the_formula(corpus: kp.Corpus) -> None:
    found = kp.evaluate(corpus, k=5, measures="F1@k")
    frame = found.frame.set_index("system")
    for system, values in by_run(corpus).items():
        error, freedom = two_way([values])
        half = student.ppf(0.975, freedom) * error
        row = frame.loc[system]
        expected = [values.mean(), values.mean() - half, values.mean() + half]
        assert row[["value", "low", "high"]].tolist() == pytest.approx(expected, abs=1e-12)
        assert row["runs"] == len(values)
        own = found.by_run
        assert own is not None
        if len(values) > 1:
            assert row["sd"] == pytest.approx(values.mean(axis=1).std(ddof=1), abs=1e-12)
            each = own.loc[own["system"] == system, "value"]
            assert each.tolist() == pytest.approx(values.mean(axis=1).tolist(), abs=1e-12)
        else:
            assert np.isnan(row["sd"])
    assert "ci:two-way-t" in found.signature
    assert kp.settings_from(found.signature).interval == "two-way-t"


def test_differences_and_p_by_the_formula(corpus: kp.Corpus) -> None:
    frame, values = kp.compare(corpus, k=5).frame, by_run(corpus)
    assert frame[["a", "b"]].to_numpy().tolist() == [["bart", "t5"], ["bart", "yake"], ["t5", "yake"]]
    for row in frame.itertuples():
        error, freedom = two_way([values[row.a], values[row.b]], [values["bart"], values["t5"]])
        apart = values[row.a].mean() - values[row.b].mean()
        half = student.ppf(0.975, freedom) * error
        assert [row.difference, row.low, row.high] == pytest.approx([apart, apart - half, apart + half], abs=1e-12)
        assert row.p == pytest.approx(2 * student.sf(abs(apart) / error, freedom), abs=1e-12)


def test_the_parts_of_the_variance_are_those_of_an_anova() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 1)) * 0.3 + rng.normal(size=12) + rng.normal(size=(4, 12)) * 0.5
    rows = [(str(r), str(d), x[r, d]) for r, d in product(range(4), range(12))]
    table = anova_lm(ols("x ~ C(r) + C(d)", pd.DataFrame(rows, columns=["r", "d", "x"])).fit())
    mean_squares = table["mean_sq"]
    means = x.mean(axis=1, keepdims=True)
    found = variance_of([Sampled(means, ((x - means) / 12)[:, :, None])], 12)
    [(of_runs, _)], [(of_documents, _)] = found.runs, found.documents
    # The mean of squares of runs is D times the variance of their means; V_runs is that variance over R.
    assert of_runs[0] == pytest.approx(mean_squares["C(r)"] / 12 / 4, abs=1e-12)
    assert of_documents[0] == pytest.approx(mean_squares["C(d)"] / 4 / 12, abs=1e-12)
    assert found.both[0] == pytest.approx(mean_squares["Residual"] / 48, abs=1e-12)


@pytest.mark.parametrize(("measure", "average"), [("kappa", "micro"), ("F1@k", "micro"), ("F1@k", "f-of-means")])
def test_influences_are_the_slopes_of_pooled_values(corpus: kp.Corpus, measure: str, average: str) -> None:
    """Add a document a little more often: the value moves by its influence."""
    data, asked = prepare(corpus, k=3, universe=60), parse(measure)  # at the gold size of 5, P and R would be equal
    view = count_systems(data)["bart#1"].of(asked).at((3,))
    found = influence(asked, view, average, view.scored)
    assert found.moved.sum() == pytest.approx(0, abs=1e-12)

    def value(weights: Floats) -> float:
        if average == "micro":
            totals = [(weights[:, None] * part).sum(axis=0) for part in view.arrays()]
            return float(asked.scores(type(view).__bases__[0](*totals))[0])
        means = [(weights @ view.values(parse(name)))[0] / weights.sum() for name in ("P@k", "R@k")]
        return float(2 * means[0] * means[1] / sum(means))

    ones, step = np.ones(len(data.documents)), 1e-6
    assert found.value[0] == pytest.approx(value(ones), abs=1e-12)
    for document in range(5):
        more = ones.copy()
        more[document] += step
        assert found.moved[document, 0] == pytest.approx((value(more) - value(ones)) / step, abs=1e-5)


@pytest.mark.parametrize(("measure", "average"), [("F1@k", "macro"), ("kappa", "micro")])
def test_with_one_run_each_it_is_the_t_interval_over_documents(measure: str, average: str) -> None:
    gold = {f"d{i}": [WORDS[i % 20], WORDS[(i * 7) % 20]] for i in range(15)}
    one = kp.load(
        gold=gold, systems={"a": {d: [*own[:1], "x"] for d, own in gold.items()}, "b": dict.fromkeys(gold, WORDS[:3])}
    )
    asked = {"measures": measure, "k": 2, "universe": 60}
    by_documents = kp.evaluate(one, **asked, interval="cluster-t").frame
    both = kp.evaluate(one, **asked, interval="two-way-t").frame
    pd.testing.assert_frame_equal(both, by_documents, check_exact=False, rtol=1e-9)
    assert list(both.columns) == list(by_documents.columns)
    named = {"measure": measure, "k": 2, "universe": 60}
    t, two = (kp.compare(one, **named, interval=i).frame for i in ("cluster-t", "two-way-t"))
    assert two[["low", "high"]].to_numpy() == pytest.approx(t[["low", "high"]].to_numpy(), nan_ok=True)
    if average == "macro":
        assert two["p"].tolist() == pytest.approx(kp.compare(one, **named, test="t").frame["p"].tolist())


def test_the_multi_bootstrap_draws_documents_alike_and_runs_for_each(corpus: kp.Corpus) -> None:
    values = by_run(corpus)
    used, made = np.ones(25, bool), {}
    for name, x in values.items():
        means = x.mean(axis=1, keepdims=True)
        made[name] = Sampled(means, ((x - means) / 25)[:, :, None])
    drawn_ = multi_bootstrap([made["bart"], made["yake"]], used, 3, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    picks = rng.integers(0, 25, (3, 25))
    for name, own in zip(("bart", "yake"), drawn_, strict=True):
        runs = rng.integers(0, len(values[name]), (3, len(values[name])))
        expected = np.array([values[name][np.ix_(runs[b], picks[b])].mean() for b in range(3)])
        if name == "yake":  # a single run moves by what runs of the other system differ
            spread, within = of_a_run(values["bart"])
            expected += np.sqrt(max(spread - within * 24 / 25, 0)) * rng.standard_normal(3)
        assert own[:, 0].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    found = kp.compare(corpus, k=5, interval="multi-bootstrap", resamples=4000).frame.iloc[0]
    apart = values["bart"].mean() - values["t5"].mean()
    error, _ = two_way([values["bart"], values["t5"]])
    assert found["difference"] == pytest.approx(apart)
    # It counts what documents do in single runs twice, so that it is wider.
    assert (found["high"] - found["low"]) / 3.92 > error


def test_one_run_a_system_changes_nothing_and_says_nothing() -> None:
    single = kp.load(gold={"d1": ["tide"], "d2": ["sea"]}, systems={"a#1": {"d1": ["tide"]}, "b": {"d2": ["sky"]}})
    found = kp.evaluate(single, k=1)
    assert "runs" not in found.frame
    assert found.by_run is None
    assert found.settings.interval == "bootstrap"


def test_tests_that_know_no_runs_are_refused_and_swaps_over_k_not_made(corpus: kp.Corpus) -> None:
    with pytest.raises(kp.UsageError, match="knows no runs"):
        kp.compare(corpus, test="wilcoxon")
    assert over_k(corpus, kp.Settings(k=5)) is None
    said = kp.answer(corpus, k=5)
    assert said.systems == ("bart", "t5")
    assert said.coverage == {"bart": (25, 25), "t5": (25, 25), "yake": (25, 25)}


def test_a_corpus_of_runs_over_data_sets_pairs_the_runs() -> None:
    each = {"a": drawn(20, 4), "b": drawn(30, 5)}
    frame = kp.evaluate(kp.together(**each), k=5, measures="F1@k").frame.set_index(["subset", "system"])
    values = [by_run(corpus)["bart"] for corpus in each.values()]
    means = np.mean([own.mean(axis=1) for own in values], axis=0)  # of one run, over the data sets
    row = frame.loc[("mean of data sets", "bart")]
    assert row["value"] == pytest.approx(means.mean(), abs=1e-12)
    assert row["sd"] == pytest.approx(means.std(ddof=1), abs=1e-12)
    v_runs = means.var(ddof=1) / 4
    v_docs = [own.mean(axis=0).var(ddof=1) / own.shape[1] / 4 for own in values]
    v_both = 0.0
    for own in values:
        runs, documents = own.shape
        rest = own - own.mean(axis=1, keepdims=True) - own.mean(axis=0) + own.mean()
        v_both += (rest**2).sum() / ((runs - 1) * (documents - 1) * runs * documents) / 4
    v = max(v_runs + sum(v_docs) - v_both, v_runs, sum(v_docs))
    freedom = v**2 / (v_runs**2 / 3 + sum(d**2 / (len(x[0]) - 1) for d, x in zip(v_docs, values, strict=True)))
    half = student.ppf(0.975, freedom) * v**0.5
    assert [row["low"], row["high"]] == pytest.approx([means.mean() - half, means.mean() + half], abs=1e-12)
