"""The programs to which docs/formats.md links turn unsupported formats into supported ones."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kp_core as kp
from tests.cases import ROOT, cases

PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "conversions").glob("*.py")}
CASES = cases(__file__)


def converted(name: str, folder: Path) -> None:
    """Write the files of a case into a folder, and run the program there."""
    for path, text in CASES[name]["files"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-c", PROGRAMS[name]], cwd=folder, check=True)


def test_conversions_are_short_and_tested() -> None:
    assert PROGRAMS.keys() == CASES.keys()
    # below a docstring and a blank line
    assert {name: n for name, text in PROGRAMS.items() if (n := len(text.strip().split("\n")) - 2) > 15} == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_of_conversions_is_read(name: str, tmp_path: Path) -> None:
    converted(name, tmp_path)
    case: dict[str, Any] = CASES[name]
    corpus = kp.load(**{case["role"]: tmp_path / case["writes"]})
    for table, rows in case["rows"].items():
        columns = case["columns"][table]
        plain = getattr(corpus, table)[columns].astype(object)
        assert [" | ".join(map(str, row)) for row in plain.to_numpy()] == rows
    assert corpus.report.rejected.empty


@pytest.mark.parametrize("by_concept", ["yes", "no"])
def test_hits_equal_llms4subjects_by_concept_and_label(by_concept: str, tmp_path: Path) -> None:
    for name in ("records", "runs"):
        converted(name, tmp_path)
    corpus = kp.load(gold=tmp_path / "gold.jsonl", systems=tmp_path / "systems.csv")
    result = kp.evaluate(corpus, measures=["R@2"], by_concept=by_concept, by=["group"])
    values = result.frame.set_index("subset")["value"]
    # of the first two subjects of each record: 1 of 2, 1 of 1, 0 of 2
    assert values["group:Article/de"] == 0.5
    assert values["group:Article/en"] == 1
    assert values["group:Book/en"] == 0


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("d061j", "<DOC>\n<DOCNO> AP88-16 </DOCNO>\n<TEXT>\nTides.\n</TEXT>\n</DOC>\n", "found SGML"),
        ("1.jsonld", '{"@graph": [{"@id": "x:1", "dcterms:subject": {"@id": "gnd:4-2"}}]}', "found JSON-LD"),
        ("1.json", '{"dcterms:subject": ["gnd:4-2", "gnd:9-9"]}', "found JSON-LD"),
        ("d2.json", '{"text": "Sea", "annotation_sets": {"": {"annotations": []}}}', "found JSON of GATE"),
        ("short.tsv", "Tides rise.\t<http://x.org/1> <http://x.org/2>\n", "found Text with URIs of Annif"),
        ("ana.tsv", "#FORMAT=WebAnno TSV 3.3\n\n#Text=The tide.\n1-1\t0-3\tThe\t_\t\n", "found WebAnno TSV"),
    ],
)
@pytest.mark.parametrize("role", ["gold", "documents", "files"])
def test_unconverted_formats_are_refused_with_link(name: str, text: str, found: str, role: str):
    with pytest.raises(kp.InputError, match=rf"{found}.*docs/formats\.md"):
        kp.load(**{role: kp.reading.Source(name, text.encode())})
