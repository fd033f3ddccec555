"""Whatever the bytes, reading gives a Corpus or one clear refusal, and the order in the file is kept."""

from __future__ import annotations

import json

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.reading import Mapping, Source, load

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
