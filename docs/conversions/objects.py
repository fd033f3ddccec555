"""One JSON object per document, `json/DOCUMENT.json` → `gold.jsonl`."""

import json
from pathlib import Path

with open("gold.jsonl", "w", encoding="utf-8") as out:
    for path in sorted(Path("json").glob("*.json")):
        json.dump({"doc_id": path.stem, **json.loads(path.read_text("utf-8"))}, out)
        out.write("\n")
