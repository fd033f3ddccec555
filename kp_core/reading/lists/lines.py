"""Read lines: an id and phrases (F3), line n as list, text or id of document n (F5), TREC qrels and runs (F8)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note, input_error, part_of, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.list_builder import ListBuilder, add_list, document_rows
from kp_core.reading.meaning.fields import KNOWN, is_known, plain
from kp_core.reading.meaning.layout import Family, Recognition, Strength
from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.open.decode import File
from kp_core.reading.open.json_table import begins_like_json, json_of
from kp_core.reading.open.values import floats, is_number, number, text_column
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import BORDER, TITLE_END, are_scored, json_list, title_and_body

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
_IDS = re.compile(
    r"(?:.*[^a-z])?(?:(?:doc|document|file)?_?ids?|(?:doc|document|file)_?names)(?:[^a-z].*)?", re.IGNORECASE
)
#: A quoted cell of a table.
_QUOTED = re.compile(r'(?:^|;)"')


def _recognise_ids(file: File, role: Role | None) -> Recognition | None:
    """Recognize an id, TAB, `@`, colon or semicolon, and phrases in at least 80% of the first 200 lines."""
    if role == "documents" or not file.sample:
        return None
    chosen = file.mapping.separator
    strengths = {mark: strength for mark in _LINES if (strength := _strength(file.sample, mark)) is not None}
    separator = chosen if chosen in _LINES else next(iter(strengths), "")
    if not separator:
        return None
    example = {"\t": "id TAB a;b;c", ":": "id : a,b;c"}.get(separator, f"id{separator}a;b;c")
    strength = Strength.GRAMMAR if chosen else strengths[separator]
    mapping = replace(file.mapping, format="F3", separator=separator)
    evidence = f"{_share(file, map(_LINES[separator].fullmatch, file.sample))} `{example}`"
    return Recognition("F3", role or "gold", (file,), evidence, mapping, guessed=role is None, strength=strength)


def _share(file: File, fits: Iterable[object]) -> str:
    return part_of(sum(map(bool, fits)), len(file.sample), "first line", "is", "are")


def _strength(lines: Sequence[str], separator: str) -> Strength | None:
    """Return the evidence that each line is a document id followed by phrases, or None if there is none."""
    pairs = [(pair[1].strip(), pair[2] or "") for pair in map(_LINES[separator].fullmatch, lines) if pair]
    # Cells of a table may contain lists and several lines.
    pattern = "[;|,]" if separator == ";" else "[;|]|, "
    lists = sum(bool(re.search(pattern, doc_id)) for doc_id, _ in pairs)
    table = lists * 2 >= max(len(pairs), 1) or sum(line.count('"') % 2 for line in lines) > 1
    # A file with `@` may begin with comments.
    if len(pairs) < (0.5 if separator == "@" else 0.8) * len(lines) or table:
        return None
    rights, unique = [right for _, right in pairs], len(dict(pairs)) == len(pairs)
    has_semicolons, clean = any(";" in right for right in rights), unique and len(pairs) == len(lines)
    sizes_vary = len({right.count(";") for right in rights}) > 1  # rows of equal width may be a table
    fits = {
        "\t": (has_semicolons or unique) and not all(plain(cell) in KNOWN for cell in lines[0].split("\t")),
        "@": has_semicolons,
        ":": clean and sum(bool(re.search("[;,]", right)) for right in rights) * 2 >= len(rights),
        ";": clean and sizes_vary and len(pairs) > 2 and not any(map(_QUOTED.search, lines)),
    }
    if not fits[separator]:
        return None
    are_numbers = sum(map(is_number, rights)) >= 0.9 * len(lines)
    return Strength.MARKS if separator == ":" else Strength.PROPOSED if are_numbers else Strength.GRAMMAR


def _read_ids(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Split the phrases of each line at semicolons, else at `|` or commas; between commas `+` joins spellings."""
    file, separator = recognition.files[0], recognition.mapping.separator
    builder, mark_name = ListBuilder(recognition.role, file.limits), "TAB" if separator == "\t" else f"`{separator}`"
    share = {mark: sum(mark in line for line in file.sample) / len(file.sample) for mark in ";|,"}
    common = next((mark for mark in ("|,;" if separator != ":" else ",;|") if share[mark] >= 0.5), ";")
    mark = MARKS.get(file.mapping.split) or (";" if share[";"] and separator != ":" else common)
    for index, line in enumerate(file.lines, 1):
        match = _LINES[separator].fullmatch(line)
        if not line.strip():
            builder.blank += 1
        elif match is None or not match[1].strip():
            reason = "an empty id" if match else f"no {mark_name} between id and phrases"
            builder.rejected.append((file.name, index, reason, line[:200]))
        else:
            builder.open(match[1], file=file.name, line=index)
            items = json_list(match[2]) if (match[2] or "").startswith("[") else None
            for phrase in builder.pieces(match[2] or "", mark) if items is None else ():
                builder.add_spellings(_spellings(phrase, "+" if mark == "," else ""))
            add_list(builder, items, "scored" if items and are_scored([items]) else "phrases")
    if mark == "," and separator != ":":
        message = "Lines were split at commas. If phrases contain commas, separate them by semicolons."
        builder.say("warning", file.name, message)
    return [builder.rows()]


