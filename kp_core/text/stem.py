"""Stem distinct words, and detect words in another language and words that are already stems.

Stemmers: Porter in three modes of NLTK, Porter as in SemEval-2010, and Snowball by PyStemmer or NLTK.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files

_RULES = tomllib.loads((files("kp_core.text") / "stem.toml").read_text("utf-8"))
MODES = tuple(_RULES["more"])


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_STEP_2 = {mode: _pairs(f"{_RULES['step2']} {rules}") for mode, rules in _RULES["more"].items()}
_STEP_3, _STEP_4, _IRREGULAR = (_pairs(_RULES[name]) for name in ("step3", "step4", "irregular"))


def porter(word: str, mode: str = "porter-nltk") -> str:
    """Return the stem of a word in one of the `MODES`.

    Source: Porter 1980 (original), his later changes (martin), and further extensions by NLTK (nltk).
    """
    nltk, stem = mode == "porter-nltk", word.lower()
    if nltk and stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if mode != "porter-original" and len(word) <= 2:
        return stem
    stem = _without_y(_without_past(_without_plural(stem, nltk), nltk), nltk)
    if nltk and stem.endswith("alli") and _measure(stem[:-4]) > 0:
        stem = stem[:-2]  # NLTK then replaces the remaining ending
    stem = _replace_ending(stem, _STEP_2[mode], 1, nltk)
    stem = _replace_ending(_replace_ending(stem, _STEP_3, 1), _STEP_4, 2)
    measure = _measure(stem[:-1])
    if stem.endswith("e") and (measure > 1 or (measure == 1 and not _is_short(stem[:-1], nltk))):
        stem = stem[:-1]
    return stem[:-1] if stem.endswith("ll") and _measure(stem[:-1]) > 1 else stem


def _cv_pattern(word: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant."""
    pattern = ""
    for letter in word:
        pattern += "v" if letter in "aeiou" or (letter == "y" and pattern[-1:] == "c") else "c"
    return pattern


def _measure(stem: str) -> int:
    return _cv_pattern(stem).count("vc")


