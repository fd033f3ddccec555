"""Turn a corpus into the words for its people: annotators beside systems, indexers where they are alone."""

from __future__ import annotations

from collections.abc import Mapping

from kp_core.corpus import Corpus
from kp_core.studies.indexing import of_indexers
from kp_core.words import read

Speech = Mapping[str, str]
_WORDS: Mapping[str, Speech] = read("speech.toml")
USUAL, INDEXERS = _WORDS["usual"], _WORDS["indexers"]


def speech(corpus: Corpus) -> Speech:
    """Return what people, keyphrases, documents and their agreement are called with some data.

    >>> import kp_core as kp
    >>> speech(kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["tide"]}}))["keyphrases"]
    'keyphrases'
    """
    return INDEXERS if of_indexers(corpus) else USUAL
