"""Records of LLMs4Subjects, `gold/TYPE/LANGUAGE/RECORD.jsonld` → `gold.jsonl`."""

import json
from pathlib import Path

with open("gold.jsonl", "w", encoding="utf-8") as out:
    for file in sorted(Path("gold").glob("*/*/*.jsonld")):
        graph = json.loads(file.read_text("utf-8"))["@graph"]
        labels = {node["@id"]: node["sameAs"] for node in graph if "sameAs" in node}
        for record in (node for node in graph if "dcterms:subject" in node):
            found = record["dcterms:subject"]
            ids = [subject["@id"] for subject in (found if isinstance(found, list) else [found])]
            subjects = [{"uri": one, "label": labels.get(one, one)} for one in ids]
            about = {"title": record.get("title"), "text": record.get("abstract"), "group": "/".join(file.parts[-3:-1])}
            json.dump({"doc_id": file.stem, **about, "subjects": subjects}, out)
            out.write("\n")
