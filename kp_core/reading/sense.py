"""Turn what was read into findings: what cannot be meant so, with what would mend it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, kept
from kp_core.errors import Note, counted
from kp_core.reading.choice import Choice
from kp_core.reading.choices import Finding, Level, Question, Reply
from kp_core.reading.family import File, Recognition
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.identifiers import WORDS, applied, sources, suggestions
from kp_core.reading.layout import Layout
from kp_core.reading.rows import Part
from kp_core.reading.sniff import columns_of
from kp_core.reading.values import is_number

#: So many different values are looked at, and no fewer than so many tell anything.
_MOST, _FEWEST = 500, 5
#: More words or characters than these are no phrase.
_WORDS, _CHARACTERS = 12, 100
_ADDRESS = re.compile(r"<?(?:https?://|www\.|mailto:)\S+|[^\s@]+@[^\s@]+\.[a-z]+", re.IGNORECASE)
_DECIMAL, _ARXIV = re.compile(r"-?\d+[.,]\d+(?:e-?\d+)?", re.IGNORECASE), re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?")


def _is_decimal(doc_id: str) -> bool:
    return bool(_DECIMAL.fullmatch(doc_id)) and not _ARXIV.fullmatch(doc_id)


def _is_sentence(text: str) -> bool:
    return len(text.split()) > _WORDS or len(text) > _CHARACTERS


#: What most phrases, or most ids, cannot be: in words, and the test.
_NO_PHRASES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("numbers", is_number),
    ("addresses", _ADDRESS.fullmatch),
    ("as long as sentences", _is_sentence),
    ("followed by a number", re.compile(r".+(?:\((?:0?\.\d+|1\.0*)\)|[:=] ?(?:0?\.\d+|1\.0*))").fullmatch),
    ("marked up as HTML", re.compile(r"</?[a-z][^<>]*>|&(?:[a-z]+|#[0-9]+);", re.IGNORECASE).search),
    ("written as a program writes them", re.compile(r"[(\[{]+['\"].*|.*['\"][)\]}]+", re.DOTALL).fullmatch),
)
_NO_IDS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("decimal numbers", _is_decimal),
    ("texts", lambda doc_id: _is_sentence(doc_id) and " " in doc_id),
    ("written as a program writes them", re.compile(r"[(\[{]+['\"].*", re.DOTALL).fullmatch),
)


def doubt_of(part: Part, recognition: Recognition) -> Finding | None:
    """Return what phrases or ids of a file cannot be that they were read as, unless the user said so."""
    own = any(getattr(layout, "own", False) for layout in recognition.plan)
    if part.choice.use == "as-read" or part.role not in ("gold", "system") or own:
        return None
    file = recognition.files[0]
    sentences = plain(recognition.columns.get("phrase", "")) == "sentence"
    for column, tests in (("phrase", _NO_PHRASES), ("doc_id", _NO_IDS)):
        values = _first_values(part.table[column])
        for what, is_so in tests:
            odd = [value for value in values if is_so(value)]
            meant = sentences if what == "as long as sentences" else what == "addresses" and _in_brackets(file, odd)
            if len(values) >= _FEWEST and len(odd) * 2 > len(values) and not meant:
                kind = "phrases" if column == "phrase" else "ids of documents"
                found = f"{kind} that are {what}, such as “{odd[0][:60]}”"
                expected = "keyphrases" if column == "phrase" else "ids"
                return Finding("ask", part.file, found, expected, _other_readings(file, recognition, column))
    if len(part.ids()) > 2 and len(same := pc.unique(part.table["phrase"])) == 1:
        others = _other_readings(file, recognition, "phrase")
        found = f"the same phrase for all documents, “{same[0].as_py()[:60]}”"
        if len(others) > len(_as_it_is(file)) and "phrase" not in file.choice.columns:  # another column may be meant
            return Finding("ask", part.file, found, "different ones", others)
    headed = any(isinstance(layout, Layout) and layout.table.header for layout in recognition.plan)
    at_top = part.checked.one_file and len(part.table) and part.checked.first_line == 1 and not headed
    if at_top and (row := _odd_first_row(part)):
        header = Choice(file.choice.role, "F10", file.choice.encoding, columns=row, options={"header": "yes"})
        answers = (Reply("row 1 is a header", {file.name: header}), *_as_it_is(file))
        found = f"a first row that is unlike the others (“{' | '.join(row.values())[:60]}”)"
        return Finding("ask", part.file, found, "a header or a row of data", answers)
    return None


def _in_brackets(file: File, addresses: Sequence[str]) -> bool:
    """Tell addresses of concepts, which stand between `<` and `>` where they are meant."""
    return bool(addresses) and f"<{addresses[0].strip('<>')}>".encode() in file.source.data


def _first_values(column: pa.ChunkedArray) -> list[str]:
    found = pc.unique(column.slice(0, 20 * _MOST)).slice(0, _MOST)
    return [str(value) for value in found.to_pylist()]


def _other_readings(file: File, recognition: Recognition, column: str) -> tuple[Reply, ...]:
    """Return an answer for every other column that may be meant, and that it is meant so."""
    names = columns_of(file) if column in recognition.columns else []
    said = "keyphrases" if column == "phrase" else "ids"
    taken = {name for role, name in recognition.columns.items() if role in ("doc_id", "phrase", "phrases")}
    answers = [
        Reply(
            f"the {said} are in “{name}”",
            {file.name: replace(file.choice, columns={**file.choice.columns, column: name})},
        )
        for name in names
        if name not in taken
    ]
    return (*answers[:5], *_as_it_is(file))


def _as_it_is(file: File) -> tuple[Reply, ...]:
    right = Reply("it is right so", {file.name: replace(file.choice, use="as-read")})
    return right, Reply("leave the file out", {file.name: Choice(use="no")})


def _odd_first_row(part: Part) -> dict[str, str]:
    """Return the first row if it may be a header: no list, or of a document named unlike all others."""
    table = part.table
    lengths = [] if part.lists is None or not part.counted else part.lists["length"].tolist()
    if len(lengths) > 2 and lengths[0] == 1 < min(lengths[1:]):  # one word above lines of lists
        return {"phrases": table["phrase"][0].as_py()}
    first = {name: table[name][0].as_py() for name in ("doc_id", "phrase")}
    if pc.sum(pc.equal(table["doc_id"], first["doc_id"])).as_py() > 1:
        return {}
    others = [value for value in _first_values(table["doc_id"]) if value != first["doc_id"]]
    numbered = all(re.search(r"\d", other) for other in others) and re.fullmatch(r"[^\W\d_]{2}\D*", first["doc_id"])
    odd = len(others) > 2 and (numbered or plain(first["doc_id"]) in KNOWN)
    return first if odd else {}


def findings(corpus: Corpus) -> tuple[Finding, ...]:
    """Return what makes the numbers of a corpus mean little or nothing: sides that hardly meet, and what would help."""
    return kept(corpus, "findings", None, lambda: tuple(_apart(corpus)))


def _apart(corpus: Corpus) -> list[Finding]:
    every = sources(corpus) if len(corpus.gold) else {}
    gold = set().union(*every.get("gold", {}).values())
    others = {**every.get("systems", {}), **({"texts": every["texts"]["texts"]} if "texts" in every else {})}
    found = []
    for name, ids in others.items() if gold else ():
        common = len(gold & set(ids))
        # Texts of some documents are texts; systems are scored as if they said nothing of the others.
        if common * 2 >= len(gold) or (common and name not in corpus.systems):
            continue
        level: Level = "stop" if not common and name in corpus.systems else "warn"
        noun = "lists" if name in corpus.systems else "texts"
        ids_of_both = f" (“{min(gold)[:40]}”, where {name} has “{min(ids)[:40]}”)" if ids and not common else ""
        said = f"{noun} for {common:,} of {counted(len(gold), 'document')} of the gold standard{ids_of_both}"
        found.append(Finding(level, name, said, f"{noun} for most of them", _offers(corpus, gold, ids)))
    return found


def _offers(corpus: Corpus, gold: set[str], ids: Sequence[str]) -> tuple[Reply, ...]:
    """Return the fixes that make ids meet, each with an id that it changes."""
    answers = []
    for fixes in (tuple(joined.split(",")) for joined in dict.fromkeys(suggestions(corpus)["fix"])):
        examples = (f"“{one}” → “{applied(fixes, one)}”" for one in (*ids, *sorted(gold)) if applied(fixes, one) != one)
        if example := next(examples, ""):
            answers.append(Reply(" and ".join(WORDS[name] for name in fixes), fixes=fixes, example=example))
    return tuple(answers)


def notes(corpus: Corpus) -> list[Note]:
    """Return the findings as warnings that stand with every number."""
    return [Note("warning", one.where, f"There are {one.found}. {one.remedy}") for one in findings(corpus)]


def refuse_apart(corpus: Corpus) -> None:
    """Refuse to score systems of which none has a document of the gold standard."""
    stops = [one for one in findings(corpus) if one.level == "stop"]
    if stops and len(stops) == len(corpus.systems):
        raise Question(stops[0])
