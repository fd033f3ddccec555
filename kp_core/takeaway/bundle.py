"""Turn a report into files to take along: HTML, tables as CSV, XLSX and LaTeX, the settings, and the paragraph."""

from __future__ import annotations

import io
import json
import platform
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Unpack

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.settings import Changes, Settings, __version__
from kp_core.studies.evaluate import DEFAULT_MEASURES
from kp_core.takeaway.html_page import html
from kp_core.takeaway.references import bibtex
from kp_core.takeaway.sections import SECTIONS, Asked, Section, Table, build

#: Packages whose version can change a number.
_PACKAGES = ("numpy", "scipy", "pandas", "pyarrow", "PyStemmer", "nltk")


@dataclass(frozen=True)
class Report:
    """The sections of a report with the settings and the recipe that made them."""

    title: str
    sections: tuple[Section, ...]
    settings: Settings
    signature: str

    @property
    def all_tables(self) -> list[Table]:
        """All tables, in the order of the sections."""
        return [table for section in self.sections for table in section.tables]

    def html(self) -> str:
        """Return one self-contained HTML file."""
        return html(self.title, self.sections, self.signature)

    def latex(self) -> str:
        """Return all tables for a paper, with the recipe below each; the document needs the package booktabs."""
        return "\n".join(typeset.latex(table.frame, table.caption, table.signature) for table in self.all_tables)

    def markdown(self) -> str:
        """Return the report without its charts."""
        parts = [f"# {typeset.escape_markdown(self.title)}", f"`{self.signature}`"]
        for section in self.sections:
            parts += [f"## {typeset.escape_markdown(section.title)}", *map(typeset.escape_markdown, section.text)]
            parts += [f"{typeset.escape_markdown(t.caption)}\n\n{typeset.markdown(t.frame)}" for t in section.tables]
        return "\n\n".join(parts) + "\n"

    def paragraph(self) -> str:
        """Return the text of the section on methods, empty where it was not asked for."""
        return next((" ".join(section.text) for section in self.sections if section.title == "Methods"), "")

    def references(self) -> str:
        """Return BibTeX entries of what the paragraph names, and of KPScope."""
        return bibtex(self.paragraph())

    def record(self) -> str:
        """Return settings, recipe and versions as JSON."""
        content = {
            "signature": self.signature,
            "settings": self.settings.as_dict(),
            "kpscope": __version__,
            "python": platform.python_version(),
            "packages": {name: version(name) for name in _PACKAGES},
        }
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    def workbook(self) -> bytes:
        """Return all tables as one XLSX file, a sheet each."""
        buffer = io.BytesIO()
        with pd.ExcelWriter(buffer, engine="openpyxl") as book:
            for table in self.all_tables:
                typeset.neutral(table.frame).to_excel(book, sheet_name=table.name[:31], index=False)
            if not self.all_tables:
                pd.DataFrame({"signature": [self.signature]}).to_excel(book, sheet_name="signature", index=False)
        return buffer.getvalue()

    def zip(self) -> bytes:
        """Return everything as one archive."""
        files: dict[str, str | bytes] = {
            "report.html": self.html(),
            "report.md": self.markdown(),
            "tables.tex": self.latex(),
            "tables.xlsx": self.workbook(),
            "settings.json": self.record(),
        }
        if self.paragraph():
            files |= {"methods.txt": self.paragraph() + "\n", "references.bib": self.references()}
        files |= {f"csv/{table.name}.csv": typeset.csv(table.frame) for table in self.all_tables}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return buffer.getvalue()


def report(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    sections: Sequence[str] = tuple(SECTIONS),
    title: str = "Evaluation of keyphrase extraction",
    **changes: Unpack[Changes],
) -> Report:
    """Report on a corpus under settings.

    sections  names among `SECTIONS`, in any order; measure: the one by which systems are ranked and compared
    The first cutoff is that of the report. Raises UsageError for a section or measure that does not exist, and where
    there is nothing to report on.

    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}})
    >>> [section.title for section in report(corpus, k=2, sections=["leaderboard"], interval="none").sections]
    ['Which system is better?']
    """
    asked = Asked(corpus, (settings or Settings()).changed(**changes), measure)
    written, here = build(asked, sections), asked.at(*DEFAULT_MEASURES)
    return Report(re.sub(r"\s+", " ", title).strip(), tuple(written), here.settings, here.signature)
