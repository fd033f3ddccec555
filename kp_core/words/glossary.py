"""Turn the terms of the field, as KPScope uses them, into the glossary of the Methods page and the documentation."""

from __future__ import annotations

from pathlib import PurePosixPath

from kp_core.words import read

_ENTRIES: dict[str, dict[str, str]] = read("glossary.toml")
#: Term → meaning, in alphabetical order.
TERMS = {term: entry["meaning"] for term, entry in _ENTRIES.items()}


def markdown() -> str:
    """Return the glossary as Markdown; `docs/glossary.md` is this text."""
    parts = ["# Glossary", "The terms of the field as KPScope uses them, each with the page that says more."]
    for term, entry in _ENTRIES.items():
        title = PurePosixPath(entry["page"].partition("#")[0]).stem.replace("_", " ").capitalize()
        parts.append(f"## {term}\n\n{entry['meaning']} More: [{title}]({entry['page']}).")
    return "\n\n".join(parts) + "\n"
