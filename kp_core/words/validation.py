"""Turn a loaded corpus into the report that `kpscope validate` prints: what was understood, and what is odd."""

from __future__ import annotations

import json

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.reading.rows import identifiers, report
from kp_core.text.normalise import Normaliser


def sections(corpus: Corpus, normalise: str, k: int | None) -> dict[str, pd.DataFrame]:
    """Return the tables of the report by heading; those without rows are left out."""
    found = {
        "files": report.files(corpus),
        "sources": report.statistics(corpus, Normaliser.parse(normalise), k),
        "documents": identifiers.coverage(corpus),
        "fixes": identifiers.fixes(corpus),
        "gaps": identifiers.gaps(corpus),
        "missing": identifiers.missing(corpus),
        "suggestions": identifiers.suggestions(corpus),
        "unmatched": identifiers.unmatched(corpus),
        "characters": report.characters(corpus),
        "rejected": corpus.report.rejected,
    }
    return {heading: table for heading, table in found.items() if len(table)}


def text(corpus: Corpus, normalise: str, k: int | None, form: str) -> str:
    """Print the report: `json` is one object, `table` all tables under headings, else the table of sources alone."""
    found = sections(corpus, normalise, k)
    if form == "json":
        rows = {heading: typeset.records(table) for heading, table in found.items()}
        notes = [note.as_dict() for note in corpus.report.notes]
        return json.dumps({**rows, "notes": notes}, ensure_ascii=False, indent=1, allow_nan=False)
    if form == "table":
        parts = [f"{heading}\n{typeset.text(table)}" for heading, table in found.items()]
        parts += [report.understood(corpus)]
        parts += [f"{note.level}: {note.where}: {note.message}" for note in corpus.report.notes]
        return "\n".join(parts)
    return typeset.written(found.get("sources", pd.DataFrame()), form, "Annotators and systems")
