"""Turn lines into lists: an id and its phrases (F3), or line n of document n (F5), which may be texts or ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import dropwhile

from kp_core.corpus import Role
from kp_core.errors import InputError, part_of, pluralize
from kp_core.reading.lists import document_files
from kp_core.reading.lists.family import Family, File, Recognition, Strength
from kp_core.reading.lists.list_builder import ListBuilder, document_rows
from kp_core.reading.meaning.fields import KNOWN, is_known, plain
from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.meaning.shapes import BORDER, add_list, are_scored, title_and_body
from kp_core.reading.open.json_text import begins_like_json
from kp_core.reading.open.values import is_number
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import json_list

#: What stands between id and phrases, most telling first, and what an id in front of it looks like.
_LINES = {
    "\t": re.compile(r"([^\t]*)\t(.*)"),
    "@": re.compile(r"([^\s@;,|]+)@(.*)"),
    ":": re.compile(r"([^\s:;,\"{}\[\]<>]+) ?:(?: +(.*)|)"),
    ";": re.compile(r"((?=[^;]*\d)[^\s;]+);(.*)"),
}
_MAIL = re.compile(r"[\w.-]+\.[a-z]{2,}[,;|\t]")
_IDS = re.compile(
    r"(?:.*[^a-z])?(?:(?:doc|document|file)?_?ids?|(?:doc|document|file)_?names)(?:[^a-z].*)?", re.IGNORECASE
)
#: A cell of a table, in which a semicolon parts nothing.
_QUOTED = re.compile(r'(?:^|;)"')
_CODE = re.compile(r"[^\s\d]*\d\S*")
_TITLE_ENDS = re.compile(r" (?:\[sep\]|<eos>) ", re.IGNORECASE)
#: Endings of files that are a table, or one document each.
_OTHERS = (".csv", ".tsv", ".annif", *document_files.KEYS, *document_files.TEXTS)


def _recognise_ids(file: File, role: Role | None) -> Recognition | None:
    """Recognise an id, TAB, `@`, colon or semicolon, and phrases in at least 80 % of the first 200 lines."""
    if role == "documents" or not file.sample:
        return None
    said = file.mapping.switch("separator")
    separator = said if said in _LINES else next((one for one in _LINES if _strength(file.sample, one) is not None), "")
    if not separator:
        return None
    fitting = len(_pairs(file.sample, separator))
    shown = {"\t": "id TAB a;b;c", ":": "id : a,b;c"}.get(separator, f"id{separator}a;b;c")
    evidence = f"{part_of(fitting, len(file.sample), 'first line', 'is', 'are')} `{shown}`"
    strength = Strength.GRAMMAR if said else _strength(file.sample, separator) or Strength.PROPOSED
    options = {"separator": separator}
    return Recognition("F3", role or "gold", (file,), evidence, {}, options, guessed=role is None, strength=strength)


def _pairs(lines: Sequence[str], separator: str) -> list[tuple[str, str]]:
    """Return id and phrases of the lines that have no other TAB."""
    found = (_LINES[separator].fullmatch(line) for line in lines)
    return [(pair[1].strip(), pair[2] or "") for pair in found if pair and "\t" not in (pair[2] or "")]


def _strength(lines: Sequence[str], separator: str) -> Strength | None:
    """Return why lines are an id and phrases, None if they are not."""
    if separator == "@":  # comments may stand before the first list
        lines = list(dropwhile(lambda line: not _LINES["@"].fullmatch(line), lines))
    pairs = _pairs(lines, separator)
    if not pairs or len(pairs) < 0.8 * len(lines):
        return None
    rights, unique = [right for _, right in pairs], len(dict(pairs)) == len(pairs)
    lists = sum(bool(re.search(r"[;|]", left)) for left, _ in pairs)
    if lists * 2 >= len(pairs) or sum(line.count('"') % 2 for line in lines) > 1:
        return None  # rows of a table that begin with lists, or whose cells have several lines
    split = any(";" in right for right in rights)
    if separator == "\t":
        header = all(plain(cell) in KNOWN for cell in lines[0].split("\t"))
        numbers = sum(map(is_number, rights)) >= 0.9 * len(lines)
        found = Strength.PROPOSED if numbers else Strength.GRAMMAR
        return found if not header and (split or unique) else None
    if separator == "@":
        return Strength.GRAMMAR if split and sum(map(bool, map(_MAIL.match, rights))) * 2 < len(rights) else None
    several = sum(bool(re.search("[;,]", right)) for right in rights) * 2 >= len(rights)
    clean = unique and len(pairs) == len(lines) and not any(";" in doc_id for doc_id, _ in pairs)
    if separator == ":":
        return Strength.MARKS if clean and several else None
    uneven = len({right.count(";") for right in rights}) > 1  # rows of equal length may as well be a table
    quoted = any(map(_QUOTED.search, lines))
    return Strength.GRAMMAR if clean and uneven and len(pairs) > 2 and not quoted else None


def _read_ids(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Split the right side of each line at semicolons, else at `|` or commas; among commas `+` joins spellings."""
    file, separator = recognition.files[0], recognition.options["separator"]
    builder, pattern = ListBuilder(recognition.role, file.limits), _LINES[separator]
    amount = "relevance" if recognition.role == "gold" else "score"
    share = {mark: sum(mark in line for line in file.sample) / len(file.sample) for mark in ";|,"}
    common = next((mark for mark in ("|,;" if separator != ":" else ",;|") if share[mark] >= 0.5), ";")
    mark = MARKS.get(file.mapping.split) or (";" if share[";"] and separator != ":" else common)
    begun, comments = separator != "@", list[str]()  # which may stand before the first list
    for number, line in enumerate(file.lines, 1):
        found = pattern.fullmatch(line)
        begun = begun or found is not None
        if not line.strip() or not begun:
            comments += [line] if line.strip() else []
            builder.skip()
        elif found is None or not found[1].strip():
            shown = "TAB" if separator == "\t" else f"`{separator}`"
            reason = "an empty id" if found else f"no {shown} between id and phrases"
            builder.reject(file.name, number, reason, line[:200])
        else:
            builder.open(found[1], file=file.name, line=number)
            if found[2] and found[2].startswith("[") and (items := json_list(found[2])) is not None:
                add_list(builder, items, "scored" if are_scored([items]) else "phrases", amount)
                continue
            for phrase in builder.pieces(found[2] or "", mark):
                builder.add_spellings(phrase, "+" if mark == "," else "")
    if mark == "," and separator != ":":
        said = "Lines were split at commas, as there is no `;`; phrases that hold commas need `;` between them."
        builder.say("warning", file.name, said)
    if comments:
        message = f"Lines before the first list, taken as comments: {len(comments)}, “{comments[0][:60]}” …"
        builder.say("info", file.name, message)
    return [builder.rows()]


