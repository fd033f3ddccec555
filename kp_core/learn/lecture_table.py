"""The lecture-keyword table, read twice: as printed, and as it must have come about."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import COLOURS, GREY, SYMBOLS, Chart, label, lay_out
from kp_core.learn.lesson import Lesson, Options, Question, Values, View
from kp_core.learn.paradox import value
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.words.statements import number

#: One whole-number table a system that gives all its printed figures: a, c of 495 gold keyphrases and N = 10,750. Other
#: sizes fit too; the section prints neither.
TABLES = {
    "TF-IDF": (70, 135),
    "TF-IDF with Adjective-Noun Chunks": (43, 219),
    "Document Boosting": (66, 103),
    "Document Boosting with Adjective-Noun Chunks": (54, 152),
    "Phrase Boosting": (72, 143),
    "Phrase Boosting N-Grams": (76, 108),
}
GOLD, UNIVERSE, SILENT = 495, 10_750, "(a system that says nothing)"
MEASURES = ("kappa", "P_pos", "P_neg", "PABAK")


def cells(system: str) -> tuple[int, int, int, int]:
    """Return a, b, c, d of a system.

    >>> cells("TF-IDF")
    (70, 425, 135, 10120)
    """
    a, c = TABLES.get(system, (0, 0))
    return a, GOLD - a, c, UNIVERSE - GOLD - c


def compared() -> pd.DataFrame:
    """Return the printed figures, the reconstructed table, its precision and recall, and the silent system."""
    rows = []
    for system in (*TABLES, SILENT):
        a, b, c, d = cells(system)
        printed = " ".join(LECTURE_SYSTEMS.get(system, ("not printed",)))
        again = " ".join(number(value(name, a, b, c, d)).replace("0.", ".") for name in MEASURES)
        precision = number(a / (a + c)) if a + c else "undefined"
        rows.append((system, printed, f"{a}, {b}, {c}, {d:,}", again, precision, number(a / GOLD)))
    names = ["system", "printed: kappa P_pos P_neg PABAK", "a, b, c, d", "recomputed", "precision", "recall"]
    return pd.DataFrame(rows, columns=names)


def show(values: Values) -> View:
    """Draw one measure of the six systems beside the silent one."""
    measure = str(values["measure"])
    found = {system: value(measure, *cells(system)) for system in (*TABLES, SILENT)}
    drawn = go.Figure()
    for group, colour, symbol in ((list(TABLES), COLOURS[0], SYMBOLS[0]), ([SILENT], GREY, SYMBOLS[2])):
        drawn.add_scatter(
            x=[found[one] for one in group],
            y=[label(one, 46) for one in group],
            mode="markers+text",
            marker={"size": 13, "color": colour, "symbol": symbol},
            text=[f" {number(found[one])}" for one in group],
            textposition="middle right",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    low, high = min(found.values()), max(found.values())
    room = 0.1 * (high - low)
    drawn.update_xaxes(title=measure, range=[low - room, high + room], tickformat=".2~f")
    drawn.update_yaxes(autorange="reversed", showticklabels=False)
    for one in found:  # above its line: beside it, long names would leave no room for the picture
        drawn.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=label(one, 46),
            yanchor="bottom",
            yshift=4,
            text=label(one, 46),
            showarrow=False,
        )
    below = [one for one in TABLES if found[one] < found[SILENT]]
    how_many = {0: "None", len(TABLES): "All"}.get(len(below), f"{len(below)}")
    stand = "stands" if len(below) == 1 else "stand"
    said = [f"{how_many} of the six systems {stand} below a system that says nothing by {measure}."]
    if len(below) == len(TABLES):
        said.append("Every precision is below one half, so each phrase that a system adds costs it more than it gains.")
    alt = f"{measure}: " + ", ".join(f"{one} {number(result)}" for one, result in found.items()) + "."
    chart = Chart(lay_out(drawn, 430).update_layout(showlegend=False, margin_r=60), alt)
    tables = (("As printed, and one table that gives these figures", compared()), ("What the text says", ERRATA))
    return View(chart, tuple(said), tables)


_TIED = tuple(number(value("kappa", *cells(one)), 4) for one in ("Document Boosting", "Phrase Boosting"))
ERRATA = pd.DataFrame(
    [
        ["PABAK averages a and d, and c and d", "It must be b and c, as the section's own table has it."],
        ["kappa of about .15 to .3", "The printed kappas are .084 to .204."],
        [
            "Document Boosting: higher PABAK, but lower P_pos and kappa",
            f"Against Phrase Boosting both print kappa .180; unrounded {_TIED[0]} and {_TIED[1]}. Against TF-IDF it is "
            "higher.",
        ],
        ["four measures", "P_neg follows from P_pos and PABAK: three of them are free."],
        [
            "high P_neg: the other phrases are found well",
            f"A silent system has {number(value('P_neg', *cells(SILENT)))}.",
        ],
        [
            "Fleiss' kappa of the people, .336",
            "Another target than kappa against their union: the two cannot be compared.",
        ],
    ],
    columns=["as printed", "recomputed"],
)

LESSON = Lesson(
    "lecture",
    "A published table, read twice",
    "An evaluation section on six lecture-keyword systems prints kappa, P_pos, P_neg and PABAK. Four numbers a system "
    "are enough to find tables that they can come from. Choose a measure and see where the systems stand, and where "
    "silence stands. The counts are reconstructed from the printed figures; they are not in the source.",
    (
        r"q = \frac{b+c}{N} = \frac{1 - \mathrm{PABAK}}{2}",
        r"\frac{a}{N} = \frac{q\,P_{pos}}{2(1-P_{pos})}",
        r"\frac{d}{N} = \frac{q\,P_{neg}}{2(1-P_{neg})}",
    ),
    "Lecture-keyword evaluation section (printed figures); the tables and the inversion are derived from them",
    (Options("measure", "Measure", MEASURES),),
    show,
    (
        Question(
            "Phrase Boosting N-Grams: a = 76, b = 419, c = 108. What is P_pos?",
            value("P_pos", *cells("Phrase Boosting N-Grams")),
            "2 · 76 / (2 · 76 + 419 + 108) = .224, as printed.",
        ),
        Question(
            "What PABAK has a system that says nothing, with 495 gold keyphrases of N = 10,750?",
            value("PABAK", *cells(SILENT)),
            "1 − 2 · 495 / 10,750 = .908, above all six.",
        ),
        Question(
            "From which precision on does a further phrase raise PABAK?",
            "above one half",
            "A right phrase turns a b into an a, a wrong one a d into a c: agreement rises only if more are right "
            "than wrong.",
            ("above one half", "above the precision so far", "always"),
        ),
    ),
)
