"""Turn findings into sentences and tables into CSV, Markdown or LaTeX, with every special character escaped."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from csv import QUOTE_NONNUMERIC
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kp_core.errors import pluralize, read_toml

if TYPE_CHECKING:
    from jinja2 import Environment

#: What LaTeX prints of a character; a signature has no blanks, so a line may break after each of its fields.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}$&#_%"}
    | dict.fromkeys("\n\r\t", " ")
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': r"{\ttfamily\char34}"}
    | {"−": "$-$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}\allowbreak{}"}
)
#: What starts markup anywhere in Markdown: an underscore not within a word, an ampersand that opens a character's name,
#: a colon that opens a directive (as Streamlit reads them), an emoji or an address, or stands before what is not known.
_MARKDOWN = re.compile(r"[\\`*\[\]|<$~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|:(?=[\w/+-]|$)")
#: The end of an emoji whose first colon is escaped: Streamlit looks for both.
_EMOJI = re.compile(r":([\w+-]+):")
#: What starts a list, heading, quotation or line at the beginning of a text.
_BLOCK = re.compile(r"^(\s*)(?=[#>]|[+-](?:\s|$)|--)|^(\s*\d+)(?=[.)](?:\s|$))")
#: Marks that turn the direction of all that follows: in a sentence they would turn our words too.
_TURNS = {ord(mark): f"<U+{ord(mark):04X}>" for mark in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
#: What begins a formula, in full width too, or is dropped before one (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def visible(text: str) -> str:
    """Return text whose marks of direction are spelled out, so that they turn nothing around.

    >>> visible("exe\\u202egnp.")
    'exe<U+202E>gnp.'
    """
    return text.translate(_TURNS)


def storable(text: str) -> str:
    """Return text with half characters spelled out: lone surrogates, as JSON may hold them, and names of files as which
    Python reads bytes that are not UTF-8.

    >>> storable("caf\\udce9.csv")
    'caf\\\\udce9.csv'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints unchanged.

    >>> escape_latex("50% of $k$"), escape_latex("−0.5")
    ('50\\% of \\$k\\$', '$-$0.5')
    """
    return visible(text).translate(_LATEX)


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows unchanged: escaped is what would start markup, and nothing else.

    >>> print(escape_markdown("- *a* | b: P_pos, 0.5 (k-means)"))
    \- \*a\* \| b: P_pos, 0.5 (k-means)
    """
    line = visible(text).replace("\n", " ").replace("\r", " ")
    return _BLOCK.sub(r"\1\2\\", _EMOJI.sub(r":\1\\:", _MARKDOWN.sub(r"\\\g<0>", line)))


#: Characters that XML cannot hold, and an underscore that would begin the code of one.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def neutralise(text: str) -> str:
    """Return a spreadsheet cell that no spreadsheet takes for a formula.

    >>> neutralise("=cmd()"), neutralise("hash table"), neutralise("-0.5")
    ("'=cmd()", 'hash table', "'-0.5")
    """
    return f"'{text}" if is_formula(text) else text


def is_formula(cell: Any) -> bool:
    """Recognize a cell that a spreadsheet takes for a formula.

    >>> is_formula("=cmd()"), is_formula("＋1"), is_formula("tide"), is_formula(-0.5)
    (True, True, False, False)
    """
    return isinstance(cell, str) and cell.startswith(_FORMULA)


def as_text(value: Any, digits: int = 4) -> str:
    """Return a cell as text: numbers rounded, missing values as a dash.

    >>> as_text(0.204123), as_text(10), as_text(None)
    ('0.2041', '10', '–')
    """
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, float):
        return f"{round(value, digits) + 0.0:.{digits}f}"  # never −0.000
    return str(value)


def number(value: float, digits: int = 3) -> str:
    """Print a number unchanged in a sentence.

    >>> number(0.1234), number(-0.5, 1), number(-0.0001), number(float("nan"))
    ('0.123', '−0.5', '0.000', 'undefined')
    """
    return "undefined" if value != value else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as an enumeration; many are cut short.

    >>> listed(["a", "b", "c"]), listed(list("abcdefgh"))
    ('a, b and c', 'a, b, c, d, e and 3 others')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def interval_in_words(low: float, high: float, digits: int = 3) -> str:
    """Return a 95% interval in words.

    >>> interval_in_words(0.1, 0.25)
    '95% interval 0.100 to 0.250'
    """
    return f"95% interval {number(low, digits)} to {number(high, digits)}"


def first_capital(text: str) -> str:
    """Return a text as it begins a sentence; names within it stay as they are."""
    return f"{text[:1].upper()}{text[1:]}"


