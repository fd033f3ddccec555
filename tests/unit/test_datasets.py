"""Data sets stand apart: each is evaluated by itself, their mean is plain, and nothing of them is ever pooled."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.reading.uploads import proposed_runs
from kp_core.scoring import paired
from kp_core.settings import Interval
from kp_core.studies.compare import Family, better_on, verdict
from kp_core.studies.gate import Requirement, checked
from kp_core.studies.paper_table import key
from kp_core.takeaway.bundle import report
from tests.format_samples import archive

WORDS = [f"{a} {b}" for a in ("deep", "sparse", "topic", "user") for b in ("model", "graph", "index", "query", "web")]
SHARES = {"bart": 0.6, "t5": 0.42, "yake": 0.3}
Lists = dict[str, list[str]]


def lists(documents: int, seed: int, shares: dict[str, float]) -> tuple[Lists, dict[str, Lists], dict[str, str]]:
    """Draw a gold standard of five phrases, lists of ten with a share of right ones, and texts with three of five."""
    rng = np.random.default_rng(seed)
    gold = {str(i): [str(w) for w in rng.choice(WORDS, 5, replace=False)] for i in range(documents)}
    systems = {
        name: {
            d: [str(w) for w in dict.fromkeys([g if rng.random() < share else rng.choice(WORDS) for g in own])]
            for d, own in gold.items()
        }
        for name, share in shares.items()
    }
    texts = {d: f"We study {', and '.join([*own[:3], *rng.choice(WORDS, 4)])}." for d, own in gold.items()}
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
def test_rows_of_a_data_set_are_those_of_it_alone(
    each: dict[str, kp.Corpus], whole: kp.Corpus, interval: Interval
) -> None:
    asked = {"measures": "P@k,F1@k,MAP,kappa,F1@5", "k": "average,10", "by": "presence", "interval": interval}
    found = kp.evaluate(whole, **{**asked, "by": "dataset,presence"}).frame
    for name, corpus in each.items():
        alone = kp.evaluate(corpus, **asked).frame
        named = [f"dataset:{name}" if one == "all" else f"dataset:{name}/{one}" for one in alone["subset"]]
        own = found[found["subset"].isin(named)].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone.assign(subset=named), check_exact=True)


def test_the_mean_is_plain_and_its_interval_by_t_adds_up(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    found = kp.evaluate(whole, k=5, measures="F1@k", interval="cluster-t").frame.set_index(["subset", "system"])
    for system in SHARES:
        values = [
            rows.loc[rows["system"] == system, "value"].to_numpy()
            for rows in (kp.documents(corpus, k=5).frame for corpus in each.values())
        ]
        means = [own.mean() for own in values]
        errors = np.array([own.var(ddof=1) / len(own) / len(values) ** 2 for own in values])
        freedom = errors.sum() ** 2 / sum(e**2 / (len(own) - 1) for e, own in zip(errors, values, strict=True))
        half = student.ppf(0.975, freedom) * np.sqrt(errors.sum())
        row = found.loc[("mean of data sets", system)]
        expected = [np.mean(means), np.mean(means) - half, np.mean(means) + half]
        assert row[["value", "low", "high"]].tolist() == pytest.approx(expected, abs=1e-12)
        assert row["documents"] == 95


def test_the_mean_is_resampled_within_data_sets_of_one_size_independently() -> None:
    one = drawn(40, 7)
    frame = kp.evaluate(kp.together(a=one, b=one), k=5, measures="F1@k", resamples=4000).frame
    width = (frame["high"] - frame["low"]).groupby(frame["subset"]).mean()
    # Twice the same data: drawn alike, the mean would be as uncertain as one of them.
    assert width["mean of data sets"] / width["dataset:a"] == pytest.approx(np.sqrt(0.5), rel=0.05)


def test_each_data_set_has_its_own_average_gold_size() -> None:
    few, many = ({str(i): WORDS[:size] for i in range(12)} for size in (2, 6))
    whole = kp.together(
        few=kp.load(gold=few, systems={"a": dict.fromkeys(few, WORDS)}),
        many=kp.load(gold=many, systems={"a": dict.fromkeys(many, WORDS)}),
    )
    found = kp.evaluate(whole, measures="hits@k,MAP").frame
    assert found["measure"].tolist() == ["hits@2", "MAP", "hits@6", "MAP", "hits@k", "MAP"]
    assert found["value"].tolist() == [2, 1, 6, 1, 4, 1]
    assert found["k"].dropna().tolist() == [2, 6, "average"]


def test_a_system_that_is_not_on_every_data_set_has_no_mean(each: dict[str, kp.Corpus]) -> None:
    other = drawn(30, 9, {"bart": 0.6, "alone": 0.9})
    found = kp.evaluate(kp.together(inspec=each["inspec"], other=other), k=5, measures="F1@k").frame
    mean = found[found["subset"] == "mean of data sets"].set_index("system")
    assert mean["value"].notna().to_dict() == {"bart": True, "t5": False, "yake": False, "alone": False}
    assert mean.loc["alone", "reason"] == "no_dataset"


def test_nothing_is_pooled(whole: kp.Corpus) -> None:
    for ask in (kp.agreement, kp.near_misses, kp.spread, kp.documents):
        with pytest.raises(kp.UsageError, match="several data sets"):
            ask(whole)
    with pytest.raises(kp.InputError, match="several data sets"):
        kp.evaluate(whole.by_dataset["nus"], by="dataset")


# on how many data sets


def partial_conjunction(p: list[float], alpha: float) -> int:
    """Restate Dror et al. 2017: p^{u} = (N − u + 1) · p_(u), made monotone; the largest u with p^{u} ≤ α."""
    ordered, largest, best = sorted(p), 0.0, 0
    for u in range(1, len(p) + 1):
        largest = max(largest, (len(p) - u + 1) * ordered[u - 1])
        best = u if largest <= alpha else best
    return best


def test_on_how_many_data_sets_follows_the_published_formula() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        p = (rng.random(rng.integers(1, 7)) ** rng.integers(1, 6)).tolist()
        holm = int((paired.holm(np.array(p)) <= 0.05).sum())
        assert holm == partial_conjunction(p, 0.05)


def test_better_on_is_made_of_the_comparisons_of_each_data_set(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    alone = {name: kp.compare(corpus, k=5) for name, corpus in each.items()}
    found = kp.compare(whole, k=5, by="dataset")
    for name, one in alone.items():
        rows = found.frame[found.frame["subset"] == f"dataset:{name}"].drop(columns="subset").reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, one.frame, check_exact=True)
    for a, b in (("bart", "yake"), ("yake", "bart"), ("bart", "t5")):
        p = []
        for one in alone.values():
            row = one.better_first().query("(a == @a and b == @b) or (a == @b and b == @a)").iloc[0]
            p.append(row["p_adjusted"] if row["a"] == a else 1.0)
        over = [one for one in found.over_datasets if (one.a, one.b) == (a, b)]
        assert [one.better for one in over] == ([partial_conjunction(p, 0.05)] if partial_conjunction(p, 0.05) else [])
        assert all((one.of, len(one.which)) == (3, one.better) for one in over)
    assert list(better_on(alone)) == list(found.over_datasets)


def test_the_answer_says_on_how_many(whole: kp.Corpus) -> None:
    said = kp.answer(whole, k=5)
    found = next(one for one in kp.compare(whole, k=5).over_datasets if (one.a, one.b) == said.systems)
    where = f"all {found.of}" if found.better == found.of else f"at least {found.better} of {found.of}"
    assert said.claim.startswith(f"bart is better than t5 on {where} data sets (")
    assert said.grade == "significant"
    assert all(name in said.claim for name in found.which)


# how data sets are given


def table(found: Lists, **further: str) -> str:
    rows = [(*further.values(), d, phrase) for d, own in found.items() for phrase in own]
    return pd.DataFrame(rows, columns=[*further, "doc_id", "phrase"]).to_csv(index=False)


@pytest.fixture(scope="module")
def files() -> dict[str, tuple[str, dict[str, str]]]:
    """Return data set → its gold standard, and its systems, as CSV."""
    made = {}
    for name, (documents, seed) in {"nus": (12, 4), "wiki": (15, 5)}.items():
        gold, systems, _ = lists(documents, seed, SHARES)
        made[name] = table(gold), {system: table(own) for system, own in systems.items()}
    return made


def values(corpus: kp.Corpus) -> list[tuple[str, str, float]]:
    frame = kp.evaluate(corpus, k=5, measures="F1@k", interval="none").frame
    return sorted(frame[["subset", "system", "value"]].itertuples(index=False, name=None))


def test_every_way_to_give_data_sets_reads_the_same(
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
        assert (
            main(["evaluate", *words, "--k", "5", "--measures", "F1@k", "--interval", "none", "--format", "json"]) == 0
        )
        rows = json.loads(capsys.readouterr().out)["rows"]
        assert sorted((one["subset"], one["system"], one["value"]) for one in rows) == expected


def test_tables_beside_the_folders_of_data_sets_are_those_of_all(tmp_path: Path) -> None:
    for name, phrase in (("inspec", "tide"), ("nus", "moon")):
        for side, said in (("gold", phrase), ("systems", "sea")):
            (tmp_path / "all" / name / side).mkdir(parents=True)
            (tmp_path / "all" / name / side / "lists.csv").write_text(f"doc_id,phrase\n7,{said}\n")
    (tmp_path / "all" / "similar.csv").write_text("a,b,score\ntide,sea,0.5\n")
    corpus = kp.load(files=tmp_path)
    assert corpus.datasets == ["inspec", "nus"]
    assert len(corpus.vocabulary.similar) == 1
    assert [one.file for one in corpus.report.readings if one.role == "similar"] == ["all/similar.csv"]
    assert kp.evaluate(corpus, k=1, measures="SemP@k").frame["value"].tolist() == [0.5, 0.0, 0.25]


def test_files_of_a_data_set_are_asked_about_in_forms() -> None:
    files = {"gold/nus.csv": "doc_id,phrase\n1,tide\n2,sea\n", "gold/wiki.csv": "doc_id,phrase\n1,moon\n2,sun\n"}
    files |= {"systems/a/nus.csv": "xq,zq\n1,tide\n2,sea\n", "systems/a/wiki.csv": "xq,zq\n1,moon\n2,sun\n"}
    with pytest.raises(kp.Question) as asked:
        kp.load(files=[archive(files)])
    assert [form.file for form in asked.value.forms] == ["nus/systems/a.csv", "wiki/systems/a.csv"]
    meant = kp.Mapping("system", document="xq", keyphrases="zq")
    corpus = kp.load(files=[archive(files)], mapping={form.file: meant for form in asked.value.forms})
    assert corpus.runs[["system", "doc_id", "phrase"]].to_numpy().tolist() == [
        ["a", "nus/1", "tide"],
        ["a", "nus/2", "sea"],
        ["a", "wiki/1", "moon"],
        ["a", "wiki/2", "sun"],
    ]


def test_numbered_documents_are_no_data_sets() -> None:
    files = {f"{role}/C-{n}.txt": "tide\nsea\n" for n in range(1, 6) for role in ("gold", "systems/a", "systems/b")}
    corpus = kp.load(files=[archive(files)])
    assert corpus.datasets == []
    assert len(corpus.documents) == 5


def test_gold_standards_with_nothing_in_common_are_asked_about(files: dict[str, tuple[str, dict[str, str]]]) -> None:
    other = {str(i): [f"{word}x" for word in WORDS[i % 5 : i % 5 + 5]] for i in range(12)}
    given = {
        "gold_nus.csv": files["nus"][0],
        "gold_sea.csv": table(other),
        "yake_nus.csv": files["nus"][1]["yake"],
        "yake_sea.csv": table({d: own[::-1] for d, own in other.items()}),
    }
    sources = [Source(name, text.encode()) for name, text in given.items()]
    with pytest.raises(kp.Question, match=r"no keyphrase in common .* on 12 documents") as asked:
        kp.load(files=sources)
    as_datasets, as_people = asked.value.answers
    corpus = kp.load(files=sources, mapping=as_datasets.mapping)
    assert (corpus.datasets, corpus.systems) == (["nus", "sea"], ["yake"])
    found = {row[:2]: row[2] for row in values(corpus)}
    alone = kp.load(Source("gold.csv", given["gold_nus.csv"].encode()), Source("a.csv", given["yake_nus.csv"].encode()))
    assert found["dataset:nus", "yake"] == values(alone)[0][2]
    people = kp.load(files=sources, mapping=as_people.mapping)
    assert (people.datasets, people.annotators) == ([], ["gold_nus", "gold_sea"])


def test_ids_of_a_file_without_its_data_set_are_joined_or_refused() -> None:
    gold = "dataset,doc_id,phrase\nnus,n1,tide\nwiki,w1,sea\n"
    found = kp.load(files=[Source("gold.csv", gold.encode()), Source("yake.csv", b"doc_id,phrase\nn1,tide\nw1,moon\n")])
    assert found.runs["doc_id"].tolist() == ["nus/n1", "wiki/w1"]
    same = "dataset,doc_id,phrase\nnus,1,tide\nwiki,1,sea\n"
    with pytest.raises(kp.InputError, match="“1”, which several data sets have"):
        kp.load(files=[Source("gold.csv", same.encode()), Source("yake.csv", b"doc_id,phrase\n1,tide\n")])


def test_data_sets_and_runs_are_written_and_read_back(whole: kp.Corpus, tmp_path: Path) -> None:
    from kp_core.reading.rows.tidy import tidy

    for form in ("csv", "jsonl", "parquet"):
        written = [Source(name, data) for name, data in tidy(whole, form).files.items()]
        assert values(kp.load(files=written)) == values(whole)


def test_runs_of_one_name_and_of_one_folder(files: dict[str, tuple[str, dict[str, str]]], tmp_path: Path) -> None:
    gold, systems = files["nus"]
    rows = list(systems.values())
    folder = {"gold.csv": gold, "systems/yake.csv": rows[2]}
    folder |= {f"systems/bart/seed{n}.csv": rows[n] for n in (0, 1)}
    assert kp.load(files=[archive(folder)]).systems == ["bart#seed0", "bart#seed1", "yake"]
    column = [f"bart,{n},{line}" for n in (1, 2) for line in rows[n].splitlines()[1:]]
    table_ = "\n".join(["system,run,doc_id,phrase", *column])
    assert kp.load(Source("g.csv", gold.encode()), Source("s.csv", table_.encode())).systems == ["bart#1", "bart#2"]


def test_runs_are_proposed_where_lists_differ_little() -> None:
    same = {str(i): WORDS[:6] for i in range(4)}
    other = {str(i): WORDS[8:14] for i in range(4)}
    alike = kp.load(gold=same, systems={"bart_1": same, "bart_2": same, "gpt3": same, "gpt4": other})
    assert proposed_runs(alike) == {"bart": {"bart_1": "bart#1", "bart_2": "bart#2"}}


# the main table


def test_the_cells_of_the_main_table_are_those_of_each_data_set(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    made = kp.paper_table(whole, measures=["F1@5"], by="dataset,presence", absent=["R@10"])
    sheet = made.frame().set_index(["keyphrases", "system"])
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


def test_daggers_are_tests_within_a_data_set(each: dict[str, kp.Corpus], whole: kp.Corpus) -> None:
    made = kp.paper_table(whole, measures=["F1@5"], by="dataset")
    against = kp.paper_table(whole, measures=["F1@5"], by="dataset", baseline="yake")
    for column in made.blocks[""][:-1]:
        found = kp.compare(each[column.head], measure="F1@5")
        best = max(found.scores, key=found.scores.__getitem__)
        assert made.beaten[key("", column)] == frozenset(found.better[best])
        held = kp.compare(each[column.head], measure="F1@5", baseline="yake")
        assert against.beaten[key("", column)] == frozenset(a for a in ("bart", "t5") if "yake" in held.better[a])
    assert key("", made.blocks[""][-1]) not in made.beaten
    over = next(one for one in kp.compare(whole, measure="F1@5").over_datasets if (one.a, one.b) == ("bart", "t5"))
    assert f"{over.better} of 3" in made.note() or f"all {over.better}" in made.note()
    assert "significantly better than yake" in against.note()


@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_five_data_sets_in_latex_give_no_warning(tmp_path: Path, options: str) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed, so the table was not compiled")
    shares = {f"sys_{n}": 0.2 + 0.05 * n for n in range(8)}
    shares = {**shares, "bart#1": 0.6, "bart#2": 0.61}
    names = ("inspec", "krapivin", "nus", "semeval2010", "kp_20k")
    whole = kp.together(**{name: drawn(12, seed, shares) for seed, name in enumerate(names)})
    made = kp.paper_table(
        whole, measures=["F1@5", "F1@M"], by="dataset,presence", deviations=True, resamples=50, label="tab:main"
    )
    simple = kp.paper_table(whole, measures=["F1@5", "F1@M"], by="dataset,presence", marks=False, label="tab:simple")
    preamble = rf"\documentclass[{options}]{{article}}\usepackage{{booktabs,rotating}}\begin{{document}}"
    text = "".join(f"{one.latex()}\nSee Table~\\ref{{{one.label}}}.\n" for one in (made, simple))
    (tmp_path / "paper.tex").write_text(f"{preamble}\n{text}\\end{{document}}\n")
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "paper.tex"], cwd=tmp_path, capture_output=True, timeout=120
        )
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert [line for line in log.splitlines() if "Warning" in line or "Overfull" in line] == []
    assert r"\cmidrule(lr)" in made.latex()


# baseline, margin and gate


def test_a_baseline_leaves_pairs_with_it_and_corrects_for_these(each: dict[str, kp.Corpus]) -> None:
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


@pytest.mark.parametrize(("sign", "met"), [(">=", True), ("<=", True), (">", False), ("<", False)])
def test_a_requirement_is_met_by_what_differs_by_rounding_alone(sign: str, met: bool) -> None:
    gold = {f"d{n}": [f"p{i}" for i in range(10)] for n in range(3)}
    lists = {
        f"d{n}": [f"p{i}" for i in range(hits)] + [f"q{i}" for i in range(10)] for n, hits in enumerate((0, 2, 10))
    }
    result = kp.evaluate(kp.load(gold=gold, systems={"new": lists}), k=10, measures="P@k", interval="none")
    assert result.frame["value"].item() < 0.4  # by the last bit
    assert [one.met for one in checked(result, [Requirement.parse(f"P@10{sign}0.4")])] == [met]
    apart = [checked(result, [Requirement.parse(f"P@10>={limit}")])[0].met for limit in ("0.39999", "0.40001")]
    assert apart == [True, False]


def test_a_margin_of_what_differs_by_rounding_alone_is_not_passed() -> None:
    bounds = (1e-12, 0.2), (-0.1 + 1e-12, 0.2), (-0.2, -1e-12)
    assert [verdict(*one, 0.1) for one in bounds] == ["not worse", "cannot tell", "cannot tell"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["compare", "--measures", "F1@5", "--baseline", "yake", "--fail-on", "worse"], 0),
        (["compare", "--measures", "F1@5", "--baseline", "bart", "--fail-on", "worse,cannot tell"], 3),
        (["compare", "--measures", "F1@5", "--baseline", "bart", "--margin", ".9", "--fail-on", "worse"], 0),
        (["compare", "--measures", "F1@5", "--fail-on", "worse"], 2),
        (["compare", "--measures", "F1@5", "--baseline", "nobody"], 2),
        (["evaluate", "--measures", "MAP", "--require", "F1@5>=.1"], 0),
        (["evaluate", "--measures", "MAP", "--require", "F1@5>=.99"], 3),
        (["evaluate", "--measures", "MAP", "--require", "bart F1@5>=.4", "yake F1@5<.5"], 0),
        (["evaluate", "--measures", "MAP", "--require", "bart low:F1@5>=.99"], 3),
        (["evaluate", "--measures", "MAP", "--require", "F1@5 is good"], 2),
        (["evaluate", "--measures", "MAP", "--require", "nobody F1@5>=.1"], 2),
    ],
)
def test_the_gate_ends_with_its_status_after_printing(
    files: dict[str, tuple[str, dict[str, str]]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
) -> None:
    gold, systems = files["wiki"]
    (tmp_path / "gold.csv").write_text(gold)
    given = ["--gold", str(tmp_path / "gold.csv")]
    for name, rows in systems.items():
        (tmp_path / f"{name}.csv").write_text(rows)
        given += ["--system", f"{name}={tmp_path / name}.csv"]
    assert main([words[0], *given, *words[1:], "--resamples", "400", "--format", "json"]) == status
    out = capsys.readouterr().out
    if status == 2:
        assert out == ""
        return
    printed = json.loads(out)
    if words[0] == "evaluate":
        assert all(one["met"] for one in printed["requirements"]) == (status == 0)
    else:
        asked = words[words.index("--fail-on") + 1].split(",")
        assert any(one["verdict"] in asked for one in printed["rows"]) == (status == 3)


# two systems


def test_two_systems_side_by_side_by_hand(each: dict[str, kp.Corpus]) -> None:
    corpus = each["inspec"]
    found = kp.versus(corpus, k=4, a="bart", b="yake", normalise="none")
    values = kp.documents(corpus, k=4, normalise="none").frame.pivot_table("value", "document", "system")
    apart = (values["bart"] - values["yake"]).round(12)
    assert found.won == ((apart > 0).sum(), (apart == 0).sum(), (apart < 0).sum())
    row = found.frame.set_index("k").loc[4]
    assert row["difference"] == pytest.approx(apart.mean(), abs=1e-12)
    assert row["low"] < apart.mean() < row["high"]
    gold = corpus.gold.groupby("doc_id")["phrase"].agg(set)
    first = corpus.runs[corpus.runs["rank"] <= 4].groupby(["system", "doc_id"])["phrase"].agg(list)
    only = {
        (d, phrase, system)
        for d in gold.index
        for system, other in (("bart", "yake"), ("yake", "bart"))
        for phrase in gold[d] & set(first[system, d]) - set(first[other, d])
    }
    columns = ["document", "keyphrase", "found by"]
    assert set(found.phrases[columns].itertuples(index=False, name=None)) == only
    stayed = [np.mean([phrase in first["yake", d] for phrase in first["bart", d]]) for d in gold.index]
    assert found.stayed == pytest.approx(np.mean(stayed), abs=1e-12)
    largest = found.by_document["difference"].abs()
    assert all(a >= b for a, b in pairwise(largest))


def test_what_cannot_be_set_side_by_side_is_refused(each: dict[str, kp.Corpus]) -> None:
    for a, b in (("bart", "bart"), ("bart", "nobody")):
        with pytest.raises(kp.UsageError, match="choose"):
            kp.versus(each["nus"], a=a, b=b)


# what an attack found


def test_data_sets_with_one_system_each_have_an_answer_and_no_mean() -> None:
    apart = kp.together(
        a=kp.load(gold={"1": ["tide"]}, systems={"s": {"1": ["tide"]}}),
        b=kp.load(gold={"1": ["sea"]}, systems={"t": {"1": ["sky"]}}),
    )
    assert kp.answer(apart, k=1).claim == "By F1@k, as a mean of 2 data sets, no system has a value on all of them."
    with pytest.raises(kp.UsageError, match="at least two systems"):
        kp.compare(apart)
    heads = [column.head for column in kp.paper_table(apart, measures=["F1@k"], k=1, by="dataset").blocks[""]]
    assert heads == ["a", "b", "mean"]


def test_no_two_systems_on_all_data_sets_have_no_mean_to_compare(each: dict[str, kp.Corpus]) -> None:
    alone = kp.load(gold={"1": ["tide"]}, systems={"bart": {"1": ["tide"]}})
    said = kp.answer(kp.together(nus=each["nus"], alone=alone), k=5)
    assert said.claim == "No two systems have lists on all 2 data sets, so that their means could be compared."


def test_collections_of_a_catalogue_are_no_data_sets_and_blank_data_sets_are_refused() -> None:
    catalogue = Source("g.csv", b"id,collection,keyphrases\n1,Theses,tide;sea\n2,Papers,moon;sun\n")
    assert kp.load(gold=catalogue).datasets == []
    needed = Source("g.csv", b"id,collection,keyphrases\n1,nus,tide;sea\n1,wiki,moon;sun\n")
    assert kp.load(gold=needed).datasets == ["nus", "wiki"]
    blank = Source("g.csv", b"dataset,doc_id,phrase\nnus,1,tide\n,2,sea\nwiki,1,moon\n")
    with pytest.raises(kp.InputError, match="1 row without a data set"):
        kp.load(gold=blank)


def test_streams_say_that_they_take_neither_data_sets_nor_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "g.csv").write_text("doc_id,phrase\n1,tide\n")
    table_ = str(tmp_path / "g.csv")
    assert main(["evaluate", "--stream", "--gold", f"@a={table_}", "--system", f"s@a={table_}"]) == 2
    assert "several data sets are not streamed" in capsys.readouterr().err
    runs = ["--system", f"s={table_}", "--system", f"s={table_}"]
    assert main(["evaluate", "--stream", "--gold", table_, *runs]) == 2
    assert "runs of a system, such as s#1, are not streamed" in capsys.readouterr().err


def test_a_report_on_runs_counts_systems_and_shows_the_tables_of_runs() -> None:
    corpus = drawn(12, 8, {"bart#1": 0.6, "bart#2": 0.5, "yake": 0.3})
    made = report(corpus, kp.Settings(k=5, resamples=100), sections=("leaderboard", "agreement", "methods"))
    tables = {one.name: one.frame for section in made.sections for one in section.tables}
    assert tables["concordance"]["system"].tolist() == ["bart#1", "bart#2", "yake"]
    assert "2 systems (3 runs)" in made.paragraph()
    assert "documents and runs as samples" in made.paragraph()


def test_the_answer_beside_a_baseline_names_it(each: dict[str, kp.Corpus]) -> None:
    same = drawn(15, 11, {"one": 0.5})
    lists_ = same.runs.groupby("doc_id", sort=False)["phrase"].agg(list).to_dict()
    worse = {d: ["none", *own] for d, own in lists_.items()}
    corpus = kp.load(same.gold, {"one": lists_, "two": lists_, "base": worse})
    said = kp.answer(corpus, k=5, family=Family("F1@k", baseline="base"))
    assert said.systems == ("one", "base")
