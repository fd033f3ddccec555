"""A workspace file gives back exactly what was saved, stays readable in later versions, and refuses what is damaged."""

import hashlib
import io
import json
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.cli import main
from kp_core.corpus import COLUMNS, Ranking, content_digest
from kp_core.errors import Note
from kp_core.reading import Limits, Saved, Source, is_workspace_file, read_workspace
from kp_core.takeaway.workspace_file import workspace_file
from tests.corpora import corpus_of

ROOT = Path(__file__).resolve().parents[2]
LECTURES = ROOT / "sample_data" / "lectures"
#: Written by KPScope 1.0.0 in format 1; never to be written again.
FIRST = ROOT / "tests" / "unit" / "format_1.kpscope"
letters = st.characters(exclude_categories=["Cs"])
phrase = st.text(letters, min_size=1, max_size=9)
entries = st.lists(phrase | st.lists(phrase, min_size=2, max_size=3), max_size=4)
lists = st.dictionaries(phrase, entries, min_size=1, max_size=4)
number = st.floats(allow_nan=False, allow_infinity=False)


def back(saved: Saved) -> Saved:
    return read_workspace(Source("mine.kpscope", workspace_file(saved)))


def same(again: kp.Corpus, corpus: kp.Corpus) -> None:
    """Assert that two corpora are equal to the last bit, types and order included."""
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(corpus, name), check_exact=True)
    pd.testing.assert_frame_equal(again.report.rejected, corpus.report.rejected)
    assert list(again.rankings.items()) == list(corpus.rankings.items())
    assert replace(again.report, rejected=None) == replace(corpus.report, rejected=None)
    assert content_digest(again) == content_digest(corpus)


@st.composite
def corpora(draw):
    """Draw a corpus: annotators, variants, grades, scores, empty lists, silent systems, texts, further columns."""
    gold = draw(st.dictionaries(phrase, lists, min_size=1, max_size=3))
    runs = draw(st.dictionaries(phrase, st.dictionaries(phrase, st.lists(phrase, max_size=5), max_size=4), max_size=2))
    corpus = corpus_of(gold, runs, higher=draw(st.booleans()))
    tables = {name: getattr(corpus, name).copy() for name in ("documents", "gold", "runs")}
    for table in tables.values():
        size = len(table)
        column = st.sampled_from(
            [
                draw(st.lists(number | st.just(np.nan), min_size=size, max_size=size)),
                pd.array(draw(st.lists(phrase | st.just(None), min_size=size, max_size=size)), dtype="str"),
                draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=size, max_size=size)),
            ]
        )
        table[draw(phrase.filter(lambda name, t=table: name not in t and name != "variants"))] = draw(column)
    scores = draw(st.lists(number | st.just(np.nan), min_size=len(tables["runs"]), max_size=len(tables["runs"])))
    tables["runs"]["score"] = np.array(scores, dtype="float64")
    ranking = st.builds(Ranking, st.sampled_from(["rank", "score", "order"]), st.booleans(), st.integers(0, 9))
    rankings = {name: draw(ranking) for name in [*corpus.rankings, draw(phrase)]}
    notes = tuple(draw(st.lists(st.builds(Note, st.sampled_from(["info", "warning"]), phrase, phrase), max_size=2)))
    report = replace(corpus.report, notes=notes, fixes=draw(st.sampled_from([(), ("trim", "strip-extension")])))
    return replace(corpus, **tables, rankings=rankings, report=report)


@settings(max_examples=10)
@given(corpora(), st.dictionaries(phrase, phrase, max_size=3), phrase)
def test_a_workspace_written_and_read_again_is_the_same(corpus, words, title):
    saved = Saved(corpus, title, "kps|k:7", words, words)
    again = back(saved)
    same(again.corpus, corpus)
    assert (again.title, again.signature, again.query, again.names) == (title, "kps|k:7", words, words)
    assert again.version == kp.__version__


@given(corpora(), st.data())
@settings(max_examples=12)
def test_the_digest_sees_every_change(corpus, data):
    name = data.draw(st.sampled_from([name for name in COLUMNS if len(getattr(corpus, name))]))
    table = getattr(corpus, name).copy()
    column = data.draw(st.sampled_from([c for c in table if pd.api.types.is_string_dtype(table[c])]))
    row = data.draw(st.integers(0, len(table) - 1))
    old = table.loc[row, column]
    table.loc[row, column] = "new" if old != "new" else "other"
    assert content_digest(replace(corpus, **{name: table})) != content_digest(corpus)
    assert content_digest(replace(corpus, rankings={**corpus.rankings, "one more": Ranking()})) != content_digest(
        corpus
    )


