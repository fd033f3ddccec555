"""Long, list and wide tables, judgements and DataFrames find their columns and keep every cell unchanged."""

import json
import warnings
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Mapping, Source, load
from kp_core.reading.limits import Limits
from kp_core.reading.lists.list_builder import ListBuilder
from kp_core.reading.rows import apply as layout_rows
from kp_core.takeaway.tidy import tidy


def read(text: str, name: str = "a.csv", role: str = "gold", **more: object) -> Corpus:
    return load(**{role: Source(name, text.encode())}, **more)


def gold(text: str, **more: object) -> list[tuple[str, ...]]:
    table = read(text, **more).gold
    return list(table[["doc_id", "annotator", "phrase"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter: str, end: str) -> None:
    rows = [["doc_id", "annotator", "keyphrase"], ["d1", "ana", "tide table"], ["d1", "ben", "sea"]]
    assert gold(end.join(delimiter.join(row) for row in rows) + end) == [
        ("d1", "ana", "tide table"),
        ("d1", "ben", "sea"),
    ]


# in memory


def test_data_frames_equal_files() -> None:
    frame = pd.DataFrame({"doc_id": [2, 2, 1], "phrase": ["b", " a", "c"], "rank": [2, 1, 1], "score": [0.5, 0.9, 0.1]})
    by_file = load(systems={"s": Source("s.csv", frame.to_csv(index=False).encode())})
    pd.testing.assert_frame_equal(load(systems={"s": frame}).runs, by_file.runs)


@pytest.mark.parametrize("kind", ["str", "object", "category", "string"])
def test_frames_of_any_text_type(kind: str) -> None:
    frame = pd.DataFrame({"doc_id": ["d1", "d1", "d2"], "phrase": ["a", "NA", "c"]}, dtype=kind)
    assert load(gold=frame).gold["phrase"].tolist() == ["a", "NA", "c"]


def test_missing_cells_of_a_frame_are_rejected_rows() -> None:
    frame = pd.DataFrame({"doc_id": ["d"] * 9 + [None], "phrase": ["a"] * 10})
    assert load(gold=frame).report.rejected["reason"].tolist() == ["an empty id"]


def test_data_frames_may_contain_lists_and_scores() -> None:
    corpus = load(
        gold=pd.DataFrame({"doc_id": ["d1", "d2"], "keyphrases": [["a", "b"], []]}),
        systems=pd.DataFrame({"doc_id": ["d1"], "keyphrases": [[("a", 0.9), ("b", 0.2)]]}),
    )
    assert corpus.gold["phrase"].tolist() == ["a", "b"]
    assert corpus.empty["doc_id"].tolist() == ["d2"]
    assert corpus.runs[["phrase", "score"]].to_numpy().tolist() == [["a", 0.9], ["b", 0.2]]


def test_dictionaries_of_lists_scores_and_annotators() -> None:
    assert load(gold={"ana": {"d1": ["a"]}, "ben": {"d1": ["b"]}}).annotators == ["ana", "ben"]
    corpus = load(gold={"d1": ["a"]}, systems={"s": {"d1": {"x": 0.2, "y": 0.9, "z": 0.1}}}, documents={"d1": "Water."})
    assert corpus.runs["phrase"].tolist() == ["y", "x", "z"]
    assert corpus.has_texts


def test_fixed_ids_are_trimmed_and_never_blank() -> None:
    for doc_id, fix, left in (("a \x14.txt", "strip-extension", "a"), ("b/\x14/", "strip-path", "b/\x14/")):
        corpus = read(f"doc_id,phrase\n{doc_id},tide\n", fixes=[fix])
        assert corpus.documents["doc_id"].tolist() == [left]


def test_wide_tables_are_written_without_warning() -> None:
    fields = ", ".join(f'"field {n}": "a value"' for n in range(150))
    corpus = read("".join(f'{{"doc_id": "d{n}", "phrase": "tide", {fields}}}\n' for n in range(2)), "a.jsonl")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert b'"field 149": "a value"' in tidy(corpus, "jsonl").files["gold.jsonl"]


def test_lists_without_a_system_name_are_refused() -> None:
    with pytest.raises(InputError, match="under the name of a system"):
        load(systems={"d1": ["tide", "sea"]})


def test_wrong_usage_differs_from_bad_data() -> None:
    with pytest.raises(UsageError):
        load()
    with pytest.raises(UsageError, match="no fix"):
        load(gold={"d": ["a"]}, fixes=["mend"])
    with pytest.raises(UsageError, match="role is 'golden'"):
        load(files=Source("a.csv", b"doc_id,phrase\nd,a\n"), mapping={"a.csv": "golden"})
    with pytest.raises(UsageError, match="no format family"):
        load(gold=Source("a.csv", b"doc_id,phrase\nd,a\n"), mapping={"a.csv": Mapping(format="F99")})


def test_a_frame_without_the_needed_columns_is_refused() -> None:
    with pytest.raises(InputError, match="columns doc_id and phrase"):
        load(gold=pd.DataFrame({"a": []}))


# names, order, limits


def test_equal_system_names_are_distinguished_by_folder() -> None:
    apart = [Source("x/s.json", b'{"d": ["a"]}'), Source("y/s.json", b'{"d": ["b"]}')]
    assert load(systems=apart).systems == ["x/s", "y/s"]
    with pytest.raises(InputError, match="the system name “s” again"):
        load(systems=[Source("s.json", b'{"d": ["a"]}'), Source("s.csv", b"doc_id,phrase\nd,b\n")])


def test_common_parts_of_names_can_be_stripped() -> None:
    files = [Source(f"candidats.{name}", b"d1\ta;b\nd2\tc\n") for name in ("degree", "textrank")]
    assert load(systems=files).systems == ["candidats.degree", "candidats.textrank"]
    assert load(systems=files, fixes=["strip-common"]).systems == ["degree", "textrank"]
    assert load(systems={"degree": files[0]}).systems == ["degree"]


def test_documents_are_ordered_by_gold_texts_runs() -> None:
    corpus = load(gold={"b": [], "a": ["x"]}, documents={"c": "Text."}, systems={"s": {"d": ["x"], "a": []}})
    assert corpus.documents["doc_id"].tolist() == ["b", "a", "c", "d"]
    assert corpus.empty.to_numpy().tolist() == [["gold", "gold", "b"], ["system", "s", "a"]]
    assert corpus.systems == ["s"]


def test_ids_are_stripped_only_one_to_one() -> None:
    corpus = load(gold={"C-1": ["a"]}, systems={"s": {"C-1.txt": ["a"]}}, fixes=["strip-extension"])
    assert corpus.documents["doc_id"].tolist() == ["C-1"]
    assert corpus.report.fixes == ("strip-extension",)
    with pytest.raises(InputError, match="would make equal"):
        load(gold={"C-1.txt": ["a"], "C-1.key": ["b"]}, fixes=["strip-extension"])


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("rows", "doc_id,phrase\nd1,a\nd1,b\nd1,c\n"),
        ("documents", "doc_id,phrase\nd1,a\nd2,b\nd3,c\n"),
        ("columns", "doc_id,phrase,x\nd1,a,b\n"),
        ("list_phrases", "doc_id,phrase\nd1,a\nd1,b\nd1,c\n"),
        ("file_bytes", "doc_id,phrase\n"),
        ("session_bytes", "doc_id,phrase\n"),
    ],
)
@pytest.mark.parametrize("role", ["gold", "systems"])
def test_limits_refuse_the_whole(limit: str, text: str, role: str) -> None:
    with pytest.raises(InputError, match="at most 2"):
        read(text, role=role, limits=Limits(**{limit: 2}))


