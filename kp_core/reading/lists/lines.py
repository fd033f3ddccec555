"""Read lines with an id and phrases (F3), or line n as list, text or id of document n (F5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kp_core.corpus import Role
from kp_core.errors import InputError, part_of, pluralize
from kp_core.reading.lists import trec
from kp_core.reading.lists.family import Family, File, Recognition, Strength
from kp_core.reading.lists.list_builder import ListBuilder, add_list, document_rows
from kp_core.reading.meaning.fields import KNOWN, is_known, plain
from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.meaning.shapes import BORDER, TITLE_END, are_scored, title_and_body
from kp_core.reading.open.json_text import begins_like_json
from kp_core.reading.open.values import is_number
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import json_list

#: Endings of lists of one document each, and of texts; `.txt` may be either.
KEYS = (".key", ".keys", ".maui", ".kwd", ".tags", ".contr", ".uncontr", ".phrases", ".keyphrases", "-crowdcountskey")
TEXTS = (".abstr", ".html", ".htm", ".md", ".txt.final")
#: Endings of tables, and of files of one document each.
_OTHERS = (".csv", ".tsv", ".annif", *KEYS, *TEXTS)
#: Separators between id and phrases, most specific first, with the pattern of a line.
_LINES = {
    "\t": re.compile(r"([^\t]*)\t([^\t]*)"),
    "@": re.compile(r"([^\s@;,|]+)@([^\t]*)"),
    ":": re.compile(r"([^\s:;,\"{}\[\]<>]+) ?:(?: +([^\t]*)|)"),
    ";": re.compile(r"((?=[^;]*\d)[^\s;]+);([^\t]*)"),
}
_MAIL = re.compile(r"[\w.-]+\.[a-z]{2,}[,;|\t]")
_IDS = re.compile(
    r"(?:.*[^a-z])?(?:(?:doc|document|file)?_?ids?|(?:doc|document|file)_?names)(?:[^a-z].*)?", re.IGNORECASE
)
#: A quoted cell of a table.
_QUOTED = re.compile(r'(?:^|;)"')


def _recognise_ids(file: File, role: Role | None) -> Recognition | None:
    """Recognize an id, TAB, `@`, colon or semicolon, and phrases in at least 80% of the first 200 lines."""
    if role == "documents" or not file.sample:
        return None
    chosen = file.mapping.switch("separator")
    strengths = {mark: strength for mark in _LINES if (strength := _strength(file.sample, mark)) is not None}
    separator = chosen if chosen in _LINES else next(iter(strengths), "")
    if not separator:
        return None
    shown = {"\t": "id TAB a;b;c", ":": "id : a,b;c"}.get(separator, f"id{separator}a;b;c")
    strength, options = Strength.GRAMMAR if chosen else strengths[separator], {"separator": separator}
    fitting = sum(map(bool, map(_LINES[separator].fullmatch, file.sample)))
    evidence = f"{part_of(fitting, len(file.sample), 'first line', 'is', 'are')} `{shown}`"
    return Recognition("F3", role or "gold", (file,), evidence, {}, options, guessed=role is None, strength=strength)


def _strength(lines: Sequence[str], separator: str) -> Strength | None:
    """Return the evidence that lines are an id and phrases, or None."""
    pairs = [(pair[1].strip(), pair[2] or "") for pair in map(_LINES[separator].fullmatch, lines) if pair]
    # Cells of a table may contain lists and several lines.
    mark = "[;|,]" if separator == ";" else "[;|]|, "
    lists = sum(bool(re.search(mark, doc_id)) for doc_id, _ in pairs)
    table = lists * 2 >= max(len(pairs), 1) or sum(line.count('"') % 2 for line in lines) > 1
    # A file with `@` may begin with comments.
    if not pairs or len(pairs) < (0.5 if separator == "@" else 0.8) * len(lines) or table:
        return None
    rights, unique = [right for _, right in pairs], len(dict(pairs)) == len(pairs)
    split, clean = any(";" in right for right in rights), unique and len(pairs) == len(lines)
    several = sum(bool(re.search("[;,]", right)) for right in rights) * 2 >= len(rights)
    uneven = len({right.count(";") for right in rights}) > 1  # rows of equal width may be a table
    fits = {
        "\t": (split or unique) and not all(plain(cell) in KNOWN for cell in lines[0].split("\t")),
        "@": split and sum(map(bool, map(_MAIL.match, rights))) * 2 < len(rights),
        ":": clean and several,
        ";": clean and uneven and len(pairs) > 2 and not any(map(_QUOTED.search, lines)),
    }
    if not fits[separator]:
        return None
    numbers = sum(map(is_number, rights)) >= 0.9 * len(lines)
    return Strength.MARKS if separator == ":" else Strength.PROPOSED if numbers else Strength.GRAMMAR


def _read_ids(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Split the phrases of each line at semicolons, else at `|` or commas; between commas `+` joins spellings."""
    file, separator = recognition.files[0], recognition.options["separator"]
    builder = ListBuilder(recognition.role, file.limits)
    share = {mark: sum(mark in line for line in file.sample) / len(file.sample) for mark in ";|,"}
    common = next((mark for mark in ("|,;" if separator != ":" else ",;|") if share[mark] >= 0.5), ";")
    mark = MARKS.get(file.mapping.split) or (";" if share[";"] and separator != ":" else common)
    for number, line in enumerate(file.lines, 1):
        match = _LINES[separator].fullmatch(line)
        if not line.strip():
            builder.skip()
        elif match is None or not match[1].strip():
            shown = "TAB" if separator == "\t" else f"`{separator}`"
            reason = "an empty id" if match else f"no {shown} between id and phrases"
            builder.reject(file.name, number, reason, line[:200])
        else:
            builder.open(match[1], file=file.name, line=number)
            right = match[2] or ""
            if right.startswith("[") and (items := json_list(right)) is not None:
                add_list(builder, items, "scored" if are_scored([items]) else "phrases")
                continue
            for phrase in builder.pieces(right, mark):
                builder.add_spellings(phrase, "+" if mark == "," else "")
    if mark == "," and separator != ":":
        message = "Lines were split at commas. If phrases contain commas, separate them by semicolons."
        builder.say("warning", file.name, message)
    return [builder.rows()]


