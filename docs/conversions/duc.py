"""SGML of DUC, `duc/*` → `documents.jsonl`."""

import html
import json
import re
from pathlib import Path

with open("documents.jsonl", "w", encoding="utf-8") as out:
    for file in sorted(path for path in Path("duc").rglob("*") if path.is_file()):
        for part in file.read_text("utf-8").split("<DOC>")[1:]:
            found = re.findall(r"(?s)<(DOCNO|HEAD|HEADLINE|TEXT)>(.*?)</\1>", part)
            plain = {name: html.unescape(re.sub(r"<[^>]*>", "", words)).strip() for name, words in found}
            title = plain.get("HEAD", plain.get("HEADLINE", ""))
            json.dump({"doc_id": plain["DOCNO"], "title": title, "text": plain["TEXT"]}, out)
            out.write("\n")
