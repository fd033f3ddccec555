"""Turn English words into stems by Porter's rules, in the three modes that NLTK names."""

from __future__ import annotations

from collections.abc import Mapping

from kp_core.errors import read_toml

_RULES = read_toml("text/porter.toml")
MODES = tuple(_RULES["more"])
_SECOND: dict[str, dict[str, str]] = {mode: _RULES["step2"] | more for mode, more in _RULES["more"].items()}
_FOURTH = dict.fromkeys(_RULES["step4"]["removed"].split(), "")


def porter(word: str, mode: str = "porter-nltk") -> str:
    """Return the stem of a word by one of `MODES`.

    Source: Porter 1980 (original), his later changes (martin), and the extensions that NLTK adds to them (nltk).

    >>> [porter("flies", mode) for mode in MODES], porter("geologi", "porter-nltk")
    (['fli', 'fli', 'fli'], 'geolog')
    """
    nltk, stem = mode == "porter-nltk", word.lower()
    if nltk and stem in _RULES["irregular"]:
        return str(_RULES["irregular"][stem])
    if mode != "porter-original" and len(word) <= 2:
        return stem
    stem = _without_y(_without_past(_without_plural(stem, nltk), nltk), nltk)
    if nltk and stem.endswith("alli") and _measure(stem[:-4]) > 0:
        stem = stem[:-2]  # NLTK goes on with the ending that is left
    stem = _replaced(stem, _SECOND[mode], 1, nltk)
    stem = _replaced(_replaced(stem, _RULES["step3"], 1), _FOURTH, 2)
    measure = _measure(stem[:-1])
    if stem.endswith("e") and (measure > 1 or (measure == 1 and not _is_short(stem[:-1], nltk))):
        stem = stem[:-1]
    return stem[:-1] if stem.endswith("ll") and _measure(stem[:-1]) > 1 else stem


def _shape(word: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel behind a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape[-1:] == "c") else "c"
    return shape


def _measure(stem: str) -> int:
    return _shape(stem).count("vc")


def _is_short(stem: str, nltk: bool) -> bool:
    shape = _shape(stem)
    return (shape[-3:] == "cvc" and stem[-1] not in "wxy") or (nltk and shape == "vc")


def _without_plural(word: str, nltk: bool) -> str:
    if word.endswith("ies"):
        return word[:-1] if nltk and len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str, nltk: bool) -> str:
    if nltk and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    shape = _shape(stem)
    if "v" not in shape:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if stem[-1:] == stem[-2:-1] and shape[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return f"{stem}e" if shape.count("vc") == 1 and _is_short(stem, nltk) else stem


def _without_y(word: str, nltk: bool) -> str:
    shape = _shape(word[:-1])
    changes = len(shape) > 1 and shape[-1] == "c" if nltk else "v" in shape
    return f"{word[:-1]}i" if word.endswith("y") and changes else word


def _replaced(word: str, endings: Mapping[str, str], least: int, nltk: bool = False) -> str:
    """Replace the longest ending of a word if enough measure is left before it."""
    ending = next((word[-length:] for length in range(7, 1, -1) if word[-length:] in endings), "")
    stem = word[: -len(ending)]
    if not ending or (ending == "ion" and stem[-1:] not in ("s", "t")):
        return word
    # NLTK counts the l of -logi.
    return stem + endings[ending] if _measure(stem + "l" * (nltk and ending == "logi")) >= least else word
