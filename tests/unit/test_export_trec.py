"""TREC files: what is written is read back as the same corpus, and what the format cannot hold is said."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Choice, Source
from kp_core.reading.escape import escape, unescape
from kp_core.reading.tidy import file_names
from kp_core.reading.values import EDGES
from kp_core.takeaway.trec_files import trec
from tests.corpora import corpus_of

anything = st.text(max_size=12)
#: What a corpus may hold: trimmed, without half characters.
trimmed = (
    st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" %_\t\u00a0\u2028\u3000|;,'\"#Q0"), max_size=10)
    .map(lambda text: text.strip(EDGES).replace("\0", ""))
    .map(lambda text: text.strip(EDGES))
    .filter(bool)
)
lists = st.dictionaries(trimmed, st.lists(trimmed, unique=True, max_size=5), min_size=1, max_size=4)


def sources(made, folder):
    return [Source(path, data) for path, data in made.files.items() if path.startswith(folder)]


def back(made):
    gold, systems = sources(made, "gold/"), sources(made, "systems/")
    return kp.load(gold=gold or None, systems=systems or None)


def gold_rows(corpus):
    return sorted(corpus.gold[["annotator", "doc_id", "phrase"]].itertuples(index=False, name=None))


def run_rows(corpus):
    return sorted(corpus.runs[["system", "doc_id", "rank", "phrase"]].itertuples(index=False, name=None))


@given(anything)
@settings(max_examples=40)
def test_escaped_text_has_no_blanks_and_reads_back(text):
    coded = escape(text)
    assert not coded or coded.split() == [coded]
    assert unescape(coded) == text


@given(
    st.dictionaries(trimmed | st.sampled_from(["gold", "0", "Q0"]), lists, min_size=1, max_size=3),
    st.dictionaries(trimmed, lists, max_size=3),
)
@settings(max_examples=25)
def test_a_corpus_written_and_read_again_is_the_same(gold, runs):
    corpus = corpus_of(gold, runs)
    made = trec(corpus) if len(corpus.gold) + len(corpus.runs) else None
    empties = sum(not phrases for by in (gold, runs) for lists in by.values() for phrases in lists.values())
    if made is None:
        with pytest.raises(InputError, match="no keyphrase"):
            trec(corpus)
        return
    said = sum(int(note.message.split()[0]) for note in made.notes if "empty list" in note.message)
    assert said == empties
    again = back(made)
    assert gold_rows(again) == gold_rows(corpus)
    assert run_rows(again) == run_rows(corpus)
    assert again.runs["score"].isna().all()  # scores that only count down are the order, nothing more


def test_grades_and_falling_scores_are_kept():
    corpus = corpus_of(
        {"d1": ["a b", "c"], "d2": ["e"]},
        {"s": {"d1": ["c", "x"], "d2": ["e"]}},
        grades={"d1": {"a b": 2, "c": 0}, "d2": {"e": 1}},
        scores={"s": {"d1": [0.7, 0.1], "d2": [-3.5]}},
    )
    made = trec(corpus)
    assert made.files["gold/gold.qrels"] == b"d1 0 a%20b 2\nd1 0 c 0\nd2 0 e 1\n"
    assert made.files["systems/s.run"] == b"d1 Q0 c 1 0.7 s\nd1 Q0 x 2 0.1 s\nd2 Q0 e 1 -3.5 s\n"
    assert made.notes == []
    again = back(made)
    assert again.gold["relevance"].tolist() == [2, 0, 1]
    assert again.runs["score"].tolist() == [0.7, 0.1, -3.5]


def test_scores_that_single_precision_would_tie_count_down():
    corpus = corpus_of({"d": ["a"]}, {"s": {"d": ["a", "b"]}}, scores={"s": {"d": [1.0, 1.0 - 1e-9]}})
    made = trec(corpus)
    assert made.files["systems/s.run"] == b"d Q0 a 1 2 s\nd Q0 b 2 1 s\n"
    assert [note.message for note in made.notes] == [
        "2 scores do not fall at every step, so they are written as n - rank + 1."
    ]


def test_normalised_forms_make_equal_phrases_equal_ids():
    corpus = corpus_of({"d": ["Hash tables", "hash table", "sea"]}, {"s": {"d": ["HASH TABLE", "hash tables", "x"]}})
    made = trec(corpus, "lower+porter-nltk")
    assert made.files["gold/gold.qrels"] == b"d 0 hash%20tabl 1\nd 0 sea 1\n"
    assert made.files["systems/s.run"] == b"d Q0 hash%20tabl 1 2 s\nd Q0 x 2 1 s\n"
    assert [note.message.split(";")[0] for note in made.notes] == [
        "1 keyphrase repeats another one of its list",
        "1 phrase repeats another one of its list",
    ]


def test_the_union_counts_annotators_where_there_are_no_grades():
    corpus = corpus_of({"ana": {"d": ["a", "b"]}, "ben": {"d": ["b"], "e": ["c"]}})
    assert trec(corpus, union=True).files == {"gold/union.qrels": b"d 0 a 1\nd 0 b 2\ne 0 c 1\n"}
    assert trec(corpus).files == {
        "gold/ana.qrels": b"d ana a 1\nd ana b 1\n",
        "gold/ben.qrels": b"d ben b 1\ne ben c 1\n",
    }


def test_what_trec_cannot_hold_is_said():
    corpus = corpus_of({"d": [("a", "b")], "e": []}, {"s": {"d": []}}, texts={"d": "A text."})
    messages = [f"{note.where}: {note.message}" for note in trec(corpus).notes]
    assert messages == [
        "gold standard: 1 empty list; TREC has no line for it.",
        "systems: 1 empty list; TREC has no line for it.",
        "gold standard: 1 keyphrase has several spellings; the first is written.",
        "documents: 1 document with a text, title or group; TREC holds ids only.",
    ]
    with pytest.raises(InputError, match="whole grades"):
        trec(corpus_of({"d": ["a"]}, grades={"d": {"a": 0.5}}))


def test_file_names_stay_in_their_folder():
    assert file_names(["../etc", "a b", "a/b", "a_b", ".", "Ärger"], ".run") == [
        "_etc.run",
        "a_b.run",
        "a_b-2.run",
        "a_b-3.run",
        "_.run",
        "Ärger.run",
    ]


# reading files of others


def read(text, role="systems", name="a.txt", **more):
    return kp.load(**{role: Source(name, text.encode())}, **more)


def test_runs_are_in_the_order_of_their_scores():
    corpus = read("d1 Q0 b 1 0.5 x\nd1 Q0 a 0 0.9 x\nd2\tQ0\tc\t0\t0.1\tx\nd1 Q0 z 1 0.9 y\n")
    assert corpus.report.readings[0].family == "F8"
    assert corpus.systems == ["x", "y"]
    assert corpus.runs[["system", "doc_id", "rank", "phrase", "score"]].to_numpy().tolist() == [
        ["x", "d1", 1, "a", 0.9],
        ["x", "d1", 2, "b", 0.5],
        ["x", "d2", 1, "c", 0.1],
        ["y", "d1", 1, "z", 0.9],
    ]
    assert "ranks against" not in str(corpus.report.notes)


def test_scores_win_over_ranks_and_higher_is_always_better():
    corpus = read("d Q0 a 1 0.1 x\nd Q0 b 2 0.2 x\nd Q0 c 3 0.3 x\n")
    assert corpus.runs["phrase"].tolist() == ["c", "b", "a"]
    assert corpus.rankings["x"].higher_is_better
    assert "1 list has ranks against its scores" in str(corpus.report.notes)


def test_qrels_of_others():
    corpus = read("d1 0 tide_table 2\nd1 0 sea -1\n\nd2 1 moon_phase 0\nd3 0 x 1\nd2 0 too many fields 1\n", "gold")
    assert corpus.gold["annotator"].unique().tolist() == ["gold"]
    assert corpus.gold["phrase"].tolist() == ["tide_table", "sea", "moon_phase", "x"]
    assert corpus.gold["relevance"].tolist() == [2, -1, 0, 1]
    assert corpus.report.rejected[["line", "reason"]].to_numpy().tolist() == [["6", "6 fields instead of 4"]]
    assert "underscore = space" in str(corpus.report.notes)
    choice = {"a.txt": Choice(options={"underscore": "space"})}
    corpus = read("d1 0 tide_table 1\n", "gold", roles=choice)
    assert corpus.gold["phrase"].tolist() == ["tide table"]
    assert corpus.gold["relevance"].isna().all()


def test_percent_signs_are_decoded_all_or_none():
    assert read("d 0 a%20b 1\nd 0 100%25 1\n", "gold").gold["phrase"].tolist() == ["a b", "100%"]
    assert read("d 0 a%20b 1\nd 0 100% 1\n", "gold").gold["phrase"].tolist() == ["a%20b", "100%"]
    assert read("d 0 a%FF 1\n", "gold").gold["phrase"].tolist() == ["a%FF"]


def test_a_score_that_is_no_number_is_a_rejected_row():
    text = "".join(f"d Q0 p{n} {n} {9 - n} x\n" for n in range(1, 8)) + "d Q0 q 8 high x\n"
    corpus = read(text)
    assert len(corpus.runs) == 7
    assert corpus.report.rejected["reason"].tolist() == ["score is not a finite number"]


@pytest.mark.parametrize("text", ["doc_id\titer\tphrase\trel\nd1\t0\ttide\t1\n", "d1\tana\ttide table\t2\n"])
def test_tables_stay_tables(text):
    assert read(text, "gold").report.readings[0].family == "F10"


def test_words_after_the_tag_and_comments_are_left_out_and_counted():
    corpus = read("# made by x\nd Q0 a 1 0.5 mine, from May\n#d Q0 b 2 0.4 mine,\n# d Q0 c 1 0.3 x\n")
    assert corpus.runs[["system", "doc_id", "phrase"]].to_numpy().tolist() == [
        ["mine,", "d", "a"],
        ["mine,", "#d", "b"],
    ]
    notes = str(corpus.report.notes)
    assert "2 lines begin with `#`: comments." in notes
    assert "1 line has words after its tag" in notes
    corpus = read("# doc iter phrase rel\n" * 9 + "d 0 tide 1\n#d 0 sea 2\n", "gold", "g.txt")
    assert corpus.gold[["doc_id", "phrase", "relevance"]].to_numpy().tolist() == [["d", "tide", 1], ["#d", "sea", 2]]


def test_qrels_of_sixty_megabytes_take_no_gigabyte():
    code = (
        "import kp_core as kp, psutil\n"
        "from kp_core.reading import Source\n"
        "text = ''.join(f'{n // 500} 0 phrase%20number%20{n} {n % 3}\\n' for n in range(1_500_000)).encode()\n"
        "before = psutil.Process().memory_info().rss\n"
        "corpus = kp.load(gold=Source('a.qrels', text))\n"
        "import resource\n"
        "print(len(corpus.gold), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) // 1_000_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, megabytes = map(int, done.stdout.split())
    assert rows == 1_500_000
    assert megabytes < 1_200
