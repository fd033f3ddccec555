"""Every family, and every ambiguous case of the format description, is read as documented."""

import pickle
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Mapping, Question, Source, load
from kp_core.reading.meaning.mapping import mappings_of
from kp_core.reading.rows.check import Rows, check
from tests.format_samples import EXAMPLES, archive, open_document, workbook
from tests.forms import changed, choices


@pytest.fixture(autouse=True)
def every_row_met_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every test of this module, the numbers of rows equal those that the family counted."""

    def told(rows: Rows, *given: Any) -> Rows:
        result = check(rows, *given)
        assert (rows.role, len(result.table) + len(result.rejected) + result.blank) == (rows.role, result.read)
        return result

    monkeypatch.setattr(import_module("kp_core.reading.load"), "check", told)


OPENERS = {"xlsx": workbook, "ods": open_document}
CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))


def read(text: str | bytes, name: str = "a.csv", role: str = "gold", **more: object) -> Corpus:
    return load(**{role: Source(name, text.encode() if isinstance(text, str) else text)}, **more)


def phrases(corpus: Corpus) -> list[str]:
    return (corpus.gold if len(corpus.gold) else corpus.runs)["phrase"].tolist()


def notes(corpus: Corpus) -> str:
    return "\n".join(note.message for note in corpus.report.notes)


def role_of(case: dict[str, Any]) -> str:
    return case.get("role", "systems" if case.get("file", "").startswith("s.") else "gold")


def given(case: dict[str, Any]) -> dict[str, Any]:
    """Return the files of a case by their roles."""
    role, name = role_of(case), [case["file"]] if "file" in case else []
    if "sheets" in case:
        return {role: OPENERS[case["opener"]](case["sheets"], *name)}
    if "packed" in case:
        return {role: archive(case["files"], *name)}
    if "files" in case:
        roles = case.get("given", {role: list(case["files"])})
        return {part: [Source(name, case["files"][name].encode()) for name in names] for part, names in roles.items()}
    return {role: Source(case.get("file", "g.csv"), case["text"].encode())}


def read_case(case: dict[str, Any], options: str = "") -> Corpus:
    """Load the files of a case with its arguments, or with command-line options."""
    sources, said = given(case), [pair for pair in pairwise(shlex.split(options)) if pair[0].startswith("--")]
    first = sources.get(role_of(case))
    words = {first.name: case.get("mapping", "")} if isinstance(first, Source) else case.get("mappings", {})
    mapping = {name: Mapping.read(text) for name, text in words.items() if text}
    mapping = mappings_of([value for option, value in said if option == "--as"]) or mapping
    fixes = [value for option, value in said if option == "--fix"] or case.get("fixes", ())
    return load(**sources, mapping=mapping, fixes=fixes)


def forms(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a case in each of its forms: texts, names of the file, or openers of its sheets."""
    several = [("texts", "text"), ("named", "file"), ("openers", "opener")]
    for values in product(*(case.get(many, [case.get(item)]) for many, item in several)):
        yield {**case, **{item: value for (_, item), value in zip(several, values, strict=True) if value is not None}}


def shown(corpus: Corpus, part: dict[str, Any], role: str) -> str | list[str]:
    """Return the rows of the requested table, in the requested columns."""
    name = part.get("table") or {"systems": "runs", "files": "gold"}.get(role, role)
    table = getattr(corpus, name)
    if isinstance(part["rows"], list):
        usual = ["system" if name == "runs" else "annotator", "doc_id", "phrase"]
        columns = part.get("columns") or usual[-1 - part["rows"][0].count(" | ") :]
        plain = table[columns].astype(object)
        return [" | ".join(map(str, row)) for row in plain.where(plain.notna(), "").to_numpy()]
    where = table["doc_id"] if len(corpus.annotators) < 2 else table["annotator"] + " " + table["doc_id"]
    return "; ".join((where + ": " + table["phrase"])[:3])


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: case["shows"])
def test_file_is_read_correctly_or_form_offers_truth(case: dict[str, Any]) -> None:
    for form in forms(case):
        asked, corpus = None, None
        try:
            corpus = read_case(form)
        except Question as question:
            asked = question
        if corpus is not None:
            is_read_as_written_down(form, corpus)
        assert asked is None or any(is_right(form, options) for options in offered(asked, case.get("change", ""))), str(
            asked
        )


