"""Make the sample of book titles: what three made-up indexers chose, and what two systems suggest.

Not imported by the app. From the folder of the project: `python -m sample_data.make_titles`. Writes `titles/`; a second
run writes the same bytes. Titles, thesaurus, frequencies and headings were written by hand and stand below. `words`
compares the words of a title with those of the headings and their synonyms, and knows nothing of their frequency;
`learned` was never trained: it knows what the indexers chose, and sees it the better, the more frequent a heading is.
"""

import csv
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np

TITLES = Path(__file__).resolve().parent / "titles"
SEED = 466
LONGEST = 10
#: Number, heading, number of the broader one, titles in an imagined catalogue, and a synonym that indexer C prefers.
THESAURUS = """
1 History 0 5200
2 Economic history 1 1900
3 Maritime history 1 640
4 History of science 1 880
5 Local history 1 2400
10 Economics 0 4100
11 Trade 10 1500 Commerce
12 Grain trade 11 46
13 Salt trade 11 21
14 Prices 10 720
15 Guilds 2 130
20 Technology 0 3900
21 Water supply 20 410
22 Aqueducts 21 38
23 Mills 20 160
24 Windmills 23 57
25 Watermills 23 64
26 Bridges 20 520
27 Suspension bridges 26 24
29 Clocks 20 210 Timepieces
30 Sundials 29 33
31 Tower clocks 29 17 Turret clocks
32 Navigation 20 460
33 Compasses 32 42
34 Lighthouses 32 88
40 Agriculture 0 2600 Farming
41 Irrigation 40 370
42 Fruit growing 40 190
43 Apples 42 60
44 Beekeeping 40 140 Apiculture
45 Soils 40 530
46 Peat 45 41
50 Geography 0 2900
51 Cartography 50 980 Map making
52 Globes 51 29
53 Coasts 50 610
54 Tides 53 75
55 Harbours 53 240 Ports
56 Rivers 50 830
57 Floods 56 350
60 Society 0 3500
61 Cities 60 2100 Towns
62 Market places 61 85
63 Labour 60 1300 Work
64 Women's work 63 260
65 Food 60 1700
66 Bread 65 95
67 Tea 65 120
68 Famines 65 150
69 Migration 60 1400
70 Art 0 3000
71 Textiles 70 680
72 Weaving 71 170
73 Lace 71 52
74 Dyes 71 66 Dyestuffs
75 Printing 70 590
76 Woodcuts 75 73
77 Paper 75 280
78 Watermarks 77 19
"""
#: Type, title, and the headings of the indexers A, B and C. A prefers narrow headings, B broader ones.
BOOKS = """
everyday life | Bread and grain in a small town, 1780–1820 | 12 66 14 2 | 11 65 2 61 | 12 66 2 5
everyday life | The salt road: carriers and tolls | 13 2 11 | 11 2 5 | 13 11 2
everyday life | Lace makers in the upland villages | 73 64 63 | 71 63 5 60 | 73 64 63
everyday life | A kettle for the factory: work and food | 67 63 65 | 65 63 60 | 67 65 63
everyday life | A hungry year: bread, riots and relief | 68 66 65 | 68 65 60 | 68 65 2
everyday life | Under the arcades: the market place of the old town | 62 11 61 | 11 61 5 | 62 11 61
everyday life | Farewell to the moors: families between farm and city | 46 69 40 | 69 40 60 | 69 46 40
everyday life | A handbook of beekeeping | 44 40 | 44 40 | 44 40
technology | Wind, water, stone: mills of the lowlands | 24 25 20 | 23 20 5 | 24 25 20 5
technology | Aqueducts, wells and pipes: how Rome drank | 22 21 61 | 21 20 61 1 | 22 21 61
technology | Hanging roads: the first suspension bridges | 27 26 20 | 26 20 1 | 27 26 20
technology | Sundials: how to read and build them | 30 29 20 | 29 4 20 | 30 29 4
technology | The tower clock and the working day | 31 63 61 | 29 63 60 | 31 63 61
technology | Lighthouses of the northern coasts | 34 32 53 | 34 32 53 | 34 32 53
technology | Madder and blue: craft secrets of the old towns | 15 74 2 11 | 71 2 11 | 15 74 2 11
technology | Cut in pear wood: pictures for the people | 76 75 70 | 75 70 60 | 76 75 70
sea and land | Compass and globe: tools for a new world | 33 52 51 | 51 4 32 50 | 52 33 51 4
sea and land | When the river came: cities after the flood | 57 56 61 | 57 56 61 | 57 56 61
sea and land | Waiting for the tide: a harbour through six centuries | 54 55 11 | 55 11 3 50 | 54 55 3 11
sea and land | Apples of the dry valleys | 43 41 40 | 42 41 40 | 43 41 40
"""
#: What a heading above one that was found is worth, and one above that; how well a learner sees what is most frequent.
NARROWER, FURTHER, SEEN = 0.45, 0.3, 0.8


