"""Every case that can be read in two ways is read as written down, and the other way is one click away."""

import pytest

import kp_core as kp
from kp_core.reading import Choice, Source
from tests.format_samples import archive

PAIRS = b'{"d": [["tide", "1"], ["sea", "0.5"]]}'
FEW = archive({"1.key": "tide\nsea; level\nmoon\n", "2.key": "sun\n"}, "few.zip")
MIXED = archive({"1.key": "4711: Tide\n" * 4 + "sea\n"}, "mixed.zip")


def phrases(table):
    return table[["doc_id", "phrase"]].to_numpy().tolist()


def read(source, choice, role="gold"):
    """Load a file as the dashboard does after a click: the choice holds for all files of an archive."""
    from kp_core.reading.source import expand

    corpus = kp.load(**{role: source}, roles={member.name: choice for member in expand(source).files})
    return phrases(corpus.gold if role == "gold" else corpus.runs), corpus


@pytest.mark.parametrize(
    ("source", "taken", "choice", "other"),
    [
        pytest.param(
            Source("g.json", PAIRS),
            [["d", "tide"], ["d", "sea"]],
            Choice(options={"inner": "variants"}),
            [["d", "tide"], ["d", "sea"]],
            id="second items that are numbers are scores, or variants",
        ),
        pytest.param(
            FEW,
            [["1", "tide"], ["1", "sea; level"], ["1", "moon"], ["2", "sun"]],
            Choice(options={"semicolons": "split"}),
            [["1", "tide"], ["1", "sea"], ["1", "level"], ["1", "moon"], ["2", "sun"]],
            id="a few semicolons stay, or split",
        ),
        pytest.param(
            MIXED,
            [["1", "4711: Tide"]] * 4 + [["1", "sea"]],
            Choice(options={"line": "label"}),
            [["1", "Tide"]] * 4,
            id="some labels stay, or split",
        ),
    ],
)
def test_one_reading_is_taken_and_the_other_is_a_choice(source, taken, choice, other):
    assert read(source, Choice())[0] == taken
    assert read(source, choice)[0] == other


def test_scores_and_variants_differ_in_their_columns():
    assert read(Source("g.json", PAIRS), Choice())[1].gold["relevance"].tolist() == [1.0, 0.5]
    assert read(Source("g.json", PAIRS), Choice(options={"inner": "variants"}))[1].gold["variants"].tolist() == [
        ("tide", "1"),
        ("sea", "0.5"),
    ]


def test_the_ending_of_all_names_stays_or_is_taken_off():
    votes = archive({"art-1-Crowd": "boat race\t10\nriver\t3\n", "art-2-Crowd": "moon\t1\n"})
    assert read(votes, Choice())[1].documents["doc_id"].tolist() == ["art-1-Crowd", "art-2-Crowd"]
    removed = read(votes, Choice(options={"suffix": "removed"}))[1]
    assert removed.documents["doc_id"].tolist() == ["art-1", "art-2"]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ('{"d1": "tide, sea", "d2": "moon"}', [{"separator": ","}, {"separator": ";"}]),
        ('{"d1": [["tide", "table"], ["sea"]]}', [{"inner": "variants"}, {"inner": "tokens"}]),
        ('{"d1": [["tide", "1"], ["sea", "0.5"]]}', [{"inner": "scored"}, {"inner": "variants"}]),
    ],
)
def test_every_reading_of_json_is_offered_and_said(text, readings):
    found = kp.reading.previews(Source("g.json", text.encode()), "gold")
    assert [one.recognition.options for one in found] == readings
    assert len({one.recognition.evidence for one in found}) == len(readings)


def test_lists_of_many_single_words_may_as_well_be_the_words_of_phrases():
    text = b'{"d": [["tide", "table"], ["sea", "level"], ["moon", "light"], ["ebb", "flow"], ["high", "water"]]}'
    first, second = kp.reading.previews(Source("g.json", text), "gold")
    assert first.recognition.confidence - second.recognition.confidence < 0.02
