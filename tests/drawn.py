"""Draw tables whose meaning a careful person can tell, and judge how they are read: `python -m tests.drawn 10000`."""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kp_core.reading import Source
from kp_core.reading.fields import NAMES
from tests.format_samples import parquet, workbook
from tests.settled import Truth, settles

PHRASES = """
tide table, solar power, grid, neural net, harbour, quality of life, 3D printing, ship, C++, e-learning, moon, tax law,
information retrieval, sea level, Gezeiten, Öffentlicher Dienst, Küstenschutz, Hafen, marée, qualité de l'eau, navire,
puerto, energía solar, niño, porto, reti neurali, água, maré, getij, waterstand, прилив, уровень моря, порт, 潮汐,
海平面, 船, 潮位, 航海, COVID-19, World War II, R&D, history (methods), Mond, lune, luna, mare, schip, maan, луна, 月亮,
salt, sand, reef, crew
"""
POOL = [" ".join(one.split()) for one in PHRASES.split(",")]
#: Heads that nobody knows, of ids and of keyphrases, of ranks and scores, of who chose; names of people and systems.
UNKNOWN = {
    "doc_id": ["Beleg", "Sig.", "Objekt", "pièce", "Laufnr", "ref no", "ficha", "scheda"],
    "phrase": ["Thema", "Foo", "notion", "concept name", "Inhalt was", "kwd", "tema", "trefw."],
    "phrases": ["Themen", "Foo", "notions", "kwds", "Sacherschließung", "temas", "vergebene Wörter"],
    "rank": ["pos.", "n°", "Stelle", "k"],
    "score": ["prob", "conf.", "Güte", "certainty", "p"],
    "annotator": ["Kürzel", "by", "quién", "wer"],
    "system": ["engine name", "Lauf", "config"],
}
PEOPLE, SYSTEMS = ["Anna", "Ben", "Cem", "Dora"], ["yake", "textrank", "kea", "keybert"]
#: Words that play another role as well, or say more than the role, and so are not drawn as heads.
ODD = """
id key doi di eid ut uid 001 _id url name source document subject reference label entity tag user de 650 653 tgt gold
target targets y_true ground_truth groundtruth extractive_keyphrases abstractive_keyphrases abstractive_keyphrase kp
tags abstract_note description.abstract src content ab ti 245 email e_mail email_address e_mail_address
""".split()  # noqa: SIM905
IDS: dict[str, Callable[[int], str]] = {
    "D1": lambda n: f"D{n}",
    "17": lambda n: str(16 + n),
    "doc-1.txt": lambda n: f"doc-{n}.txt",
    "10.1000/x1": lambda n: f"10.1000/x{n}",
    "QA 76.1": lambda n: f"QA {70 + n}.{n % 3 + 1}",
    "Text 1": lambda n: f"Text {n}",
    "a title": lambda n: f"On the {['tides', 'moons', 'ships', 'reefs', 'harbours', 'sands', 'crews', 'grids'][n % 8]}",
}
#: Columns beside, by their heads: what stands in row n.
BESIDE: dict[str, Callable[[int], Any]] = {
    "year": lambda n: 1998 + n,
    "Journal": lambda n: ["Nature", "Coasts", "Seen und Meere"][n % 3],
    "Autor": lambda n: ["Doe, J.", "Roe, R.", "Poe, E."][n % 3],
    "Abstract": lambda n: f"We look at the thing {n} and at what becomes of it in long years of quiet work, exactly.",
    "comment": lambda n: ["", "checked", "to be discussed, perhaps"][n % 3],
    "DOI": lambda n: f"10.5555/abc{n}",
    "language": lambda n: ["en", "de", "en"][n % 3],
    "Sprache": lambda n: ["de", "fr", "de"][n % 3],
}
SEPARATORS = ("; ", ";", ", ", " | ", "|", "\n")
OPENERS = ("comma", "counted", "semicolon", "tab", "xlsx", "parquet", "jsonl", "json")
ABOVE = (["Export of 12.03.2024"], ["Keyphrases of the class", ""], ["Katalogabzug, Stand 2023", "nicht zitieren", ""])
BELOW = ("Total: {}", "{} records exported", "Anzahl: {}")
Row = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A table: its number, how it was drawn, whether all heads in use are known, the file, and what may come out."""

    number: int
    how: str
    known: bool
    given: dict[str, Any]
    truths: tuple[Truth, ...]

    def shown(self) -> str:
        """Return the table as a person sees it."""
        (source,) = (one for part in self.given.values() for one in part)
        data: bytes = source.data
        body = self.how.split("\n", 1)[1] if data[:2] == b"PK" or data[:4] == b"PAR1" else data.decode("utf-8-sig")
        return f"table {self.number}, {self.how.split(chr(10), 1)[0]}, {source.name}\n{body[:700]}"


class _Draw:
    """One table in the making; every choice comes from one generator."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = rng = random.Random(f"{seed}/{number}")
        self.number, self.layout = number, rng.choice(list(LAYOUTS))
        self.opener = "xlsx" if self.layout == "sheets" else rng.choice(OPENERS)
        self.role = rng.choice(("gold", "systems"))
        self.who = "annotator" if self.role == "gold" else "system"
        self.names = rng.sample(PEOPLE if self.role == "gold" else SYSTEMS, rng.choice((2, 2, 3)))
        self.separator = rng.choice(SEPARATORS)
        if self.opener in ("jsonl", "json", "parquet") and rng.random() < 0.5:
            self.separator = "a list"
        elif rng.random() < 0.1:
            self.separator = "JSON"
        self.kind = rng.choice(list(IDS))
        self.documents = [IDS[self.kind](n) for n in range(1, rng.randint(4, 8))]
        # Of ids and keyphrases one has a head that is known, so that a person can tell which is which.
        self.unknown = rng.choice(("", "", "", "", "doc_id", "phrase"))
        if self.layout in ("no id", "filled down") or self.kind == "a title":
            self.unknown = ""
        if self.layout in ("wide", "numbered") and self.unknown == "phrase":
            self.unknown = ""
        self.beside = rng.sample(list(BESIDE), rng.choice((0, 0, 1, 2, 3)))
        self.beside = [one for one in self.beside if not {"language", "Sprache"} <= {*self.beside} or one != "language"]
        # Beside titles, or ids under an unknown head, further ids would be as good.
        if self.unknown == "doc_id" or self.kind == "a title":
            self.beside = [one for one in self.beside if one != "DOI"]
        self.headless, self.guessed, self.before = False, False, ""

    def head(self, role: str, *, known: bool = True) -> str:
        """Return the head of a column, as somebody may write it."""
        if not known:
            self.guessed = True
            return self.rng.choice(UNKNOWN[role])
        others = {word for name, words in NAMES.items() if name not in (role, *_ALIKE.get(role, ())) for word in words}
        others |= {*NAMES["predictions"]} if role == "phrases" else set()
        word = self.rng.choice(
            [one for one in NAMES[role] if one not in others and one not in ODD and len(one) > 1 and "$" not in one]
        )
        word = word.replace("_", self.rng.choice((" ", "_", "-")))
        return self.rng.choice((word, word, word.capitalize(), word.upper() if word.isascii() else word))

    def list_of(self, shared: Sequence[str] = ()) -> list[str]:
        """Return two to five phrases, the first of them those that another list has too."""
        pool = [one for one in POOL if one not in shared]
        return [*shared[: self.rng.randint(1, 2)], *self.rng.sample(pool, self.rng.randint(1 if shared else 2, 4))]

    def cell(self, phrases: Sequence[str]) -> Any:
        if self.separator == "a list":
            return list(phrases)
        return json.dumps(phrases) if self.separator == "JSON" else self.separator.join(phrases)

    def rows_beside(self, n: int) -> Row:
        return {head: BESIDE[head](n) for head in self.beside}

    def id_head(self) -> str:
        if self.kind == "a title" and self.unknown != "doc_id":  # no number, and no file
            return self.rng.choice(
                ("doc", "Dokument", "document-id", "documento", "документ", "文献", "文書", "paper-id")
            )
        return self.head("doc_id", known=self.unknown != "doc_id")


