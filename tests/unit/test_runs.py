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
from kp_core.scoring.runs import Sampled, runs_of, variance_of
from kp_core.studies.all_cutoffs import all_cutoffs
from tests.unit.test_datasets import drawn

Floats = NDArray[np.float64]
SHARES = {"bart#1": 0.5, "bart#2": 0.6, "bart#3": 0.52, "bart#4": 0.57, "t5#1": 0.4, "t5#2": 0.5, "yake": 0.3}


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return drawn(25, 1, SHARES)


def by_run(corpus: kp.Corpus, measure: str = "F1@k", **settings: object) -> dict[str, Floats]:
    """Return system → its values (R, D)."""
    rows = kp.documents(corpus, measures=measure, k=5, **settings).frame
    values = {name: part["value"].to_numpy() for name, part in rows.groupby("system", sort=False)}
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
        part = sum((row.mean() - x.mean()) ** 2 for row in x) / (runs - 1) / runs
        v_runs, parts = v_runs + part, parts + part**2 / (runs - 1)
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


def test_run_names_split_at_last_hash() -> None:
    assert runs_of(["a#1", "a#2", "b", "c#x", "d#1#2", "d#1#3"]) == {
        "a": ("a#1", "a#2"),
        "b": ("b",),
        "c#x": ("c#x",),
        "d#1": ("d#1#2", "d#1#3"),
    }


def test_two_way_interval_of_system_follows_formula(corpus: kp.Corpus) -> None:
    result = kp.evaluate(corpus, k=5, measures="F1@k")
    frame = result.frame.set_index("system")
    for system, values in by_run(corpus).items():
        error, freedom = two_way([values])
        half = student.ppf(0.975, freedom) * error
        row = frame.loc[system]
        expected = [values.mean(), values.mean() - half, values.mean() + half]
        assert row[["value", "low", "high"]].tolist() == pytest.approx(expected, abs=1e-12)
        assert row["runs"] == len(values)
        part = result.by_run
        assert part is not None
        if len(values) > 1:
            assert row["sd"] == pytest.approx(values.mean(axis=1).std(ddof=1), abs=1e-12)
            every = part.loc[part["system"] == system, "value"]
            assert every.tolist() == pytest.approx(values.mean(axis=1).tolist(), abs=1e-12)
        else:
            assert np.isnan(row["sd"])
    assert "ci:two-way-t" in result.signature
    assert kp.settings_from(result.signature).interval == "two-way-t"


def test_differences_and_p_by_the_formula(corpus: kp.Corpus) -> None:
    frame, values = kp.compare(corpus, k=5).frame, by_run(corpus)
    assert frame[["a", "b"]].to_numpy().tolist() == [["bart", "t5"], ["bart", "yake"], ["t5", "yake"]]
    for row in frame.itertuples():
        error, freedom = two_way([values[row.a], values[row.b]], [values["bart"], values["t5"]])
        apart = values[row.a].mean() - values[row.b].mean()
        half = student.ppf(0.975, freedom) * error
        assert [row.difference, row.low, row.high] == pytest.approx([apart, apart - half, apart + half], abs=1e-12)
        assert row.p == pytest.approx(2 * student.sf(abs(apart) / error, freedom), abs=1e-12)


def test_variance_components_equal_anova() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 1)) * 0.3 + rng.normal(size=12) + rng.normal(size=(4, 12)) * 0.5
    rows = [(str(r), str(d), x[r, d]) for r, d in product(range(4), range(12))]
    table = anova_lm(ols("x ~ C(r) + C(d)", pd.DataFrame(rows, columns=["r", "d", "x"])).fit())
    mean_squares = table["mean_sq"]
    means = x.mean(axis=1, keepdims=True)
    result = variance_of([Sampled(means, ((x - means) / 12)[:, :, None])], 12)
    [(of_runs, _)], [(of_documents, _)] = result.runs, result.documents
    # The mean of squares of runs is D times the variance of their means; V_runs is that variance over R.
    assert of_runs[0] == pytest.approx(mean_squares["C(r)"] / 12 / 4, abs=1e-12)
    assert of_documents[0] == pytest.approx(mean_squares["C(d)"] / 4 / 12, abs=1e-12)
    assert result.both[0] == pytest.approx(mean_squares["Residual"] / 48, abs=1e-12)


def test_tests_without_runs_are_refused(corpus: kp.Corpus) -> None:
    with pytest.raises(kp.UsageError, match="does not support runs"):
        kp.compare(corpus, test="wilcoxon")
    assert all_cutoffs(corpus, kp.Settings(k=5)) is None
    said = kp.answer(corpus, k=5)
    assert said.systems == ("bart", "t5")
    assert said.coverage == {"bart": (25, 25), "t5": (25, 25), "yake": (25, 25)}


def test_data_sets_may_have_different_numbers_of_runs() -> None:
    names = {"x": ("m#1", "m#2", "m#3"), "y": ("m#1", "m#2")}
    sets = {name: drawn(6, seed, dict.fromkeys(runs, 0.5)) for seed, (name, runs) in enumerate(names.items())}
    result = kp.evaluate(kp.together(**sets), k=5, measures="F1@k")
    listed = result.by_run.groupby("subset")["run"].agg(tuple).to_dict()
    assert listed == {f"dataset:{name}": runs for name, runs in names.items()}
    for name, corpus in sets.items():
        rows = result.by_run[result.by_run["subset"] == f"dataset:{name}"]
        alone = kp.evaluate(corpus, k=5, measures="F1@k").by_run
        assert rows["value"].tolist() == alone["value"].tolist()


def test_micro_average_counts_documents_without_a_value() -> None:
    """With N = 2, kappa of the first document, on which everybody says yes to both phrases, is undefined."""
    gold = {"d0": ["a", "b"], **{f"d{i}": ["a"] for i in range(1, 6)}}
    lists = {"s#1": ["a", "b"], "s#2": ["a", "b"], "t": ["b", "a"]}
    systems = {name: dict.fromkeys(gold, phrases) for name, phrases in lists.items()}
    assert kp.compare(kp.load(gold=gold, systems=systems), measure="kappa", k=2, universe=2).documents == 6
