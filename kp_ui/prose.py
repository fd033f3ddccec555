"""Hold what the pages say at length: the texts of `prose.toml`, each under a part and a name."""

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


def value(setting: str, text: str) -> str:
    """Return the value of a setting in words; what is a name already, such as an annotator, stays.

    >>> value("missing", "skip"), value("annotators", "Ada"), value("normalise", "lower+space")
    ('is left out for this system', 'Ada', 'ignores upper case, spaces')
    """
    if setting == "normalise":
        return _pipeline(text)
    return str(_TEXTS["values"].get(f"{setting} {text}", text))


def _pipeline(steps: str) -> str:
    """Return the steps by which phrases are compared in words."""
    if steps == "none":
        return "written alike, letter by letter"
    names = steps.split("+")
    ignored = [value("step", name) for name in names if name in ("nfkc", "lower", "space")]
    others = [_step(name) for name in names if name not in ("nfkc", "lower", "space")]
    return "; ".join([f"ignores {', '.join(ignored)}", *others])


def _step(name: str) -> str:
    """Return one step in words; stemmers of many languages are named by their code.

    >>> _step("snowball-en")
    'Snowball stems (en)'
    """
    kind, _, language = name.rpartition("-")
    makers = {"snowball": "Snowball stems", "nltk-snowball": "Snowball stems of NLTK"}
    return f"{makers[kind]} ({language})" if kind in makers else value("step", name)


def helps(key: str) -> str | None:
    """Return what the control with a key is for, if that needs more words than its label."""
    return text(f"help.{key}") if key in _TEXTS["help"] else None


def entries(part: str) -> dict[str, str]:
    """Return all texts of a part, such as those on the columns of tables."""
    return {key: text(f"{part}.{key}") for key in _TEXTS[part]}
