"""Turn tokens into part-of-speech tags of English, and tags into the classes of a keyphrase."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from kp_core.errors import input_error, read_toml
from kp_core.text.tokenise import clean, occurrences, sentences, straight

Tagset = Literal["c5", "penn"]
Source = Literal["given", "texts", "phrase"]

#: The model is a pickle, which can run code on loading, so only this file of HanTa 1.2.1 is accepted.
MODEL_SHA256 = "99ddc9b14b3fe604b245e2d7a3aef59ab1bdd06b1bae4f4ce74738902e2a0265"
#: Maximum length of tagged words, because time increases with the square of the length.
LONGEST_WORD = 60
OUTSIDE = "O"

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
#: C5 tag, and beginning of a Penn tag → class of the word.
_C5_CLASS, _PENN_CLASS = (
    {tag: letter for letter, tags in tagset.items() for tag in tags.split()}
    for tagset in read_toml("text/tags.toml").values()
)
_CACHE: dict[bytes, tuple[str, ...]] = {}
_MAX_CACHED_TEXTS = 5_000
_LOCK = Lock()
#: Participles in -ed and in -ing.
_PARTICIPLES = {"VBN": "v", "VVN": "v", "VBG": "g", "VVG": "g"}
_ADJECTIVE_AND_NOUN = re.compile(r"[JN]*J[JN]*N")


@cache
def _tagger() -> Any:
    """Load HanTa with its English model, rather than with a file of this name in the working folder."""
    import HanTa
    from HanTa.HanoverTagger import HanoverTagger

    model = Path(HanTa.__file__).resolve().parent / "morphmodel_en.pgz"
    digest = hashlib.sha256(model.read_bytes()).hexdigest() if model.exists() else "no file"
    if digest != MODEL_SHA256:
        raise input_error("the tagger's model morphmodel_en.pgz", "tagger", sum=digest, known=MODEL_SHA256)
    return HanoverTagger(str(model))


def tag(sentences: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the C5 tags of the tokens of English sentences or phrases; O for punctuation and long tokens.

    Source: HanTa (Wartena 2019), version 1.2, with the tags of the British National Corpus.
    """
    tagger = copy(_tagger())
    tagger.analyze_forward = cache(tagger.analyze_forward)  # analyze each word once, and forget it after this call
    return [_tag_sentence(tagger, tokens) for tokens in sentences]


def _tag_sentence(tagger: Any, tokens: Sequence[str]) -> list[str]:
    names = [OUTSIDE] * len(tokens)
    indices = [index for index, token in enumerate(tokens) if 0 < len(token) <= LONGEST_WORD]
    words = [_BRACKETS.get(tokens[index], straight(tokens[index])) for index in indices]
    for index, word, name in zip(indices, words, tagger.tag_sent(words, taglevel=0), strict=True):
        if name == "POS" or any(map(str.isalnum, word)):
            names[index] = name
    return names


def tagset_of(tags: Iterable[str]) -> Tagset:
    """Return the tag set to which tags belong: C5 if any tag exists only in C5, such as NN1, otherwise Penn."""
    only_c5 = {tag for tag in _C5_CLASS if tag not in ("NN", "IN", "POS", "PRP", "VBD", "VBG", "VBN", "VBZ")}
    return "c5" if only_c5 & set(tags) else "penn"


def word_class(name: str, tagset: Tagset = "c5") -> str:
    """Return the class of a tag as one letter, as explained in `tags.toml`."""
    if tagset == "c5":
        return str(_C5_CLASS.get(name, OUTSIDE))
    return next((letter for begin, letter in _PENN_CLASS.items() if name.startswith(begin)), OUTSIDE)


def repair_participles(names: Sequence[str], classes: str) -> str:
    """Return the classes of a sentence, with J or N for participles that act as adjectives or nouns.

    A participle before N or J becomes J at the start and after D I T J C M S P O (in -ing, also after N). A participle
    in -ing after N or J then becomes N at the end and before I T C V S O. Use it for sentences, not for phrases.
    """
    pairs = zip(names, classes, strict=True)
    repaired = "".join(_PARTICIPLES.get(name, "V") if letter == "V" else letter for name, letter in pairs)
    repaired = re.sub("(?:^|(?<=[DITJCMSPO]))[vg](?=[NJ])|(?<=N)g(?=[NJ])", "J", repaired)
    changes = 1
    while changes:
        repaired, changes = re.subn("(?<=[NJ])g(?=[ITCVSOvg]|$)", "N", repaired)
    return repaired.replace("v", "V").replace("g", "V")


