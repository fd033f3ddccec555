"""Records and runs of the task LLMs4Subjects are read with groups and concepts, and scored as the task scores them."""

from __future__ import annotations

import json

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Source
from tests.format_samples import archive

LABELS = {"gnd:4-1": "Gezeiten", "gnd:4-2": "Mond", "gnd:4-3": "Hafen"}
GOLD = {"Article/de/1": ["gnd:4-1", "gnd:4-2"], "Article/en/2": ["gnd:4-3"], "Book/en/3": ["gnd:4-2", "gnd:4-1"]}
RUN = {"Article/de/1": ["gnd:4-2", "gnd:9-9"], "Article/en/2": ["gnd:9-9", "gnd:4-3"], "Book/en/3": ["gnd:4-3"]}


def record(subjects: list[str]) -> str:
    """Return a record as TIBKAT writes it: authorities with their labels, and the record itself as the last."""
    nodes = [{"@id": one, "sameAs": LABELS[one]} for one in subjects]
    refs = [{"@id": one} for one in subjects]
    own = {"@id": "https://x.org/1", "title": "A title", "dcterms:subject": refs if len(refs) > 1 else refs[0]}
    return json.dumps({"@graph": [*nodes, own], "@id": "urn:x-arq:DefaultGraphNode"}, indent=4)


def task() -> kp.Corpus:
    gold = {f"{name}.jsonld": record(subjects) for name, subjects in GOLD.items()}
    run = {f"{name}.json": json.dumps({"dcterms:subject": subjects}) for name, subjects in RUN.items()}
    return kp.load(gold=archive(gold, "gold.zip"), systems=archive(run, "run1.zip"))


def test_types_and_languages_are_groups_and_gold_and_runs_carry_identifiers() -> None:
    corpus = task()
    assert corpus.documents[["doc_id", "title", "group"]].to_numpy().tolist() == [
        ["1", "A title", "Article/de"],
        ["2", "A title", "Article/en"],
        ["3", "A title", "Book/en"],
    ]
    assert corpus.gold[["phrase", "concept"]].to_numpy().tolist()[0] == ["Gezeiten", "gnd:4-1"]
    assert corpus.runs[["system", "phrase", "concept"]].to_numpy().tolist()[:2] == [
        ["run1", "Mond", "gnd:4-2"],
        ["run1", "gnd:9-9", "gnd:9-9"],
    ]
    assert [reading.family for reading in corpus.report.readings] == ["F14", "F14"]


@pytest.mark.parametrize("by_concept", ["yes", "no"])
def test_hits_are_those_of_the_script_of_the_task_by_concept_and_by_label(by_concept: str) -> None:
    at = 2
    result = kp.evaluate(task(), measures=["R@2"], by_concept=by_concept, by=["group"])
    recall = {name: len({*GOLD[name]} & {*RUN[name][:at]}) / len(GOLD[name]) for name in GOLD}
    rows = result.frame.set_index("subset")["value"]
    assert rows["group:Article/de"] == recall["Article/de/1"] == 0.5
    assert rows["group:Article/en"] == recall["Article/en/2"] == 1
    assert rows["group:Book/en"] == recall["Book/en/3"] == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("1.json", '{"dcterms:subject": ["gnd:1", {"x": 1}]}', "no identifier of a subject"),
        ("1.jsonld", '{"@graph": [{"dcterms:subject": "gnd:1"}, {"dcterms:subject": "gnd:2"}]}', "several records"),
    ],
)
def test_what_is_no_subject_is_rejected_in_words(name: str, text: str, said: str) -> None:
    role = "gold" if name.endswith("ld") else "systems"
    with pytest.raises(InputError, match=said):
        kp.load(**{role: Source(name, text.encode())})


def test_marks_of_librarians_count_from_the_grade_that_is_asked_for() -> None:
    sheet = "record,subject,Y/I/N\nr1,tide,Y\nr1,moon,I\nr1,sun,N\n"
    runs = "system,doc_id,rank,phrase\ns,r1,1,moon\ns,r1,2,tide\ns,r1,3,sun\n"
    corpus = kp.load(gold=Source("sheet.csv", sheet.encode()), systems=Source("s.csv", runs.encode()))
    found = [kp.evaluate(corpus, measures=["P@3", "P@1"], rel=rel).frame["value"].tolist() for rel in (1, 2)]
    assert found == [[pytest.approx(2 / 3), 1.0], [pytest.approx(1 / 3), 0.0]]
