"""Turn the parser of the command line into its reference page."""

from __future__ import annotations

import argparse

from kp_core import tables
from kp_core.cli import make_parser

_ABOUT = (
    "`kpscope` and `python -m kp_core` are the same. Exit status: 0 done, 1 the data were refused (one message), "
    "2 wrong usage. With `--format json`, standard output holds one JSON object and nothing else; "
    "progress and warnings go to standard error."
)


def markdown() -> str:
    """Return every command with its options; `docs/command_line.md` is this text."""
    commands = next(one for one in make_parser()._actions if isinstance(one, argparse._SubParsersAction))
    words = {one.dest: str(one.help) for one in commands._choices_actions}
    parts = ["# Command line", _ABOUT]
    for name, parser in commands.choices.items():
        parts.append(f"## `kpscope {name}`\n\n{words[name][0].upper()}{words[name][1:]}.")
        rows = [
            (f"`{one.option_strings[0] if one.option_strings else one.dest}`", _plain(one.help))
            for one in parser._actions
            if one.dest != "help"
        ]
        lines = [f"| {option} | {meaning} |" for option, meaning in rows]
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *lines]))
    return "\n\n".join(parts) + "\n"


def _plain(text: str | None) -> str:
    return tables.escape_markdown((text or "").replace("%%", "%"))
