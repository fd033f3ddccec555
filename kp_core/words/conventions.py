"""Say a setting in words: the question that it asks, and its values."""

from kp_core.words import read

_SAID = read("settings.toml")


def question(setting: str) -> str:
    """Return what a setting asks.

    >>> question("duplicates")
    'Equal predictions in a list'
    """
    return str(_SAID["questions"][setting])


def change_in_words(setting: str, text: str) -> str:
    """Return a setting with its value, as it stands in a sentence.

    >>> change_in_words("missing", "skip")
    'a document that a system has no list for is left out for this system'
    """
    asked, said = question(setting), in_words(setting, text)
    lead = asked if asked.startswith("nDCG") else f"{asked[:1].lower()}{asked[1:]}"
    return f"{lead.rstrip('?')}: {said}" if asked.endswith("?") or setting in _NAMED else f"{lead} {said}"


#: Questions that no verb of the values goes on.
_NAMED = ("filter", "gold_list", "hits_as", "gain", "ideal", "ties", "variants")


def in_words(setting: str, text: str) -> str:
    """Return the value of a setting in words; what is a name already, such as an annotator, stays.

    >>> in_words("missing", "skip"), in_words("annotators", "Ada"), in_words("normalise", "lower+space")
    ('is left out for this system', 'Ada', 'ignores upper case, spaces')
    """
    if setting == "normalise":
        return _pipeline(text)
    return str(_SAID["values"].get(f"{setting} {text}", text))


def _pipeline(steps: str) -> str:
    """Return the steps by which phrases are compared in words."""
    if steps == "none":
        return "written alike, letter by letter"
    names = steps.split("+")
    ignored = [in_words("step", name) for name in names if name in ("nfkc", "lower", "space")]
    others = [_step(name) for name in names if name not in ("nfkc", "lower", "space")]
    return "; ".join([f"ignores {', '.join(ignored)}", *others])


def _step(name: str) -> str:
    """Return one step in words; stemmers of many languages are named by their code.

    >>> _step("snowball-en")
    'Snowball stems (en)'
    """
    kind, _, language = name.rpartition("-")
    makers = {"snowball": "Snowball stems", "nltk-snowball": "Snowball stems of NLTK"}
    return f"{makers[kind]} ({language})" if kind in makers else in_words("step", name)
