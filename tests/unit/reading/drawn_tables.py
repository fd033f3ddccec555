"""Draw tables of known content."""

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from kp_core.reading import Mapping, Source
from kp_core.reading.meaning.mapping import FILE, HEADS, ROW
from tests.format_samples import parquet, workbook
from tests.truths import Truth

PHRASES = """
tide table, solar power, grid, neural net, harbor, quality of life, 3D printing, ship, C++, e-learning, moon, tax law,
information retrieval, sea level, Gezeiten, Öffentlicher Dienst, Hafen, marée, qualité de l'eau, puerto, niño, getij,
прилив, уровень моря, 潮汐, 海平面, COVID-19, World War II, history (methods), Mond, luna, salt, sand, reef, crew"""
POOL = [phrase.strip() for phrase in PHRASES.split(",")]
PEOPLE, SYSTEMS = ["Anna", "Ben", "Çem", "Reader 4"], ["rake", "TextRank", "kea", "my_model"]
IDS = ("d{}", "{}7", "A-00{}.txt", "10.1000/x{}", "Text {}")
#: The heads of each role, in the order of `ROLES`; rows of heads that nobody knows are made up.
ROLES = "document phrase phrases annotator system rank score authors year title notes category url".split()  # noqa: SIM905
WORDS = {
    "English": "doc_id keyphrase keywords annotator system rank score authors year title notes category url",
    "German": "Dokument Schlagwort Schlagwörter Indexierer Verfahren Rang Wert Autor Jahr Titel Notiz Fachgebiet Link",
    "French": "identifiant mot-clé mots-clés annotateur méthode rang poids auteurs année titre remarque domaine lien",
    "Finnish": "asiakirja asiasana asiasanat indeksoija menetelmä sija pisteet tekijät vuosi nimeke kuvaus ala linkki",
    "Chinese": "文档 关键词 关键短语 标注者 方法 排名 得分 作者 年份 标题 备注 类别 链接",
}
MADE_UP = ["".join(parts) for parts in permutations("bra lo ki tum ves pra no zil ga rem du fos".split(), 4)]  # noqa: SIM905
BESIDE: dict[str, Callable[[int], Any]] = {
    "authors": lambda n: ["Doe, J.; Roe, R.", "Poe, E.", "Roe, R.; Poe, E.; Lee, A."][n % 3],
    "year": lambda n: 1998 + n,
    "title": lambda n: f"On the {['tides', 'moons', 'ships', 'reefs', 'sands', 'crews', 'grids'][n % 7]} of the north",
    "notes": lambda n: ["", "checked", "to be discussed, perhaps"][n % 3],
    "category": lambda n: ["physics", "law"][n % 2],
    "url": lambda n: f"https://example.org/{n}",
}
CONTAINERS = ("comma", "semicolon", "tab", "xlsx", "json", "jsonl", "parquet")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
SPLITS = {"; ": ";", ";": ";", ", ": ",", " | ": "|", "|": "|", "\n": "lines"}
FIELDS = ("document", "keyphrases", "annotator", "system", "rank", "score", "marks")
Row = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A table: how it was drawn, the file and what it is loaded with, its truths, and its true mappings."""

    words: str
    file: Source
    given: dict[str, Any]
    truths: tuple[Truth, ...]
    meanings: tuple[Mapping, ...]


class Draw:
    """The choices for one table, all from one generator."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = rng = random.Random(f"{seed}/{number}")
        self.layout, self.container = rng.choice(list(LAYOUTS)), rng.choice(CONTAINERS)
        language = rng.choice(("English", "foreign", "made up", "none"))
        headed = self.container in ("json", "jsonl", "parquet") or LAYOUTS[self.layout] in (columns, answers, marks)
        self.language = "made up" if language == "none" and headed else language
        self.role = "system" if self.layout == "ranked" else "gold"
        if self.layout not in ("answers", "marks", "marked documents"):
            self.role = rng.choice((self.role, "system"))
        self.side, self.other = ("gold", "systems") if self.role == "gold" else ("systems", "gold")
        self.person = "annotator" if self.role == "gold" else "system"
        self.names = rng.sample(PEOPLE if self.role == "gold" else SYSTEMS, rng.choice((2, 3)))
        words = {**WORDS, "foreign": WORDS[rng.choice([*WORDS][1:])]}.get(self.language, "").split()
        made_up = rng.sample(MADE_UP, len(ROLES))
        self.heads = dict(zip(ROLES, words or made_up, strict=True))
        as_lists = self.container in ("json", "jsonl", "parquet") and rng.random() < 0.5
        self.separator = "" if as_lists else rng.choice(list(SPLITS))
        made = "{}" if self.layout == "row is document" else rng.choice(IDS)
        ids = [made.format(n) for n in range(1, rng.randint(4, 8))]
        known = self.language in ("English", "foreign")
        self.merged = self.layout == "keyphrase per row" and known and number % 3 > 0
        self.ids: list[Any] = [int(one) if one.isdigit() and not self.merged else one for one in ids]
        beside = [one for one in BESIDE if one != "url" or self.layout != "row is document"]  # a URL may be the id
        self.beside = rng.sample(beside, rng.choice((0, 0, 1, 2, 3)))
        self.lists: dict[tuple[str, str], list[str]] = {}

    def list_of(self, whose: str, document: Any) -> list[str]:
        """Draw two to five phrases, of which another list of the document has the first."""
        shared = next((phrases for (_, other), phrases in self.lists.items() if other == str(document)), [])[:1]
        others = [phrase for phrase in POOL if phrase not in shared]
        self.lists[whose, str(document)] = [*shared, *self.rng.sample(others, self.rng.randint(2 - len(shared), 4))]
        return self.lists[whose, str(document)]

    def cell(self, phrases: list[str]) -> Any:
        return self.separator.join(phrases) if self.separator else phrases

    def row(self, n: int, cells: Row) -> Row:
        """Return a row of cells by role or header, and of the other columns."""
        return {self.heads.get(role, role): cell for role, cell in cells.items()} | {
            self.heads[role]: BESIDE[role](n) for role in self.beside
        }


