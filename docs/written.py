"""Write the pages that come from the program itself: `make pages`; the tests hold them against it."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from cyclopts import Argument

from kp_core import typeset
from kp_core.cli import Data, Options, Output, Similarity, Tables, app
from kp_core.learn import LESSONS
from kp_core.reading import Source
from kp_core.reading.families import all_families
from kp_core.reading.schemas import SCHEMAS
from kp_core.reading.uploads import Uploads
from kp_core.takeaway import methods
from kp_core.takeaway.workspace_file import ENDING, Saved, workspace_file

#: Options that several commands share: the class that holds them, their title, and what they say.
SHARED = {
    Data: ("Files", "What is read; an option that takes several paths may be followed by all of them."),
    Options: ("Settings", "The choices behind the numbers, as the [signature](glossary.md#signature) names them."),
    Similarity: ("Comparing phrases", "The measures of similarity, and what they compare."),
    Tables: ("Tables larger than memory", "How they are read; [more](scale.md)."),
    Output: ("Output", "Where the answer goes, and how it is written."),
}
_OPENING = """# Command line

`kpscope` and `python -m kp_core` are the same. Exit status: 0 done, 1 the data were refused (one message), 2 wrong
usage. With `--format json`, standard output holds one JSON object and nothing else; progress and warnings go to
standard error. In brackets: the value that holds when nothing is said, or the values that there are, that one first."""

_FORMATS = """# Formats

KPScope recognises a file by its content, then by its name, and says what it took it for; every choice can be changed.
Files may be UTF-8, UTF-16 or UTF-32 with a byte order mark, or another encoding that you name; gzip, zip, tar and
folders are read too. This page is made from the format families themselves (`kp_core/reading/families`).

| family | format | what becomes of it |
|---|---|---|
{rows}

JSON is a table: a field is a head, an object a row, and a list a cell. F1 and F6 are the names of its forms; whatever
is said below of the columns of a table holds for their fields. Objects within objects give columns with dotted names
(`metadata.title`). Objects in the only list of a record become rows if they say more than a phrase with its score or
identifier; each of their fields is then a column, and a record of an empty list is a row with `yes` under `empty`.

## What is read, and what is asked

A table means what its **mapping** says: which column names the documents, which holds the keyphrases, and so on.

1. What you say holds, literally: in the form of the Data page, with `--as`, in Python, or in a workspace. Only the
   separator inside cells may be left to KPScope.
2. Files with a grammar of their own (all families but F1, F6 and F10), tables of KPScope itself, and known exports
   ({schemas}) say themselves what they mean.
3. Tables whose columns are named by words of the field, in one of ten languages (`kp_core/reading/headers.toml`), are
   read by these names. Under other names, the only column of lists holds the keyphrases; beside keyphrases, the only
   column of codes holds the documents.
4. Two proofs tell what columns under any other name hold:

{proofs}

Everything else is **asked, in a form**: the file with its first values, what KPScope takes each column for, and beside
it the documents that would be read. On the command line the error message has the mapping that is proposed:

```
kpscope evaluate --gold gold.csv --system yake.csv --as 'yake.csv:document=id,keyphrases=keyword,score=prob'
```

