"""Tokens with BIO tags in the last column (CoNLL), `conll/ANNOTATOR.conll` → `gold.jsonl`."""

import json
import re
from pathlib import Path

with open("gold.jsonl", "w", encoding="utf-8") as out:
    for file in sorted(Path("conll").glob("*.conll")):
        end = r"-DOCSTART-.*" if "-DOCSTART-" in (text := file.read_text("utf-8")) else r"\n\s*\n"
        for number, part in enumerate(filter(str.strip, re.split(end, text)), 1):
            rows = [line.split() for line in part.split("\n") if line.strip() and not line.startswith("# ")]
            phrases = []
            for before, (token, *_, tag) in zip([("", "O"), *rows], rows, strict=False):
                follows = tag[0] == "I" and before[-1] != "O"
                phrases += [f"{phrases.pop()} {token}" if follows else token] if tag != "O" else []
            record = {"doc_id": str(number), "annotator": file.stem, "text": " ".join(row[0] for row in rows)}
            print(json.dumps(record | {"keyphrases": phrases}), file=out)
