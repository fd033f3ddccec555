"""The convention sensitivity and the rankings against separate evaluations."""

from itertools import islice, product

import numpy as np
import pytest

import kp_core as kp
from kp_core.settings import CONVENTIONS, Settings, presets_for
from kp_core.studies.sensitivity import GRID, Sensitivity, sensitivity
from kp_core.studies.stability import stability
from tests.corpora import corpus_of, scored

#: Porter and Snowball differ on the last four.
WORDS = ["model", "models", "Graph", "graphs", "learning", "learned", "net", "nets", "rank", "tree"]
WORDS += ["new", "news", "general", "generic"]


def drawn(seed: int) -> kp.Corpus:
    """Draw words that stem together, repeats, tied scores, short, empty and missing lists, empty gold and variants."""
    rng = np.random.default_rng(seed)

    def phrases(most: int) -> list[str]:
        return [" ".join(rng.choice(WORDS, 1 + int(rng.random() < 0.2))) for _ in range(int(rng.integers(0, most)))]

    names = [f"d{i}" for i in range(14)]
    gold = {who: {d: [(p, p + " x") if rng.random() < 0.2 else p for p in phrases(6)] for d in names} for who in "AB"}
    gold["A"]["d0"] = gold["B"]["d0"] = []
    runs = {
        system: {d: phrases(12) + (["a , b"] if rng.random() < 0.3 else []) for d in names if rng.random() < 0.85}
        for system in ("yake", "rake", "tfidf")
    }
    scores = {"rake": {d: [float(rng.integers(0, 3)) for _ in p] for d, p in runs["rake"].items()}}
    return corpus_of(gold, runs, scores=scores)


CORPUS = drawn(5)
#: A level of grades, what the data are, and rules of means over subjects and of similarities.
NOT_TRIED = ("rel", "by_concept", "titles", "subject_empty", "matching", "sem_equal")


def values(measure: str, **options: object) -> dict[str, float]:
    frame = scored(CORPUS, measure, **options)
    return dict(zip(frame["system"], frame["value"], strict=True))


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return sensitivity(CORPUS, measure="F1@k", k=5)


def test_every_setting_of_the_grid_is_that_evaluation(found: Sensitivity) -> None:
    grid = found.frame[found.frame["kind"] == "grid"]
    assert len(grid) == 216 * 3
    assert found.combinations == 216
    settings = zip(np.split(np.arange(len(grid)), 216), product(*GRID.values()), strict=True)
    for rows, chosen in islice(settings, None, None, 5):  # 5 divides no number of values, so each value is tried
        part = grid.iloc[rows]
        assert part.iloc[0][list(GRID)].tolist() == list(chosen)
        expected = values("F1@k", k=5, **dict(zip(GRID, chosen, strict=True)))
        assert dict(zip(part["system"], part["value"], strict=True)) == expected
    for field in GRID:  # the corpus tells all values of all conventions apart
        others = [one for one in GRID if one != field]
        for value in GRID[field][1:]:
            first, other = (grid[grid[field] == v].sort_values([*others, "system"]) for v in (GRID[field][0], value))
            assert (first["value"].to_numpy() != other["value"].to_numpy()).any()


@pytest.mark.parametrize("measure", ["F1@k", "MAP", "MRR", "nDCG@k", "kappa"])
def test_preset_rows_equal_evaluations_at_current_cutoff(measure: str) -> None:
    frame = sensitivity(CORPUS, measure=measure, k=5).frame
    for name in presets_for(Settings()):
        rows = frame[(frame["kind"] == "preset") & (frame["preset"] == name)]
        assert dict(zip(rows["system"], rows["value"], strict=True)) == values(measure, k=5, preset=name)


@pytest.mark.parametrize(
    ("measure", "preset"), [("F1@k", "kpscope"), ("F1@k", "kex"), ("MAP", "kpscope"), ("nDCG@k", "kex")]
)
def test_single_changes_equal_evaluations(measure: str, preset: str) -> None:
    part, now = sensitivity(CORPUS, measure=measure, k=5, preset=preset), values(measure, k=5, preset=preset)
    for (field, value), rows in part.changes.groupby(["field", "now"], sort=False):
        expected = values(measure, k=5, preset=preset, **{str(field): value})
        assert dict(zip(rows["system"], rows["value"], strict=True)) == expected
        assert rows["change"].tolist() == [expected[s] - now[s] for s in rows["system"]]
    others = {*NOT_TRIED, *(["average"] if measure != "F1@k" else [])}
    assert set(part.changes["field"]) == {*CONVENTIONS, "normalise"} - others


def test_rankings_equal_those_of_evaluations() -> None:
    by_measure = stability(CORPUS, by="measure", views=["F1@3", "MAP", "kappa"], k=5, universe=60)
    for name in ("F1@3", "MAP", "kappa"):
        rows = by_measure.frame[by_measure.frame["view"] == name]
        assert dict(zip(rows["system"], rows["value"], strict=True)) == values(name, k=5, universe=60)
    by_k = stability(CORPUS, by="k", measure="R@k", k=[4, "gold"])
    assert by_k.views == ["R@1", "R@3", "R@4", "R@5", "R@10", "R@15", "R@20", "R@O"]
    assert by_k.frame.loc[by_k.frame["view"] == "R@O", "value"].tolist() == list(values("R@O").values())
    by_annotator = stability(CORPUS, by="annotators", k=5)
    assert by_annotator.views == ["union", "majority", "A", "B"]
    rows = by_annotator.frame[by_annotator.frame["view"] == "B"]
    assert rows["value"].tolist() == list(values("F1@k", k=5, annotators="B").values())
    by_normaliser = stability(CORPUS, by="normalise", k=5)
    assert by_normaliser.views == ["nfkc+lower+space+porter-nltk", *GRID["normalise"]]
    rows = by_normaliser.frame[by_normaliser.frame["view"] == "lower+space"]
    assert rows["value"].tolist() == list(values("F1@k", k=5, normalise="lower+space").values())


def test_measures_without_best_or_cutoff_are_refused() -> None:
    with pytest.raises(kp.UsageError, match="a cannot rank systems"):
        stability(CORPUS, by="measure", views=["a"])
    with pytest.raises(kp.UsageError, match="MAP has no cutoff"):
        stability(CORPUS, by="k", measure="MAP")
    with pytest.raises(kp.UsageError, match="by is 'year'"):
        stability(CORPUS, by="year")  # type: ignore[arg-type]
