"""Whatever the bytes, reading gives a Corpus or one clear refusal, and the order in the file is kept."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.reading import Mapping, Source, load
from kp_core.reading.lists.sniff import FAMILIES
from tests.fuzz.sound import is_read_or_refused

TEXT = """
doc_id keyphrase rank score annotator system text candidate score_1 d1 d2 tide sea_level 0.5 1 2 nan 1e999 , ; | @ " [ ]
{ } : null true "id" "keyphrases" "predictions" "KeyPhrases" "Scores" "text" "d1":["tide"] {"d1":[["a","b"]]} = - <p>
</html> P10 R10 4711: \\ud800
"""
BYTES = [b"\n", b"\r", b"\r\n", b"\t", b" ", b"\xff", b"\xad", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00"]
PIECES = [
    *(piece.encode() for piece in TEXT.split()),
    *BYTES,
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"\xe2\x80\xa8",
    b"\x85",
    b"\x0b",
]
NAMES = ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.key", "a.txt", "a.html", "a", "x/a.key", "a.scores", "a.gz", "a.zip"]
WORDS = ["tide", "sea", "0.5", "1", "", " ", "\ud800", "a;b"]
FIELDS = ["d1", "id", "keyphrases", "predictions", "KeyPhrases", "Scores", "text", "phrase", "score"]
mixed = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
small = st.one_of(mixed, st.binary(max_size=80))
roles = st.sampled_from(["gold", "systems", "documents", "judgements", "files"])


@settings(max_examples=150)
@given(small, st.sampled_from(NAMES), roles, st.booleans())
def test_any_bytes_give_a_corpus_or_a_refusal(data: bytes, name: str, role: str, strict: bool) -> None:
    is_read_or_refused(**{role: Source(name, data)}, strict=strict)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.lists(values, min_size=1, max_size=3), roles)
def test_any_json_gives_a_corpus_or_a_refusal(parts: list[object], role: str) -> None:
    text = "\n".join(json.dumps(part) for part in parts)
    is_read_or_refused(**{role: Source("a.json", text.encode())})


@pytest.mark.parametrize("family", [family.NAME for family in FAMILIES])
@settings(max_examples=20)
@given(data=small, role=roles)
def test_a_forced_family_gives_a_corpus_or_a_refusal(family: str, data: bytes, role: str) -> None:
    is_read_or_refused(**{role: Source("a.csv", data)}, mapping={"a.csv": Mapping(format=family)})


phrases = st.lists(st.text("abc xyz", min_size=1).filter(str.strip), min_size=1, max_size=8)
lists = st.dictionaries(st.text("dC-19", min_size=1, max_size=4), phrases, min_size=1, max_size=6)


@settings(max_examples=10)
@given(lists)
def test_the_order_in_the_file_is_kept_by_every_family(documents: dict[str, list[str]]) -> None:
    wanted = [(doc_id, phrase.strip()) for doc_id, result in documents.items() for phrase in result]
    table = pd.DataFrame(
        [(d, n, p) for d, result in documents.items() for n, p in enumerate(result, 1)],
        columns=["doc_id", "rank", "phrase"],
    )
    lines = "".join(f"{doc_id}\t{';'.join(result)};\n" for doc_id, result in documents.items())
    records = "".join(json.dumps({"id": d, "predictions": result}) + "\n" for d, result in documents.items())
    scored = {d: [[p, 1 / n] for n, p in enumerate(result, 1)] for d, result in documents.items()}
    forms: list[object] = [
        documents,
        table,
        table.sample(frac=1, random_state=1),
        Source("a.json", json.dumps(documents).encode()),
        Source("a.json", json.dumps({d: [[p] for p in result] for d, result in documents.items()}).encode()),
        Source("a.json", json.dumps(scored).encode()),
        Source("a.txt", lines.encode()),
        Source("a.csv", table.to_csv(index=False).encode()),
        Source("a.jsonl", records.encode()),
    ]
    for form in forms:
        # Ids that are drawn may look like a header, which would be asked.
        meant = {form.name: Mapping(as_read=True)} if isinstance(form, Source) else {}
        runs = load(systems={"s": form}, mapping=meant).runs
        result = list(zip(runs["doc_id"], runs["phrase"], strict=True))
        if isinstance(form, pd.DataFrame):  # a shuffled table tells the order of phrases, not of documents
            result = [pair for doc_id in documents for pair in result if pair[0] == doc_id]
        assert result == wanted