def lectures() -> kp.Corpus:
    return kp.load(
        LECTURES / "gold.csv",
        {"yake": LECTURES / "systems" / "yake.csv", "silent": []},
        LECTURES / "documents.jsonl",
        LECTURES / "judgements.csv",
    )


AWKWARD = {
    "the lectures": lectures,
    "rejected rows": lambda: kp.load(
        LECTURES / "gold.csv", {"p": ROOT / "sample_data" / "broken" / "predictions.jsonl"}
    ),
    "a fix": lambda: kp.load({"1": ["tide"]}, {"a": {"1.txt": ["tide"]}}, fixes=["strip-extension", "trim"]),
    "lower is better": lambda: kp.load({"1": ["tide"]}, {"a": {"1": [("tide", 0.1), ("sea", 0.2), ("sun", 0.2)]}}),
    "lists, numbers and truth in further columns": lambda: kp.load(
        pd.DataFrame(
            {
                "doc_id": ["1", "2"],
                "phrase": ["tide", "=1+1"],
                "tokens": [["a"], ["b", "c"]],
                "votes left": [2**62, -1],
                "small": np.array([1, 2], dtype="float32"),
                "sure": [True, False],
            }
        )
    ),
    "spellings": lambda: kp.load(Source("g.json", b'{"1": [["tide", "tides"], ["sea"]], "2": []}')),
    "only texts": lambda: kp.load(documents={"1": "Tides rise.\u2028\r\n"}),
}


@pytest.mark.parametrize("made", AWKWARD.values(), ids=AWKWARD)
def test_what_was_loaded_is_the_same_again(made):
    corpus = made()
    same(back(Saved(corpus)).corpus, corpus)


def test_ratings_are_kept():
    ratings = pd.DataFrame(
        [("p", "d", "tide", "tides", "me", 3.0)], columns=[c.rstrip("?") for c in COLUMNS["judgements"]]
    )
    pd.testing.assert_frame_equal(back(Saved(lectures(), ratings=ratings)).ratings, ratings)


def test_the_same_workspace_gives_the_same_bytes():
    assert workspace_file(Saved(lectures())) == workspace_file(Saved(lectures()))


def test_a_file_of_format_1_stays_readable():
    saved = read_workspace(Source(FIRST.name, FIRST.read_bytes()))
    assert (saved.version, saved.title) == ("1.0.0", "Tides and the moon")
    assert saved.query == {"k": "2", "preset": "pke"}
    assert kp.settings_from(saved.signature).k == (2,)
    assert saved.names == {"run.tides": "tides"}
    corpus = saved.corpus
    assert corpus.gold.drop(columns="relevance").to_numpy().tolist() == [
        ["d1", "ana", "tide table", ("tide table", "tide-table")],
        ["d1", "ben", "moon", None],
        ["d2", "ana", "sea level", None],
    ]
    assert corpus.gold["relevance"].tolist()[0] == 2
    assert corpus.runs.to_numpy().tolist() == [
        ["tides", "d1", 1, "moon", 0.1, "noun"],
        ["tides", "d1", 2, "tide table", 0.4, "noun phrase"],
    ]
    assert corpus.empty.to_numpy().tolist() == [["gold", "ben", "d2"], ["system", "tides", "d2"]]
    assert corpus.rankings == {"tides": Ranking("score", higher_is_better=False), "silent": Ranking()}
    assert corpus.documents["text"].tolist() == ["Tides follow the moon.", "The sea level rises."]
    assert corpus.report.fixes == ("strip-extension",)
    assert corpus.judgements["score"].tolist() == [3.0]
    assert saved.ratings[["annotator", "score"]].to_numpy().tolist() == [["me", 4.0]]
    assert [note.message for note in corpus.report.notes] == ["Scores of “tides” rise down the lists."]
    assert corpus.report.readings[0].rows_read == 3
    # P@2: both predictions of d1 are keyphrases; d2 has an empty list, and k is the number returned
    values = kp.evaluate(corpus, k=2, measures="P@k", preset="pke").frame.set_index("system")["value"]
    assert values.to_dict() == {"tides": 0.5, "silent": 0.0}


# what is refused


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> Source:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return Source("mine.kpscope", buffer.getvalue())


