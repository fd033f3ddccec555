"""Rank the phrases of texts with one or several systems, each with a signature."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, refuse_below, refuse_unknown
from kp_core.extraction.collection import Collection, External, Progress
from kp_core.extraction.lecture_systems import PARAMETERS, SYSTEMS, System
from kp_core.extraction.texts import Given, external_from, readable, stop_list, texts_of
from kp_core.reading import Source
from kp_core.settings import __version__
from kp_core.studies.result import Numbers
from kp_core.text.candidates import Stems
from kp_core.text.stem import STEMMERS, library
from kp_core.typeset import say

_RUNS = {"system": "str", "doc_id": "str", "rank": "int64", "phrase": "str", "score": "float64"}


@dataclass(frozen=True)
class Extracted(Numbers):
    """Ranked phrases of one or several systems.

    Attributes
    ----------
    frame : DataFrame
        One row per phrase: system, doc_id, rank, phrase, score; best first.
    settings : dict
        System → signature: method, parameters, stop words, stemmer, tagger, sources, version.
    silent : tuple of str
        Documents without English tokens, whose lists are empty.
    """

    settings: dict[str, str]
    silent: tuple[str, ...] = ()
    caption: str = "Extracted phrases"

    @property
    def signature(self) -> str:
        """Signatures of all systems, one per line."""
        return "\n".join(self.settings.values())

    def renamed(self, system: str, name: str) -> Extracted:
        """Return the lists of one system under another name."""
        rows = self.frame[self.frame["system"] == system].assign(system=name).reset_index(drop=True)
        return Extracted(rows, {name: self.settings[system]}, self.notes, silent=self.silent)

    def csv(self) -> str:
        """Return the rows as CSV, with the signature of the system in the last column."""
        return typeset.csv(self.frame.assign(signature=self.frame["system"].map(self.settings)))

    def jsonl(self) -> bytes:
        """Return all lists as tidy JSONL, which `load` reads as system output."""
        empty = {"phrase": "", "empty": "yes"}
        rows = self.frame.to_dict("records")
        rows += [{"system": name, "doc_id": doc_id, **empty} for name in self.settings for doc_id in self.silent]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()

    def as_source(self) -> Source:
        """Return the lists as a file in memory that `load` reads."""
        name = next(iter(self.settings)) if len(self.settings) == 1 else "systems"
        return Source(re.sub(r"[^\w.-]", "_", f"extracted {name}.jsonl"), self.jsonl())


def extract(
    documents: Corpus | Given | Sequence[Given],
    method: str | Sequence[str] = "tfidf",
    top: int | None = 50,
    external: Given | Sequence[Given] | External | None = None,
    *,
    stop_words: str | Iterable[str] = "english",
    stemmer: str = "porter-nltk",
    titles: str = "yes",
    progress: Progress = lambda share, words: None,
    **parameters: float,
) -> Extracted:
    """Rank the phrases of texts with one or several systems of `kp.SYSTEMS`.

    The result does not depend on the order of the documents.

    Parameters
    ----------
    documents : Corpus, path, table or dict
        Texts, as a corpus or in any form that `load(documents=...)` takes, such as {id: text}.
    method : str or sequence of str
        One or several systems, such as "tfidf" or "tfidf,phrase-boosting-ngrams".
    top : int or None
        Length of the lists; None for all candidates.
    external : paths, dict or External, optional
        Documents or lists of phrases for the boosting systems.
    stop_words : str or sequence of str
        "english" (scikit-learn's list), or your own list. No candidate begins or ends with a stop word.
    titles : str
        Whether the text of a document includes its title.
    progress : callable, optional
        Called with the completed share and the current step; may raise an exception to cancel.
    **parameters
        longest, m, lam and beta; see `PARAMETERS`.

    Examples
    --------
    >>> texts = {"d1": "The tide table for the harbour. Each tide table shows it.", "d2": "The harbour master."}
    >>> extract(texts, "tfidf", top=1).frame[["doc_id", "phrase", "score"]].round(6).values.tolist()
    [['d1', 'tide', 1.386294], ['d2', 'harbour master', 0.693147]]
    """
    systems = _systems(method)
    chosen = _parameters(parameters, systems)
    refuse_below(1 if top is None else top, 1, "top")
    needs = {system.needs for system in systems}
    external_sources = external_from(external, "documents" in needs, "phrases" in needs)
    if reason := next(filter(None, (system.missing(external_sources) for system in systems)), ""):
        raise UsageError(reason)
    stop, stop_list_name = stop_list(stop_words)
    english = stop_words == "english"
    if not english and any(system.chunks for system in systems):
        raise UsageError("systems with chunks need the tagger, which reads only English; keep the English stop words")
    refuse_unknown([stemmer], ("none", *STEMMERS), "stemmer")
    texts, silent, notes = readable(texts_of(documents, titles), stop, english)
    collection = Collection(texts, Stems(stemmer), stop, int(chosen["longest"]), external_sources, progress)
    frames, signatures = [], {}
    for system in systems:
        scores = system.score(collection, chosen)
        if system.needs and (scores == collection.frequencies() * collection.idf()).all():
            notes.append(Note("warning", system.name, say("nothing boosted", needs=system.needs)))
        allowed = collection.in_chunks() if system.chunks else np.ones(len(scores), bool)
        frames.append(collection.ranked(scores, allowed, top).assign(system=system.name))
        signatures[system.name] = _signature_of(system, chosen, collection, stop_list_name, top, titles)
    notes += [Note("info", system.name, f"This system is {system.source}.") for system in systems]
    if len(texts) == 1:
        notes.append(Note("warning", "documents", say("one document")))
    frame = pd.concat(frames, ignore_index=True)[list(_RUNS)].astype(_RUNS)
    return Extracted(frame, signatures, tuple(notes), silent=silent)


def _systems(method: str | Sequence[str]) -> list[System]:
    names = [name.strip() for name in (method.split(",") if isinstance(method, str) else method) if name.strip()]
    if not names:
        raise UsageError("name at least one system, such as tfidf")
    refuse_unknown(names, SYSTEMS, "system")
    return [SYSTEMS[name] for name in dict.fromkeys(names)]


def _parameters(values: Mapping[str, float], systems: Sequence[System]) -> dict[str, float]:
    refuse_unknown(values, PARAMETERS, "parameter")
    for name in values:
        if not any(name in system.parameters for system in systems):
            raise UsageError(f"{name} is not a parameter of {', '.join(system.name for system in systems)}")
    chosen = {name: rule.checked(name, values.get(name, rule.default)) for name, rule in PARAMETERS.items()}
    if chosen["longest"] == 0 and not all(system.chunks for system in systems):
        raise UsageError("longest = 0 (any number of words) is possible only for systems with chunks")
    return chosen


def _signature_of(
    system: System, chosen: Mapping[str, float], collection: Collection, stop: str, top: int | None, titles: str
) -> str:
    fields = {"method": system.name} | {name: f"{chosen[name]:g}" for name in system.parameters}
    if system.needs:
        source = getattr(collection.external, system.needs)
        content = repr(sorted((name, str(value)) for name, value in source.items()))
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        fields["external"] = f"{len(source)}-{system.needs}-{digest}"
    stemmer = collection.stems.stemmer
    fields |= {"titles": "no"} if titles == "no" else {}
    fields |= {"stop": stop, "stem": "none" if stemmer == "none" else f"{stemmer}-{library(stemmer)}"}
    if system.chunks:
        fields["tags"] = f"HanTa-{version('HanTa')}-repaired"
    documents = str(len(collection.texts))
    fields |= {"sklearn": version("scikit-learn"), "top": str(top or "all"), "docs": documents, "v": __version__}
    return "|".join(["kps-extract", *(f"{name}:{value}" for name, value in fields.items())])
