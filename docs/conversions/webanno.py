"""WebAnno TSV 3 of INCEpTION, `annotation/DOCUMENT/ANNOTATOR.tsv` → `gold.csv`."""

import csv
import re
from pathlib import Path

rows, column = [], 3  # the first layer stands in column 3
for file in sorted(Path("annotation").rglob("*.tsv")):
    spans = {}
    for number, line in enumerate(file.read_text("utf-8").split("\n")):
        if re.match(r"[\d.-]+\t", line) and (cells := line.split("\t"))[column] != "_":
            for label in re.split(r"(?<!\\)\|", cells[column]):  # a span of several tokens has a number: KP[2]
                spans.setdefault(label if label.endswith("]") else (number, label), []).append(cells[2])
    rows += [(file.parent.stem, file.stem, re.sub(r"\\(.)", r"\1", " ".join(tokens))) for tokens in spans.values()]
with open("gold.csv", "w", encoding="utf-8", newline="") as out:
    csv.writer(out).writerows([("doc_id", "annotator", "keyphrase"), *rows])