def _is_short(stem: str, nltk: bool) -> bool:
    pattern = _cv_pattern(stem)
    return (pattern[-3:] == "cvc" and stem[-1] not in "wxy") or (nltk and pattern == "vc")


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
    pattern = _cv_pattern(stem)
    if "v" not in pattern:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if stem[-1:] == stem[-2:-1] and pattern[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return f"{stem}e" if pattern.count("vc") == 1 and _is_short(stem, nltk) else stem


def _without_y(word: str, nltk: bool) -> str:
    pattern = _cv_pattern(word[:-1])
    changes = len(pattern) > 1 and pattern[-1] == "c" if nltk else "v" in pattern
    return f"{word[:-1]}i" if word.endswith("y") and changes else word


def _replace_ending(word: str, endings: Mapping[str, str], least: int, nltk: bool = False) -> str:
    """Replace the longest ending of a word if the measure of the remaining stem is at least `least`."""
    ending = next((word[-length:] for length in range(7, 1, -1) if word[-length:] in endings), "")
    stem = word[: -len(ending)]
    if not ending or (ending == "ion" and stem[-1:] not in ("s", "t")):
        return word
    # NLTK counts the l of -logi.
    return stem + endings[ending] if _measure(stem + "l" * (nltk and ending == "logi")) >= least else word


#: Number of stems in the cache, about 30 MB.
_CACHED_STEMS = 200_000
_stem: Callable[[str, str], str] = porter
_LETTERS = re.compile(r"[^\W\d_]+")

_CODES = "ar ca da de el en es eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi"
#: Snowball languages of PyStemmer, by ISO 639 code.
SNOWBALL: tuple[str, ...] = tuple(_CODES.split())
#: Snowball languages of NLTK, some of whose stems differ from those of PyStemmer.
NLTK_SNOWBALL = {"de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch"}
STEMMERS: tuple[str, ...] = (
    *(*MODES, "porter-semeval"),
    *(f"snowball-{code}" for code in SNOWBALL),
    *(f"nltk-snowball-{code}" for code in NLTK_SNOWBALL),
)


@cache  # reads the disk, for every signature
def library(stemmer: str | None) -> str:
    """Return a stemmer's library and version, for the signature; Porter's is NLTK, whose stems it reproduces."""
    if stemmer is None:
        return "none"
    package = "PyStemmer" if stemmer.startswith("snowball-") else "nltk"
    return f"{package.lower()}-{version(package)}"


def keep_stems() -> None:
    """Cache the stems of recent words; only for single-user processes, since a server must not store users' data."""
    global _stem
    if _stem is porter:
        _stem = lru_cache(maxsize=_CACHED_STEMS)(porter)


def stem_words(words: Sequence[str], stemmer: str) -> list[str]:
    """Return the stem of each word by one of `STEMMERS`; if a stem is empty, the word is returned.

    Source: Porter 1980 and later modes; Snowball of PyStemmer or NLTK.
    """
    if stemmer in MODES:
        stems = [_stem(word, stemmer) for word in words]
    elif stemmer == "porter-semeval":
        stems = [_LETTERS.sub(lambda run: _stem(run.group(), "porter-martin") or run.group(), word) for word in words]
        stems = ["data" if stem == "datum" else stem for stem in stems]
    elif stemmer.startswith("nltk-"):
        from nltk.stem.snowball import SnowballStemmer

        snowball = SnowballStemmer(NLTK_SNOWBALL[stemmer.rpartition("-")[2]])
        stems = [snowball.stem(word) for word in words]
    else:
        import Stemmer

        # Without the stemmer's cache, which slows down distinct words.
        stems = Stemmer.Stemmer(stemmer.removeprefix("snowball-"), 0).stemWords(list(words))
    return [stem or word for stem, word in zip(stems, words, strict=True)]


#: Code of a language with a stemmer → its name and frequent words.
_FREQUENT: dict[str, tuple[str, str]] = _RULES["languages"]
#: Minimum number of words for a decision, and minimum share of stems, or of frequent words, among them.
_MIN_WORDS, _MIN_STEM_SHARE, _MIN_FREQUENT_SHARE = 100, 0.9, 0.02
#: Minimum number of distinct frequent words of a language, because a single one may be the “y” of “x and y”.
_MIN_FREQUENT_WORDS = 3


def misfit(stemmer: str, phrases: Sequence[str], texts: Sequence[str], gold_stemmed: bool) -> tuple[str, str] | None:
    """Return why a stemmer does not fit, and the name of a suitable one (empty if the gold standard is stemmed)."""
    language_of_stemmer = stemmer.rpartition("snowball-")[2] if "snowball-" in stemmer else "en"
    if are_stems(phrases):
        fits = gold_stemmed or language_of_stemmer != "en"
        return None if fits else ("the gold keyphrases are stems already, and stemming them again loses matches", "")
    language = looks_like(texts) or looks_like(phrases)
    if language in ("", language_of_stemmer):
        return None
    steps = f"snowball-{language}" if language != "en" else "porter-nltk"
    name = _FREQUENT[language][0]
    return f"most words look {name}, which {stemmer} does not support", steps


def are_stems(phrases: Iterable[str]) -> bool:
    """Return whether Porter's stemmer leaves nearly all words unchanged; in unstemmed text it changes two thirds."""
    words = list(dict.fromkeys(re.findall(r"\b[a-z]{5,}\b", " ".join(phrases).lower())))
    unchanged = sum(map(str.__eq__, words, stem_words(words, "porter-nltk")))
    return len(words) >= _MIN_WORDS and unchanged > _MIN_STEM_SHARE * len(words)


def looks_like(texts: Iterable[str]) -> str:
    """Return the code of the language whose frequent words occur in texts; empty if uncertain."""
    words = re.findall(r"[^\W\d_]+", " ".join(texts).lower())
    times = Counter(words)
    matches = {
        code: [times[word] for word in frequent.split() if times[word]] for code, (_, frequent) in _FREQUENT.items()
    }
    counts = {code: sum(match) if len(match) >= _MIN_FREQUENT_WORDS else 0 for code, match in matches.items()}
    first, second = sorted(counts, key=lambda code: -counts[code])[:2]
    certain = counts[first] > _MIN_FREQUENT_SHARE * len(words) and counts[first] > 1.25 * counts[second]
    return first if len(words) >= _MIN_WORDS and certain else ""