def text_classes(text: str) -> tuple[str, ...]:
    """Return the token classes of each sentence of an English text, one letter per token; cached by text digest."""
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    with _LOCK:
        classes = _CACHE.pop(key, None)
    if classes is None:
        classes = tuple(_sentence_classes(sentences(clean(text))))
    with _LOCK:
        _CACHE[key] = classes  # most recently used last
        if len(_CACHE) > _MAX_CACHED_TEXTS:
            _CACHE.pop(next(iter(_CACHE)))
    return classes


def _sentence_classes(sentences: Iterable[Sequence[str]]) -> list[str]:
    return [repair_participles(names, "".join(map(word_class, names))) for names in tag(sentences)]


def phrase_class(classes: str) -> str:
    """Return the class of a keyphrase: NN (nouns only), AdjN (adjectives and nouns, a noun last), or other.

    Source: Kim, Baldwin & Kan 2010, Tables 4 and 5.
    """
    if classes and set(classes) == {"N"}:
        return "NN"
    return "AdjN" if _ADJECTIVE_AND_NOUN.fullmatch(classes) else "other"


def class_of_tags(tags: Sequence[str], tagset: Tagset) -> str:
    """Return the class of a keyphrase from given tags, in C5 or Penn."""
    return phrase_class("".join(word_class(name, tagset) for name in tags))


def _tokens(phrase: str) -> list[str]:
    return [token for sentence in sentences(clean(phrase)) for token in sentence]


def classes_in_texts(phrases: Iterable[str], texts: Iterable[str]) -> dict[str, Counter[str]]:
    """Count the classes of the occurrences of each phrase in texts, ignoring case."""
    form_of = {phrase: " ".join(_tokens(phrase)).lower() for phrase in phrases}
    counts = {form: Counter[str]() for form in form_of.values()}
    token_lists = [sentence for text in texts for sentence in sentences(clean(text))]
    lower = [[token.lower() for token in sentence] for sentence in token_lists]
    spans = list(occurrences(lower, counts))
    numbers = list(dict.fromkeys(number for number, _, _ in spans))
    classes = dict(zip(numbers, _sentence_classes(token_lists[number] for number in numbers), strict=True))
    for number, start, end in spans:
        counts[" ".join(lower[number][start:end])][phrase_class(classes[number][start:end])] += 1
    return {phrase: counts[form] for phrase, form in form_of.items()}


def keyphrase_classes(
    phrases: Sequence[str], texts: Iterable[str] = (), given: Sequence[str | None] | None = None
) -> list[tuple[str, Source]]:
    """Return class and source of each keyphrase: given, by majority of its occurrences, or from the phrase alone.

    * `given`: (phrase,) class (NN, AdjN, other), or tags in C5 or Penn separated by spaces; None if unknown
    """
    tags_of = [(entry or "").split() for entry in given] if given is not None else [[] for _ in phrases]
    tagset = tagset_of(tag for tags in tags_of for tag in tags)
    without_tags = dict.fromkeys(phrase for phrase, tags in zip(phrases, tags_of, strict=True) if not tags)
    class_counts = classes_in_texts(without_tags, texts)
    decided: dict[str, tuple[str, Source]] = {
        phrase: (classes.most_common(1)[0][0], "texts") for phrase, classes in class_counts.items() if classes
    }
    untagged = [phrase for phrase in without_tags if phrase not in decided]  # less reliable without context
    for phrase, names in zip(untagged, tag(map(_tokens, untagged)), strict=True):
        decided[phrase] = class_of_tags(names, "c5"), "phrase"
    return [
        ((tags[0] if tags in (["NN"], ["AdjN"], ["other"]) else class_of_tags(tags, tagset)), "given")
        if tags
        else decided[phrase]
        for phrase, tags in zip(phrases, tags_of, strict=True)
    ]
