"""Runs for LLMs4Subjects, `runs/SYSTEM/TYPE/LANGUAGE/RECORD.json` → `systems.csv`."""

import csv
import json
from pathlib import Path

rows = [("system", "doc_id", "rank", "label_id")]
for file in sorted(Path("runs").glob("*/*/*/*.json")):
    for rank, subject in enumerate(json.loads(file.read_text("utf-8"))["dcterms:subject"], 1):
        rows.append((file.parts[1], file.stem, rank, subject))
with open("systems.csv", "w", encoding="utf-8", newline="") as out:
    csv.writer(out).writerows(rows)
