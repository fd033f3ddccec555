"""Turn words into what they look like: the language of a text, and words that were cut to stems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kp_core.text.stem import stem_words

#: Frequent words of languages that have a stemmer, by their codes.
_FREQUENT = {
    "en": ("English", "of the and to in is for with on are that"),
    "de": ("German", "der die das und von den mit für auf im des zur ist"),
    "fr": ("French", "de la le les des et du dans pour une sur en l d"),
    "es": ("Spanish", "de la el los las y en del por para con una"),
    "it": ("Italian", "di la il e della del per in delle dei con una"),
    "pt": ("Portuguese", "de da do e a o os em para das dos com uma"),
    "nl": ("Dutch", "de het een van en in voor met op dat te"),
    "ru": ("Russian", "и в на с по для из о что как не"),
}
#: So many words tell nothing yet; such a part of them must be stems, or frequent words.
_FEW, _STEMS, _PART = 100, 0.9, 0.02
#: So many of its frequent words must occur: one alone, as the “y” of “x and y”, is no language.
_DIFFERENT = 3


def misfits(stemmer: str, phrases: Sequence[str], texts: Sequence[str], gold_stemmed: bool) -> list[str]:
    """Say where a stemmer is that of another language than most words, or the phrases are stems already.

    >>> misfits("porter-nltk", ["analyse de la mer", "le niveau des eaux"] * 20, [], False)
    ['most words look French, for which porter-nltk is no stemmer; choose snowball-fr in its place']
    >>> misfits("nltk-snowball-fr", ["analyse de la mer", "le niveau des eaux"] * 20, [], False)
    []
    """
    own = stemmer.rpartition("snowball-")[2] if "snowball-" in stemmer else "en"
    if are_stems(phrases):
        fits = gold_stemmed or own != "en"
        return [] if fits else ["the words of the gold standard are stems already; say so: gold_stemmed = yes"]
    language = looks_like(texts) or looks_like(phrases)
    if language in ("", own):
        return []
    steps = f"snowball-{language}" if language != "en" else "porter-nltk"
    name = _FREQUENT[language][0]
    return [f"most words look {name}, for which {stemmer} is no stemmer; choose {steps} in its place"]


def are_stems(phrases: Iterable[str]) -> bool:
    """Tell whether nearly all words are what Porter's stemmer makes of them; of whole words, a third are."""
    words = list(dict.fromkeys(re.findall(r"\b[a-z]{5,}\b", " ".join(phrases).lower())))
    same = sum(map(str.__eq__, words, stem_words(words, "porter-nltk")))
    return len(words) >= _FEW and same > _STEMS * len(words)


def looks_like(texts: Iterable[str]) -> str:
    """Return the code of the language whose frequent words stand in texts; empty where that is unsure."""
    words = re.findall(r"[^\W\d_]+", " ".join(texts).lower())
    times = Counter(words)
    found = {
        code: [times[word] for word in frequent.split() if times[word]] for code, (_, frequent) in _FREQUENT.items()
    }
    counts = {code: sum(own) if len(own) >= _DIFFERENT else 0 for code, own in found.items()}
    first, second = sorted(counts, key=lambda code: -counts[code])[:2]
    sure = counts[first] > _PART * len(words) and counts[first] > 1.25 * counts[second]
    return first if len(words) >= _FEW and sure else ""
