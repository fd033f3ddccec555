"""F3: lines of a document id and its phrases become lists of phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from kp_core.corpus import Role
from kp_core.errors import part_of
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.lists import ListBuilder
from kp_core.reading.rows import Rows
from kp_core.reading.values import is_number

NAME = "F3"
TITLE = "one document a line: id, TAB, phrases; id@phrases; id : phrases"
OPTIONS = ("separator",)
#: What stands between the id and the phrases, most telling first, and what an id in front of it looks like.
_LINES = {
    "\t": re.compile(r"([^\t]*)\t(.*)"),
    "@": re.compile(r"([^\s@;,|]+)@(.*)"),
    ":": re.compile(r"([^\s:;,\"{}\[\]<>]+) ?:(?: +(.*)|)"),
    ";": re.compile(r"((?=[^;]*\d)[^\s;]+);(.*)"),
}


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise an id, TAB, `@`, colon or semicolon, and phrases in at least 80 % of the first 200 lines."""
    if role == "documents" or not file.sample:
        return None
    lines, chosen = file.sample, file.mapping.switch("separator")
    chosen = chosen if chosen in _LINES else ""  # in JSON it says how strings are split
    separator = chosen or next((one for one in _LINES if _strength(lines, one) is not None), "")
    if not separator:
        return None
    fitting = len(_pairs(lines, separator))
    shown = {"\t": "id TAB a;b;c", ":": "id : a,b;c"}.get(separator, f"id{separator}a;b;c")
    evidence = f"{part_of(fitting, len(lines), 'first line', 'is', 'are')} `{shown}`"
    options = {**dict(file.mapping.switches), "separator": separator}
    strength = Strength.GRAMMAR if chosen else _strength(lines, separator) or Strength.PROPOSED
    return Recognition(NAME, role or "gold", (file,), evidence, {}, options, guessed=role is None, strength=strength)


def _pairs(lines: Sequence[str], separator: str) -> list[tuple[str, str]]:
    """Return id and phrases of the lines that have no other TAB."""
    found = (_LINES[separator].fullmatch(line) for line in lines)
    return [(pair[1], pair[2] or "") for pair in found if pair and "\t" not in (pair[2] or "")]


def _strength(lines: Sequence[str], separator: str) -> Strength | None:
    """Return why lines are an id and phrases, None if they are not: ids are unique, phrases short."""
    if separator == "@":  # comments may stand before the first list
        lines = list(dropwhile(lambda line: not _LINES["@"].fullmatch(line), lines))
    pairs = _pairs(lines, separator)
    if not pairs or len(pairs) < 0.8 * len(lines):
        return None
    ids, rights = [left.strip() for left, _ in pairs], [right for _, right in pairs]
    unique = len(set(ids)) == len(ids)
    split = any(";" in right for right in rights)
    header = separator == "\t" and all(plain(cell) in KNOWN for cell in lines[0].split("\t"))
    clean = len(pairs) == len(lines) and all(";" not in doc_id for doc_id in ids)
    if separator == "\t":
        numbers = sum(map(is_number, rights)) >= 0.9 * len(lines)
        found = Strength.PROPOSED if numbers else Strength.GRAMMAR
        return found if not header and (split or unique) else None
    several = sum(bool(re.search("[;,]", right)) for right in rights) * 2 >= len(rights)
    if separator == "@":
        mails = sum(bool(re.match(r"[\w.-]+\.[a-z]{2,}[,;|\t]", right)) for right in rights)
        return Strength.GRAMMAR if split and mails * 2 < len(rights) else None
    if separator == ":":
        return Strength.MARKS if unique and clean and several else None
    # Rows of equal length may as well be a table, and phrases with digits lists without ids.
    phrases = [phrase for right in rights for phrase in right.split(";")]
    digits = sum(bool(re.search(r"\d", phrase)) for phrase in phrases) * 2 > len(phrases)
    even = len({right.count(";") for right in rights}) == 1
    fits = unique and clean and len(pairs) > 2 and not digits and not even
    return Strength.GRAMMAR if fits else None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Split the right side of each line at semicolons, else at `|` or commas; among commas `+` joins spellings."""
    file, separator = recognition.files[0], recognition.options["separator"]
    builder, pattern = ListBuilder(recognition.role, file.limits), _LINES[separator]
    shares = {mark: sum(mark in line for line in file.sample) / len(file.sample) for mark in ";|,"}
    few = separator == ":" and shares[";"] <= 0.5
    mark = "," if few else next((one for one, share in shares.items() if share >= (one != ";") / 2 and share), ";")
    comments: list[int] = []
    for number, line in enumerate(file.lines, 1):
        found = pattern.fullmatch(line)
        doc_id, phrases = found.groups("") if found else ("", "")
        if not line.strip():
            builder.skip()
        elif separator == "@" and not found and len(comments) == number - 1 - builder.blank:
            comments.append(number)
        elif not doc_id.strip():
            shown = "TAB" if separator == "\t" else f"`{separator}`"
            reason = "an empty id" if found else f"no {shown} between id and phrases"
            builder.reject(file.name, number, reason, line[:200])
        else:
            builder.open(doc_id, file=file.name, line=number)
            if mark != "," or "+" not in phrases:
                builder.split(phrases, mark)
                continue
            for phrase in builder.pieces(phrases, mark):
                builder.add_spellings(phrase, "+")
    if mark == "," and separator != ":":
        said = "Lines were split at commas, as there is no `;`; phrases that hold commas need `;` between them."
        builder.say("warning", file.name, said)
    if comments:
        builder.skip(len(comments))
        first = file.lines[comments[0] - 1][:60]
        message = f"Lines {comments[0]} to {comments[-1]} do not fit and were taken as comments: “{first}”."
        builder.say("info", file.name, message)
    return [builder.rows()]
