"""JSON of GATE, `gate/DOCUMENT.json` → `gold.jsonl`."""

import json
from pathlib import Path

kind = "Keyphrase"  # the type of annotation that is meant
with open("gold.jsonl", "w", encoding="utf-8") as out:
    for file in sorted(Path("gate").glob("*.json")):
        document = json.loads(file.read_text("utf-8"))
        units = document["text"].encode("utf-16-le")  # offsets count as Java counts
        places = [one["indices"] for one in document["entities"].get(kind, [])]
        phrases = [units[2 * start : 2 * end].decode("utf-16-le") for start, end in places]
        json.dump({"doc_id": file.stem, "text": document["text"], "keyphrases": phrases}, out)
        out.write("\n")
