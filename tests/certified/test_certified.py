"""The certified set: its exact values by brute force, by published programs, and by KPScope itself."""

import contextlib
import io
import json
import math
import re
import sys
from collections import Counter
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from benchmarks import certified as benchmark
from kp_core.scoring.measures import SPECIAL, parse
from tests.cases import cases
from tests.certified.programs import published
from tests.certified.write import CASES, DATA, INPUTS, certified, settings_of
from tests.corpora import corpus_of

EXAMPLE, PAGE = CASES.with_name("example.py"), CASES.with_name("index.md")
SET = json.loads(CASES.read_text("utf-8"))["cases"]


def number(value: str | None) -> float:
    return math.nan if value is None else float(Fraction(value))


def equal(found: float, value: str | None) -> bool:
    return math.isnan(found) if value is None else abs(found - number(value)) <= 1e-12


def together(same: list[dict[str, Any]]) -> dict[str, tuple[float, str | None]]:
    """Return KPScope's values of cases that differ in the measure alone, with reasons if there is none."""
    case, measures = same[0], [item["measure"] for item in same]
    if "lists" not in case:
        frame = kp.agreement(corpus_of(case["gold"]), settings_of(case), measures).frame
        frame = frame[frame["system"] == case.get("row", "all")]
    else:
        scores = {"s": case["scores"]} if "scores" in case else None
        corpus = corpus_of(
            case["gold"], {"s": case["lists"]}, scores=scores, grades=case.get("grades"), texts=case.get("texts")
        )
        for name, title in case.get("titles", {}).items():
            corpus.documents.loc[corpus.documents["doc_id"] == name, "title"] = title
        by = "presence" if "subset" in case else ""
        frame = kp.evaluate(corpus, settings_of(case), measures, by=by).frame
        frame = frame[(frame["subset"] == case.get("subset", "all")) & (frame["system"] == "s")]
    rows = zip(same, frame["value"], frame["reason"], strict=True)
    return {item["id"]: (float(value), None if pd.isna(why) else str(why)) for item, value, why in rows}


def apart_from_the_measure(case: dict[str, Any]) -> str:
    return json.dumps({key: case.get(key) for key in (*DATA, "settings")})


def test_file_equals_brute_force_output() -> None:
    written, kept = ([{**case, "signature": ""} for case in part] for part in (certified(), SET))
    assert written == kept, "run: python -m tests.certified.write"  # signatures name versions, and are tested below
    assert CASES.stat().st_size < 275_000


def test_published_programs_agree_where_applicable() -> None:
    programs, wrong = Counter[str](), []
    for case in SET:
        if (answer := published(case)) is not None:
            programs[answer[0]] += 1
            if not equal(answer[1], case["value"]):
                wrong.append((case["id"], case["value"], answer))
    assert wrong == []
    assert programs == {"pytrec_eval": 115, "scikit-learn": 33, "statsmodels": 5, "krippendorff": 3, "nltk": 2}
    assert "pytrec_eval (115 cases), scikit-learn (33), statsmodels (5), krippendorff (3), nltk (2)" in PAGE.read_text(
        "utf-8"
    )


def test_kpscope_gives_every_value_and_every_reason() -> None:
    result: dict[str, tuple[float, str | None]] = {}
    for _, same in groupby(sorted(SET, key=apart_from_the_measure), key=apart_from_the_measure):
        result |= together(list(same))
    wrong = [
        (case["id"], case["value"], *result[case["id"]])
        for case in SET
        if not equal(result[case["id"]][0], case["value"]) or result[case["id"]][1] != case.get("reason")
    ]
    assert wrong == []


def test_signatures_match_settings() -> None:
    assert [case["id"] for case in SET if kp.settings_from(case["signature"]) != settings_of(case)] == []


def test_presets_are_written_down_as_kpscope_has_them() -> None:
    for name, changes in cases(str(INPUTS))["presets"].items():
        assert not kp.Settings(preset=name).differences(kp.Settings(**changes)), name


def test_set_covers_every_measure_and_preset_convention() -> None:
    measures = {parse(case["measure"]).card.name for case in SET}
    # What needs tables beside the data has no case, as the page says.
    needed = {name for name, item in kp.MEASURES.items() if item.matcher not in SPECIAL}
    assert needed - measures == set()
    conventions = {name for item in kp.PRESETS.values() if item.of != "similarity" for name in item.changes}
    assert conventions - {case["convention"] for case in SET} == set()


def test_ids_are_unique_and_cases_explained() -> None:
    assert max(Counter(case["id"] for case in SET).values()) == 1
    assert [case["id"] for case in SET if not case["why"].endswith(".")] == []


def asked(command: str) -> tuple[int, str]:
    with contextlib.redirect_stdout(io.StringIO()) as printed_lines:
        status = benchmark.main(["--script", command])
    return status, printed_lines.getvalue()


def test_page_example_differs_only_by_convention() -> None:
    status, text = asked(f"{sys.executable} {EXAMPLE}")
    assert status == 1
    assert f"{len(SET)} cases, 53 answered, 13 equal, 40 differ" in text
    plain = sum(case["convention"] == "measure" for case in SET)
    assert re.search(rf"^measure +{plain} +2 +2 +0$", text, re.M)
    assert "\ndenominator: short-list-returned-P-5, P@5" in text
    assert "certified 2/3, answered 0.4" in text


def test_right_script_ends_with_status_0(tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("\n".join(str(case["value"] or "null") for case in SET))
    script = tmp_path / "right.py"
    script.write_text(f"import sys; sys.stdin.read(); print(open({str(tmp_path / 'answers.txt')!r}).read())")
    status, text = asked(f"{sys.executable} {script}")
    assert (status, text.splitlines()[0].endswith(f"{len(SET)} answered, {len(SET)} equal, 0 differ")) == (0, True)


def test_script_receives_neither_value_nor_explanation() -> None:
    assert not {"value", "reason", "why"} & set(json.loads(benchmark.question(SET[0])))


@pytest.mark.parametrize("line", ["about half", "1/0"])
def test_an_answer_that_is_no_number_is_refused(line: str) -> None:
    with pytest.raises(SystemExit, match="expected a number"):
        benchmark.read_answer(line)


def test_a_script_with_too_few_lines_is_refused() -> None:
    with pytest.raises(SystemExit, match=f"1 lines for {len(SET)} cases"):
        asked(f"{sys.executable} -c 'print(1)'")
