"""Average precision, rank by rank: the five queries of the notes on keyword evaluation, as printed and recomputed."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, lay_out
from kp_core.learn.lesson import Lesson, Options, Question, Slider, Values, View
from kp_core.words.statements import number

#: Ranks of the relevant results of each query, and its AP as printed.
HITS = {
    "Q1": (1, 3, 5, 9, 10),
    "Q2": (2, 4, 6, 8, 10),
    "Q3": (1, 3, 4, 7, 8),
    "Q4": (2, 4, 7, 9, 10),
    "Q5": (1, 4, 5, 8, 9),
}
PRINTED = {"Q1": "0.654", "Q2": "0.3, then 0.6", "Q3": "0.733", "Q4": "0.583", "Q5": "0.55"}
PRINTED_MEAN = "0.624"
RANKS = 10


def _corpus() -> kp.Corpus:
    """Return the queries as documents: a hit is a gold keyphrase at its rank."""
    gold = {query: [f"hit {rank}" for rank in ranks] for query, ranks in HITS.items()}
    found = {
        query: [f"{'hit' if rank in ranks else 'miss'} {rank}" for rank in range(1, RANKS + 1)]
        for query, ranks in HITS.items()
    }
    return kp.load(gold=gold, systems={"notes": found})


def recomputed() -> pd.DataFrame:
    """Return MAP, MRR, nDCG@10 and P@1 … P@10 of every query, by the measures that the tables use.

    >>> recomputed()["MAP"].round(6).tolist()
    [0.642222, 0.5, 0.722619, 0.474603, 0.631111]
    """
    settings = kp.evaluate(_corpus(), k=RANKS, measures=["MAP"], interval="none", normalise="none").settings
    corpus, columns = _corpus(), {}
    for measure in ("MAP", "MRR", "nDCG@10", *(f"P@{k}" for k in range(1, RANKS + 1))):
        rows = kp.by_document(corpus, settings, measure)
        columns[measure] = rows.set_index("document")["value"]
    return pd.DataFrame(columns).loc[list(HITS)]


def show(values: Values) -> View:
    """Draw precision at every rank of one query, the hits up to the rank in use filled, and both tables."""
    query, rank = str(values["query"]), int(values["rank"])
    found, ranks = recomputed(), HITS[str(values["query"])]
    at = [float(found.loc[query, f"P@{k}"]) for k in range(1, RANKS + 1)]
    seen = [k for k in ranks if k <= rank]
    colours = [COLOURS[0] if k in seen else COLOURS[1] if k in ranks else GREY for k in range(1, RANKS + 1)]
    drawn = go.Figure(
        go.Bar(
            x=list(range(1, RANKS + 1)),
            y=at,
            marker_color=colours,
            text=[number(one) for one in at],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="P@%{x} = %{y:.3f}<extra></extra>",
        )
    )
    drawn.add_vline(x=rank + 0.5, line={"dash": "dot", "width": 1})
    drawn.update_xaxes(title="rank", dtick=1)
    drawn.update_yaxes(title="precision at this rank", range=[0, 1.15], tickformat=".1~f")
    so_far = " + ".join(number(at[k - 1]) for k in seen) or "0"
    total = sum(at[k - 1] for k in seen) / len(ranks)
    said = (
        f"{query} has its hits at ranks {', '.join(map(str, ranks))}. Up to rank {rank}: ({so_far}) / {len(ranks)} = "
        f"{number(total, 3)}." + (" Only ranks with a hit add to the sum." if rank == 1 else ""),
        f"The whole list gives AP = {number(float(found.loc[query, 'MAP']), 3)}; the notes print {PRINTED[query]}.",
    )
    alt = f"Precision at ranks 1 to {RANKS} of {query}: " + ", ".join(number(one) for one in at) + "."
    tables = (("As printed in the notes, and recomputed", compared()), ("What is wrong in the printed example", ERRORS))
    return View(Chart(lay_out(drawn, 340).update_layout(showlegend=False), alt), said, tables)


def compared() -> pd.DataFrame:
    """Return each query's AP as printed and recomputed, the mean of P@1 … P@5, and the other ranking measures."""
    found = recomputed()
    first = found[[f"P@{k}" for k in range(1, 6)]].mean(axis=1)
    rows = [
        [
            query,
            PRINTED[query],
            *(
                number(float(one), 3)
                for one in (found.loc[query, "MAP"], first[query], found.loc[query, "MRR"], found.loc[query, "nDCG@10"])
            ),
        ]
        for query in HITS
    ]
    mean = [found["MAP"].mean(), first.mean(), found["MRR"].mean(), found["nDCG@10"].mean()]
    rows.append(["mean", PRINTED_MEAN, *(number(float(one), 3) for one in mean)])
    return pd.DataFrame(
        rows, columns=["query", "AP printed", "AP recomputed", "mean of P@1 … P@5", "reciprocal rank", "nDCG@10"]
    )


ERRORS = pd.DataFrame(
    [
        ["AP of Q1 = 0.654", "The mean of P at ranks 1 to 5, but the hits are at ranks 1, 3, 5, 9 and 10: 0.642."],
        ["AP of Q2 = 0.3", "Its five printed terms give 0.346; the definition gives 0.5."],
        ["AP of Q2 = 0.6", "It comes back as 0.6 in the line of the mean; both cannot be."],
        ["AP of Q3, Q4, Q5", "0.733, 0.583 and 0.55 follow neither from the definition nor from the printed method."],
        ["MAP = 0.624", "The mean of its inputs, which are wrong: 0.594."],
        ["an earlier hit lowers MRR", "The other way round: an earlier first hit makes MRR higher."],
    ],
    columns=["as printed", "recomputed"],
)

_FOUND = recomputed()
LESSON = Lesson(
    "map",
    "Mean average precision, rank by rank",
    "Average precision asks at every hit how much of the list up to there is right, and takes the mean over all "
    "keyphrases, found or not. Choose a query and go down its list. The notes that this example comes from print other "
    "values; both are shown.",
    (
        r"AP = \frac{1}{|gold|}\sum_{i:\ h_i = 1} P@i",
        r"MRR = \frac{1}{|D|}\sum_d \frac{1}{\mathrm{rank}_d}",
        r"nDCG = \frac{DCG}{IDCG}\qquad DCG = \sum_i \frac{rel_i}{\log_2(i+1)}",
    ),
    "Notes on keyword evaluation (the example, as printed); Manning, Raghavan & Schütze 2008 (definitions)",
    (Options("query", "Query", tuple(HITS)), Slider("rank", "Up to rank", 1, RANKS, 5)),
    show,
    (
        Question(
            "Hits at ranks 2, 4, 6, 8 and 10, five gold keyphrases. What is AP?",
            float(_FOUND.loc["Q2", "MAP"]),
            "P at every hit is 1/2, so their mean is .5, not .3 and not .6.",
        ),
        Question(
            "What is the reciprocal rank of that list?",
            float(_FOUND.loc["Q2", "MRR"]),
            "The first hit stands at rank 2: 1/2.",
        ),
        Question(
            "Which list has the higher average precision: hits at ranks 1, 4, 5, 8, 9 (Q5) or 1, 3, 4, 7, 8 (Q3)?",
            "Q3",
            "Every hit of Q3 but the first comes one rank earlier: .723 against .631.",
            ("Q3", "Q5", "the same"),
        ),
    ),
)
