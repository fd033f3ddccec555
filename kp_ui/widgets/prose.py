"""Return the longer texts of the pages, which `prose.toml` holds by section and key."""

import tomllib
from pathlib import Path

_TEXTS = tomllib.loads(Path(__file__).with_name("prose.toml").read_text("utf-8"))


def text(name: str, **values: object) -> str:
    """Return a text such as `people.together` with its placeholders filled in; values must be escaped for Markdown."""
    section, _, key = name.partition(".")
    template = " ".join(_TEXTS[section][key].split())
    return template.format(**values) if values else template


def value(key: str, text: str) -> str:
    """Return a value of a control in words; unchanged if there are no words for it."""
    return str(_TEXTS["values"].get(f"{key} {text}", text))


def helps(key: str) -> str | None:
    """Return the help of the control with a key, if it has any."""
    return text(f"help.{key}") if key in _TEXTS["help"] else None


def entries(section: str) -> dict[str, str]:
    """Return all texts of a section by key, such as the help on columns of tables."""
    return {key: text(f"{section}.{key}") for key in _TEXTS[section]}