def _group_aligned(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim texts, one per line; and ids if the role is documents."""
    readings = filter(None, (_recognise_aligned(file, role) for file in files if _is_plain(file)))
    return [reading for reading in readings if reading.options["lines"] == "texts" or role == "documents"]


def _recognise_aligned(file: File, role: Role | None) -> Recognition | None:
    """Recognize lists by semicolons in at least half of the lines, texts by titles, and ids by the file name."""
    if not file.sample or begins_like_json(file.json):
        return None
    chosen, free = file.mapping.format == "F5", role in (None, "documents") and _is_plain(file)
    titled = 5 * sum(map(bool, map(TITLE_END.search, file.sample))) >= 4 * len(file.sample)
    guesses = {
        "ids": free and _IDS.fullmatch(file.stem),
        "texts": (free and titled) or (role == "documents" and (chosen or titled)),
        "lists": role != "documents" and (chosen or are_lists(file)),
    }
    what = file.mapping.switch("lines") or next((guess for guess, fits in guesses.items() if fits), "")
    if not what:
        return None
    options = {"lines": what}
    if what != "lists":
        content = "texts" if what == "texts" else "ids of documents"
        evidence = f"{pluralize(len(file.lines), 'line')}: {content}, one per line"
        return Recognition("F5", "documents", (file,), evidence, {}, options)
    split = part_of(sum(";" in line for line in file.sample), len(file.sample), "first line", "is", "are")
    evidence = f"{split} keyphrases split at `;`; each line is a document without a name"
    border = any(BORDER in line for line in file.sample)
    weak = _may_be_rows(file.sample) or not _is_plain(file)
    strength = Strength.MARKS if border else Strength.PROPOSED if weak else Strength.CONTENT
    return Recognition("F5", role or "gold", (file,), evidence, {}, options, guessed=role is None, strength=strength)


def _is_plain(file: File) -> bool:
    """Recognize a file whose lines have no ids before them."""
    if file.suffix in _OTHERS or not file.sample or begins_like_json(file.json):
        return False
    ids = _recognise_ids(file, None)
    return ids is None or ids.strength == Strength.PROPOSED


def are_lists(file: File) -> bool:
    """Recognize lists: several lines, half of them with a semicolon, without TABs and sentences."""
    lines, marks = file.sample, sum(line.count(";") + 1 for line in file.sample)
    split = 2 * sum(";" in line for line in lines) >= len(lines) > 1
    return split and sum(len(line.split()) for line in lines) <= 12 * marks and not any("\t" in line for line in lines)


def _may_be_rows(lines: Sequence[str]) -> bool:
    """Recognize lines that may be rows of a table: with known column names, quoted cells, or equally many cells."""
    even = any(len({line.count(mark) for line in lines}) == 1 and mark in lines[0] for mark in ",;")
    known = sum(map(is_known, re.split(r"[\t,;|]", lines[0]))) > 1
    return known or any(map(_QUOTED.search, lines)) or (even and not any(BORDER in line for line in lines))


def are_prose(files: Sequence[File]) -> bool:
    """Recognize texts: most files have sentences, or lines that are longer than phrases between separators."""
    filled = [file for file in files[:50] if file.sample]
    return 2 * sum(map(_is_prose, filled)) > len(filled)


def _is_prose(file: File) -> bool:
    lines = file.sample
    pieces = [len(re.findall("[;,|]", line)) + 1 for line in lines]
    words = [len(line.split()) for line in lines]
    ends = sum(line.rstrip().endswith((".", "!", "?", "。", "…")) for line in lines)
    long = sum(count > 12 * parts for count, parts in zip(words, pieces, strict=True))
    sentences = sum(words) > 5 * sum(pieces) or ends * 2 >= len(lines) or long * 20 > len(lines)
    rows = 2 * sum("\t" in line.strip() for line in lines) > len(lines) or file.text.lstrip()[:1] in ("{", "[")
    return sentences and not rows and not trec.is_trec(file)


def _read_aligned(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read line n as document n; a blank line is an empty list."""
    file, what = recognition.files[0], recognition.options["lines"]
    numbers = list(map(str, range(1, len(file.lines) + 1)))
    if what == "ids":
        ids = _different(file)
        return [replace(document_rows({"doc_id": ids}), counted=len(ids), only_ids=True)]
    if what == "texts":
        titles, texts = zip(*map(title_and_body, file.lines), strict=True)
        rows = document_rows({"doc_id": numbers, "title": titles, "text": [text.strip() for text in texts]})
        return [replace(rows, counted=len(numbers))]
    builder, several = ListBuilder(recognition.role, file.limits), 0
    bar = "|" if recognition.role == "gold" and file.mapping.inner != "phrases" else ""
    for number, line in zip(numbers, file.lines, strict=True):
        builder.open(number, file=file.name, line=int(number))
        if not bar or bar not in line:
            add_list(builder, line)
            continue
        for item in builder.pieces(line):
            several += item != BORDER and builder.add_spellings(item, bar)
    if several:
        message = f"Keyphrases with several spellings, split at `|`: {several:,}. Choose inner=phrases to keep `|`."
        builder.say("info", file.name, message)
    return [replace(builder.rows(), counted=len(numbers))]


def _different(file: File) -> list[str]:
    ids = [line.strip() for line in file.lines]
    twice = next((doc_id for doc_id, count in Counter(ids).items() if count > 1 or not doc_id), None)
    if twice is not None:
        line = [number for number, doc_id in enumerate(ids, 1) if doc_id == twice][-1]
        found = f"the id “{twice[:60]}” again" if twice else "a blank line"
        raise InputError(f"{file.name}, line {line}", found, "a different id in every line", "Correct the ids.")
    return ids


_F3 = "one document per line: id, TAB, phrases; id@phrases; id : phrases"
_F5 = "line n is document n: phrases split at semicolons, texts, or ids"
FAMILIES = (
    Family("F3", _F3, _recognise_ids, _read_ids, OPTIONS=("separator",)),
    Family("F5", _F5, _recognise_aligned, _read_aligned, _group_aligned, OPTIONS=("lines",)),
)
