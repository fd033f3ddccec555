"""Every text that a page requests exists, and every existing text is used."""

import re
import tomllib
from string import Formatter

from tests.cases import ROOT

TEXTS = tomllib.loads((ROOT / "kp_ui" / "widgets" / "prose.toml").read_text("utf-8"))
SOURCE = "".join(path.read_text("utf-8") for folder in ("kp_ui", "pages") for path in (ROOT / folder).rglob("*.py"))
#: Parts that are taken as a whole, by the key of a control or of a column.
WHOLE = {"help", "values", *re.findall(r'entries\("(\w+)"\)', SOURCE)}


def test_every_text_is_used_and_every_key_exists() -> None:
    asked = set(re.findall(r'(?:prose\.text|show\.about)\(\s*"([\w.]+)"', SOURCE))
    there = {f"{part}.{key}" for part, texts in TEXTS.items() for key in texts}
    assert asked <= there
    unused = {name for name in there if name.partition(".")[0] not in WHOLE and f'"{name}"' not in SOURCE}
    assert unused == set()
    controls = [key for key in TEXTS["help"] if f'"{key}"' not in SOURCE and f"help.{key}" not in asked]
    assert controls == []
    assert [key for key in TEXTS["values"] if f'"{key.partition(" ")[0]}"' not in SOURCE] == []


def test_the_places_of_a_text_are_filled_in() -> None:
    for part, texts in TEXTS.items():
        for key, text in texts.items():
            places = {name for _, name, _, _ in Formatter().parse(text) if name}
            given = re.search(rf'"{part}\.{re.escape(key)}"((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)', SOURCE)
            assert places == set(re.findall(r"(\w+)=", re.sub(r"\([^()]*\)", "", given[1]) if given else "")), key