# layouts: each returns its rows and the true mapping, in which columns have the names of roles


def rows_of_people(draw: Draw) -> tuple[list[Row], Mapping]:
    """A list or a keyphrase per row, of one annotator or system or of several; those of systems may be ranked."""
    rng, rows = draw.rng, []
    kind = "phrase" if draw.layout in ("keyphrase per row", "ranked") else "phrases"
    named = draw.layout != "row is document"
    who = {draw.person: draw.person} if named and rng.random() < 0.5 else {}
    by = rng.choice((("rank",), ("score",), ("rank", "score"))) if draw.layout == "ranked" else ()
    order = rng.choice(("rising", "falling", "shuffled")) if by else "falling"
    for n, document in enumerate(draw.ids):
        for name in draw.names if who else ["*"]:
            result = draw.list_of(name, document)
            scores = sorted((round(rng.random(), 6) for _ in result), reverse=order != "rising")
            pairs = enumerate(zip(scores, result, strict=True), 1)
            cells = [{"rank": rank, "score": score, "phrase": phrase} for rank, (score, phrase) in pairs]
            if order == "shuffled":
                rng.shuffle(cells)
            if kind == "phrases":
                cells = [{"phrases": draw.cell(result)}]
            ids = ({"document": document} if named else {}) | dict.fromkeys(who, name)
            rows += [draw.row(n, {**ids, **{role: cell[role] for role in (*by, kind)}}) for cell in cells]
    if draw.merged:  # as merged cells are written: the id is in the first of its rows only
        head = draw.heads["document"]
        above = [None, *(row[head] for row in rows)]
        rows = [row | ({head: ""} if row[head] == last else {}) for row, last in zip(rows, above, strict=False)]
    higher = {"higher_is_better": order != "rising"} if "score" in by else {}
    meaning = Mapping(document="document" if named else ROW, keyphrases=kind, split="none" * (kind == "phrase"))
    meaning = replace(meaning, fill_down="yes" * draw.merged)
    return rows, replace(meaning, **who, **{role: role for role in by}, **higher)


def numbered(draw: Draw) -> tuple[list[Row], Mapping]:
    held = [draw.list_of("*", document) for document in draw.ids]
    heads, rows = [f"{draw.heads['phrase']} {n + 1}" for n in range(max(map(len, held)))], []
    for n, (document, result) in enumerate(zip(draw.ids, held, strict=True)):
        cells = dict.fromkeys(heads, "") | dict(zip(heads, result, strict=False))
        rows.append(draw.row(n, {"document": document, **cells}))
    return rows, Mapping(document="document", keyphrases=tuple(heads), split="none")


def wide(draw: Draw) -> tuple[list[Row], Mapping]:
    rows = []
    for n, document in enumerate(draw.ids):
        cells = {name: draw.cell(draw.list_of(name, document)) for name in draw.names}
        rows.append(draw.row(n, {"document": document, **cells}))
    return rows, Mapping(document="document", keyphrases=tuple(draw.names), **{draw.person: HEADS})


def answers(draw: Draw) -> tuple[list[Row], Mapping]:
    """A row per annotator, a column per document."""
    head, heads = draw.heads["annotator"], [str(document) for document in draw.ids]
    rows = [{head: name, **{item: draw.cell(draw.list_of(name, item)) for item in heads}} for name in draw.names]
    return rows, Mapping(document=HEADS, keyphrases=tuple(heads), annotator="annotator")