#: Roles whose words may stand for each other.
_ALIKE = {
    "phrase": ("keyphrase", "phrases", "candidate"),
    "phrases": ("gold", "predictions", "phrase", "keyphrase"),
    "predictions": ("phrases",),
}


def table(seed: int, number: int) -> Drawn:
    """Return the table of a number: the same for the same seed."""
    draw = _Draw(seed, number)
    rows, lists, titles = LAYOUTS[draw.layout](draw)
    texts, truths = {}, []
    if draw.before:  # the whole head may be whose it is
        truths.append(Truth(**{draw.role: {(draw.before + who, of): found for (who, of), found in lists.items()}}))
    if draw.layout == "no id" and draw.role == "gold" and "Abstract" in draw.beside:
        texts = {str(n): BESIDE["Abstract"](n) for n in range(1, len(draw.documents) + 1)}
    truths.insert(0, Truth(**{draw.role: lists}, texts=texts))
    if titles:  # by which documents without ids may be known as well
        lists = {(who, titles[int(document) - 1]): found for (who, document), found in lists.items()}
        truths.append(Truth(**{draw.role: lists}, texts={titles[int(n) - 1]: text for n, text in texts.items()}))
    source, about = _written(draw, rows)
    words = [draw.layout, draw.role, f"ids {draw.kind}", f"separator {draw.separator!r}", *about]
    words += ["a head unknown"] if draw.guessed else []
    known = not (draw.guessed or draw.headless)
    body = "\n".join(str(row) for sheet in (rows if isinstance(rows, dict) else {"": rows}).values() for row in sheet)
    return Drawn(number, f"{', '.join(words)}\n{body}", known, {draw.role: [source]}, tuple(truths))


