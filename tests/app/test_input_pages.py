"""The Data, Documents and Methods pages: on sample data, after an upload, after a broken one, and with a bad link."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core import methods
from kp_core.reading import Source
from kp_core.takeaway.workspace_file import Uploads
from kp_ui import show, workspace
from tests.app.opening import ROOT, opened, shown

pytestmark = pytest.mark.app
SAMPLE = ROOT / "sample_data"


def on_data(page: str, files: list[Source], fixes: tuple[str, ...] = (), **link: str) -> Any:
    """Open a page on files, as after an upload of these with some fixes."""
    state = {"uploads": Uploads(tuple(files), fixes=fixes)}
    return opened(page, kp.load(files=files, fixes=fixes), state=state, **link)


def uploaded() -> list[Source]:
    return [
        Source("gold.csv", b"doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,moon\n"),
        Source("mine.csv", b"doc_id,rank,keyphrase\nd1,1,Hash Tables\nd1,2,bucket\nd2,1,tide\nd3,1,sun\n"),
    ]


BAD = {"k": "banana", "measure": "nothing", "universe": "selected", "document": "?", "system": "nobody", "curves": "x"}


@pytest.mark.parametrize("page", ["overview", "agreement", "ranking", "annotators", "documents", "data", "methods"])
def test_every_page_opens_also_with_a_bad_link(page: str) -> None:
    app = opened(page, **BAD)
    assert app.title[0].value == page.capitalize()
    assert not app.error


def test_the_load_report_counts_the_sample() -> None:
    found = shown(opened("data"), "phrases").set_index("source")["phrases"]
    assert found[["A", "B", "C", "yake"]].tolist() == [134, 106, 119, 1000]


def test_an_upload_is_scored_at_once() -> None:
    app = on_data("overview", uploaded(), k="1", measure="P@k")
    row = shown(app, "P@1").set_index("system").loc["mine"]
    assert row["P@1"] == pytest.approx(2 / 3)  # hash table and tide, not sun


def test_an_upload_replaces_the_sample_and_one_click_brings_it_back() -> None:
    app = on_data("data", uploaded())
    assert shown(app, "phrases")["source"].tolist() == ["gold", "mine"]
    app.button(key="back_to_sample").click().run()
    assert "yake" in shown(app, "phrases")["source"].tolist()
    app.button(key="back_to_files").click().run()
    assert shown(app, "phrases")["source"].tolist() == ["gold", "mine"]


def test_a_refused_file_says_why_and_leaves_the_screen() -> None:
    app = opened("data")
    broken = Source("broken.json", b'{"d1": ["tide", ')
    app.session_state["uploads"] = Uploads((broken,))
    with pytest.raises(kp.InputError) as refusal:
        kp.load(files=[broken])
    app.session_state["problem"] = str(refusal.value)
    app.run()
    assert not app.exception
    assert "broken" in app.error[0].value
    assert "line 1" in app.error[0].value
    assert "yake" in shown(app, "phrases")["source"].tolist()


def test_the_broken_sample_loads_all_rows_but_one_and_shows_it() -> None:
    name = "predictions.jsonl"
    files = [
        Source("gold.csv", (SAMPLE / "lectures/gold.csv").read_bytes()),
        Source(name, (SAMPLE / "broken" / name).read_bytes()),
    ]
    rejected = shown(on_data("data", files), "reason")
    assert rejected[["file", "line"]].to_numpy().tolist() == [[name, "12"]]


def test_a_fix_of_ids_is_offered_and_counts() -> None:
    files = uploaded()
    files[1] = Source(
        "mine.csv", files[1].data.replace(b"d1,", b"d1.txt,").replace(b"d2,", b"d2.txt,").replace(b"d3,", b"d3.txt,")
    )
    app = on_data("data", files)
    assert [b.label for b in app.button if "3 of 3" in b.label] != []
    fixed = on_data("overview", files, ("strip-extension",), k="1", measure="P@k")
    assert shown(fixed, "P@1").set_index("system").loc["mine", "P@1"] == pytest.approx(2 / 3)


def test_phrases_before_and_after_normalisation() -> None:
    found = shown(opened("data"), "compared as").set_index("phrase")["compared as"]
    assert found["inverted index"] == "invert index"


def test_documents_show_the_values_of_the_evaluation() -> None:
    app = opened("documents", k="5", measure="P@k", system="yake", other="rake")
    listed = shown(app, "difference").set_index("document")
    corpus = workspace.SAMPLES["lectures"].load()
    values = kp.by_document(corpus, kp.Settings(k=(5,)), "P@k").pivot_table(
        index="document", columns="system", values="value"
    )
    assert listed["yake"].to_dict() == values["yake"].to_dict()
    assert listed["difference"].to_dict() == pytest.approx((values["yake"] - values["rake"]).to_dict())
    assert listed["difference"].is_monotonic_decreasing


def test_one_document_marks_hits_and_repeats() -> None:
    gold = {"d1": ["hash table", "collision"]}
    lists = {"d1": ["Hash Tables", "hash table", "bucket", "collisions"]}
    files = [Source("gold.json", json.dumps(gold).encode()), Source("mine.json", json.dumps(lists).encode())]
    corpus = kp.load(gold=[files[0]], systems={"mine": files[1]})
    app = opened("documents", corpus, k="2")
    ranked = shown(app, "phrase")
    assert ranked[""].tolist() == ["✓", "↺", "·", "✓"]
    assert ranked["keyphrase"].tolist() == ["hash table", "", "", "collision"]
    assert shown(app, "found by")["found by"].tolist() == ["mine", "nobody"]  # collision is third of those that count


def test_published_rows_on_the_page(shared: Callable[[str], Path]) -> None:
    """Every published row of the five rankings, as the Documents page shows them under the preset of that paper."""
    data = shared("data/semeval2010/system_outputs_ijcnlp13")
    expected = pd.read_csv(shared("oracles/real/semeval2010_prf10_by_document.csv"))
    names = ("degree", "closeness", "betweenness", "eigenvector", "textrank")
    systems = {name: data / "output/semeval" / f"candidats.{name}" for name in names}
    corpus = kp.load(gold=data / "data/references/semeval.ref", systems=systems)
    state = {"workspace": workspace.Workspace(corpus, "published rows", "test")}
    for measure, column in (("P@k", "P10"), ("R@k", "R10"), ("F1@k", "F10")):
        app = opened("documents", state=state, k="10", measure=measure, preset="ijcnlp13", gold_stemmed="yes")
        listed = shown(app, "degree").set_index("document")
        for name in names:
            rows = expected[expected["system"] == name].set_index("doc_id")[column]
            assert len(rows) == 100
            assert listed[name].to_dict() == pytest.approx(rows.to_dict(), abs=1e-9)


def test_methods_show_every_measure_with_its_example_and_the_search_narrows_them() -> None:
    app = opened("methods", family="all")
    entries = [*kp.MEASURES.values(), *kp.SIMILARITIES.values(), *kp.SYSTEMS.values()]
    assert {show.plain(one.sentence) for one in entries} <= {one.value for one in app.markdown}
    assert len(app.latex) == len(entries)
    assert {show.plain(f"In the example: {words}") for words in methods.WORKED.values()} <= {
        one.value for one in app.markdown
    }
    (formula,) = opened("methods", search="gwet").latex
    assert r"\mathrm{AC1} = \frac{P_o-P_e}{1-P_e}" in formula.value


def test_a_term_of_the_glossary_is_found_and_has_a_link() -> None:
    app = opened("methods", search="universe N")
    assert [one.value for one in app.header] == ["Glossary"]
    assert app.markdown[-1].value.startswith("**universe N**: The number of phrases that could have been chosen")
    alone = opened("methods", family="glossary")
    assert [one.value for one in alone.header] == ["Glossary"]
    assert alone.markdown[-1].value.count("**: ") == len(methods.TERMS)
