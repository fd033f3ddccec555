"""Turn the scenes of inputs.toml into docs/certified/cases.json, with values: `python -m tests.certified.write`."""

import json
import re
from pathlib import Path
from typing import Any

import kp_core as kp
from kp_core.scoring.measures import parse
from tests.cases import ROOT, cases
from tests.certified.brute_force import printed

INPUTS = Path(__file__).with_name("inputs.toml")
CASES = ROOT / "docs" / "certified" / "cases.json"
#: What a case takes from its scene, where the scene has it.
DATA = ("row", "subset", "gold", "grades", "lists", "scores", "titles", "texts")
ABOUT = (
    "Small cases of keyphrase evaluation with exact values; docs/certified/index.md says what the keys mean, how to "
    "run a script on them, and how each value was made."
)


def scenes() -> list[dict[str, Any]]:
    """Return the cases without their values."""
    inputs, made = cases(str(INPUTS)), list[dict[str, Any]]()
    for title, scene in inputs["scene"].items():
        for variant in scene.get("variants", [{"set": {}}]):
            changes = inputs["presets"][variant["preset"]] if "preset" in variant else variant["set"]
            settings, name = {**scene.get("base", {}), **changes}, variant.get("preset")
            label = [title, *([name] if name else map(str, changes.values()))]
            measures = scene["measures"]
            for measure in measures:
                why = variant.get("why") or measures[measure]
                about = variant.get("about", scene["about"])
                part = {key: value for key, value in settings.items() if key not in idle(measure)}
                case = {"id": slug(*label, measure), "measure": measure, "convention": about, "settings": part}
                made.append(case | {key: scene[key] for key in DATA if key in scene} | {"why": why})
    return made


def idle(measure: str) -> set[str]:
    """Return the settings without effect on a measure: the universe without a table, k if it has a separate cutoff."""
    asked = parse(measure)
    tables = asked.card.family in ("concordance", "annotators")
    return ({"k"} if asked.fixed is not None else set()) | (set() if tables else {"universe"})


def slug(*words: str) -> str:
    """Join words into an id.

    >>> slug("short-list", "min(k,gold)", "F1@5")
    'short-list-min-k-gold-F1-5'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", " ".join(words).replace("/", " over ")).strip("-")


def settings_of(case: dict[str, Any]) -> kp.Settings:
    return kp.Settings(**{"interval": "none"} | case["settings"])


def signature(case: dict[str, Any]) -> str:
    documents = case["gold"].values() if "lists" not in case else [case["gold"]]
    known = {name for part in documents for name in part}
    return kp.signature(settings_of(case), len(known), "universe" not in idle(case["measure"]))


def certified() -> list[dict[str, Any]]:
    made = []
    for case in scenes():
        value, reason = printed(case)
        why = case.pop("why")
        made.append(
            case
            | {"signature": signature(case), "value": value}
            | ({"reason": reason} if reason else {})
            | {"why": why}
        )
    return made


def main() -> None:
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in certified())
    text = f'{{"about": {json.dumps(ABOUT)}, "cases": [\n{lines}\n]}}\n'
    CASES.parent.mkdir(exist_ok=True)
    CASES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
