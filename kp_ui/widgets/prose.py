"""Define the longer texts of the pages, from `prose.toml` by section and name."""

import tomllib
from pathlib import Path

_TEXTS = tomllib.loads(Path(__file__).with_name("prose.toml").read_text("utf-8"))


def text(name: str, **places: object) -> str:
    """Return a text such as `people.together` with its placeholders filled in, which must be escaped for Markdown.

    >>> text("help.grouped")[:15]
    'Trees are teste'
    """
    part, _, key = name.partition(".")
    words = " ".join(_TEXTS[part][key].split())
    return words.format(**places) if places else words


def value(key: str, text: str) -> str:
    """Return a value of a control in words, or unchanged if it has none."""
    return str(_TEXTS["values"].get(f"{key} {text}", text))


def helps(key: str) -> str | None:
    """Return the help of the control with a key, if it has any."""
    return text(f"help.{key}") if key in _TEXTS["help"] else None


def entries(part: str) -> dict[str, str]:
    """Return all texts of a section, such as the help on columns of tables."""
    return {key: text(f"{part}.{key}") for key in _TEXTS[part]}


def verbatim(name: str) -> str:
    """Return a text with its line breaks, such as commands."""
    part, _, key = name.partition(".")
    return str(_TEXTS[part][key])
