"""Files of votes, of Annif subjects and of Annif's short texts become grades, scores and concepts."""

import pytest

import kp_core as kp
from kp_core.reading import Choice, Source
from tests.format_samples import SAMPLES, archive

VOTES = archive({"art-1-CrowdCountskey": "boat race\t10\nriver\t3\n", "art-2-CrowdCountskey": "moon\t1\n"})


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


def test_votes_are_grades_of_an_annotator_called_votes():
    corpus = kp.load(gold=VOTES)
    assert rows(corpus.gold, "doc_id", "annotator", "phrase", "relevance") == [
        ["art-1-CrowdCountskey", "votes", "boat race", 10.0],
        ["art-1-CrowdCountskey", "votes", "river", 3.0],
        ["art-2-CrowdCountskey", "votes", "moon", 1.0],
    ]
    assert any("“-CrowdCountskey”, which stays in the ids" in note.message for note in corpus.report.notes)


def test_the_ending_of_all_names_may_be_taken_off():
    names = ("art-1-CrowdCountskey", "art-2-CrowdCountskey")
    roles = dict.fromkeys(names, Choice(options={"suffix": "removed"}))
    assert kp.load(gold=VOTES, roles=roles).documents["doc_id"].tolist() == ["art-1", "art-2"]


def test_a_threshold_makes_votes_binary():
    system = {"s": {"d1": ["river", "boat race"]}}
    gold = {"d1.txt": Source("d1.txt", b"boat race\t10\nriver\t3\n")}["d1.txt"]
    asked = {"k": 2, "measures": "P@2", "interval": "none"}
    assert kp.evaluate(kp.load(gold=gold, systems=system), **asked).frame["value"].tolist() == [1.0]
    assert kp.evaluate(kp.load(gold=gold, systems=system), rel=5, **asked).frame["value"].tolist() == [0.5]


def test_one_file_is_one_document_and_a_system_has_scores():
    corpus = kp.load(systems=Source("d1.tsv", b"keyword\tscore\ntide\t0.5\nsea\t2\nmoon\t1\n"))
    assert rows(corpus.runs, "doc_id", "rank", "phrase", "score") == [
        ["d1", 1, "sea", 2.0],
        ["d1", 2, "moon", 1.0],
        ["d1", 3, "tide", 0.5],
    ]
    assert corpus.report.readings[0].rows_blank == 1


def test_a_line_without_a_number_is_rejected():
    lines = "".join(f"p{n}\t{n}\n" for n in range(10)) + "no number\n"
    corpus = kp.load(gold=Source("d1.txt", lines.encode()))
    assert rows(corpus.report.rejected, "line", "reason") == [["11", "no number after a TAB"]]


def test_suggestions_of_annif_have_concepts_and_scores():
    corpus = kp.load(**SAMPLES["F4A"][0])
    assert rows(corpus.runs, "doc_id", "rank", "phrase", "concept", "score") == [
        ["d1", 1, "tide", "http://x.org/1", 0.5],
        ["d1", 2, "moon", "http://x.org/2", 0.4],  # the notation 53.2 stands between label and score
        ["d2", 1, "moon", "http://x.org/2", 0.1],
    ]
    assert corpus.rankings["pack"].higher_is_better


def test_subjects_without_scores_are_a_gold_standard():
    corpus = kp.load(files=archive({"d1.tsv": "<http://x.org/1>\ttide\n", "d2.tsv": "<http://x.org/2>\tmoon\n"}))
    assert rows(corpus.gold, "doc_id", "phrase", "concept") == [
        ["d1", "tide", "http://x.org/1"],
        ["d2", "moon", "http://x.org/2"],
    ]


def test_addresses_as_ids_are_no_subjects():
    corpus = kp.load(gold=Source("ref", b"http://x.org/1\ttide;sea\nhttp://x.org/2\tmoon\n"))
    assert rows(corpus.gold, "doc_id", "phrase")[0] == ["http://x.org/1", "tide"]


@pytest.mark.parametrize("vocabulary", [True, False])
def test_short_texts_have_the_labels_of_a_vocabulary(vocabulary):
    files = {"short.tsv": "Tides rise.\t<http://x.org/1> <http://x.org/2>\nMoon.\t<http://x.org/1>\n"}
    if vocabulary:
        files["vocabulary.tsv"] = "<http://x.org/1>\ttide\n"
    corpus = kp.load(files=archive(files))
    first = "tide" if vocabulary else "http://x.org/1"
    assert rows(corpus.gold, "doc_id", "phrase", "concept") == [
        ["1", first, "http://x.org/1"],
        ["1", "http://x.org/2", "http://x.org/2"],
        ["2", first, "http://x.org/1"],
    ]
    assert rows(corpus.documents, "doc_id", "text") == [["1", "Tides rise."], ["2", "Moon."]]
    without = 1 if vocabulary else 3
    assert any(f"phrases themselves: {without}." in note.message for note in corpus.report.notes)
