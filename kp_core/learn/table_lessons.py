"""The lessons on a concordance table: the kappa paradox, the size of the universe, a published table read twice."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.curves import against_universe
from kp_core.charts.style import COLOURS, GREY, SYMBOLS, Chart, label, lay_out
from kp_core.learn.lesson import Values, View, bars, errata, lesson, prose
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import table
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.words.statements import number

_PARADOX, _UNIVERSE, _LECTURE = prose("paradox"), prose("universe"), prose("lecture")
_SHOWN = ("Po", "Pe", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
#: The lecture systems, their gold keyphrases, and the phrases that could have been chosen.
SYSTEMS, GOLD, UNIVERSE = _LECTURE["systems"], 495, 10_750
_SILENT = "(a system that says nothing)"


def value(measure: str, a: float, b: float, c: float, d: float) -> float:
    """Return a measure of one concordance table.

    >>> round(value("kappa", 80, 10, 5, 5), 3)
    0.318
    """
    return float(MEASURES[measure].score(table(a, b, c, d)))


def _show_paradox(values: Values) -> View:
    """Draw the measures of a table, and show the table beside them."""
    a, b, c, d = (int(values[letter]) for letter in "abcd")
    total = a + b + c + d
    results = {name: value(name, a, b, c, d) for name in _SHOWN}
    written = [number(result) for result in results.values()]
    colours = [GREY if name in ("Po", "Pe") else COLOURS[0] for name in _SHOWN]
    figure = bars(list(results.values()), _SHOWN, written, colours, "%{y} = %{x:.3f}")
    figure.update_xaxes(range=[-1.15, 1.15], zeroline=True, zerolinewidth=2, tickformat=".1~f")
    figure.update_yaxes(autorange="reversed")
    alt = f"Measures of the table: {', '.join(map(' '.join, zip(_SHOWN, written, strict=True)))}."
    rows = [["gold standard: yes", a, b, a + b], ["gold standard: no", c, d, c + d], ["total", a + c, b + d, total]]
    cells = pd.DataFrame(rows, columns=["", "system: yes", "system: no", "total"])
    said = [_PARADOX["said"]["empty"]]
    if total:
        observed, gold, system = (number(100 * part / total, 0) for part in (a + d, a + b, a + c))
        chance = number(100 * results["Pe"], 0)
        said = [_PARADOX["said"]["chance"].format(observed=observed, gold=gold, system=system, chance=chance)]
    if results["PABAK"] - results["kappa"] > 0.3:
        said.append(_PARADOX["said"]["paradox"])
    return View(Chart(lay_out(figure, 340), alt), said, {"The concordance table": cells})


def _show_universe(values: Values) -> View:
    """Draw kappa against N for one choice of a, b and c, with the N in use marked."""
    a, b, c = _UNIVERSE["chosen"][str(values["chosen"])]
    total = max(round(10 ** float(values["size"])), a + b + c)
    cells = {"a": a, "b": b, "c": c, "d": total - a - b - c}
    kappa, limit, pabak = (number(value(name, **cells)) for name in ("kappa", "P_pos", "PABAK"))
    silent = number(value("PABAK", 0, a + b, 0, total - a - b))
    said = [
        _UNIVERSE["said"]["kappa"].format(**cells, total=total, kappa=kappa, limit=limit),
        _UNIVERSE["said"]["pabak"].format(pabak=pabak, silent=silent),
    ]
    return View(against_universe({"the system": {**cells, "N": total}}, "kappa", 360), said, {})


def lecture_cells(system: str) -> tuple[int, int, int, int]:
    """Return a, b, c, d of a lecture system, reconstructed from its printed figures; of the silent one by its name.

    >>> lecture_cells("TF-IDF")
    (70, 425, 135, 10120)
    """
    a, c = SYSTEMS.get(system, (0, 0))
    return a, GOLD - a, c, UNIVERSE - GOLD - c


def compared() -> pd.DataFrame:
    """Return the printed figures, the reconstructed table, its precision and recall, and the silent system."""
    rows = []
    for system in (*SYSTEMS, _SILENT):
        a, b, c, d = lecture_cells(system)
        printed = " ".join(LECTURE_SYSTEMS.get(system, ("not printed",)))
        again = " ".join(number(value(name, a, b, c, d)).replace("0.", ".") for name in _LECTURE["measures"])
        precision = number(a / (a + c)) if a + c else "undefined"
        rows.append((system, printed, f"{a}, {b}, {c}, {d:,}", again, precision, number(a / GOLD)))
    names = ["system", "printed: kappa P_pos P_neg PABAK", "a, b, c, d", "recomputed", "precision", "recall"]
    return pd.DataFrame(rows, columns=names)


def _show_lecture(values: Values) -> View:
    """Draw one measure of the six systems beside the silent one."""
    measure = str(values["measure"])
    results = {system: value(measure, *lecture_cells(system)) for system in (*SYSTEMS, _SILENT)}
    names = [label(system, 46) for system in results]
    figure = go.Figure(layout_showlegend=False)
    figure.add_scatter(
        x=list(results.values()),
        y=names,
        mode="markers+text",
        marker_size=13,
        marker_color=[*[COLOURS[0]] * len(SYSTEMS), GREY],
        marker_symbol=[*[SYMBOLS[0]] * len(SYSTEMS), SYMBOLS[2]],
        text=[f" {number(result)}" for result in results.values()],
        textposition="middle right",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.3f}<extra></extra>",
    )
    for name in names:  # above its line: beside it, long names would leave no room for the picture
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": name, "yanchor": "bottom", "yshift": 4}
        figure.add_annotation(place, text=name, showarrow=False)
    low, high = min(results.values()), max(results.values())
    room = 0.1 * (high - low)
    figure.update_xaxes(title=measure, range=[low - room, high + room], tickformat=".2~f")
    figure.update_yaxes(autorange="reversed", showticklabels=False)
    below = sum(results[system] < results[_SILENT] for system in SYSTEMS)
    how_many, stand = {0: "None", len(SYSTEMS): "All"}.get(below, below), "stands" if below == 1 else "stand"
    said = [_LECTURE["said"]["below"].format(how_many=how_many, stand=stand, measure=measure)]
    said += [_LECTURE["said"]["why"]] if below == len(SYSTEMS) else []
    alt = f"{measure}: {', '.join(f'{system} {number(result)}' for system, result in results.items())}."
    tables = {"As printed, and one table that gives these figures": compared(), "What the text says": _ERRATA}
    return View(Chart(lay_out(figure, 430).update_layout(margin_r=60), alt), said, tables)


_ERRATA = errata(
    "lecture",
    document_boosting=number(value("kappa", *lecture_cells("Document Boosting")), 4),
    phrase_boosting=number(value("kappa", *lecture_cells("Phrase Boosting")), 4),
    silent=number(value("P_neg", *lecture_cells(_SILENT))),
)
PARADOX = lesson("paradox", _show_paradox, [value(name, 40, 9, 6, 45) for name in ("Po", "kappa")])
_NOTHING = value("PABAK", *lecture_cells(_SILENT))
UNIVERSE_SIZE = lesson("universe", _show_universe, [value("P_pos", *lecture_cells("TF-IDF")), _NOTHING])
LECTURE = lesson("lecture", _show_lecture, [value("P_pos", *lecture_cells("Phrase Boosting N-Grams")), _NOTHING])
