"""Write the generated pages of the documentation: `make pages`; tests compare them with the program."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from cyclopts import Argument

from kp_core import typeset
from kp_core.cli import Data, Options, Output, Tables, app
from kp_core.learn import LESSONS
from kp_core.reading import Source
from kp_core.reading.lists.sniff import FAMILIES
from kp_core.reading.meaning.layouts import SCHEMAS
from kp_core.reading.uploads import Uploads
from kp_core.settings import CONVENTIONS, INTERVALS, PRESETS, Settings
from kp_core.takeaway import methods
from kp_core.takeaway.workspace_file import ENDING, Saved, workspace_file

#: Groups of options shared by commands: class, title, and introduction.
SHARED = {
    Data: ("Files", "Several paths may follow an option."),
    Options: (
        "Settings",
        "Conventions, defined with their values in [Methods](methods.md#conventions): {conventions}.",
    ),
    Tables: ("Streaming", "See [data larger than memory](scale.md)."),
    Output: ("Output", ""),
}
_OPENING = """# Command line

`kpscope COMMAND --help` (or `python -m kp_core COMMAND --help`) explains all options; those that commands share are
listed below. [CI](ci.md) lists the exit statuses. With `--format json`, standard output is one JSON object; progress
and warnings go to standard error.

## Commands"""


def command_line() -> str:
    """Return all commands with the names of their options, and the meaning of shared options."""
    parts: list[str] = []
    shared: dict[type | None, list[Argument]] = {}
    for name in app:
        if name.startswith("-"):
            continue
        groups: dict[type | None, list[Argument]] = {}
        fields: dict[str, object] = {}
        for argument in app[name].assemble_argument_collection(parse_docstring=True):
            if not argument.names or argument.name == "*":  # the following options are fields of a class
                fields = get_type_hints(argument.hint)
            else:
                groups.setdefault(_shared(argument, fields), []).append(argument)
        single = [f"`{option.name}`" for option in groups.pop(None, [])]
        names = ", ".join([*single, *(SHARED[kind][0].lower() for kind in groups)])
        parts.append(f"* **{name}**: {app[name].help.partition(chr(10) * 2)[0]} Options: {names}.")
        shared |= groups
    conventions = [option for option in shared[Options] if option.keys[0] in CONVENTIONS]
    names = ", ".join(f"`{option.name}`" for option in conventions)
    parts = [_OPENING, "\n".join(parts)]
    for kind, (title, sentence) in SHARED.items():
        listed = [option for option in shared[kind] if option not in conventions]
        parts += [f"## {title}", _listed(listed), sentence.format(conventions=names)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _shared(option: Argument, fields: Mapping[str, object]) -> type | None:
    """Return the class of `SHARED` that declares an option, given the fields of the class that has it."""
    declared = [kind for kind in SHARED if option.keys and set(kind.__annotations__) <= set(fields)]
    return next((kind for kind in declared if option.keys[0] in kind.__annotations__), None)


def _listed(options: Iterable[Argument]) -> str:
    """Return options as a list; tags are escaped."""
    return "\n".join(f"* `{option.name}`: {_meaning(option)}".replace("<", r"\<") for option in options)


def _meaning(option: Argument) -> str:
    """Return the meaning of an option with its values, the default first."""
    meaning, usual = option.parameter.help, option.field_info.default
    if get_origin(option.hint) is Literal:
        values = sorted(filter(None, map(str, get_args(option.hint))), key=lambda value: value != usual)
        return f"{meaning} ({', '.join(values)})"
    return f"{meaning} ({usual})" if usual and usual is not option.field_info.empty else f"{meaning}"


def formats_page() -> str:
    """Return the page on formats, with an example of each family and form."""
    titles: dict[str, str] = {}
    for family in FAMILIES:
        titles |= {family.NAME: family.TITLE, **getattr(family, "FORMS", {})}
    shown = tomllib.loads(Path(__file__).with_name("formats.toml").read_text("utf-8"))
    page, proofs = shown.pop("page")["text"], " ".join(shown.pop("proofs"))
    said = "\n".join(f"| {key} | {meaning} |" for key, meaning in shown.pop("said").items())
    assert set(titles) == set(shown), "formats.toml has an example of every family"
    examples = "\n".join(
        f"**{name} {titles[name]}**\n\n" + "\n".join(f"```\n{text}\n```\n" for text in blocks["examples"])
        for name, blocks in shown.items()
    )
    schemas = ", ".join(dict.fromkeys(schema.name for schema in SCHEMAS if not schema.name.startswith("KPScope")))
    return page.format(examples=examples, schemas=schemas, said=said, proofs=proofs)


def worksheet() -> str:
    """Return the questions of all lessons with their solutions."""
    lines = ["# Worksheet", "Questions on the [lessons](guide/learn.md), which also explain the solutions at the end."]
    solutions = []
    for lesson in LESSONS.values():
        lines.append(f"## {lesson.title}")
        answers = []
        for number, question in enumerate(lesson.questions, 1):
            choices = f" ({' / '.join(question.options)})" if question.options else ""
            lines.append(f"{number}. {typeset.escape_markdown(question.text + choices)}")
            answer = question.answer if isinstance(question.answer, str) else typeset.number(question.answer)
            answers.append(typeset.escape_markdown(answer))
        solutions.append(f"* {lesson.title}: {'; '.join(answers)}")
    return "\n\n".join([*lines, "## Solutions", "\n".join(solutions)]) + "\n"


def changes() -> str:
    """Return the stub of `Changes`, which lets editors complete the fields of `Settings` and their values."""
    values: dict[str, object] = {name: tuple(convention.values) for name, convention in CONVENTIONS.items()}
    values |= {"preset": tuple(PRESETS), "interval": INTERVALS}
    kinds = {"k": "AnyK", "universe": "int | str", "rel": "float | str", "fixes": "Iterable[str]"}
    kinds |= {"resamples": "int", "seed": "int"}
    kinds |= {name: f"Literal{list(known)} | str".replace("'", '"') for name, known in values.items() if known}
    lines = [f"    {name}: {kinds.get(name, 'str')}" for name in get_type_hints(Settings)]
    head = ["from collections.abc import Iterable", "from typing import Literal, TypedDict", ""]
    head += ["from kp_core.settings import AnyK", "", "class Changes(TypedDict, total=False):"]
    return "\n".join([*head, *lines, ""])


PAGES = {
    "worksheet.md": worksheet,
    "methods.md": methods.markdown,
    "glossary.md": methods.glossary,
    "command_line.md": command_line,
    "formats.md": formats_page,
    "../kp_core/data/changes.pyi": changes,
}

_HERE = Path(__file__).parent
_PEOPLE = ("gold.csv", "documents.jsonl")
#: The workspaces of `guide/gallery.md`: files of the sample lectures, and settings.
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
