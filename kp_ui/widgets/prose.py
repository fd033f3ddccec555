"""Define what the pages say at length: the texts of `prose.toml`, each under a part and a name."""

import tomllib
from pathlib import Path

_TEXTS = tomllib.loads(Path(__file__).with_name("prose.toml").read_text("utf-8"))


def text(name: str, **places: object) -> str:
    """Return a text such as `people.together`, its places filled in; it is Markdown, so what fills them must be plain.

    >>> text("help.grouped")[:15]
    'A tree is teste'
    """
    part, _, key = name.partition(".")
    words = " ".join(_TEXTS[part][key].split())
    return words.format(**places) if places else words


def value(key: str, text: str) -> str:
    """Return a value of a control in words; what is a name already stays."""
    return str(_TEXTS["values"].get(f"{key} {text}", text))


def helps(key: str) -> str | None:
    """Return what the control with a key is for, if that needs more words than its label."""
    return text(f"help.{key}") if key in _TEXTS["help"] else None


def entries(part: str) -> dict[str, str]:
    """Return all texts of a part, such as those on the columns of tables."""
    return {key: text(f"{part}.{key}") for key in _TEXTS[part]}


def verbatim(name: str) -> str:
    """Return a text with its lines as they are, such as commands."""
    part, _, key = name.partition(".")
    return str(_TEXTS[part][key])