def test_overlong_ids_and_phrases_are_rejected_rows() -> None:
    text = "doc_id,phrase\n" + "d,a\n" * 10 + f"d,{'é' * 1001}\n{'d' * 501},b\n" + f"d,{'é' * 1000}\n"
    assert read(text).report.rejected["reason"].tolist() == [
        "phrase longer than 1,000 characters",
        "id longer than 500 characters",
    ]


def test_repeated_data_frame_columns_form_one_list() -> None:
    corpus = load(gold=pd.DataFrame([("d1", "tide", "sea")], columns=["doc_id", "phrase", "phrase"]))
    assert corpus.gold["phrase"].tolist() == ["tide", "sea"]


@pytest.mark.parametrize("cell", [{"tide", "sea"}, {"tide": 0.8}])
def test_sets_and_dictionaries_in_cells_are_refused(cell: object) -> None:
    with pytest.raises(InputError, match="sets or dictionaries in “keywords”"):
        load(gold=pd.DataFrame({"doc_id": ["d1"], "keywords": [cell]}))


@pytest.mark.parametrize("kind", [object, pd.StringDtype("python")])
def test_lone_surrogate_in_data_frame_rejects_row(kind: object) -> None:
    phrases = pd.Series(["a", "b", "x\ud800", "c", "d", "e"], dtype=kind)
    corpus = load(gold=pd.DataFrame({"doc_id": ["d"] * 6, "phrase": phrases}))
    assert corpus.gold["phrase"].tolist() == ["a", "b", "c", "d", "e"]
    reason = "half a character (a lone surrogate) that cannot be stored"
    assert corpus.report.rejected.to_numpy().tolist() == [["gold", "3", reason, "x\\ud800"]]