def _spellings(text: str, mark: str) -> list[str]:
    """Return the spellings of a keyphrase between marks, if there are several."""
    parts = [part.strip() for part in text.split(mark) if part.strip()] if mark else []
    return parts if len(parts) > 1 else [text]


def _group_aligned(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim files with one text per line; if the role is documents, also files with one id per line."""
    readings = filter(None, (_recognise_aligned(file, role) for file in files if _is_plain(file)))
    return [reading for reading in readings if reading.mapping.lines == "texts" or role == "documents"]


def _recognise_aligned(file: File, role: Role | None) -> Recognition | None:
    """Recognize lists by semicolons in at least half of the lines, texts by titles, and ids by the file name."""
    if not file.sample or begins_like_json(json_of(file)):
        return None
    chosen, is_plain = file.mapping.format == "F5", _is_plain(file)
    may_be_documents = role in (None, "documents") and is_plain
    has_titles = 5 * sum(map(bool, map(TITLE_END.search, file.sample))) >= 4 * len(file.sample)
    guesses = {
        "ids": may_be_documents and _IDS.fullmatch(file.stem),
        "texts": (may_be_documents and has_titles) or (role == "documents" and (chosen or has_titles)),
        "lists": role != "documents" and (chosen or are_lists(file)),
    }
    meaning = file.mapping.lines or next((guess for guess, fits in guesses.items() if fits), "")
    if not meaning:
        return None
    mapping = replace(file.mapping, format="F5", lines=meaning)
    if meaning != "lists":
        content = "texts" if meaning == "texts" else "ids of documents"
        evidence = f"{pluralize(len(file.lines), 'line')}: {content}, one per line"
        return Recognition("F5", "documents", (file,), evidence, mapping)
    share = _share(file, (";" in line for line in file.sample))
    evidence = f"{share} keyphrases split at `;`; each line is a document without a name"
    is_weak, has_borders = not is_plain or _may_be_rows(file.sample), any(BORDER in line for line in file.sample)
    strength = Strength.MARKS if has_borders else Strength.PROPOSED if is_weak else Strength.CONTENT
    return Recognition("F5", role or "gold", (file,), evidence, mapping, guessed=role is None, strength=strength)


def _is_plain(file: File) -> bool:
    """Recognize a file whose lines have no ids before them."""
    if file.suffix in _OTHERS or not file.sample or begins_like_json(json_of(file)):
        return False
    ids = _recognise_ids(file, None)
    return ids is None or ids.strength == Strength.PROPOSED


def are_lists(file: File) -> bool:
    """Recognize lists: several lines, half of them with a semicolon, none with TABs or sentences."""
    lines, marks = file.sample, sum(line.count(";") + 1 for line in file.sample)
    split = 2 * sum(";" in line for line in lines) >= len(lines) > 1
    return split and sum(len(line.split()) for line in lines) <= 12 * marks and not any("\t" in line for line in lines)


def _may_be_rows(lines: Sequence[str]) -> bool:
    """Recognize lines that may be rows of a table: known column names, quoted cells, or equally long rows."""
    same_width = any(len({line.count(mark) for line in lines}) == 1 and mark in lines[0] for mark in ",;")
    is_header = sum(map(is_known, re.split(r"[\t,;|]", lines[0]))) > 1
    return is_header or any(map(_QUOTED.search, lines)) or (same_width and not any(BORDER in line for line in lines))


def are_prose(files: Sequence[File]) -> bool:
    """Recognize texts: most files have sentences, or lines that are longer than phrases between separators."""
    filled = [file for file in files[:50] if file.sample]
    return 2 * sum(map(_is_prose, filled)) > len(filled)


def _is_prose(file: File) -> bool:
    lines = file.sample
    pieces = [len(re.findall("[;,|]", line)) + 1 for line in lines]
    words = [len(line.split()) for line in lines]
    ends = sum(line.rstrip().endswith((".", "!", "?", "。", "…")) for line in lines)
    n_long = sum(count > 12 * parts for count, parts in zip(words, pieces, strict=True))
    sentences = sum(words) > 5 * sum(pieces) or ends * 2 >= len(lines) or n_long * 20 > len(lines)
    rows = 2 * sum("\t" in line.strip() for line in lines) > len(lines) or file.text.lstrip()[:1] in ("{", "[")
    return sentences and not rows and not is_trec(file)


def _read_aligned(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read line n as document n; a blank line is an empty list."""
    file, meaning = recognition.files[0], recognition.mapping.lines
    doc_ids = list(map(str, range(1, len(file.lines) + 1)))
    if meaning == "ids":
        rows = replace(document_rows({"doc_id": _distinct_ids(file)}), only_ids=True)
    elif meaning == "texts":
        titles, texts = zip(*map(title_and_body, file.lines), strict=True)
        rows = document_rows({"doc_id": doc_ids, "title": titles, "text": [text.strip() for text in texts]})
    else:
        builder, n_split = ListBuilder(recognition.role, file.limits), 0
        bar = "|" if recognition.role == "gold" and file.mapping.inner != "phrases" else ""
        mark = MARKS.get(file.mapping.split, "")
        for doc_id, line in zip(doc_ids, file.lines, strict=True):
            builder.open(doc_id, file=file.name, line=int(doc_id))
            if not mark and (not bar or bar not in line):
                add_list(builder, line)
                continue
            for item in (item for item in builder.pieces(line, mark or ";") if item != BORDER):
                builder.add_spellings(spellings := _spellings(item, "" if mark == bar else bar))
                n_split += len(spellings) > 1
        if n_split:
            message = f"Keyphrases with several spellings, split at `|`: {n_split:,}. Choose inner=phrases to keep `|`."
            builder.say("info", file.name, message)
        rows = builder.rows()
    return [replace(rows, counted=len(doc_ids))]


def _distinct_ids(file: File) -> list[str]:
    ids = [line.strip() for line in file.lines]
    twice = next((doc_id for doc_id, count in Counter(ids).items() if count > 1 or not doc_id), None)
    if twice is not None:
        line = len(ids) - ids[::-1].index(twice)
        found = f"the id “{twice[:60]}” again" if twice else "a blank line"
        raise input_error(f"{file.name}, line {line}", "id twice", found=found)
    return ids


_TABS = r"\s*\t\s*"
_ITERATION = re.compile(r"\d+|Q0")
#: Role → columns of TREC, the form of a line, and a pattern of the first fields of lines that mix blanks and TABs and
#: are split at blanks; in other lines with TABs, a phrase may have several words.
_TREC: dict[Role, tuple[tuple[str, ...], str, str]] = {
    "gold": (("doc_id", "source", "phrase", "relevance"), "doc 0 phrase grade", r"^\S+\s+(?:\d+|Q0)\s"),
    "system": (
        ("doc_id", "Q0", "phrase", "rank", "score", "source"),
        "doc Q0 phrase rank score tag",
        r"^\S+\s+[Qq]0\s+\S+\s+[-+]?\d+\s",
    ),
}


def _recognise_trec(file: File, role: Role | None) -> Recognition | None:
    """Recognize `doc 0 phrase grade` or `doc Q0 phrase rank score tag` in at least 80% of the first 200 lines."""
    is_qrels = file.suffix == ".qrels"  # only then may annotators replace the iteration
    lines = pc.ascii_trim_whitespace(pa.array(file.sample, pa.large_string()))
    for kind, (_, example, _) in _TREC.items():
        rows = _fields(lines, kind).to_pylist()
        fits = [_fits(fields, kind, is_qrels) for fields in rows]
        phrases = any(not is_number(fields[2]) for fields in compress(rows, fits))  # else marks below documents
        if role in (None, kind) and phrases and fits[0] and sum(fits) >= 0.8 * len(fits):
            evidence = f"{part_of(sum(fits), len(fits), 'first line', 'is', 'are')} `{example}`"
            strength = Strength.MARKS if all(fits) else Strength.NAMES
            return Recognition("F8", kind, (file,), evidence, replace(file.mapping, format="F8"), strength=strength)
    return None


def is_trec(file: File) -> bool:
    """Return whether a file is a TREC qrels or run file."""
    return _recognise_trec(file, None) is not None


def unescape(text: str) -> str | None:
    """Decode `%XX` in a string; return None if some `%` is not part of a valid `%XX`.

    >>> unescape("tide%20table"), unescape("50%")
    ('tide table', None)
    """
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        return None
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _fields(lines: pa.Array, role: Role) -> pa.Array:
    """Split each line at runs of TABs if this gives the expected number of fields, else at any blanks.

    Between TABs, phrases may have several words. If a line has too many fields, the surplus is one last field.
    """
    names, _, blank = _TREC[role]
    tabbed, size = pc.match_substring(lines, "\t"), len(names)
    at_blanks = pc.ascii_split_whitespace(lines, max_splits=size)
    if not pc.any(tabbed).as_py():
        return at_blanks
    fields = pc.split_pattern_regex(lines, _TABS, max_splits=size)
    count = pc.list_value_length(fields)
    fits = pc.equal(count, size) if role == "gold" else pc.greater_equal(count, size)
    blanks = pc.or_(pc.invert(tabbed), pc.and_(pc.invert(fits), pc.match_substring_regex(lines, blank)))
    return pc.if_else(blanks, at_blanks, fields)


def _fits(fields: list[str], kind: str, is_qrels: bool) -> bool:
    if kind == "gold":
        return len(fields) == 4 and number(fields[3]) % 1 == 0 and (is_qrels or bool(_ITERATION.fullmatch(fields[1])))
    return len(fields) > 5 and fields[1].upper() == "Q0" and number(fields[3]) % 1 == 0 and number(fields[4]) < np.inf


def _read_trec(recognition: Recognition, role: Role | None) -> list[Rows]:
    file, kind = recognition.files[0], recognition.role
    names, *_ = _TREC[kind]
    file.refuse_long_lines()
    refuse_over(file.limits.rows, file.text.count("\n"), "lines", file.name)
    lines = pc.split_pattern_regex(pa.array([file.text], pa.large_string()), r"\r\n|\n|\r").flatten()
    lines = pc.ascii_trim_whitespace(lines)
    fields = _fields(lines, kind)
    count = np.where(pc.equal(lines, ""), 0, pc.list_value_length(fields))
    fits = count == len(names)
    rows = Rows(kind, pa.table({}), file.decoded.ends + (file.text[-1:] not in ("\n", "\r", "")))
    rows.lines, rows.blank = np.flatnonzero(fits) + 1, rows.read - int((count > 0).sum())
    for index in np.flatnonzero(~fits & (count > 0)):
        text = lines[index].as_py()
        parts = re.split(_TABS, text) if "\t" in text else text.split()
        reason = f"{pluralize(len(parts), 'field')} instead of {len(names)}"
        rows.rejected.append((file.name, int(index) + 1, reason, text[:200]))
    fields = fields.filter(pa.array(fits))
    columns = {name: pc.list_element(fields, index) for index, name in enumerate(names)}
    _decode(columns, rows, file.name, recognition.mapping.underscore == "space")
    if kind == "system":
        order = _ranked(columns, rows, file.name)
        rows.lines = rows.lines[order]
        columns = {name: column.take(pa.array(order)) for name, column in columns.items()}
    elif all(number(grade) == 1 for grade in pc.unique(columns["relevance"]).to_pylist()):
        del columns["relevance"]  # the gold standard is binary
    rows.table = pa.table(columns)
    return [rows]


def _decode(columns: dict[str, pa.Array], rows: Rows, file: str, underscore: bool) -> None:
    """Decode `%XX` in ids, phrases and names, unless some `%` is not part of a valid `%XX`."""
    # The second column of qrels contains annotators, unless it is a plain iteration number.
    if rows.role == "gold" and all(_ITERATION.fullmatch(name) for name in pc.unique(columns["source"]).to_pylist()):
        del columns["source"]
    encoded = {name: columns[name].dictionary_encode() for name in ("doc_id", "phrase", "source") if name in columns}
    texts = {name: column.dictionary.to_pylist() for name, column in encoded.items()}
    size = sum("%" in text for values in texts.values() for text in values)
    decoded = {
        name: text_column([unescape(text) if "%" in text else text for text in values])
        for name, values in texts.items()
    }
    if any(values.null_count or surrogates for values, surrogates in decoded.values()):
        rows.notes.append(Note("info", file, "Some `%` is not followed by a valid code, so `%XX` was not decoded."))
    elif size:
        columns |= {name: values.take(encoded[name].indices) for name, (values, _) in decoded.items()}
        single, plural = "id, phrase or name with `%XX` was decoded.", "ids, phrases and names with `%XX` were decoded."
        rows.notes.append(Note.counting("info", file, size, single, plural))
    phrases = columns["phrase"]
    if underscore:
        columns["phrase"] = pc.replace_substring(phrases, "_", " ")
    elif pc.any(pc.match_substring(phrases, "_")).as_py() and not pc.any(pc.match_substring(phrases, " ")).as_py():
        message = "Phrases contain `_` but no spaces; if `_` means a space, choose underscore = space."
        rows.notes.append(Note("warning", file, message))


def _ranked(columns: dict[str, pa.Array], rows: Rows, file: str) -> npt.NDArray[np.int64]:
    """Return the order of rows by score in each list; remove scores that merely count down to 1."""
    score, rank = (floats(pa.chunked_array([columns[name]]))[0] for name in ("score", "rank"))
    source, doc_id = (columns[name].dictionary_encode() for name in ("source", "doc_id"))
    keys = source.indices.to_numpy().astype(np.int64) * (len(doc_id.dictionary) + 1) + doc_id.indices.to_numpy()
    group, lists = pd.factorize(keys)
    order = np.lexsort((rank, -score, group))
    contradicts = (np.diff(rank[order]) < 0) & (np.diff(group[order]) == 0)
    if contradicts.any():
        size = len(np.unique(group[order][1:][contradicts]))
        explanation = "like TREC tools, KPScope follows the scores."
        singular = f"list has ranks that contradict its scores; {explanation}"
        plural = f"lists have ranks that contradict their scores; {explanation}"
        rows.notes.append(Note.counting("warning", file, size, singular, plural))
    sizes = np.bincount(group, minlength=len(lists))
    countdown = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(order))
    if np.array_equal(score[order], countdown):
        del columns["score"]
    del columns["rank"], columns["Q0"]
    return order


_F3 = "one document per line: id, TAB, phrases; id@phrases; id : phrases"
_F5 = "line n is document n: phrases, a text, or an id"
_F8 = "TREC qrels, and runs: `doc Q0 phrase rank score tag`"
F3 = Family("F3", _F3, _recognise_ids, _read_ids, OPTIONS=("separator",))
F5 = Family("F5", _F5, _recognise_aligned, _read_aligned, _group_aligned, OPTIONS=("lines",))
F8 = Family("F8", _F8, _recognise_trec, _read_trec, OPTIONS=("underscore",))