def _long(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    rng, id_head = draw.rng, draw.id_head()
    phrase = draw.head("phrase", known=draw.unknown != "phrase")
    order = rng.choice(("", "rank", "score")) if draw.role == "systems" else ""
    told = rng.random() < 0.6
    order_head = draw.head(order, known=told) if order else ""
    several = rng.random() < 0.4
    who_head = draw.head(draw.who, known=rng.random() < 0.7 or bool(draw.unknown)) if several else ""
    draw.headless = (
        not draw.unknown and draw.kind != "a title" and not several and order != "score" and rng.random() < 0.15
    )
    if draw.headless:
        draw.beside = []
    rows, lists = [], {}
    shuffled = bool(order) and rng.random() < 0.5
    for n, document in enumerate(draw.documents, 1):
        shared: list[str] = []
        for who in draw.names if several else ["*"]:
            phrases = shared = draw.list_of(shared)
            lists[who, document] = phrases
            scores = sorted((rng.randint(10, 99) / 100 - k / 1000 for k in range(len(phrases))), reverse=True)
            values = range(1, len(phrases) + 1) if order == "rank" else scores
            listed = list(zip(phrases, values, strict=True))
            if shuffled and n > 1:  # scores that rose down every list would say that low ones are better
                rng.shuffle(listed)
            for one, value in listed:
                told_by = {order_head: value} if order else {}
                rows.append({id_head: document, **({who_head: who} if several else {}), **told_by, phrase: one})
                rows[-1] |= draw.rows_beside(n)
    if not draw.headless and rng.random() < 0.3:  # columns come in any order
        heads = list(rows[0])
        rng.shuffle(heads)
        rows = [{head: row[head] for head in heads} for row in rows]
    return rows, lists, []


def _lists(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    rng, id_head = draw.rng, draw.id_head()
    role = "phrases" if draw.role == "gold" or rng.random() < 0.5 else "predictions"
    phrases = draw.head("phrases" if draw.unknown == "phrase" else role, known=draw.unknown != "phrase")
    several = not draw.unknown and rng.random() < 0.3
    who_head = draw.head(draw.who) if several else ""
    rows, lists = [], {}
    for n, document in enumerate(draw.documents, 1):
        shared: list[str] = []
        for who in draw.names if several else ["*"]:
            shared = lists[who, document] = draw.list_of(shared)
            rows.append({id_head: document, **({who_head: who} if several else {}), phrases: draw.cell(shared)})
            rows[-1] |= draw.rows_beside(n)
    return rows, lists, []


def _wide(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    id_head = draw.id_head()
    draw.before = f"{draw.head('phrases')} " if draw.rng.random() < 0.2 else ""
    rows, lists = [], {}
    for n, document in enumerate(draw.documents, 1):
        shared: list[str] = []
        for who in draw.names:
            shared = lists[who, document] = draw.list_of(shared)
        rows.append(
            {id_head: document, **{f"{draw.before}{who}": draw.cell(lists[who, document]) for who in draw.names}}
        )
        rows[-1] |= draw.rows_beside(n)
    return rows, lists, []


def _numbered(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    rng, id_head = draw.rng, draw.id_head()
    several = rng.random() < 0.5
    word, gap = draw.head("phrase"), rng.choice((" ", "_", ""))
    sources = draw.names if several else ["*"]
    rows, lists = [], {}
    for n, document in enumerate(draw.documents, 1):
        row, shared = {id_head: document}, list[str]()
        for who in sources:
            shared = lists[who, document] = draw.list_of(shared)
            for k in range(6):
                row[f"{who if several else word}{gap}{k + 1}"] = shared[k] if k < len(shared) else ""
        rows.append(row | draw.rows_beside(n))
    return rows, lists, []


def _no_id(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    rng = draw.rng
    titled = rng.random() < 0.6
    title, phrases = draw.head("title"), draw.head("phrases")
    draw.beside = [one for one in draw.beside if one != "DOI"] or ([] if titled else ["Abstract"])
    rows, lists, titles = [], {}, []
    for n in range(1, len(draw.documents) + 1):
        lists["*", str(n)] = draw.list_of()
        titles.append(IDS["a title"](n))
        rows.append({**({title: titles[-1]} if titled else {}), phrases: draw.cell(lists["*", str(n)])})
        rows[-1] |= draw.rows_beside(n)
    return rows, lists, titles if titled else []


def _sheets(draw: _Draw) -> tuple[dict[str, list[Row]], dict, list[str]]:
    draw.unknown = ""
    long, id_head = draw.rng.random() < 0.4, draw.id_head()
    phrase = draw.head("phrase" if long else "phrases")
    sheets: dict[str, list[Row]] = {who: [] for who in draw.names}
    lists = {}
    for n, document in enumerate(draw.documents, 1):
        shared: list[str] = []
        for who in draw.names:
            shared = lists[who, document] = draw.list_of(shared)
            cells = shared if long else [draw.cell(shared)]
            sheets[who] += [{id_head: document, phrase: cell, **draw.rows_beside(n)} for cell in cells]
    return sheets, lists, []


def _filled_down(draw: _Draw) -> tuple[list[Row], dict, list[str]]:
    draw.beside = []
    rows, lists, _ = _long(draw)
    draw.headless = False
    id_head = next(head for head in rows[0] if rows[0][head] in draw.documents)
    last = None
    for row in rows:
        row[id_head], last = ("" if row[id_head] == last else row[id_head]), row[id_head]
    return rows, lists, []


LAYOUTS = {
    "long": _long,
    "lists": _lists,
    "wide": _wide,
    "numbered": _numbered,
    "no id": _no_id,
    "sheets": _sheets,
    "filled down": _filled_down,
}


# how it is written


def _written(draw: _Draw, rows: Any) -> tuple[Source, list[str]]:
    rng, about = draw.rng, list[str]()
    stem = "s" if draw.role == "systems" else "g"
    if draw.opener == "parquet":
        return parquet(f"{stem}.parquet", **{head: [row[head] for row in rows] for head in rows[0]}), about
    if draw.opener in ("jsonl", "json"):
        text = json.dumps(rows, ensure_ascii=False) if draw.opener == "json" else ""
        text = text or "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows)
        return Source(f"{stem}.{draw.opener}", text.encode()), about
    # What stands above and below a table is in its first cell; below, it says how many rows there are.
    above = rng.choice(ABOVE) if not draw.headless and rng.random() < 0.15 else []
    below = rng.choice(BELOW) if not draw.headless and len(draw.documents) > 4 and rng.random() < 0.12 else ""
    about += [word for word, there in (("above", above), ("below", below), ("no header", draw.headless)) if there]
    sheets = {}
    for name, held in (rows if isinstance(rows, dict) else {"Tabelle1": rows}).items():
        heads = [] if draw.headless else [list(held[0])]
        listed = [*([one] for one in above), *heads, *(list(row.values()) for row in held)]
        sheets[name] = [*listed, *([[below.format(len(held))]] if below else [])]
    if draw.opener == "xlsx":
        numbers = {name: [[_number(cell) for cell in row] for row in held] for name, held in sheets.items()}
        return workbook(numbers, f"{stem}.xlsx"), about
    (held,) = sheets.values()
    if draw.opener == "counted" and not (above or below or draw.headless):  # as pandas writes a table with its index
        held = [["", *held[0]], *([n, *row] for n, row in enumerate(held[1:]))]
    width = max(map(len, held))
    buffer, every = io.StringIO(), rng.random() < 0.3
    delimiter = {"comma": ",", "counted": ",", "semicolon": ";", "tab": "\t"}[draw.opener]
    quoting = csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL
    end = rng.choice(("\n", "\r\n"))
    filled = rng.random() < 0.5  # programs fill short rows up, people do not
    csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(
        [*row, *[""] * (width - len(row))] if filled else row for row in held
    )
    mark = b"\xef\xbb\xbf" if rng.random() < 0.2 else b""
    ending = rng.choice(("tsv", "txt")) if draw.opener == "tab" else "csv"
    return Source(f"{stem}.{ending}", mark + buffer.getvalue().encode()), [*about, *(["quotes"] if every else [])]


def _number(cell: Any) -> Any:
    return int(cell) if isinstance(cell, str) and cell.isascii() and cell.isdigit() else cell


# how it is read


def judged(seed: int, count: int, first: int = 0) -> Iterator[tuple[Drawn, str]]:
    """Give each table with how it ended, in the words of `settles`."""
    for number in range(first, first + count):
        drawn = table(seed, number)
        ended = settles(drawn.given, drawn.truths)
        yield drawn, f"asked in vain: {ended}" if drawn.known and ended in ("asked first", "asked") else ended


#: What may not be, the worst first: a wrong table, a question without its answer, a question where all heads are known.
FAULTS = ("misread", "asked wrong", "refused", "asked in vain")


def fault(ended: str) -> str:
    """Return which fault it is that a table ended so, or nothing."""
    return next((one for one in FAULTS if ended.startswith(one)), "")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drawn")
    parser.add_argument("tables", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first table, to see one again")
    parser.add_argument("--show", type=int, default=5, help="so many failing tables of each ending are printed")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    layouts: Counter[str] = Counter()
    begun = time.monotonic()
    for drawn, ended in judged(asked.seed, asked.tables, asked.first):
        wrong = fault(ended)
        counts[wrong or ended] += 1
        if wrong:
            layouts[f"{wrong}, {drawn.how.split(',', 1)[0]}"] += 1
            if counts[wrong] <= asked.show:
                print(f"{drawn.shown()}\n=> {ended[:600]}\n", flush=True)
    figures = {
        "tables": counts.total(),
        "seed": asked.seed,
        **{one: counts[one] for one in ("read", "asked first", "asked", *reversed(FAULTS))},
        "faults": dict(sorted(layouts.items())),
        "minutes": round((time.monotonic() - begun) / 60, 1),
    }
    print(json.dumps(figures, ensure_ascii=False))
    return 1 if layouts else 0


if __name__ == "__main__":
    sys.exit(main())
