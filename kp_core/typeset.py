"""Turn findings into sentences, and tables into CSV, XLSX, Markdown, HTML or LaTeX, with escaping."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from csv import QUOTE_NONNUMERIC
from functools import cache
from html import escape
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import pandas as pd

from kp_core.errors import pluralize, read_toml

if TYPE_CHECKING:
    from jinja2 import Environment

#: LaTeX of special characters; lines may break after each field of a signature.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}$&#_%"}
    | dict.fromkeys("\n\r\t", " ")
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': r"{\ttfamily\char34}"}
    | {"−": "$-$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}\allowbreak{}"}
)
#: Markup within a line of Markdown, including character references, and the directives and emoji of Streamlit.
_MARKDOWN = re.compile(r"[\\`*\[\]|<$~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|:(?=[\w/+-]|$)")
_EMOJI = re.compile(r":([\w+-]+):")
#: Markup at the beginning of a line of Markdown: a list, heading, quotation or rule.
_BLOCK = re.compile(r"^(\s*)(?=[#>]|[+-](?:\s|$)|--)|^(\s*\d+)(?=[.)](?:\s|$))")
#: Characters that change the direction of the following text.
_DIRECTION_MARKS = {
    ord(mark): f"<U+{ord(mark):04X}>" for mark in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
}
#: Beginnings of formulas (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def visible(text: str) -> str:
    """Spell out the characters that change the direction of text."""
    return text.translate(_DIRECTION_MARKS)


def storable(text: str) -> str:
    """Spell out lone surrogates, as in JSON or in file names that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def escape_latex(text: str) -> str:
    r"""Escape a string for LaTeX."""
    return visible(text).translate(_LATEX)


def escape_markdown(text: str) -> str:
    r"""Escape only text that would be markup in Markdown."""
    line = visible(text).replace("\n", " ").replace("\r", " ")
    return _BLOCK.sub(r"\1\2\\", _EMOJI.sub(r":\1\\:", _MARKDOWN.sub(r"\\\g<0>", line)))


#: Characters that XML forbids, and underscores that would begin an escape of one.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def is_formula(cell: Any) -> bool:
    """Recognize a cell that a spreadsheet would interpret as a formula."""
    return isinstance(cell, str) and cell.startswith(_FORMULA)