In Python, `kp.Question` holds a form for each file, whose `mapping` is the proposal ([Python](python.md#questions)).
A file with the same column names as one whose mapping was given means the same. A workspace keeps all mappings.

Asked with a choice of answers is what no column shows: which of several files is the gold standard, whether two of
them are two data sets, and which rule makes the ids of two files meet.

### What can be said of a file

Written `--as FILE:FIELD=VALUE,FIELD=VALUE`. A value with a comma or an equals sign stands in quotation marks:
`keyphrases="Keywords, free"`.

| field and value | meaning |
|---|---|
{said}

## Examples

In F4 and F12 the first line is the path of the file.

{examples}
## Formats that a few lines convert

These are not read. Each program is Python without further packages, and writes a file that is read. A test runs them.

{conversions}
## What `convert` writes

Any of these formats in, one of the following out. What a form cannot hold is refused before a file is written, and
what stays behind by nature (texts in TREC) is listed.

| `--to` | files | holds |
|---|---|---|
| `tidy`, `jsonl`, `parquet` | one table each of documents, gold, systems, judgements: CSV, JSONL or Parquet | all |
| `trec` | qrels and runs (F8) | grades and scores; phrases escaped |
| `workspace` | one file that the dashboard opens ([more](workspace.md)) | all, and how ranks came about |

**CSV and spreadsheets.** In the CSV and XLSX of results, from the command line, the report and the dashboard, a cell
that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, one of these in full width, a tab or a
line break) begins with `'`; `--format csv-exact` leaves it as it is. CSV that is read again is never changed: what
`convert` and `extract --format csv` write, which count such cells in a warning, and ratings made on the page.

## Files that belong together

* Line n of every line-aligned file (F5) is document n. A file `doc_ids.txt`, or a table of exactly as many texts,
  names the documents; files of unequal length are refused. Lists of one length, which may be a table, are read so if
  another line-aligned file has as many lines.
* If tokens have several columns of tags (F13C), chunks among them, a question asks which is the gold standard.
* Files of one document each (F4, F12, F13B) are read as a whole, whether in a folder or archive, dropped
  together, or named by a pattern. Files of several annotators are told apart by folder, by ending, or by name; a
  table shows how.
* A phrase that is only the identifier of its concept (runs of identifiers, URIs of Annif) is called by the label that
  another file has for this concept, so that both meet by phrase and by concept; a note counts them.
* What holds no lists and no texts (notes, links, published results) is left out of a folder, and listed.
* Several sheets of a workbook with the same documents are annotators or systems, each named after its sheet. Sheets
  that are no table are left out and named. In XLSX, a formula without its value is refused. Values kept beside
  formulas are read, whole numbers without `.0`; nothing is computed.

## How tables are laid out

* A phrase a row; a list a row, split at `;`, `|`, `,` or line ends, or in JSON; a column an annotator or system;
  numbered columns, whose heads say whose they are (`Anna 1`, `KW 1 (Anna)`); a sheet each.
* An id that stands once above its rows holds for all of them. Titles and notes above the head, and sums below, are no
  rows.
* Without ids, each row of lists is a document, counted from 1, or from 0 where the other side does so. Documents of
  several files that are only counted are known by their titles, where they have any; else by their order.
* A title that stands in several rows, a phrase each, is the id of its document; codes are so also under the head of a
  title.
* Marks Y, I and N (yes, indirectly, no) under a head such as `mark`, `Y/I/N` or `relevance` are grades 2, 1 and 0, so
  that `--rel 1` counts Y and I, and `--rel 2` Y alone; a row without a mark counts as N. Where no I stands, Y and N are
  2 and 0 all the same. Under other heads it is asked.
* Under the heads of identifiers (`label_id`, `gnd_id`, …), and between `<` and `>`, phrases are concepts too.
* A cell that says `-`, `n/a`, `none` or `keine` in place of a list is an empty one, and a note says so. In JSON,
  `null` in a list is no phrase, `null` in place of a list is an empty list, and `NaN` is a missing value.

## What is said about a file

* A file is refused as a whole if it cannot be read, has no ids or phrases, holds one document twice for one annotator
  or system, or is over a limit (`kp_core/reading/limits.py`). The message names the file, the line, and what to do.
* Single rows are rejected, and the rest loads, if the id or phrase is empty or too long, a rank is no positive whole
  number, or a score is no finite number. Over 20 % rejected rows refuse the file; strict reading refuses the first
  one.
* One annotator in two files with the same documents is kept apart by file; a file given twice is refused.
* Ids are taken as they are: `C-7.txt` and `C-7`, `007` and `7` are different. A fix such as `strip-extension` is
  offered where it makes the ids meet one to one. Gold standard and system without a document in common stop an
  evaluation; fewer than half in common is a warning that stands with every number.
* `NA`, `null`, `None`, `nan`, `TRUE` and `1e5` are ordinary phrases.
* Ranks come from a column of ranks, else from scores, else from the order in the file. Scores that never rise down
  any list mean that higher is better, scores that never fall that lower is better; otherwise higher is better,
  lists are sorted, and a note names the direction.
"""


def command_line() -> str:
    """Return every command with its options; those that several commands share stand once, at the end."""
    parts, shared = [_OPENING], {}
    for name in app:
        if name.startswith("-"):
            continue
        groups: dict[type | None, list[Argument]] = {}
        fields: dict[str, object] = {}
        for argument in app[name].assemble_argument_collection(parse_docstring=True):
            if not argument.names or argument.name == "*":  # the options after this one are the fields of a class
                fields = get_type_hints(argument.hint)
            else:
                groups.setdefault(_shared(argument, fields), []).append(argument)
        parts += [f"## kpscope {name}", app[name].help.partition("\n\nArgs:")[0]]
        parts += [_listed(groups.pop(None, []))]
        titles = [SHARED[one][0].lower() for one in groups]
        parts += ["Also: " + ", ".join(f"[{title}](#{title.replace(' ', '-')})" for title in titles)] if titles else []
        shared |= groups
    for kind, (title, sentence) in SHARED.items():
        parts += [f"## {title}", sentence, _listed(shared[kind])]
    return "\n\n".join(filter(None, parts)) + "\n"


def _shared(option: Argument, fields: Mapping[str, object]) -> type | None:
    """Return the class of `SHARED` that declares an option, given the fields of the class where it stands."""
    declared = [one for one in SHARED if option.keys and set(one.__annotations__) <= set(fields)]
    return next((one for one in declared if option.keys[0] in one.__annotations__), None)


def _listed(options: Iterable[Argument]) -> str:
    """Return options as a list; a tag in their words is escaped."""
    return "\n".join(f"* `{one.name}`: {_meaning(one)}".replace("<", r"\<") for one in options)


def _meaning(option: Argument) -> str:
    """Return what an option means, with the values that it may have, the usual one first."""
    meaning, usual = option.parameter.help, option.field_info.default
    if get_origin(option.hint) is Literal:
        return f"{meaning} ({', '.join(map(str, sorted(get_args(option.hint), key=lambda value: value != usual)))})"
    return f"{meaning} ({usual})" if usual and usual is not option.field_info.empty else f"{meaning}"


def formats_page() -> str:
    """Return the page of the documentation that shows every family, and every form of one, with an example."""
    every: dict[str, tuple[str, str]] = {}
    for family in all_families():
        every[family.NAME] = family.TITLE, family.BECOMES
        every |= {form: (title, f"A form of {family.NAME}, read as a table.") for form, title in family.FORMS.items()}
    rows, examples = [], []
    shown = tomllib.loads(Path(__file__).with_name("formats.toml").read_text("utf-8"))
    said = "\n".join(f"| {key} | {meaning} |" for key, meaning in shown.pop("said").items())
    proofs = "\n".join(f"{place}. {one}" for place, one in enumerate(shown.pop("proofs"), 1))
    conversions = "\n".join(
        f"**{one['title']}**\n\n```py\n{one['python'].strip()}\n```\n" for one in shown.pop("conversions").values()
    )
    for name, blocks in shown.items():
        title, becomes = every.pop(name)
        rows.append(f"| {name} | {title} | {becomes} |")
        written = "\n".join(f"```\n{one}\n```\n" for one in blocks["examples"])
        examples.append(f"**{name} {title}**\n\n{written}")
    assert not every, f"formats.toml has no example of {', '.join(every)}"
    schemas = ", ".join(dict.fromkeys(one.name for one in SCHEMAS if not one.name.startswith("KPScope")))
    listed = {"rows": "\n".join(rows), "examples": "\n".join(examples)}
    return _FORMATS.format(**listed, schemas=schemas, said=said, proofs=proofs, conversions=conversions)


def worksheet() -> str:
    """Return the questions of all lessons as a sheet to hand out, with the solutions that the page checks against."""
    lines = ["# Worksheet", "The questions of the [lessons](guide/learn.md); the solutions stand at the end."]
    solutions = ["## Solutions"]
    for lesson in LESSONS.values():
        lines += [f"## {lesson.title}", typeset.escape_markdown(lesson.text)]
        solutions.append(f"**{lesson.title}**")
        for number, question in enumerate(lesson.questions, 1):
            choices = f" ({' / '.join(question.options)})" if question.options else ""
            lines.append(f"{number}. {typeset.escape_markdown(question.text + choices)}")
            answer = question.answer if isinstance(question.answer, str) else typeset.number(question.answer)
            solutions.append(f"{number}. {typeset.escape_markdown(f'{answer}: {question.because}')}")
    return "\n\n".join(lines + solutions) + "\n"


PAGES = {
    "worksheet.md": worksheet,
    "methods.md": methods.markdown,
    "glossary.md": methods.glossary,
    "command_line.md": command_line,
    "formats.md": formats_page,
}

_HERE = Path(__file__).parent
_PEOPLE = ("gold.csv", "documents.jsonl")
#: The workspaces of `guide/gallery.md`: files of the sample lectures, and what is chosen when they open.
GALLERY: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "two_systems": ((*_PEOPLE, "systems/tfidf.jsonl", "systems/yake.csv"), {"k": "6", "page": "overview"}),
    "threshold": ((*_PEOPLE, "systems/yake.csv"), {"k": "7", "measure": "P@k", "page": "overview"}),
    "three_indexers": (("gold.csv",), {"page": "annotators"}),
    "preset": (
        (*_PEOPLE, "systems/rake.csv", "systems/tfidf.jsonl", "systems/yake.csv"),
        {"k": "15", "preset": "semeval2010", "page": "overview"},
    ),
    "class": (("judgements.csv",), {"page": "correlation", "correlation_tab": "Annotators"}),
}


def workspace(name: str) -> Saved:
    """Return a workspace of the gallery."""
    files, link = GALLERY[name]
    paths = [_HERE.parent / "sample_data" / "lectures" / file for file in files]
    return Saved(Uploads(tuple(Source(path.name, path.read_bytes()) for path in paths)), link)


if __name__ == "__main__":
    for name, page in PAGES.items():
        (_HERE / name).write_text(page(), encoding="utf-8")
    for name in GALLERY:
        (_HERE / "guide" / "gallery" / f"{name}{ENDING}").write_bytes(workspace_file(workspace(name)))
