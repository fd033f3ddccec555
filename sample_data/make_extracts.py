"""Make the sentence extracts of the sample lectures: which sentences three made-up annotators would choose.

Not imported by the app. From the folder of the project: `python -m sample_data.make_extracts`. Reads
`lectures/documents.jsonl`, writes `lectures/sentences.csv`; a second run writes the same bytes.

Every annotator chooses a fifth of the sentences of a text, those with the highest worth. The worth of a sentence is
the same for all but for noise of their own: the weights below times its attributes, which differ by type of document,
plus a normal number with the standard deviation of the annotator.
"""

import csv
from pathlib import Path

import numpy as np

import kp_core as kp
from kp_core.studies.sentence_study.attributes import attributes

LECTURES = Path(__file__).resolve().parent / "lectures"
SEED = 1997
#: Standard deviation of what each annotator adds to the worth of a sentence.
NOISE = {"A": 0.4, "B": 0.7, "C": 1.0}
NOT_SEEN = {("C", "lecture-17")}
SHARE = 0.2


def worth(row):
    """Return how much a sentence says, by the type of its document."""
    first = row["paragraph_location"] == 0
    if row["group"] == "lecture":
        return 1.5 * first + 1.0 * (row["location"] < 0.2) + 1.0 * row["title_similarity"] + 0.1 * row["tf_idf"]
    if row["group"] == "lab note":
        return 1.5 * (row["attitude"] == 2) + 1.0 * (row["location"] > 0.7) + 0.01 * row["length"]
    return 0.5 * first + 0.3 * row["tf_idf"]


def main():
    corpus = kp.load(documents=LECTURES / "documents.jsonl")
    table, _ = attributes(corpus)
    rng = np.random.default_rng(SEED)
    rows = []
    for document, own in table.groupby("doc_id", sort=False):
        value = own.apply(worth, axis=1).to_numpy(float)
        for annotator, noise in NOISE.items():
            order = np.argsort(-(value + rng.normal(0, noise, len(value))), kind="stable")
            chosen = sorted(order[: max(1, round(SHARE * len(value)))])
            if (annotator, document) not in NOT_SEEN:
                rows += [(document, annotator, own["sentence"].iloc[place]) for place in chosen]
    with (LECTURES / "sentences.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["doc_id", "annotator", "sentence"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