def number(value: float, digits: int = 3) -> str:
    """Format a number for use in a sentence."""
    return "undefined" if value != value else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def listed(names: Sequence[str], limit: int = 6) -> str:
    """Enumerate up to six names."""
    if len(names) > limit:
        names = [*names[: limit - 1], f"{len(names) - limit + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def distinct(names: Iterable[str], numbered: str = "{} ({})", form: Callable[[str], str] = str) -> list[str]:
    """Append numbers to names whose forms are equal."""
    names_by_form = dict[str, str]()
    for name in names:
        candidates = chain([name], (numbered.format(name, number) for number in count(2)))
        new_name = next(candidate for candidate in candidates if form(candidate) not in names_by_form)
        names_by_form[form(new_name)] = new_name
    return list(names_by_form.values())


def _interval(low: float, high: float, digits: int = 3) -> str:
    return f"95% interval {number(low, digits)} to {number(high, digits)}"


def first_capital(text: str) -> str:
    """Capitalize the first letter of a sentence, unless it begins with the name of a file."""
    is_file = "." in text.partition(" ")[0].rstrip(".")
    return text if is_file else f"{text[:1].upper()}{text[1:]}"


@cache
def _templates() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined  # slow to import

    templates = read_toml("data/sentences.toml") | read_toml("data/tables.toml")
    environment = Environment(loader=DictLoader(templates), undefined=StrictUndefined)
    environment.filters |= {"number": number, "counted": pluralize, "listed": listed}
    environment.filters |= {"grouped": "{:,.0f}".format, "html": escape_html, "pixel": "{:.1f}".format}
    environment.globals["interval"] = _interval
    return environment


def say(sentence: str, /, **facts: Any) -> str:
    """Fill a template of `data/sentences.toml` or `data/tables.toml` with facts."""
    return _templates().get_template(sentence).render(facts)


def filled(template: str, /, **facts: Any) -> str:
    """Fill a given template with facts."""
    return _templates().from_string(template).render(facts)


CELLS = ("a", "b", "c", "d", "N")


def digits_of(column: str, usual: int = 3) -> int:
    """Return the number of decimals of a column of numbers."""
    if column in (*CELLS, "candidates a document"):
        return 0
    return 1 if "%" in column or column == "mean length" else usual


def is_p(column: str) -> bool:
    """Recognize a column of p-values by its header."""
    return column.partition(" ")[0].rstrip(",") in ("p", "p_adjusted")


def _neutral(text: str) -> str:
    return f"'{text}" if is_formula(text) else text


def _converted(frame: pd.DataFrame, convert: Callable[[str], str]) -> pd.DataFrame:
    """Return a table whose header and texts are converted."""
    table, texts = frame.copy(), frame.select_dtypes(exclude="number").columns
    table[texts] = table[texts].map(lambda cell: convert(cell) if isinstance(cell, str) else cell)
    return table.rename(columns=lambda name: convert(str(name)))


def csv(frame: pd.DataFrame) -> str:
    """Return CSV for spreadsheets."""
    return unescaped_csv(_converted(frame, _neutral))


def unescaped_csv(frame: pd.DataFrame) -> str:
    """Return CSV with unchanged cells, including those that a spreadsheet would interpret as formulas."""
    text: str = frame.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # pandas quotes carriage returns only if all text is quoted
        text = frame.to_csv(index=False, lineterminator="\n", quoting=QUOTE_NONNUMERIC)
    return text


def xlsx(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """Return an XLSX workbook, one sheet per table."""
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as book:
        for name, frame in frames.items():
            sheet = _NOT_SHEET.sub(" ", _stored(name)).strip("' ")[:31] or "table"
            _converted(frame, lambda text: _stored(_neutral(text))).to_excel(book, sheet_name=sheet, index=False)
            _format_sheet(book.sheets[sheet], frame)
    return buffer.getvalue()


#: Characters that names of sheets must not contain; maximum width of a column.
_NOT_SHEET, _MAX_WIDTH = re.compile(r"[\[\]:*?/\\]"), 60


def _format_sheet(sheet: Any, frame: pd.DataFrame) -> None:
    sheet.freeze_panes = "A2"
    for column, texts in zip(sheet.columns, zip(*cells(frame, 3), strict=True), strict=True):
        sheet.column_dimensions[column[0].column_letter].width = min(_MAX_WIDTH, max(map(len, texts)) + 2)
        for cell in column[1:]:
            if isinstance(cell.value, float):
                cell.number_format = "0." + "0" * max(1, digits_of(column[0].value))


def _stored(text: str) -> str:
    """Escape the characters that XML forbids as in XLSX (ECMA-376, `ST_Xstring`)."""
    return _NOT_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as JSON values; undefined values are null."""
    rows: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def numeric(frame: pd.DataFrame) -> list[bool]:
    """Return whether each column contains numbers."""
    return [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


def cell_text(cell: Any, column: str, digits: int = 3, comma: str = "", minus: str = "-", missing: str = "–") -> str:
    """Return a cell of a column as text: numbers are rounded, p below 0.001 is not printed in full."""
    if cell is None or cell is pd.NA or cell != cell:
        return missing
    if isinstance(cell, bool | str) or not isinstance(cell, int | float):
        return str(cell)
    if is_p(column) and cell < 0.001:
        return "< 0.001"
    decimals = digits_of(column, digits)
    rounded = f"{round(cell, decimals) + 0.0:{comma}.{decimals}f}"  # never −0.000
    return (f"{cell:{comma}}" if isinstance(cell, int) else rounded).replace("-", minus)


def cells(frame: pd.DataFrame, digits: int, escape: Callable[[str], str] = str, minus: str = "-") -> list[list[str]]:
    """Return a table with its header as text; text is escaped, numbers are rounded."""
    head, columns = [escape(str(name)) for name in frame], []
    for name, column in frame.items():
        texts = ((cell, cell_text(cell, str(name), digits, minus=minus)) for cell in column.tolist())
        columns.append([text if isinstance(cell, int | float) else escape(text) for cell, text in texts])
    return [head, *(list(row) for row in zip(*columns, strict=True))]


def markdown_table(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return lines of escaped cells, the header first, as a Markdown table; `right`: right-aligned columns."""
    rule = ["---:" if number else "---" for number in right]
    return "\n".join("| " + " | ".join(line) + " |" for line in (lines[0], rule, *lines[1:])) + "\n"


def markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a Markdown table."""
    return markdown_table(cells(frame, digits, escape_markdown), numeric(frame))


def escape_html(text: str) -> str:
    """Escape a string for HTML."""
    return escape(visible(text))


def html(frame: pd.DataFrame, digits: int = 3) -> str:
    """Return a table as HTML with the rules of booktabs."""
    sides = ["right" if number else "left" for number in numeric(frame)]
    return say("frame as HTML", rows=cells(frame, digits, escape_html), sides=sides)


#: Maximum characters per line in a column, on a page, and on a rotated page, and maximum rows per page.
COLUMN_WIDTH, PAGE_WIDTH, ROTATED_WIDTH, PAGE_ROWS = 44, 72, 112, 40


def floating(width: int, caption: str, lines: Sequence[str], note: str) -> list[str]:
    r"""Wrap lines of LaTeX in the smallest table environment that fits a width in characters."""
    name = "table" if width <= COLUMN_WIDTH else "table*" if width <= PAGE_WIDTH else "sidewaystable*"
    begin = [rf"\begin{{{name}}}", r"\centering\small", rf"\caption{{{escape_latex(caption)}}}"]
    return [*begin, *lines, *([_SMALLER, note] if note else []), rf"\end{{{name}}}"]


_SMALLER = r"\par\smallskip\footnotesize\raggedright"


def latex_row(texts: Iterable[str]) -> str:
    """Join escaped cells into a row of LaTeX."""
    return " & ".join(texts) + r" \\"


def tabular(columns: str, head: Sequence[str], body: Sequence[str]) -> list[str]:
    """Wrap rows in a tabular with the rules of booktabs."""
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *head, r"\midrule"]
    return [*begin, *body, r"\bottomrule", r"\end{tabular}"]


def wide(lines: Sequence[Sequence[str]]) -> int:
    """Return the width of a table in characters, including the space between columns."""
    return sum(max(map(len, column)) + 2 for column in zip(*lines, strict=True))


#: The first line of a table: the LaTeX packages that it needs.
PACKAGES = r"% \usepackage{booktabs,longtable,rotating}"


def latex(frame: pd.DataFrame, caption: str, note: str = "", digits: int = 4) -> str:
    """Return a booktabs table with a note below; wide tables require the package rotating, long ones longtable."""
    columns = "".join("r" if is_number else "l" for is_number in numeric(frame))
    head, *body = map(latex_row, cells(frame, digits, escape_latex, "$-$"))
    if len(body) <= PAGE_ROWS:
        lines = floating(wide(cells(frame, digits)), caption, tabular(columns, [head], body), escape_latex(note))
        return "\n".join([PACKAGES, *lines, ""])
    top = [r"\toprule", head, r"\midrule"]
    opening = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", rf"\caption{{{escape_latex(caption)}}} \\"]
    opening += [*top, r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endfoot"]
    below = [_SMALLER, escape_latex(note)] if note else []
    return "\n".join([PACKAGES, *opening, *body, r"\end{longtable}", *below, r"\par}", ""])


def text(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a table with aligned columns for a terminal."""
    rows, right = cells(frame, digits), numeric(frame)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [f"{'>' if number else '<'}{width}" for number, width in zip(right, widths, strict=True)]
    return "".join("  ".join(map(format, row, sides)).rstrip() + "\n" for row in rows)


def written(frame: pd.DataFrame, form: str, caption: str) -> str:
    """Return a table in a format of the command line: table, csv, csv-exact, latex, markdown or json."""
    if form == "json":
        return json.dumps(records(frame), ensure_ascii=False, indent=1)
    if form == "latex":
        return latex(frame, caption)
    return {"csv": csv, "csv-exact": unescaped_csv, "markdown": markdown, "table": text}[form](frame)
