"""Tables made of a column of ids, columns beside it and a layout are read as they were made, whatever opens them."""

import io
import json
from collections.abc import Callable
from itertools import product

import pandas as pd
import pytest

from kp_core.reading import Question, Source, load

PHRASES = ["solar power", "grid", "neural net", "tide", "quality of life", "3D printing", "ship", "C++", "e-learning"]
DOCUMENTS = range(1, 5)
IDS = {"id": "D{}", "Nr.": "{}", "filename": "doc-{}.txt", "Dokument": "Text {}", "DOI": "10.1000/x{}"}
BESIDE = (
    {},
    {"Titel": "Das Ding {}", "Zusammenfassung": "Wir untersuchen das Ding {} und noch mehr davon, ganz genau."},
    {"year": "200{}", "journal": "Nature"},
    {"Author": "Doe, J.", "Title": "On thing {}", "Publisher": "Springer"},
)
#: Heads → whether rows hold lists, one phrase each, or numbered columns; a head may be followed by whose a row is.
LAYOUTS = {
    "lists": [("keywords",), ("Deskriptoren",), ("Foo",), ("Anna", "Ben"), ("Keywords Anna", "Keywords Ben")],
    "rows": [("keyword",), ("term", "score"), ("Schlagwort", "Indexierer")],
    "numbered": [("kw",), ("Keyword ",), ("Anna ", "Ben ")],
}
Row = dict[str, str]
OPENERS: dict[str, Callable[[list[Row]], bytes]] = {
    "a.csv": lambda rows: pd.DataFrame(rows).to_csv(index=False).encode(),
    "b.csv": lambda rows: pd.DataFrame(rows).to_csv().encode(),
    "a.tsv": lambda rows: pd.DataFrame(rows).to_csv(index=False, sep="\t").encode(),
    "a.jsonl": lambda rows: "\n".join(map(json.dumps, rows)).encode(),
    "a.xlsx": lambda rows: workbook(rows),
}


def workbook(rows: list[Row]) -> bytes:
    held = io.BytesIO()
    pd.DataFrame(rows).to_excel(held, index=False)
    return held.getvalue()


def chosen(document: int, source: int) -> list[str]:
    return [PHRASES[(3 * document + place + source * (place == 2)) % len(PHRASES)] for place in range(3)]


def made(kind: str, heads: tuple[str, ...], document: int) -> list[Row]:
    """Return the rows of a document in a layout."""
    if kind == "lists":
        return [{head: "; ".join(chosen(document, source)) for source, head in enumerate(heads)}]
    if kind == "numbered":
        return [{f"{h}{n}": one for source, h in enumerate(heads) for n, one in enumerate(chosen(document, source), 1)}]
    told = {"score": ["0.9", "0.5", "0.1"], "Indexierer": ["Anna", "Ben", "Anna"]}
    every = enumerate(chosen(document, 0))
    return [{heads[0]: one} | {head: told[head][place] for head in heads[1:]} for place, one in every]


@pytest.mark.parametrize("name", OPENERS)
@pytest.mark.parametrize(("kind", "heads"), [(kind, heads) for kind, every in LAYOUTS.items() for heads in every])
def test_a_table_is_read_as_it_was_made(name: str, kind: str, heads: tuple[str, ...]) -> None:
    for (head, written), beside in product(IDS.items(), BESIDE):
        first = {n: {head: written.format(n)} | {h: v.format(n) for h, v in beside.items()} for n in DOCUMENTS}
        rows = [first[n] | row for n in DOCUMENTS for row in made(kind, heads, n)]
        try:
            corpus = load(files=[Source(name, OPENERS[name](rows))])
        except Question:
            assert heads == ("Foo",)  # whether `id TAB Foo` is a head may be asked
            continue
        table = corpus.runs if "score" in heads else corpus.gold
        sources = len(heads) if kind != "rows" else 1
        expected = {(written.format(n), one) for n in DOCUMENTS for s in range(sources) for one in chosen(n, s)}
        assert set(zip(table["doc_id"], table["phrase"], strict=True)) == expected, rows[0]
        assert corpus.annotators == ([] if "score" in heads else ["Anna", "Ben"] if len(heads) == 2 else ["gold"])
