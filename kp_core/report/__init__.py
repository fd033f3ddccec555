"""Turn an evaluation into a report to take along: one HTML file, and an archive of tables, settings and references."""

from kp_core.report.bundle import Report, report, report_with
from kp_core.report.paragraph import paragraph
from kp_core.report.references import bibtex, cited
from kp_core.report.sections import SECTIONS, Section

__all__ = ["SECTIONS", "Report", "Section", "bibtex", "cited", "paragraph", "report", "report_with"]
