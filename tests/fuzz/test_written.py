"""Tables written in each format, then damaged at one place, give a corpus or one clear refusal."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.reading import Source
from tests.awkward.files import parquet, workbook, zipped
from tests.fuzz.sound import is_read_or_refused

words = st.text("abc é漢ع\u0301\u202e\u00a0-'", min_size=1, max_size=8).filter(lambda text: text.strip(" \u00a0") != "")
lists = st.dictionaries(
    st.text("dC19.", min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4
)


def written(documents: dict[str, list[str]]) -> dict[str, bytes]:
    """Return the same lists in every format that can hold them: file name → bytes."""
    rows = [(doc_id, phrase) for doc_id, found in documents.items() for phrase in found]
    columns: dict[str, list[object]] = {"doc_id": [row[0] for row in rows], "phrase": [row[1] for row in rows]}
    records = [{"id": doc_id, "keyphrases": found} for doc_id, found in documents.items()]
    return {
        "a.json": json.dumps(documents).encode(),
        "b.json": json.dumps({doc_id: [[phrase] for phrase in found] for doc_id, found in documents.items()}).encode(),
        "a.jsonl": "\n".join(map(json.dumps, records)).encode(),
        "a.csv": "\n".join(["doc_id,phrase", *(f"{doc_id},{phrase}" for doc_id, phrase in rows)]).encode(),
        "a.tsv": "\n".join(f"{doc_id}\t{';'.join(found)};" for doc_id, found in documents.items()).encode(),
        "a.parquet": parquet(columns),
        "a.xlsx": workbook(columns),
        "a.zip": zipped(*((f"{n}.key", "\n".join(found).encode()) for n, found in enumerate(documents.values()))),
    }


@settings(max_examples=10)
@given(lists, st.data())
def test_a_damaged_file_of_every_format_gives_a_corpus_or_a_refusal(
    documents: dict[str, list[str]], data: st.DataObject
) -> None:
    for name, whole in written(documents).items():
        place = data.draw(st.integers(0, len(whole)))
        length, put = data.draw(st.integers(0, 8)), data.draw(st.binary(max_size=4))
        is_read_or_refused(gold=Source(name, whole[:place] + put + whole[place + length :]))