def sealed(parts: dict[str, bytes], **changes: object) -> Source:
    """Pack members with the SHA-256 that they have now, as somebody who alters a file with care would."""
    manifest = json.loads(parts["kpscope.json"]) | changes
    manifest["members"] = {n: hashlib.sha256(d).hexdigest() for n, d in parts.items() if n != "kpscope.json"}
    return packed({**parts, "kpscope.json": json.dumps(manifest).encode()})


def parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), buffer)
    return buffer.getvalue()


WHOLE = workspace_file(Saved(corpus_of({"d1": ["tide"], "d2": []}, {"a": {"d1": ["sea", "tide"]}}), "two documents"))


@pytest.mark.parametrize("length", [0, 3, 29, 60, len(WHOLE) // 2, len(WHOLE) - 1])
def test_a_file_that_ends_early_is_refused(length):
    with pytest.raises(
        kp.InputError, match=r"^mine\.kpscope: expected .* Save the workspace again, or use another copy"
    ):
        read_workspace(Source("mine.kpscope", WHOLE[:length]))


def test_an_altered_table_is_refused():
    parts = members(WHOLE)
    runs = pd.read_parquet(io.BytesIO(parts["runs.parquet"]))
    parts["runs.parquet"] = parquet(runs.assign(phrase=["tide", "sea"]))
    with pytest.raises(kp.InputError, match=r"another content of runs\.parquet than was saved: the file was altered"):
        read_workspace(packed(parts))


def test_a_newer_format_is_refused_by_its_version():
    with pytest.raises(
        kp.InputError,
        match=r"expected format 1 or older, found format 2, written by KPScope 1\.9\.0. "
        r"Open it with a newer KPScope\.",
    ):
        read_workspace(sealed(members(WHOLE), version=2, kpscope="1.9.0"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda parts: parts.pop("gold.parquet"), "no member gold.parquet"),
        (lambda parts: parts.update({"more.pickle": b"x"}), "a member more.pickle that does not belong"),
        (lambda parts: parts.update({"../x": b"x"}), "a member that leaves the archive"),
        (lambda parts: parts.pop("kpscope.json"), "no member kpscope.json"),
        (lambda parts: parts.update({"kpscope.json": b"[]"}), "a kpscope.json of another kind"),
        (lambda parts: parts.update({"kpscope.json": b"\xff"}), "json of another kind"),
        (lambda parts: parts.update({"kpscope.json": b'{"format": "x", "version": 1}'}), "of another kind"),
        (lambda parts: parts.update({"kpscope.json": b'{"a":' * 99 + b"1" + b"}" * 99}), "levels"),
    ],
)
def test_members_that_do_not_belong_or_are_not_there_are_refused(change, words):
    parts = members(WHOLE)
    change(parts)
    with pytest.raises(kp.InputError) as refusal:
        read_workspace(packed(parts))
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("documents", lambda t: pd.concat([t, t]), "a document twice"),
        ("documents", lambda t: t.iloc[:0], "a list for a document that is not there"),
        ("documents", lambda t: t.assign(doc_id=[1, 2]), "the column doc_id of documents.parquet"),
        ("documents", lambda t: t.assign(doc_id=["d1", None]), "missing, of another type, or with gaps"),
        ("runs", lambda t: t.assign(rank=[2, 1]), "ranks that are not 1, 2"),
        ("runs", lambda t: t.assign(system="b"), "a list of a system that is not there"),
        ("runs", lambda t: t.drop(columns="phrase"), "the column phrase of runs.parquet"),
        ("gold", lambda t: t.assign(phrase="x" * 1001), "1,001 characters of a phrase, more than 1,000"),
        ("gold", lambda t: t.assign(variants=[["sea"]]), "spellings that do not begin with their phrase"),
        ("gold", lambda t: t.assign(variants=[["tide", None]]), "spellings"),
        ("empty", lambda t: t.assign(role="judge"), "neither gold nor of a system"),
    ],
)
def test_tables_that_contradict_each_other_are_refused(table, change, words):
    parts = members(WHOLE)
    old = pd.read_parquet(io.BytesIO(parts[f"{table}.parquet"]))
    parts[f"{table}.parquet"] = parquet(change(old))
    with pytest.raises(kp.InputError) as refusal:
        read_workspace(sealed(parts))
    assert words in str(refusal.value)


