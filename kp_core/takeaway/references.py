"""Turn the sources that measures and methods name into BibTeX entries."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from kp_core.settings import __version__


@cache
def entries() -> dict[str, str]:
    """Return the BibTeX entry of every source: as it is named in a text → entry.

    >>> entries()["Cohen 1960"].startswith("@article{cohen1960")
    True
    """
    text = (files("kp_core.takeaway") / "references.bib").read_text(encoding="utf-8")
    blocks = [block.strip().split("\n", 1) for block in text.split("\n\n") if block.strip()]
    return {label.removeprefix("% "): entry for label, entry in blocks}


def cited(text: str) -> list[str]:
    """Return the sources that a text names, in the order of the list.

    >>> cited("kappa (Cohen 1960) and PABAK (Byrt, Bishop & Carlin 1993)")
    ['Byrt, Bishop & Carlin 1993', 'Cohen 1960']
    """
    return [label for label in entries() if label in text]


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all sources that a text names, and of KPScope itself."""
    return "\n\n".join([*(entries()[label] for label in cited(text)), _OWN]) + "\n"


_OWN = (
    "@software{kpscope, author = {{KPScope contributors}}, title = {{KPScope}}, "
    f"version = {{{__version__}}}, year = {{2026}}}}"
)
