"""Short texts of Annif, `short.tsv` with text, TAB, URIs, and the labels in `vocabulary.tsv` → `gold.jsonl`."""

import json
import re
from pathlib import Path

vocabulary = Path("vocabulary.tsv").read_text("utf-8")  # or "" without labels
labels = dict(re.findall(r"(?m)^<(.+?)>\t([^\t\n]+)", vocabulary))
with open("gold.jsonl", "w", encoding="utf-8") as out:
    for number, line in enumerate(Path("short.tsv").read_text("utf-8").splitlines(), 1):
        text, _, uris = line.rpartition("\t")
        subjects = [{"uri": uri, "label": labels.get(uri, uri)} for uri in re.findall("<(.+?)>", uris)]
        json.dump({"doc_id": str(number), "text": text, "subjects": subjects}, out)
        out.write("\n")
