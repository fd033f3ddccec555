"""Stem distinct words: Porter in its three NLTK modes, the SemEval-2010 rule, and Snowball by PyStemmer or NLTK."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

#: Words whose stems are kept, about 30 MB; stemming one takes a hundred times as long as looking it up.
_KEPT = 200_000
_kept: dict[str, Callable[[str], str]] = {}
_LETTERS = re.compile(r"[^\W\d_]+")

_CODES = "ar ca da de el en es eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi"
#: Snowball languages of PyStemmer, by their ISO 639 codes, which it knows.
SNOWBALL: tuple[str, ...] = tuple(_CODES.split())
_PORTER_MODES = {
    "porter-original": "ORIGINAL_ALGORITHM",
    "porter-martin": "MARTIN_EXTENSIONS",
    "porter-nltk": "NLTK_EXTENSIONS",
}
#: Snowball languages of NLTK, whose stems differ from those of PyStemmer on some words.
NLTK_SNOWBALL = {"de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch"}
STEMMERS: tuple[str, ...] = (
    *(*_PORTER_MODES, "porter-semeval"),
    *(f"snowball-{code}" for code in SNOWBALL),
    *(f"nltk-snowball-{code}" for code in NLTK_SNOWBALL),
)


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


@cache
def porter_stemmer() -> Callable[..., Any]:
    """Return NLTK's `PorterStemmer`, run by itself: `import nltk` takes a second, for parsers and classifiers.

    Nothing enters `sys.modules`, so that `import nltk` stays whole.

    >>> porter_stemmer()().stem("networks")
    'network'
    """
    stemmer: Callable[..., Any]
    try:
        stemmer = _alone("nltk.stem.porter").PorterStemmer
    except (ImportError, AttributeError, OSError):  # an NLTK that is built differently, or packed into an archive
        stemmer = import_module("nltk.stem.porter").PorterStemmer
    return stemmer


def _alone(name: str) -> ModuleType:
    """Run one module of NLTK; what it imports of NLTK in turn is run the same way, without the packages around it."""
    package = find_spec("nltk")
    if package is None or package.origin is None:
        raise ImportError("NLTK is not installed")
    path = Path(package.origin).parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
    loader = SourceFileLoader(f"kpscope.{name}", str(path))
    module = ModuleType(loader.name)

    def own_import(asked: str, *given: Any, **more: Any) -> Any:
        if asked.split(".")[0] != "nltk":
            return builtins.__import__(asked, *given, **more)
        names = given[2] or ()
        return SimpleNamespace(**{part: _alone(f"nltk.{part}") for part in names}) if asked == "nltk" else _alone(asked)

    vars(module)["__builtins__"] = vars(builtins) | {"__import__": own_import}
    loader.exec_module(module)
    return module


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
    """Return the stem of each word by one of `STEMMERS`; a stem that comes out empty keeps its word.

    Source: Porter 1980 and its later modes as NLTK ships them; Snowball as PyStemmer, or NLTK, ships it.

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
    elif stemmer.startswith("nltk-"):
        snowball = import_module("nltk.stem.snowball").SnowballStemmer(NLTK_SNOWBALL[stemmer.rpartition("-")[2]])
        stems = [snowball.stem(word) for word in words]
    else:
        import Stemmer

        # Its own cache costs more than it saves once the words are distinct: 2.8 s against .7 s on 50,000 words.
        stems = Stemmer.Stemmer(stemmer.removeprefix("snowball-"), 0).stemWords(list(words))
    return [stem or word for stem, word in zip(stems, words, strict=True)]
