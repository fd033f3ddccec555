"""Broader concepts and rare ones: closures walked by hand, the formulas of the papers, tables that are refused."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.reading.open.source import packed
from kp_core.reading.rows import report
from kp_core.scoring.gold import inverse_propensity

#: A child stands before its parents, so no drawn graph has a cycle.
NAMES = [f"c{i}" for i in range(8)]
EDGES = st.lists(st.sampled_from(list(combinations(NAMES, 2))), max_size=12, unique=True)
LISTS = st.dictionaries(
    st.sampled_from(["d1", "d2", "d3"]), st.lists(st.sampled_from(NAMES), max_size=5, unique=True), min_size=1
)
EXACT = {"interval": "none", "normalise": "none"}


def _corpus(gold: dict, lists: dict, **tables: object) -> kp.Corpus:
    frames = [
        pd.DataFrame([(d, c, c) for d, cs in side.items() for c in cs], columns=["doc_id", "phrase", "concept"])
        for side in (gold, lists)
    ]
    return kp.load(gold=frames[0], systems={"x": frames[1]}, **tables)


def _above(concept: str, edges: list[tuple[str, str]]) -> set[str]:
    direct = {parent for child, parent in edges if child == concept}
    return direct.union(*(_above(one, edges) for one in direct))


def _whole(concepts: list[str], edges: list[tuple[str, str]]) -> set[str]:
    return {*concepts}.union(*(_above(one, edges) for one in concepts))


@given(EDGES, LISTS, LISTS, st.integers(1, 5))
def test_both_sides_hold_all_that_is_broader(edges: list, gold: dict, lists: dict, k: int) -> None:
    gold = {d: cs for d, cs in gold.items() if cs} | {"d9": ["c0", "c7"]}
    broader = pd.DataFrame(edges or [("a", "b")], columns=["child", "parent"])
    corpus = _corpus(gold, {"d9": ["c1"], **lists}, broader=broader)
    asked = {"measures": "hP@k,hR@k,hF1@k", "by_concept": "yes", "k": k, "average": "both", **EXACT}
    found = kp.evaluate(corpus, **asked).frame.pivot_table(index="average", columns="measure", values="value")
    sides = [(_whole({"d9": ["c1"], **lists}.get(d, [])[:k], edges), _whole(cs, edges)) for d, cs in gold.items()]
    both, said, due = (np.array(n) for n in zip(*((len(a & b), len(a), len(b)) for a, b in sides), strict=True))
    with np.errstate(invalid="ignore"):
        macro = [np.nan_to_num(one).mean() for one in (both / said, both / due, 2 * both / (said + due))]
    micro = [both.sum() / said.sum(), both.sum() / due.sum(), 2 * both.sum() / (said.sum() + due.sum())]
    names = [f"hP@{k}", f"hR@{k}", f"hF1@{k}"]
    assert found.loc["macro", names].tolist() == pytest.approx(macro)
    assert found.loc["micro", names].tolist() == pytest.approx(micro)


def test_a_cycle_is_refused_by_name() -> None:
    rows = [("sea", "water"), ("water", "matter"), ("matter", "sea"), ("tide", "sea")]
    with pytest.raises(kp.InputError) as refused:
        _corpus({"d": ["tide"]}, {"d": ["sea"]}, broader=pd.DataFrame(rows, columns=["child", "parent"]))
    cycle = refused.value.found.removeprefix("a concept that is broader than itself: ").split(" → ")
    assert (len(cycle), cycle[0]) == (4, cycle[-1])
    assert {*pairwise(cycle)} == {*rows[:3]}


def test_hierarchical_measures_need_a_hierarchy_and_concepts() -> None:
    broader = pd.DataFrame([("tide", "sea")], columns=["child", "parent"])
    for corpus, concepts in ((_corpus({"d": ["tide"]}, {"d": ["sea"]}), "yes"), (None, "no")):
        corpus = corpus or _corpus({"d": ["tide"]}, {"d": ["sea"]}, broader=broader)
        with pytest.raises(kp.UsageError, match="--broader"):
            kp.evaluate(corpus, measures="hP@1", by_concept=concepts)


@given(LISTS, LISTS, st.integers(1, 5), st.booleans())
def test_rare_concepts_gain_more(gold: dict, lists: dict, k: int, table: bool) -> None:
    gold = {d: cs for d, cs in gold.items() if cs} | {"d9": ["c0", "c7"]}
    number = {name: sum(name in cs for cs in gold.values()) for name in NAMES}
    documents, tables = len(gold), {}
    if table:
        number, documents = {name: 3 * place for place, name in enumerate(NAMES)}, 1_000
        rows = [(name, n, documents) for name, n in number.items()]
        tables = {"frequencies": pd.DataFrame(rows, columns=["concept", "n", "documents"])}
    weight = {name: inverse_propensity(np.array([n]), documents)[0] for name, n in number.items()}
    corpus = _corpus(gold, {"d9": ["c1"], **lists}, **tables)
    asked = {"measures": "PSP@k,nDCG@k", "by_concept": "yes", "k": k, "gain": "propensity", **EXACT}
    found = kp.evaluate(corpus, **asked).frame["value"].tolist()
    psp, ndcg = [], []
    for document, due in gold.items():
        own = [weight[c] if c in due else 0 for c in {"d9": ["c1"], **lists}.get(document, [])[:k]]
        best = sorted((weight[c] for c in due), reverse=True)[:k]
        psp.append(sum(own) / sum(best))
        ndcg.append(sum(w / np.log2(i + 2) for i, w in enumerate(own)))
        ndcg[-1] /= sum(w / np.log2(i + 2) for i, w in enumerate(best))
    assert found == pytest.approx([np.mean(psp), np.mean(ndcg)])


def test_tables_are_options_and_files_by_their_heads(tmp_path, capsys) -> None:
    files = {
        "gold.csv": "doc_id,keyphrase,concept\nd,tide,e:1\n",
        "x.csv": "doc_id,rank,phrase,concept\nd,1,sea,e:2\n",
        "broader.csv": "child,parent\ne:1,e:3\ne:2,e:3\n",
        "often.tsv": "label_id\tlabel_freq\tn_docs\ne:1\t5\t1000\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    at = {name: str(tmp_path / name) for name in files}
    data = ["--gold", at["gold.csv"], "--system", at["x.csv"], "--by-concept", "yes", "--format", "csv"]
    tables = ["--broader", at["broader.csv"], "--frequencies", at["often.tsv"]]
    assert main(["evaluate", *data, *tables, "--measures", "hP@1,hR@1,PSP@1", "--interval", "none"]) == 0
    values = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))["value"].tolist()
    assert values == [0.5, 0.5, 0.0]
    corpus = kp.load(files=[at["gold.csv"], at["x.csv"], at["broader.csv"]])
    assert corpus.vocabulary.ancestors["e:1"] == {"e:3"}
    (tmp_path / "often.tsv").unlink()
    archive = packed("all", ((f"all/{one.name}", one.read_bytes()) for one in tmp_path.iterdir()))
    for unsorted in (str(tmp_path), archive):
        corpus = kp.load(files=unsorted)
        assert corpus.vocabulary.ancestors["e:1"] == {"e:3"}
        assert [one.words for one in report.receipt(corpus)][-1] == "broader concepts · 2 rows"
        assert report.understood(corpus) == "3 files, all understood."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("?child\t?parent\n<u:1>\t<u:2>\n", "broader"),  # SPARQL results as TSV
        ("\ufeffnarrower;broader\r\nu:1;u:2\r\n", "broader"),
        ('"label_id","label_freq","n_docs"\n"u:1",5,9\n', "frequencies"),  # CASIMiR
    ],
)
def test_heads_of_other_tools_are_known_among_files(text: str, name: str) -> None:
    gold = Source("gold.csv", b"doc_id,keyphrase,concept\nd,tide,u:1\n")
    corpus = kp.load(files=[gold, Source("table", text.encode())])
    assert list(corpus.vocabulary.given) == [name]
    assert corpus.vocabulary.given[name].iloc[0, 0] == "u:1"


def test_identifiers_alone_are_keyphrases_too() -> None:
    gold = Source("gold.csv", b"doc_id,uri\nd1,http://x/1\nd1,http://x/2\nd2,http://x/2\n")
    lists = Source("x.csv", b"doc_id,rank,uri,score\nd1,1,http://x/2,.5\nd2,1,http://x/1,.4\n")
    corpus = kp.load(gold=gold, systems=lists)
    found = kp.evaluate(corpus, measures="P@1,R@1", by_concept="yes", interval="none").frame["value"].tolist()
    assert found == [0.5, 0.25]


def test_what_was_said_of_a_table_holds() -> None:
    """A table that is left out is not used, and bytes that are no UTF-8 are told, as of any other file."""
    gold = Source("gold.csv", b"doc_id,keyphrase,concept\nd,tide,e:1\n")
    table = Source("b.csv", "child,parent\r\ne:1,é\r\n".encode("latin-1"))
    corpus = kp.load(files=[gold, table])
    assert corpus.vocabulary.ancestors["e:1"] == {"é"}
    assert [note.where for note in corpus.report.notes if note.level == "warning"] == ["b.csv, line 2"]
    left = kp.load(files=[gold, table], mapping={"b.csv": "leave out"})
    assert (left.vocabulary.given, report.understood(left)) == (
        {},
        "1 file understood; left out: 1 file without lists or texts (b.csv).",
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("broader", "a,b\nx,y\n", "the columns child and parent"),
        ("broader", "child,parent\nx,\n", "line 2: expected child and parent in every row"),
        ("frequencies", "concept,n\nx,many\n", "line 2: expected a number from 0 up, found “many”"),
        ("frequencies", "concept,n\nx,1\ny,inf\n", "line 3: expected a number from 0 up, found “inf”"),
        ("frequencies", "concept,n\nx,1\nx,1\ny,2\nx,3\n", "one row a concept, found two numbers for “x”"),
    ],
)
def test_tables_that_say_something_else_are_refused(tmp_path, name: str, text: str, words: str) -> None:
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    with pytest.raises(kp.InputError, match=words):
        _corpus({"d": ["tide"]}, {"d": ["sea"]}, **{name: str(tmp_path / "table.csv")})


def test_a_table_that_says_nothing_of_what_is_compared_is_told() -> None:
    """Identifiers written otherwise, or names where identifiers are compared, would change no value without a word."""
    tables = {
        "broader": pd.DataFrame([("e:tide", "e:sea")], columns=["child", "parent"]),
        "frequencies": pd.DataFrame([("e:tide", 5), ("e:sea", 0)], columns=["concept", "n"]),
    }
    corpus = _corpus({"d": ["tide"]}, {"d": ["sea"]}, **tables)

    def warned(measures: str, **asked: str) -> list[str]:
        notes = kp.evaluate(corpus, measures=measures, k=1, interval="none", by_concept="yes", **asked).notes
        return [note.where for note in notes if note.level == "warning"]

    assert (warned("hP@k"), warned("PSP@k"), warned("F1@k")) == (["broader"], ["frequencies"], [])
    assert (warned("nDCG@k"), warned("nDCG@k", gain="propensity")) == ([], ["frequencies"])
    tables = {name: table.replace({"e:tide": "tide"}) for name, table in tables.items()}
    corpus = _corpus({"d": ["tide"]}, {"d": ["sea"]}, **tables)
    assert warned("hP@k,PSP@k") == []


def test_a_table_of_no_document_gives_every_concept_the_same_weight() -> None:
    assert inverse_propensity(np.array([0.0, 3.0]), 0).tolist() == [1, 1]