def test_table_name_becomes_prefix_of_system_names() -> None:
    rows = [("a", "d", "x", 1), ("b", "d", "x", 1), ("", "d", "y", 1)]
    frame = pd.DataFrame(rows, columns=["system", "doc_id", "phrase", "rank"])
    assert load(systems={"mine": frame}).systems == ["a", "b", "mine"]
    assert load(systems={"mine": frame[:2]}).runs["system"].tolist() == ["mine/a", "mine/b"]
    assert load(systems={"mine": frame[:1]}).runs["system"].tolist() == ["mine"]


PHRASES = st.sampled_from(["tide", "sea level", "", " ", "1. tide", "• tide", "a;b", "R&amp;D", "<peos>", "-", "null"])
LISTS = st.lists(st.one_of(st.none(), st.lists(PHRASES, max_size=4), st.lists(st.none(), max_size=1)), min_size=3)


@settings(max_examples=40)
@given(LISTS, st.sampled_from(["keyphrases", "predictions"]), st.booleans())
def test_vectorized_lists_equal_single_lists(lists: list[Any], name: str, people: bool) -> None:
    rows = [{"id": f"d{n // 2 if people else n}", name: item} for n, item in enumerate(lists)]
    rows = [{**row, "annotator": "ab"[n % 2]} if people else row for n, row in enumerate(rows)]
    text = "".join(json.dumps(row) + "\n" for row in rows)

    def outcome() -> Any:
        try:
            corpus = read(text, "g.jsonl")
        except InputError as error:
            return str(error)
        tables = [corpus.gold, corpus.runs, corpus.empty, corpus.documents, corpus.report.rejected]
        return [table.astype(str).to_numpy().tolist() for table in tables], corpus.report.notes

    at_once = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_rows, "_rows_of_text_lists", lambda *given: None)
        assert outcome() == at_once


def test_lists_of_texts_do_not_pass_through_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ListBuilder, "extend")
    text = "".join(f'{{"id": "d{n}", "keyphrases": ["tide {n}", "sea"]}}\n' for n in range(3))
    assert gold(text, name="g.jsonl")[:3] == [("d0", "gold", "tide 0"), ("d0", "gold", "sea"), ("d1", "gold", "tide 1")]


def test_own_tables_have_no_explanatory_row() -> None:
    text = "annotator,doc_id,phrase,relevance,variants\n:,:,:,,\n0,0,0,,\n1,1,1,,\n"
    assert gold(text)[0] == (":", ":", ":")


def test_an_empty_list_belongs_to_the_annotator_of_the_other_lists() -> None:
    table = Source(
        "g.csv", b"doc_id,annotator,keywords\nd1,K. L. ,clay; sand\nd1,M. N.,sand\nd2,K. L.,lime\nd2,M. N. ,\n"
    )
    corpus = load(gold=table)
    assert tuple(corpus.annotators) == ("K. L.", "M. N.") == corpus.report.readings[0].whose
    assert corpus.empty.to_numpy().tolist() == [["gold", "M. N.", "d2"]]