def concept(number):
    return f"ex:{int(number):04d}"


def read():
    """Return number → heading, broader number, frequency, synonym; and the books with what each indexer chose."""
    thesaurus = {}
    for line in THESAURUS.strip().splitlines():
        number, label, broader, n, synonym = re.match(r"(\d+) (.+?) (\d+) (\d+) ?(.*)$", line).groups()
        thesaurus[number] = (label, broader, int(n), synonym)
    books = [[part.strip() for part in line.split("|")] for line in BOOKS.strip().splitlines()]
    return thesaurus, [(group, title, [one.split() for one in chosen]) for group, title, *chosen in books]


def stems(text):
    """Return the words of a text without the endings that plurals, verbs and makers have."""
    words = re.findall("[a-z]{3,}", text.lower())
    return {re.sub(r"(?:ies|ers|er|es|s|ing|y|e)$", "", word) for word in words} - {"the", "and", "for", "how"}


def by_words(title, thesaurus):
    """Return how much of each heading, or of its synonym, stands in a title; headings above get a part of that."""
    said, found = stems(title), {}
    for number, (label, *_, synonym) in thesaurus.items():
        found[number] = max(len(stems(one) & said) / len(stems(one)) for one in (label, synonym or label))
    for number in [one for one, worth in found.items() if worth == 1]:
        for share, above in zip((NARROWER, FURTHER), ancestors(number, thesaurus), strict=False):
            found[above] = max(found[above], share)
    return found


def ancestors(number, thesaurus):
    """Give the broader heading of a heading, and those above it."""
    while (number := thesaurus[number][1]) in thesaurus:
        yield number


def by_frequency(chosen, thesaurus, rng):
    """Return what a learner sees of what was chosen, and of the headings next to it: the more frequent, the better."""
    votes = Counter(number for one in chosen for number in one)
    rare, often = (math.log(pick(n for _, _, n, _ in thesaurus.values())) for pick in (min, max))
    found = {}
    for number, (_, broader, n, _) in thesaurus.items():
        known = (math.log(n) - rare) / (often - rare)
        near = broader in votes or any(thesaurus[one][1] == number for one in votes)
        relevant = 0.6 + votes[number] / 6 if number in votes else 0.4 * near
        found[number] = SEEN * relevant * known + 0.25 * known + rng.normal(0, 0.12)
    return found


def write(name, head, rows):
    with (TITLES / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def ranked(system, worth_of, books, thesaurus):
    for number, book in enumerate(books, 1):
        worth = worth_of(book)
        best = sorted((one for one in worth if worth[one] > 0), key=lambda one: (-worth[one], int(one)))[:LONGEST]
        for rank, one in enumerate(best, 1):
            score = round(min(worth[one], 1), 4)
            yield system, f"title-{number:02d}", rank, thesaurus[one][0], score, concept(one)


def main():
    thesaurus, books = read()
    rng = np.random.default_rng(SEED)
    (TITLES / "systems").mkdir(parents=True, exist_ok=True)
    names = [f"title-{number:02d}" for number in range(1, len(books) + 1)]
    write("documents.csv", ("doc_id", "title", "group"), [(n, t, g) for n, (g, t, _) in zip(names, books, strict=True)])
    write(
        "indexers.csv",
        ("doc_id", "annotator", "keyphrase", "concept"),
        [
            (name, f"Indexer {who}", (who == "C" and thesaurus[one][3]) or thesaurus[one][0], concept(one))
            for name, (*_, chosen) in zip(names, books, strict=True)
            for who, own in zip("ABC", chosen, strict=True)
            for one in own
        ],
    )
    head = ("system", "doc_id", "rank", "keyphrase", "score", "concept")
    for system, worth_of in (
        ("words", lambda book: by_words(book[1], thesaurus)),
        ("learned", lambda book: by_frequency(book[2], thesaurus, rng)),
    ):
        write(f"systems/{system}.csv", head, ranked(system, worth_of, books, thesaurus))
    broader = [(concept(one), concept(above)) for one, (_, above, *_) in thesaurus.items() if above != "0"]
    write("broader.csv", ("child", "parent"), broader)
    write("frequencies.csv", ("concept", "n"), [(concept(one), n) for one, (_, _, n, _) in thesaurus.items()])


if __name__ == "__main__":
    main()