def columns(draw: Draw) -> tuple[list[Row], Mapping]:
    """A column per document, a keyphrase per cell."""
    held = {str(document): draw.list_of("*", document) for document in draw.ids}
    rows = [
        {item: (result + [""] * 5)[n] for item, result in held.items()} for n in range(max(map(len, held.values())))
    ]
    return rows, Mapping(document=HEADS, keyphrases=tuple(held), split="none")


def marks(draw: Draw) -> tuple[list[Row], Mapping]:
    """A keyphrase per row, and marks for annotators or for documents."""
    yes, no = draw.rng.choice((("x", ""), (1, 0), ("yes", "no"), ("X", "")))
    by_document = draw.layout == "marked documents"
    heads, rows = [str(item) for item in draw.ids] if by_document else draw.names, []
    for n, document in enumerate(["*"] if by_document else draw.ids):
        chosen = {item: draw.list_of("*", item) if by_document else draw.list_of(item, document) for item in heads}
        for phrase in dict.fromkeys(phrase for result in chosen.values() for phrase in result):
            cells = {"phrase": phrase, **{item: yes if phrase in chosen[item] else no for item in heads}}
            rows.append(cells if by_document else draw.row(n, {"document": document, **cells}))
    rows = [{draw.heads.get(role, role): cell for role, cell in row.items()} for row in rows]
    document = HEADS if by_document else "document"
    return rows, Mapping(document=document, keyphrases="phrase", marks=tuple(heads), split="none")


LAYOUTS: dict[str, Callable[[Draw], tuple[list[Row], Mapping]]] = {
    **dict.fromkeys(("list per row", "row is document", "keyphrase per row", "ranked"), rows_of_people),
    **dict.fromkeys(("marks", "marked documents"), marks),
    "numbered columns": numbered,
    "column per annotator or system": wide,
    "column per document": columns,
    "answers": answers,
}


def table(seed: int, number: int) -> Drawn:
    """Return the table of a number: the same for the same seed."""
    draw = Draw(seed, number)
    rows, by_role = LAYOUTS[draw.layout](draw)
    headless = draw.language == "none"
    names = {head: f"column {n}" if headless else head for n, head in enumerate(rows[0], 1)}
    names |= {role: names[head] for role, head in draw.heads.items() if head in names}

    def named(value: Any) -> Any:
        return tuple(map(named, value)) if isinstance(value, tuple) else names.get(value, value)

    fields = {field: named(getattr(by_role, field)) for field in FIELDS}
    short = replace(by_role, **fields, role=draw.role, split="", higher_is_better=None)
    split = by_role.split or SPLITS.get(draw.separator, "")
    full = replace(short, higher_is_better=by_role.higher_is_better, split=split)
    meanings = [short, full, replace(full, header="no" if headless else "yes")]
    meanings += [replace(one, annotator=FILE) for one in meanings if draw.layout == "column per document"]
    if draw.layout == "row is document" and len(rows[0]) == 1 and headless and draw.container in DELIMITERS:
        meanings.append(Mapping(draw.role, format="F5", split=split))
    lists = {(names.get(whose, whose), document): phrases for (whose, document), phrases in draw.lists.items()}
    file = written(draw, rows)
    given, truth = {draw.side: [file]}, {draw.side: lists}
    by_title = {(who, BESIDE["title"](int(n) - 1)): phrases for (who, n), phrases in lists.items() if n.isdigit()}
    if draw.rng.random() < 0.5 and draw.layout != "row is document":
        plain = {("*", document): phrases[:1] for (_, document), phrases in lists.items()}
        text = "".join(f'{document},"{phrase}"\n' for (_, document), (phrase,) in plain.items())
        given[draw.other] = [Source("plain.csv", f"doc_id,keyphrase\n{text}".encode())]
        truth[draw.other] = plain
    truths = [Truth(**truth), *([Truth(**{draw.side: by_title})] if draw.layout == "row is document" else [])]
    layout = f"{draw.layout}, merged ids" if draw.merged else draw.layout
    words = f"{layout} · {draw.language} · {draw.container} · {draw.role} · {' '.join(draw.beside)}"
    return Drawn(f"{number}: {words}", file, given, tuple(truths), tuple(meanings))


def written(draw: Draw, rows: list[Row]) -> Source:
    name = f"lists.{'csv' if draw.container in DELIMITERS else draw.container}"
    cells = [*([] if draw.language == "none" else [[*rows[0]]]), *([*row.values()] for row in rows)]
    if draw.container == "xlsx":
        return workbook({"Sheet1": cells}, name)
    if draw.container == "parquet":
        return parquet(name, **{head: [row[head] for row in rows] for head in rows[0]})
    if draw.container in DELIMITERS:
        csv.writer(buffer := io.StringIO(), delimiter=DELIMITERS[draw.container]).writerows(cells)
        return Source(name, buffer.getvalue().encode())
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return Source(name, ("\n".join(lines) if draw.container == "jsonl" else f"[{','.join(lines)}]").encode())
