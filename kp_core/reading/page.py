"""Turn the format families into the page of the documentation that shows them."""

from __future__ import annotations

from kp_core.reading.sniff import all_families

_PAGE = """# Formats

KPScope recognises a file by its content, then by its name, and says what it took it for; every choice can be changed.
Files may be UTF-8, UTF-16 or UTF-32 with a byte order mark, or another encoding that you name; gzip, zip, tar and
folders are read too. This page is made from the format families themselves
(`kp_core/reading/families`).

| family | format | what becomes of it |
|---|---|---|
{rows}

## Examples

In F4 and F12 a line that ends in a colon is the path of a file.

{examples}
## What `convert` writes

Any of these formats in, one of the following out. What a form cannot hold is refused before a file is written, and what
stays behind by nature (texts in TREC) is listed.

| `--to` | files | holds |
|---|---|---|
| `tidy`, `jsonl`, `parquet` | one table each of documents, gold, systems, judgements: CSV, JSONL or Parquet | all |
| `trec` | qrels and runs (F8) | grades and scores; phrases escaped |
| `workspace` | one file that the dashboard opens ([more](workspace.md)) | all, and how ranks came about |

## Files that belong together

* Line n of every line-aligned file (F5) is document n. A file `doc_ids.txt`, or a table of exactly as many texts, names
  the documents; files of unequal length are refused.
* Files of one document each (F4, F12, F13W) are read as a whole, whether in a folder, in a zip or tar archive, dropped
  together, or named by a pattern. Files of several annotators are told apart by folder, by ending, or by name, but
  never by what the texts are named; a table shows how. Texts are what has the names of the lists, however short.
* What lies beside data (notes, scripts, links, papers) and what no family reads is left out of a folder, and listed.
* A workbook is read from its first sheet that is a table of keyphrases, texts or judgements; another one may be chosen.
  Values kept beside formulas are read, whole numbers without `.0`; nothing is computed.

## What is said about a file

* A file is refused as a whole if it cannot be read, has no ids or phrases, holds one document twice for one annotator
  or system, or is over a limit (`kp_core/reading/limits.py`). The message names the file, the line, and what to do.
* Single rows are rejected, and the rest loads, if the id or phrase is empty or too long, a rank is no positive whole
  number, or a score is no finite number. Over 20 % rejected rows refuse the file; strict reading refuses the first one.
* Ids are taken as they are: `C-7.txt` and `C-7`, `007` and `7` are different. A fix such as `strip-extension` is
  offered where it makes the ids meet one to one.
* `NA`, `null`, `None`, `nan`, `TRUE` and `1e5` are ordinary phrases.
* Ranks come from a column of ranks, else from scores, else from the order in the file. Scores that never rise down any
  list mean that higher is better, scores that never fall that lower is better; otherwise higher is better, and lists
  are sorted.
"""


def formats_page() -> str:
    """Return the page of the documentation that shows every family with an example."""
    rows, examples = [], []
    for family in all_families():
        first = (family.__doc__ or "").strip().split("\n")[0].split(": ", 1)[-1]
        if family.NAME != "F0":
            rows.append(f"| {family.NAME} | {family.TITLE} | {first[:1].upper()}{first[1:]} |")
        if family.EXAMPLE:
            examples.append(f"**{family.NAME} {family.TITLE}**\n\n```\n{family.EXAMPLE}\n```\n")
    return _PAGE.format(rows="\n".join(rows), examples="\n".join(examples))
