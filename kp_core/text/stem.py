"""Stem distinct words: Porter in its three NLTK modes, the SemEval-2010 rule, and Snowball languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version

from kp_core.errors import UsageError
from kp_core.text.porter import porter_stemmer

#: Words whose stems are kept, about 30 MB; stemming one takes a hundred times as long as looking it up.
_KEPT = 200_000
_kept: dict[str, Callable[[str], str]] = {}
_LETTERS = re.compile(r"[^\W\d_]+")

#: Snowball languages of PyStemmer under the codes that users write.
SNOWBALL: dict[str, str] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_PORTER_MODES = {
    "porter-original": "ORIGINAL_ALGORITHM",
    "porter-martin": "MARTIN_EXTENSIONS",
    "porter-nltk": "NLTK_EXTENSIONS",
}
STEMMERS: tuple[str, ...] = (*_PORTER_MODES, "porter-semeval", *(f"snowball-{code}" for code in SNOWBALL))


@cache  # looked up on the disk, for every signature
def library(stemmer: str | None) -> str:
    """Name the library and version behind a stemmer, for the signature.

    >>> library(None)
    'none'
    """
    if stemmer is None:
        return "none"
    package = "PyStemmer" if stemmer.startswith("snowball-") else "nltk"
    return f"{package.lower()}-{version(package)}"


def keep_stems() -> None:
    """Keep the stems of the last words for the rest of this process; for one that serves one person alone.

    Parts of large data repeat their words. A server of many people keeps nothing that hangs on what they load.
    """
    for mode in _PORTER_MODES.values():
        _kept.setdefault(mode, lru_cache(maxsize=_KEPT)(_porter(mode)))


def _porter(mode: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = porter_stemmer()(mode=mode).stem
    return _kept.get(mode, stem)


def stem_words(words: Sequence[str], stemmer: str) -> list[str]:
    """Return the stem of each word; a stem that comes out empty keeps its word.

    Source: Porter 1980 and its later modes as NLTK ships them; Snowball as PyStemmer ships it.

    >>> stem_words(["networks", "keys", "s"], "porter-nltk")
    ['network', 'key', 's']
    >>> stem_words(["multi-agents", "datum"], "porter-semeval")
    ['multi-agent', 'data']
    """
    if stemmer in _PORTER_MODES:
        porter = _porter(_PORTER_MODES[stemmer])
        stems = [porter(word) for word in words]
    elif stemmer == "porter-semeval":
        martin = _porter(_PORTER_MODES["porter-martin"])
        stems = [_LETTERS.sub(lambda run: martin(run.group()) or run.group(), word) for word in words]
        stems = ["data" if stem == "datum" else stem for stem in stems]
    elif stemmer.startswith("snowball-") and stemmer[9:] in SNOWBALL:
        import Stemmer

        # Its own cache costs more than it saves once the words are distinct: 2.8 s against .7 s on 50,000 words.
        stems = Stemmer.Stemmer(SNOWBALL[stemmer[9:]], 0).stemWords(list(words))
    else:
        raise UsageError(f"there is no stemmer '{stemmer}'; choose one of: none, {', '.join(STEMMERS)}")
    return [stem or word for stem, word in zip(stems, words, strict=True)]
