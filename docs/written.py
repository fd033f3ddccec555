"""Write the pages that come from the program itself: `make pages`; the tests hold them against it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from cyclopts import Argument

from kp_core import methods
from kp_core.cli import Data, Options, Output, Similarity, Tables, app
from kp_core.reading.page import formats_page

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
        return f"{meaning} ({', '.join(sorted(get_args(option.hint), key=lambda value: value != usual))})"
    return f"{meaning} ({usual})" if usual and usual is not option.field_info.empty else f"{meaning}"


PAGES = {
    "methods.md": methods.markdown,
    "glossary.md": methods.glossary,
    "command_line.md": command_line,
    "formats.md": formats_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (Path(__file__).parent / name).write_text(page(), encoding="utf-8")