@cache
def _templates() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined  # 40 ms that `import kp_core` does not wait for

    templates = read_toml("data/sentences.toml") | read_toml("data/tables.toml")
    environment = Environment(loader=DictLoader(templates), undefined=StrictUndefined)
    environment.filters |= {"number": number, "counted": pluralize, "listed": listed}
    environment.filters |= {"grouped": "{:,.0f}".format, "html": escape_html, "pixel": "{:.1f}".format}
    environment.globals["interval"] = interval_in_words
    return environment


def say(sentence: str, /, **facts: Any) -> str:
    """Return a sentence of `data/sentences.toml`, filled with findings.

    >>> say("few", documents="documents")
    'With fewer than 10 documents, no such statement is reliable.'
    """
    return _templates().get_template(sentence).render(facts)


def filled(template: str, /, **facts: Any) -> str:
    """Return a template with its facts.

    >>> filled("{{ hits | counted('hit') }}", hits=2)
    '2 hits'
    """
    return _templates().from_string(template).render(facts)


#: The cells of a concordance table.
CELLS = ("a", "b", "c", "d", "N")


def digits_of(column: str, usual: int = 3) -> int:
    """Return with how many digits after the point a column of numbers is shown.

    >>> digits_of("kappa"), digits_of("% of human ceiling"), digits_of("N")
    (3, 1, 0)
    """
    if column in (*CELLS, "candidates a document"):
        return 0
    return 1 if "%" in column or column == "mean length" else usual


def is_p(column: str) -> bool:
    """Recognize a column of p-values by its head.

    >>> is_p("p after Holm"), is_p("p_adjusted"), is_p("pair")
    (True, True, False)
    """
    return column.partition(" ")[0].rstrip(",") in ("p", "p_adjusted")


def neutral(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table for spreadsheets: text that looks like a formula is neutralised, numbers stay numbers."""
    safe = frame.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = [neutralise(cell) if isinstance(cell, str) else cell for cell in safe[column]]
    return safe.rename(columns=lambda name: neutralise(str(name)))


def csv(frame: pd.DataFrame) -> str:
    """Return CSV for spreadsheets."""
    return exchange_csv(neutral(frame))


def exchange_csv(frame: pd.DataFrame) -> str:
    """Return CSV that is read again: cells as they are, also those that a spreadsheet would take for a formula."""
    text: str = frame.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # a carriage return is quoted only where everything is
        text = frame.to_csv(index=False, lineterminator="\n", quoting=QUOTE_NONNUMERIC)
    return text


def xlsx(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """Return a workbook for spreadsheets, one sheet per table, its head frozen, columns as wide as their cells."""
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as book:
        for name, frame in frames.items():
            safe = neutral(frame)
            texts = [name for name in safe if not pd.api.types.is_numeric_dtype(safe[name])]
            safe[texts] = safe[texts].map(lambda cell: stored(cell) if isinstance(cell, str) else cell)
            sheet = _NOT_SHEET.sub(" ", stored(name)).strip("' ")[:31] or "table"
            safe.rename(columns=stored).to_excel(book, sheet_name=sheet, index=False)
            _look(book.sheets[sheet], frame)
    return buffer.getvalue()


#: What no name of a sheet may hold.
_NOT_SHEET = re.compile(r"[\[\]:*?/\\]")
#: Letters of the widest column of a sheet.
_WIDEST = 60


def _look(sheet: Any, frame: pd.DataFrame) -> None:
    """Freeze the header of a sheet, and give each column its width and the format of its numbers."""
    sheet.freeze_panes = "A2"
    for column, texts in zip(sheet.columns, zip(*cells(frame, 3), strict=True), strict=True):
        sheet.column_dimensions[column[0].column_letter].width = min(_WIDEST, max(map(len, texts)) + 2)
        for cell in column[1:]:
            if isinstance(cell.value, float):
                cell.number_format = "0." + "0" * max(1, digits_of(column[0].value))


def stored(text: str) -> str:
    """Return a text as XLSX keeps it: what XML cannot hold by its code, as ECMA-376 has it (`ST_Xstring`).

    >>> stored("tide\\x01"), stored("_x0001_")
    ('tide_x0001_', '_x005F_x0001_')
    """
    return _NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows that JSON knows; undefined values are null.

    >>> records(pd.DataFrame({"k": [5, 10], "value": [0.25, float("nan")]}))
    [{'k': 5, 'value': 0.25}, {'k': 10, 'value': None}]
    """
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        {str(name): cell.item() if isinstance(cell, np.generic) else cell for name, cell in row.items()}
        for row in plain.to_dict("records")
    ]


