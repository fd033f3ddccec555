"""Data sets are evaluated separately, their mean is unweighted, and nothing is pooled."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import kp_core as kp
from kp_core.reading import Source
from kp_core.reading.uploads import proposed_runs
from kp_core.scoring import paired
from kp_core.settings import Interval
from kp_core.studies.compare import better_on
from tests.format_samples import archive
from tests.unit.test_cli import answered

WORDS = [f"{a} {b}" for a in ("deep", "sparse", "topic", "user") for b in ("model", "graph", "index", "query", "web")]
SHARES = {"bart": 0.6, "t5": 0.42, "yake": 0.3}
Lists = dict[str, list[str]]


def lists(documents: int, seed: int, shares: dict[str, float]) -> tuple[Lists, dict[str, Lists], dict[str, str]]:
    """Draw a gold standard of five phrases, lists of ten with a share of right ones, and texts with three of five."""
    rng = np.random.default_rng(seed)
    gold = {str(i): [str(w) for w in rng.choice(WORDS, 5, replace=False)] for i in range(documents)}
    systems = {
        name: {
            d: [str(w) for w in dict.fromkeys([g if rng.random() < share else rng.choice(WORDS) for g in part])]
            for d, part in gold.items()
        }
        for name, share in shares.items()
    }
    texts = {d: f"We study {', and '.join([*part[:3], *rng.choice(WORDS, 4)])}." for d, part in gold.items()}
    return gold, systems, texts


def drawn(documents: int, seed: int, shares: dict[str, float] = SHARES) -> kp.Corpus:
    gold, systems, texts = lists(documents, seed, shares)
    return kp.load(gold=gold, systems=systems, documents=texts)


@pytest.fixture(scope="module")
def each() -> dict[str, kp.Corpus]:
    return {"inspec": drawn(30, 1), "nus": drawn(45, 2), "wiki": drawn(20, 3)}


@pytest.fixture(scope="module")
def whole(each: dict[str, kp.Corpus]) -> kp.Corpus:
    return kp.together(**each)


@pytest.mark.parametrize("interval", ["bootstrap", "cluster-t", "none"])
def test_data_set_rows_equal_separate_evaluation(
    each: dict[str, kp.Corpus], whole: kp.Corpus, interval: Interval
) -> None:
    asked = {"measures": "P@k,F1@k,MAP,kappa,F1@5", "k": "average,10", "by": "presence", "interval": interval}
    result = kp.evaluate(whole, **{**asked, "by": "dataset,presence"}).frame
    for name, corpus in each.items():
        alone = kp.evaluate(corpus, **asked).frame
        named = [f"dataset:{name}" if one == "all" else f"dataset:{name}/{one}" for one in alone["subset"]]
        part = result[result["subset"].isin(named)].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone.assign(subset=named), check_exact=True)


def test_mean_of_data_sets_adds_up_variances(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    result = kp.evaluate(whole, k=5, measures="F1@k", interval="cluster-t").frame.set_index(["subset", "system"])
    for system in SHARES:
        values = [
            rows.loc[rows["system"] == system, "value"].to_numpy()
            for rows in (kp.documents(corpus, k=5).frame for corpus in each.values())
        ]
        means = [part.mean() for part in values]
        errors = np.array([part.var(ddof=1) / len(part) / len(values) ** 2 for part in values])
        freedom = errors.sum() ** 2 / sum(e**2 / (len(part) - 1) for e, part in zip(errors, values, strict=True))
        half = student.ppf(0.975, freedom) * np.sqrt(errors.sum())
        row = result.loc[("mean of data sets", system)]
        expected = [np.mean(means), np.mean(means) - half, np.mean(means) + half]
        assert row[["value", "low", "high"]].tolist() == pytest.approx(expected, abs=1e-12)
        assert row["documents"] == 95


def test_data_sets_are_resampled_independently() -> None:
    item = drawn(40, 7)
    frame = kp.evaluate(kp.together(a=item, b=item), k=5, measures="F1@k", resamples=4000).frame
    width = (frame["high"] - frame["low"]).groupby(frame["subset"]).mean()
    # Twice the same data: drawn alike, the mean would be as uncertain as one of them.
    assert width["mean of data sets"] / width["dataset:a"] == pytest.approx(np.sqrt(0.5), rel=0.05)


def test_average_gold_size_is_per_data_set() -> None:
    few, many = ({str(i): WORDS[:size] for i in range(12)} for size in (2, 6))
    whole = kp.together(
        few=kp.load(gold=few, systems={"a": dict.fromkeys(few, WORDS)}),
        many=kp.load(gold=many, systems={"a": dict.fromkeys(many, WORDS)}),
    )
    result = kp.evaluate(whole, measures="hits@k,MAP").frame
    assert result["measure"].tolist() == ["hits@2", "MAP", "hits@6", "MAP", "hits@k", "MAP"]
    assert result["value"].tolist() == [2, 1, 6, 1, 4, 1]
    assert result["k"].dropna().tolist() == [2, 6, "average"]


def test_system_missing_from_data_set_has_no_mean(each: dict[str, kp.Corpus]) -> None:
    other = drawn(30, 9, {"bart": 0.6, "alone": 0.9})
    result = kp.evaluate(kp.together(inspec=each["inspec"], other=other), k=5, measures="F1@k").frame
    mean = result[result["subset"] == "mean of data sets"].set_index("system")
    assert mean["value"].notna().to_dict() == {"bart": True, "t5": False, "yake": False, "alone": False}
    assert mean.loc["alone", "reason"] == "no_dataset"


def test_nothing_is_pooled(whole: kp.Corpus) -> None:
    for ask in (kp.agreement, kp.near_misses, kp.sensitivity, kp.documents):
        with pytest.raises(kp.UsageError, match="several data sets"):
            ask(whole)
    with pytest.raises(kp.InputError, match="several data sets"):
        kp.evaluate(whole.by_dataset["nus"], by="dataset")


def partial_conjunction(p: list[float], alpha: float) -> int:
    """Restate Dror et al. 2017: p^{u} = (N − u + 1) · p_(u), made monotone; the largest u with p^{u} ≤ α."""
    ordered, largest, best = sorted(p), 0.0, 0
    for u in range(1, len(p) + 1):
        largest = max(largest, (len(p) - u + 1) * ordered[u - 1])
        best = u if largest <= alpha else best
    return best


def test_number_of_data_sets_follows_published_formula() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        p = (rng.random(rng.integers(1, 7)) ** rng.integers(1, 6)).tolist()
        holm = int((paired.holm(np.array(p)) <= 0.05).sum())
        assert holm == partial_conjunction(p, 0.05)


def test_better_on_combines_comparisons_of_data_sets(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    alone = {name: kp.compare(corpus, k=5) for name, corpus in each.items()}
    result = kp.compare(whole, k=5, by="dataset")
    for name, item in alone.items():
        rows = result.frame[result.frame["subset"] == f"dataset:{name}"].drop(columns="subset").reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, item.frame, check_exact=True)
    for a, b in (("bart", "yake"), ("yake", "bart"), ("bart", "t5")):
        p = []
        for item in alone.values():
            row = item.better_first().query("(a == @a and b == @b) or (a == @b and b == @a)").iloc[0]
            p.append(row["p_adjusted"] if row["a"] == a else 1.0)
        over = [item for item in result.over_datasets if (item.a, item.b) == (a, b)]
        assert [item.better for item in over] == (
            [partial_conjunction(p, 0.05)] if partial_conjunction(p, 0.05) else []
        )
        assert all((item.of, len(item.which)) == (3, item.better) for item in over)
    assert list(better_on(alone)) == list(result.over_datasets)


def table(found: Lists, **further: str) -> str:
    rows = [(*further.values(), d, phrase) for d, part in found.items() for phrase in part]
    return pd.DataFrame(rows, columns=[*further, "doc_id", "phrase"]).to_csv(index=False)


@pytest.fixture(scope="module")
def files() -> dict[str, tuple[str, dict[str, str]]]:
    made = {}
    for name, (documents, seed) in {"nus": (12, 4), "wiki": (15, 5)}.items():
        gold, systems, _ = lists(documents, seed, SHARES)
        made[name] = table(gold), {system: table(part) for system, part in systems.items()}
    return made


def values(corpus: kp.Corpus) -> list[tuple[str, str, float]]:
    frame = kp.evaluate(corpus, k=5, measures="F1@k", interval="none").frame
    return sorted(frame[["subset", "system", "value"]].itertuples(index=False, name=None))


def test_every_layout_of_data_sets_reads_alike(
    files: dict[str, tuple[str, dict[str, str]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, by_role, columns, options = {"bench/README.md": "drawn"}, dict[str, str](), dict[str, list[str]](), []
    for name, (gold, systems) in files.items():
        folders[f"bench/{name}/gold.csv"] = by_role[f"gold/{name}.csv"] = gold
        (tmp_path / f"{name}.csv").write_text(gold)
        options += ["--gold", f"@{name}={tmp_path / name}.csv"]
        for system, rows in systems.items():
            folders[f"bench/{name}/systems/{system}.csv"] = by_role[f"systems/{system}/{name}.csv"] = rows
            (tmp_path / f"{system}-{name}.csv").write_text(rows)
            options += ["--system", f"{system}@{name}={tmp_path / f'{system}-{name}.csv'}"]
            with_name = [f"{name},{line}" for line in rows.splitlines()[1:]]
            columns.setdefault(f"{system}.csv", ["corpus,doc_id,phrase"]).extend(with_name)
        columns.setdefault("gold.csv", ["corpus,doc_id,phrase"]).extend(f"{name},{x}" for x in gold.splitlines()[1:])
    expected = values(
        kp.together(
            **{
                name: kp.load(Source("gold.csv", gold.encode()), {n: Source(n, s.encode()) for n, s in systems.items()})
                for name, (gold, systems) in files.items()
            }
        )
    )
    sources = [Source(name, "\n".join(rows).encode()) for name, rows in columns.items()]
    for given in ([archive(folders)], [archive(by_role)], sources):
        assert values(kp.load(files=given)) == expected
    (tmp_path / "bench.zip").write_bytes(archive(folders).data)
    named = {flag: [word for before, word in pairwise(options) if before == flag] for flag in ("--gold", "--system")}
    at_once = ["--gold", *named["--gold"], "--system", *named["--system"]]
    for words in (options, at_once, ["--gold", str(tmp_path / "bench.zip"), "--system", str(tmp_path / "bench.zip")]):
        rows = answered(capsys, "evaluate", *words, "--k", "5", "--measures", "F1@k", "--interval", "none")["rows"]
        assert sorted((item["subset"], item["system"], item["value"]) for item in rows) == expected


def test_disjoint_gold_standards_are_asked_about(files: dict[str, tuple[str, dict[str, str]]]) -> None:
    other = {str(i): [f"{word}x" for word in WORDS[i % 5 : i % 5 + 5]] for i in range(12)}
    given = {
        "gold_nus.csv": files["nus"][0],
        "gold_sea.csv": table(other),
        "yake_nus.csv": files["nus"][1]["yake"],
        "yake_sea.csv": table({d: part[::-1] for d, part in other.items()}),
    }
    sources = [Source(name, text.encode()) for name, text in given.items()]
    with pytest.raises(kp.Question, match=r"no keyphrase in common .* on 12 documents") as asked:
        kp.load(files=sources)
    as_datasets, as_people = asked.value.answers
    corpus = kp.load(files=sources, mapping=as_datasets.mapping)
    assert (corpus.datasets, corpus.systems) == (["nus", "sea"], ["yake"])
    result = {row[:2]: row[2] for row in values(corpus)}
    alone = kp.load(Source("gold.csv", given["gold_nus.csv"].encode()), Source("a.csv", given["yake_nus.csv"].encode()))
    assert result["dataset:nus", "yake"] == values(alone)[0][2]
    people = kp.load(files=sources, mapping=as_people.mapping)
    assert (people.datasets, people.annotators) == ([], ["gold_nus", "gold_sea"])


def test_runs_are_proposed_where_lists_differ_little() -> None:
    same = {str(i): WORDS[:6] for i in range(4)}
    other = {str(i): WORDS[8:14] for i in range(4)}
    alike = kp.load(gold=same, systems={"bart_1": same, "bart_2": same, "gpt3": same, "gpt4": other})
    assert proposed_runs(alike) == {"bart": {"bart_1": "bart#1", "bart_2": "bart#2"}}


def test_main_table_cells_equal_separate_evaluations(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    made = kp.paper_table(whole, measures=["F1@5"], by="dataset,presence", absent=["R@10"])
    sheet = made.frame.set_index(["keyphrases", "system"])
    for name, corpus in each.items():
        alone = kp.evaluate(corpus, k=5, measures="F1@5,R@10", by="presence").frame
        alone = alone.set_index(["subset", "measure", "system"])["value"]
        for side, measure in (("present", "F1@5"), ("absent", "R@10")):
            for system in SHARES:
                value = sheet.loc[(side, system), f"{name} {measure}"]
                assert value == alone[(f"presence:{side}", measure, system)]
    assert list(made.blocks) == ["present", "absent"]
    text = made.markdown()
    assert text.count("**Present keyphrases**") == text.count("**Absent keyphrases**") == 1


def test_baseline_restricts_pairs_and_correction(each: dict[str, kp.Corpus]) -> None:
    corpus = each["nus"]
    every, held = kp.compare(corpus, k=5), kp.compare(corpus, k=5, baseline="t5", margin=0.02)
    assert held.frame[["a", "b"]].to_numpy().tolist() == [["bart", "t5"], ["yake", "t5"]]
    alone = every.frame.set_index(["a", "b"])["p"]
    assert held.frame["p"].tolist() == pytest.approx([alone["bart", "t5"], alone["t5", "yake"]], abs=1e-12)
    assert held.frame["p_adjusted"].tolist() == pytest.approx(paired.holm(held.frame["p"].to_numpy()).tolist())
    assert held.wide().equals(held.frame)
    for low, high, said in held.frame[["low", "high", "verdict"]].itertuples(index=False):
        expected = "better" if low > 0 else "not worse" if low > -0.02 else "worse" if high < 0 else "cannot tell"
        assert said == expected