def offered(question: Question, change: str) -> Iterator[str]:
    """Yield the proposal, each answer, and the results of at most three choices in the form, as options."""
    first = " ".join(form.mapping.option(form.file) for form in question.forms)
    yield from [f"{first} {answer.options()}" for answer in question.answers] or [first]
    if change:
        (form,) = question.forms
        said = changed(form.mapping, change)
        assert choices(form.mapping, said) <= 3
        yield said.option(form.file)


def is_right(case: dict[str, Any], options: str) -> bool:
    """Return whether a file is read as expected, apart from the description of how it was found."""
    said = {key: value for key, value in case.items() if key not in ("note", "evidence", "readings")}
    try:
        is_read_as_written_down(said, read_case(case, options))
    except (AssertionError, InputError, UsageError):
        return False
    return True


def is_read_as_written_down(case: dict[str, Any], corpus: Corpus) -> None:
    for part in (case, *case.get("also", ())):
        assert shown(corpus, part, role_of(case)) == part["rows"]
    assert " ".join(corpus.empty[["source", "doc_id"]].to_numpy().ravel()) == case.get("empty", "")
    rejected = corpus.report.rejected
    assert "; ".join(rejected["line"] + ": " + rejected["reason"]) == case.get("rejected", "")
    said = case.get("note", "")
    assert [one for one in (said if isinstance(said, list) else [said]) if one not in notes(corpus)] == []
    assert case.get("evidence", "") in corpus.report.readings[0].evidence
    result = [f"{reading.file} {reading.role} {reading.family}" for reading in corpus.report.readings]
    assert result == case.get("readings", result)
    if "ranking" in case:
        one = corpus.rankings["s"]
        assert f"{one.ranked_by} {'higher' if one.higher_is_better else 'lower'} {one.resorted}" == case["ranking"]
    for reading in corpus.report.readings:
        assert reading.rows_loaded + reading.rows_rejected + reading.rows_blank == reading.rows_read


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["said"])
def test_invalid_input_is_refused_with_message(case: dict[str, Any]) -> None:
    for form in forms(case):
        with pytest.raises(InputError, match=case["said"]) as refused:
            read_case(form)
        assert not any(reply.mapping for reply in getattr(refused.value, "answers", ()))


@pytest.mark.parametrize("case", CASES["asked"], ids=[f"{n} {case['found']}" for n, case in enumerate(CASES["asked"])])
def test_uncertain_files_are_asked_about_and_read_as_answered(case: dict[str, Any]) -> None:
    with pytest.raises(Question) as asked:
        read_case(case)
    assert str(pickle.loads(pickle.dumps(asked.value))) == str(asked.value)
    assert case["found"] in str(asked.value)
    for number, answer in enumerate(case["answer"]):
        if asked.value.forms:
            (form,) = asked.value.forms
            said = form.mapping if number == 0 else changed(form.mapping, answer.get("change", ""))
            assert choices(form.mapping, said) <= 3, said
            options = answer.get("option") or said.option(form.file)
        else:
            options = asked.value.answers[number].options()
            assert answer["says"] in str(asked.value.answers[number])
            assert options_of(answer["option"]) <= options_of(options)
        if "refused" in answer:
            with pytest.raises(InputError, match=answer["refused"]):
                read_case(case, options)
            continue
        corpus = read_case(case, options)
        for part in (answer, *answer.get("also", ())):
            assert shown(corpus, part, role_of(case)) == part["rows"], options


def options_of(words: str) -> set[tuple[str, str]]:
    """Return options of the command line, each with its value."""
    return set(zip(*[iter(shlex.split(words))] * 2, strict=True))


def test_ranks_from_zero_keep_best_phrase() -> None:
    rows = "".join(f"d{d},{rank},p{rank}\n" for d in range(3) for rank in range(20))
    corpus = read(f"doc_id,rank,phrase\n{rows}", "s.csv", "systems")
    ranked = [(f"d{d}", rank + 1, f"p{rank}") for d in range(3) for rank in range(20)]
    assert list(corpus.runs[["doc_id", "rank", "phrase"]].itertuples(index=False, name=None)) == ranked
    assert corpus.report.rejected.empty
    assert notes(corpus) == "Ranks begin with 0; 1 was added to each."