def numeric(frame: pd.DataFrame) -> list[bool]:
    """Return for every column whether it contains numbers, which are right-aligned."""
    return [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


def cells(frame: pd.DataFrame, digits: int, escape: Callable[[str], str] = str) -> list[list[str]]:
    """Return a table as text, its head first; words are escaped, numbers rounded.

    >>> cells(pd.DataFrame({"a|b": ["x|y"], "kappa": [0.25]}), 2, escape_markdown)
    [['a\\\\|b', 'kappa'], ['x\\\\|y', '0.25']]
    """
    head, columns = [escape(str(name)) for name in frame], []
    for name, column in frame.items():
        of = digits_of(str(name), digits)
        small = is_p(str(name))
        texts = [(c, "< 0.001" if small and c < 0.001 else as_text(c, of)) for c in column.tolist()]
        columns.append([text if isinstance(cell, int | float) else escape(text) for cell, text in texts])
    return [head, *(list(row) for row in zip(*columns, strict=True))]


def markdown_table(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return lines of escaped cells, the head first, as a Markdown table; right: columns of numbers."""
    head, *rows = lines
    every = [head, ["---:" if number else "---" for number in right], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in every) + "\n"


def markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a Markdown table."""
    return markdown_table(cells(frame, digits, escape_markdown), numeric(frame))


def escape_html(text: str) -> str:
    """Return text that HTML shows unchanged."""
    return escape(visible(text))


def html(frame: pd.DataFrame, digits: int = 3) -> str:
    """Return a table as HTML with the rules of booktabs, numbers to the right.

    >>> html(pd.DataFrame({"a": ["<b>"], "n": [0.5]}), 1).count("&lt;b&gt;")
    1
    """
    sides = ["right" if number else "left" for number in numeric(frame)]
    return say("frame as HTML", rows=cells(frame, digits, escape_html), sides=sides)


#: Letters of small type on one line of a column, of a page, and of a page on its side; rows of a page.
COLUMN, PAGE, TURNED, ROWS = 44, 72, 112, 40


def floating(width: int, caption: str, lines: Sequence[str], note: str) -> list[str]:
    r"""Return the LaTeX environment in which lines of so many letters fit: a column, a page, or a page on its side.

    >>> [floating(width, "", [], "")[0] for width in (30, 60, 100)]
    ['\\begin{table}', '\\begin{table*}', '\\begin{sidewaystable*}']
    """
    name = "table" if width <= COLUMN else "table*" if width <= PAGE else "sidewaystable*"
    begin = [rf"\begin{{{name}}}", r"\centering\small", rf"\caption{{{escape_latex(caption)}}}"]
    return [*begin, *lines, *([_SMALLER, note] if note else []), rf"\end{{{name}}}"]


_SMALLER = r"\par\smallskip\footnotesize\raggedright"


def latex_row(texts: Iterable[str]) -> str:
    """Return escaped cells as a row."""
    return " & ".join(texts) + r" \\"


def tabular(columns: str, head: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return rows as a tabular with the rules of booktabs."""
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *head, r"\midrule"]
    return [*begin, *body, r"\bottomrule", r"\end{tabular}"]


def wide(lines: Sequence[Sequence[str]]) -> int:
    """Return the letters that the columns of some lines take, with the room between them."""
    return sum(max(map(len, column)) + 2 for column in zip(*lines, strict=True))


def latex(frame: pd.DataFrame, caption: str, note: str = "", digits: int = 4) -> str:
    """Return a booktabs table that fits its page; `note` stands below it, for the signature.

    It needs the package rotating where it is on its side, and longtable where it is longer than a page.
    """
    columns = "".join("r" if right else "l" for right in numeric(frame))
    head, *body = map(latex_row, cells(frame, digits, escape_latex))
    if len(body) <= ROWS:
        lines = floating(wide(cells(frame, digits)), caption, tabular(columns, [head], body), escape_latex(note))
        return "\n".join([*lines, ""])
    top, title = [r"\toprule", head, r"\midrule"], rf"\caption{{{escape_latex(caption)}}} \\"
    opening = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", title, *top, r"\endfirsthead"]
    opening += [*top, r"\endhead", r"\bottomrule", r"\endfoot"]
    below = [_SMALLER, escape_latex(note)] if note else []
    return "\n".join([*opening, *body, r"\end{longtable}", *below, r"\par}", ""])


def text(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a table for a terminal, columns aligned."""
    rows, right = cells(frame, digits), numeric(frame)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def written(frame: pd.DataFrame, form: str, caption: str) -> str:
    """Return a table in a form of the command line: table, csv, csv-exact, latex, markdown or json.

    >>> written(pd.DataFrame({"k": [5]}), "csv", "Cutoffs")
    'k\\n5\\n'
    """
    if form == "json":
        return json.dumps(records(frame), ensure_ascii=False, indent=1)
    if form == "latex":
        return latex(frame, caption)
    return {"csv": csv, "csv-exact": exchange_csv, "markdown": markdown, "table": text}[form](frame)