def test_the_limits_hold_for_a_workspace_file_too():
    for limits, words in (
        (Limits(documents=1), "2 documents"),
        (Limits(list_phrases=1), "2 phrases in one list"),
        (Limits(rows=1), "2 rows"),
        (Limits(file_bytes=100), "a file of"),
    ):
        with pytest.raises(kp.InputError, match=words):
            read_workspace(Source("mine.kpscope", WHOLE), limits)


def test_a_manifest_that_claims_nonsense_is_refused():
    parts = members(WHOLE)
    for changes in (
        {"rankings": {"a": {"ranked_by": 1}}},
        {"rankings": {"a": {"by": "rank"}}},
        {"title": 1},
        {"report": {"readings": [1], "notes": [], "fixes": []}},
        {"settings": {"query": {"k": 1}}},
        {"report": {"readings": [], "notes": [], "fixes": ["no such fix"]}},
        {"names": {"a": []}},
        {"rankings": {}},
        {"report": None},
    ):
        with pytest.raises(kp.InputError):
            read_workspace(sealed(parts, **changes))


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("notes", "message", None),
        ("readings", "rows_read", "3"),
        ("readings", "ignored", [5]),
        ("rankings", "higher_is_better", "x"),
        ("rankings", "resorted", "x"),
    ],
)
def test_entries_of_another_type_are_refused_before_a_page_shows_them(part, field, value):
    parts = members(FIRST.read_bytes())
    manifest = json.loads(parts["kpscope.json"])
    record = manifest["rankings"]["tides"] if part == "rankings" else manifest["report"][part][0]
    assert field in record
    record[field] = value
    with pytest.raises(kp.InputError, match="does not describe a workspace"):
        read_workspace(packed({**parts, "kpscope.json": json.dumps(manifest).encode()}))


def test_mutated_files_are_refused_or_the_same():
    rng, parts = random.Random(7), members(WHOLE)
    outcomes = set()
    for _ in range(60):
        data = bytearray(WHOLE)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        outcomes.add(outcome(Source("mine.kpscope", bytes(data))))
    for _ in range(60):  # mutated inside the seal
        name = rng.choice([name for name in parts if name != "kpscope.json"])
        data = bytearray(parts[name])
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        outcomes.add(outcome(sealed({**parts, name: bytes(data)})))
    assert "refused" in outcomes


def outcome(source: Source) -> str:
    try:
        saved = read_workspace(source)
    except kp.InputError:
        return "refused"
    if len(saved.corpus.gold) and saved.corpus.systems:
        kp.evaluate(saved.corpus, k=1, measures="P@k", interval="none")  # what loads can be evaluated
    return "read"


def test_other_zips_are_no_workspace_files():
    assert is_workspace_file(Source("renamed.zip", WHOLE))
    assert not is_workspace_file(Source("lists.zip", packed({"gold.csv": b"x"}).data))


# the command line

DATA = (
    "--gold",
    str(LECTURES / "gold.csv"),
    "--system",
    str(LECTURES / "systems" / "yake.csv"),
    "--documents",
    str(LECTURES / "documents.jsonl"),
)


def test_the_command_line_saves_and_opens_a_workspace(tmp_path, capsys):
    assert main(["convert", *DATA, "--to", "workspace", "--out", str(tmp_path)]) == 0
    file = str(tmp_path / "workspace.kpscope")
    asked = ["--measures", "kappa,F1@7", "--format", "json"]
    assert capsys.readouterr().out.startswith(file)
    assert main(["evaluate", *DATA, *asked]) == 0
    first = capsys.readouterr().out
    assert main(["evaluate", "--workspace", file, *asked]) == 0
    assert capsys.readouterr().out == first
    assert json.loads(first)["rows"][0]["value"] > 0


def test_a_workspace_stands_alone_on_the_command_line(capsys):
    assert main(["evaluate", "--workspace", str(FIRST), "--gold", "gold.csv"]) == 2
    assert capsys.readouterr().err == "kpscope: --workspace holds all data already; leave out --gold\n"
    assert main(["evaluate", "--workspace", str(FIRST.with_name("no.kpscope"))]) == 1
    assert "no.kpscope: expected a whole workspace file, found no such file" in capsys.readouterr().err


def test_ratings_count_as_judgements_on_the_command_line(tmp_path, capsys):
    assert main(["convert", "--workspace", str(FIRST), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "judgements.csv").read_text().splitlines()[1:] == [
        "p1,d1,tide table,tide,ana,3.0",
        "p2,d1,tide table,tide tables,me,4.0",
    ]