def test_millions_of_objects_in_one_line_are_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"broken JSON \(line 2, column 1: Extra data\)"):
        read(b'{"id": "a", "keywords": ["x"]}\n' + b'{"a":1}' * 200_000, "g.jsonl")


@pytest.mark.parametrize(
    "lines",
    [
        ['{"id": "d8", "predictions": ["a"}', '"note": 1}'],
        ['["a"]', "null", '{"id": "x", "note": [{}'],
        ['{"id": "d9", "pre'],
    ],
)
def test_incomplete_json_lines_are_rejected_individually(lines: list[str]) -> None:
    good = [f'{{"id": "d{n}", "predictions": ["a"]}}' for n in range(20)]
    rejected = read("\n".join([*good, *lines]), "predictions.jsonl", "systems").report.rejected
    assert rejected["line"].tolist() == [str(21 + n) for n in range(len(lines))]
    assert rejected["reason"].str.contains("JSON object").all()


@pytest.mark.parametrize("line", ["d{}\t{}\n", "d{}@{}\n", "d{} : {}\n", "d{}: {}\n", "d{};{}\n"])
def test_file_with_ids_is_never_line_aligned(line: str) -> None:
    long = ["a long phrase of words; sea; moon", "gauge; a very long phrase of many words", "quay; boat; ship; sea"]
    with_ids = "".join(line.format(n, phrases) for n, phrases in enumerate(long, 1)).encode()
    for ids_name, plain_name in (("gold.txt", "b.txt"), ("references.txt", "model.txt")):
        files = [Source(ids_name, with_ids), Source(plain_name, b"tide; sea\nmoon; sun; star\ngauge\n")]
        corpus = load(files=files)
        result = {reading.file: (reading.role, reading.family) for reading in corpus.report.readings}
        assert result == {ids_name: ("gold", "F3"), plain_name: ("system", "F5")}
        assert not corpus.documents["text"].notna().any()
        assert phrases(corpus)[:3] == ["a long phrase of words", "sea", "moon"]


# ambiguous cases


def test_quoted_cells_between_semicolons_are_a_table() -> None:
    rows = 'd1;"sand; port";1998;"Doe, J.; Roe, R."\nd2;"ship";1999;"Doe, J."\nd3;"a; b; c";2000;"Roe, R."\n'
    with pytest.raises(Question) as asked:
        read(rows, "g.csv")
    assert asked.value.forms[0].columns["column 2"] == ("sand; port", "ship", "a; b; c")


def test_two_spellings_of_an_id_are_two_documents() -> None:
    runs = {"s": {"C-7.txt": ["a"], "7": ["b"], "a-1": ["c"]}}
    assert len(load(gold={"C-7": ["a"], "007": ["b"], "A-1": ["c"]}, systems=runs).documents) == 6


def test_repeated_document_across_annotator_files_is_refused() -> None:
    with pytest.raises(InputError, match="again"):
        load(gold={"ana": [Source("a.json", b'{"d": ["x"]}'), Source("b.json", b'{"d": ["y"]}')]})


def test_strict_refuses_the_first_rejected_row() -> None:
    text = "doc_id,phrase\n" + "d1,a\n" * 9 + ",b\n"
    assert len(read(text).report.rejected) == 1
    with pytest.raises(InputError, match="line 11"):
        read(text, strict=True)


# the families themselves


def test_every_family_recognises_its_own_example() -> None:
    for family in [name for name in EXAMPLES if re.fullmatch("F[0-9]+[A-Z]?", name) and name not in ("F4", "F12")]:
        for example in EXAMPLES[family]["examples"]:
            role = "systems" if "pred_sents" in example else "files" if family == "F10" else "gold"
            try:
                corpus = read(example, "example", role)
            except Question as question:  # one row of lists proves nobody
                corpus = read(example, "example", role, mapping={f.file: f.mapping for f in question.forms})
            assert corpus.report.readings[0].family == family
            assert len(corpus.gold) + len(corpus.runs) + len(corpus.judgements) > 0
            assert corpus.report.rejected.empty