def _group_aligned(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim lists beside ids or texts of as many lines, and texts that have titles."""
    files = [file for file in files if _is_plain(file)]
    if role == "documents":
        return list(filter(None, (_recognise_aligned(file, role) for file in files)))
    lists = [file for file in files if _are_lists(file)] if len(files) > 1 else []
    if all(_may_be_rows(file.sample) for file in lists):
        return []
    beside = [(_beside(file, len(lists[0].lines)), file) for file in files if file not in lists]
    found = [_aligned(file, what, role) for what in ("ids", "texts") for other, file in beside if other == what]
    return [*(_aligned(file, "lists", role) for file in lists), *found] if found else []


def _recognise_aligned(file: File, role: Role | None) -> Recognition | None:
    """Recognise phrases split at semicolons in at least half of the lines, texts by their titles, ids by the name."""
    if not file.sample or begins_like_json(file.json):
        return None
    said = file.mapping.format == "F5"
    guesses = {
        "ids": role in (None, "documents") and _IDS.fullmatch(file.stem) and _is_plain(file),
        "texts": role == "documents" and (said or _share(file, _TITLE_ENDS.search) >= 0.8),
        "lists": role != "documents" and (said or _are_lists(file)),
    }
    what = file.mapping.switch("lines") or next((guess for guess, fits in guesses.items() if fits), "")
    return _aligned(file, what, role) if what else None


def _share(file: File, fits: Callable[[str], object]) -> float:
    return sum(bool(fits(line)) for line in file.sample) / max(len(file.sample), 1)


def _is_plain(file: File) -> bool:
    """Tell a file whose lines have no ids before them."""
    plain_text = file.suffix not in _OTHERS and file.sample and not begins_like_json(file.json)
    ids = _recognise_ids(file, None) if plain_text else None
    return bool(plain_text) and (ids is None or ids.strength == Strength.PROPOSED)


def _are_lists(file: File) -> bool:
    """Tell lists: several lines, half of them with a semicolon, none with a TAB, and no sentences."""
    lines, marks = file.sample, sum(line.count(";") + 1 for line in file.sample)
    short = sum(len(line.split()) for line in lines) <= 12 * marks
    split = _share(file, lambda line: ";" in line) >= 0.5
    return len(lines) > 1 and split and short and not any("\t" in line for line in lines)


def _beside(file: File, size: int) -> str:
    """Tell what a file is beside lists of so many lines: ids, or texts; empty if it is neither."""
    aligned = len(file.lines) == size
    if _IDS.fullmatch(file.stem) or (aligned and len({*file.lines}) == size and all(map(_CODE.fullmatch, file.lines))):
        return "ids"
    titled = _share(file, _TITLE_ENDS.search) >= 0.8
    return "texts" if titled or (aligned and document_files.are_prose([file])) else ""


def _may_be_rows(lines: Sequence[str]) -> bool:
    """Tell lines that may as well be rows of a table: with known heads, quoted cells, or as many cells in each."""
    even = [mark for mark in ",;" if len({line.count(mark) for line in lines}) == 1 and mark in lines[0]]
    known = sum(map(is_known, re.split(r"[\t,;|]", lines[0]))) > 1
    return known or any(map(_QUOTED.search, lines)) or (bool(even) and not any(BORDER in line for line in lines))


def _aligned(file: File, what: str, role: Role | None) -> Recognition:
    options = {"lines": what}
    if what in ("texts", "ids"):
        said = "texts, one a line" if what == "texts" else "ids of documents, one a line"
        return Recognition("F5", "documents", (file,), f"{pluralize(len(file.lines), 'line')}: {said}", {}, options)
    split = sum(";" in line for line in file.sample)
    shown = part_of(split, len(file.sample), "first line", "is", "are")
    evidence = f"{shown} keyphrases split at `;`; each line is a document without a name"
    # Nothing else has the border between present and absent keyphrases.
    border = any(BORDER in line for line in file.sample)
    weak = _may_be_rows(file.sample) or not _is_plain(file)
    strength = Strength.MARKS if border else Strength.PROPOSED if weak else Strength.CONTENT
    return Recognition("F5", role or "gold", (file,), evidence, {}, options, guessed=role is None, strength=strength)


def _read_aligned(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read line n as document n; a blank line is an empty list."""
    file, what = recognition.files[0], recognition.options["lines"]
    if what == "ids":
        return [_ids(file)]
    rows = _texts(file) if what == "texts" else _lists(file, recognition)
    rows.counted = len(file.lines)
    return [rows]


def _ids(file: File) -> Rows:
    ids = [line.strip() for line in file.lines]
    twice = next((doc_id for doc_id, count in Counter(ids).items() if count > 1 or not doc_id), None)
    if twice is not None:
        line = [number for number, doc_id in enumerate(ids, 1) if doc_id == twice][-1]
        found = f"the id “{twice[:60]}” again" if twice else "a blank line"
        raise InputError(f"{file.name}, line {line}", found, "a different id in every line", "Correct the ids.")
    return replace(document_rows({"doc_id": ids}), counted=len(ids), only_ids=True)


def _texts(file: File) -> Rows:
    titles, texts = zip(*map(title_and_body, file.lines), strict=True)
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    return document_rows({"doc_id": numbers, "title": titles, "text": [text.strip() for text in texts]})


def _lists(file: File, recognition: Recognition) -> Rows:
    builder, marks = ListBuilder(recognition.role, file.limits), Counter[str]()
    bar = "|" if recognition.role == "gold" and file.mapping.inner != "phrases" else ""
    for number, line in enumerate(file.lines, 1):
        builder.open(str(number), file=file.name, line=number)
        if "<" not in line and (not bar or bar not in line):
            builder.split(line)
            continue
        for item in builder.pieces(line):
            marks.update(mark for mark in (BORDER, "<digit>", "<unk>") if mark in item)
            if item != BORDER:
                marks["|"] += builder.add_spellings(item, bar)
    said = {
        BORDER: "Marks `<peos>` between present and absent keyphrases, which were left out: {:,}.",
        "|": "Keyphrases with several spellings, split at `|`: {:,}. Choose inner=phrases to keep `|`.",
    }
    for mark, count in marks.items():
        part = f"The mark `{mark}`, which stands for something unknown, is part of phrases: {{:,}}."
        if count:
            builder.say("info" if mark in said else "warning", file.name, said.get(mark, part).format(count))
    return builder.rows()


FAMILIES = (
    Family(
        "F3",
        "one document a line: id, TAB, phrases; id@phrases; id : phrases",
        "Lines of a document id and its phrases become lists of phrases.",
        _recognise_ids,
        _read_ids,
        OPTIONS=("separator",),
    ),
    Family(
        "F5",
        "line n is document n: phrases split at semicolons, texts, or ids",
        "Text in which line n is document n becomes lists of phrases, texts, or ids.",
        _recognise_aligned,
        _read_aligned,
        _group_aligned,
        OPTIONS=("lines",),
    ),
)
