"""The kappa paradox: the same observed agreement, and a kappa that falls as one answer grows rare."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import COLOURS, GREY, Chart, lay_out
from kp_core.learn.lesson import Lesson, Question, Slider, Values, View
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import table
from kp_core.words.statements import number

#: As printed by Feinstein & Cicchetti 1990: a, b, c, d.
EXAMPLES = {
    "balanced answers": (40, 9, 6, 45),
    "one answer rare (first paradox)": (80, 10, 5, 5),
    "equal shares of “yes” (second paradox)": (45, 15, 25, 15),
    "unequal shares of “yes” (second paradox)": (25, 35, 5, 35),
}
_SHOWN = ("Po", "Pe", "kappa", "P_pos", "P_neg", "PABAK", "AC1")


def value(measure: str, a: float, b: float, c: float, d: float) -> float:
    """Return a measure of one concordance table.

    >>> round(value("kappa", 80, 10, 5, 5), 3)
    0.318
    """
    return float(MEASURES[measure].score(table(a, b, c, d)))


def show(values: Values) -> View:
    """Draw the table as areas, beside its measures."""
    a, b, c, d = (float(values[letter]) for letter in "abcd")
    total = a + b + c + d
    found = {name: value(name, a, b, c, d) for name in _SHOWN}
    drawn = go.Figure()
    drawn.add_bar(
        x=list(found.values()),
        y=list(found),
        orientation="h",
        marker_color=[GREY, GREY, *[COLOURS[0]] * (len(found) - 2)],
        text=[number(one) for one in found.values()],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y} = %{x:.3f}<extra></extra>",
    )
    drawn.update_xaxes(range=[-1.15, 1.15], zeroline=True, zerolinewidth=2, tickformat=".1~f")
    drawn.update_yaxes(autorange="reversed")
    said = ", ".join(f"{name} {number(one)}" for name, one in found.items())
    chart = Chart(lay_out(drawn, 340).update_layout(showlegend=False), f"Measures of the table: {said}.")
    both = pd.DataFrame(
        [["gold standard: yes", a, b, a + b], ["gold standard: no", c, d, c + d], ["total", a + c, b + d, total]],
        columns=["", "system: yes", "system: no", "total"],
    ).astype({"system: yes": int, "system: no": int, "total": int})
    return View(chart, _read(found, a, b, c, d), (("The concordance table", both),))


def _read(found: dict[str, float], a: float, b: float, c: float, d: float) -> tuple[str, ...]:
    total = a + b + c + d
    if not total:
        return ("An empty table has no agreement to measure.",)
    said = [
        f"They agree on {number(100 * (a + d) / total, 0)} % of the phrases. Their shares of “yes”, "
        f"{number(100 * (a + b) / total, 0)} % and {number(100 * (a + c) / total, 0)} %, would give "
        f"{number(100 * found['Pe'], 0)} % by chance alone; kappa counts only what is beyond that."
    ]
    if found["PABAK"] - found["kappa"] > 0.3:
        said.append(
            "This is the paradox: nearly all of the agreement is on one answer, so chance explains most of it. P_pos "
            "and P_neg show which answer it is."
        )
    return tuple(said)


_A, _B = EXAMPLES["balanced answers"], EXAMPLES["one answer rare (first paradox)"]
LESSON = Lesson(
    "paradox",
    "The kappa paradox",
    "Two tables can agree on the same share of phrases and still have very different kappas. Drag the four cells and "
    "watch: kappa subtracts the agreement that their shares of “yes” give by chance, and where one answer is rare, "
    "chance gives nearly all of it. In keyword extraction “yes” is always rare.",
    (
        r"\kappa = \frac{P_o - P_e}{1 - P_e}",
        r"P_{pos} = \frac{2a}{2a+b+c}\qquad P_{neg} = \frac{2d}{2d+b+c}",
        r"\mathrm{PABAK} = 2P_o - 1",
    ),
    "Cohen 1960; Feinstein & Cicchetti 1990 (the four example tables); Byrt, Bishop & Carlin 1993 (PABAK)",
    tuple(
        Slider(letter, f"{letter}: {words}", 0, 120, start)
        for letter, words, start in zip(
            "abcd", ("both chose it", "only the gold standard", "only the system", "neither"), _B, strict=True
        )
    ),
    show,
    (
        Question(
            "a = 40, b = 9, c = 6, d = 45. What share of the phrases do they agree on (P_o)?",
            value("Po", *_A),
            "P_o = (40 + 45) / 100.",
        ),
        Question(
            "And kappa of the same table?",
            value("kappa", *_A),
            "P_e = .49 · .46 + .51 · .54 = .5008, so kappa = (.85 − .5008) / (1 − .5008) = .70.",
        ),
        Question(
            "a = 80, b = 10, c = 5, d = 5 has the same P_o. Kappa falls to .32. Which of its two kinds of agreement is "
            "the weak one?",
            "on “no” (P_neg)",
            "P_neg = 2 · 5 / (2 · 5 + 15) = .40, while P_pos = .91: there are hardly any phrases that both reject.",
            ("on “yes” (P_pos)", "on “no” (P_neg)", "both alike"),
        ),
    ),
    {name: dict(zip("abcd", cells, strict=True)) for name, cells in EXAMPLES.items()},
)
