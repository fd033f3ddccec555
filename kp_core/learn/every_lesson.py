"""Define the lessons: texts and data from files, charts controlled by the user, and computed answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from kp_core.charts.curves import against_universe
from kp_core.charts.dots import forest
from kp_core.charts.pieces import axis, curve_of, dotted, laid_out, plain, upright, words_at
from kp_core.charts.screen_tables import concordance
from kp_core.charts.style import COLORS, GRAY, SYMBOLS, Chart, Part, label, looks
from kp_core.errors import read_toml
from kp_core.reading import load
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import table
from kp_core.scoring.order import close, reaches
from kp_core.similarity import similarity
from kp_core.studies.annotators import agreement
from kp_core.studies.correlation import kim2010
from kp_core.studies.evaluate import evaluate
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.studies.trimming import choice_levels, choice_matrix
from kp_core.typeset import filled, number

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Control:
    """A control of a lesson: a choice among the options in the field `of` of its file, or a slider."""

    name: str
    label: str
    start: Any
    among: tuple[str, ...] = ()
    of: str = ""
    low: float = 0
    high: float = 0
    step: float = 0


@dataclass(frozen=True)
class Question:
    """A question whose correct answer is a number (within a tolerance) or one of several options."""

    text: str
    answer: float | str
    because: str
    options: tuple[str, ...] = ()

    def right(self, reply: str) -> bool | None:
        """Return whether an answer is correct, or None if it is not a number; 5/11 and 45% are numbers."""
        if isinstance(self.answer, str):
            return reply == self.answer
        answer = "".join(reply.split()).replace(",", ".").replace("−", "-")
        text = answer.removesuffix("%")
        try:
            # Fraction would expand numbers such as 1e99999999 in full.
            value = float(Fraction(text)) if len(text) <= 40 and "e" not in text.lower() else float(text)
        except (ValueError, ZeroDivisionError):
            return None
        return abs(value / (1 if text == answer else 100) - self.answer) <= 0.0051


@dataclass(frozen=True)
class View:
    """What a lesson shows: a chart, sentences that describe it, and tables with captions."""

    chart: Chart
    sentences: Sequence[str]
    tables: Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Lesson:
    """An interactive lesson; each of the `examples` sets several controls at once."""

    name: str
    title: str
    text: str
    formulas: Sequence[str]
    source: str
    controls: Sequence[Control]
    show: Callable[[Values], View]
    questions: Sequence[Question]
    examples: Mapping[str, Values]

    def start(self) -> dict[str, Any]:
        """Return the initial values of the controls."""
        return {control.name: control.start for control in self.controls}


#: The lessons in their teaching order, each with its text and data.
_NAMES = ("threshold", "paradox", "universe", "positive", "map", "weights", "trimming", "lecture", "claims")
PROSE: dict[str, dict[str, Any]] = {name: read_toml(f"learn/lessons/{name}.toml") for name in _NAMES}


def lesson(name: str, show: Callable[[Values], View], answers: Sequence[float]) -> Lesson:
    """Return the lesson that a file defines, given the answers to its numeric questions in order."""
    words, numbers = PROSE[name], iter(answers)
    controls = list[Control]()
    for card in words["controls"]:
        among = tuple(words[card["of"]]) if "of" in card else ()
        controls.append(Control(**{"among": among, "start": next(iter(among), None), **card}))
    questions = [
        Question(card["text"], card.get("answer") or next(numbers), card["because"], tuple(card.get("options", ())))
        for card in words["questions"]
    ]
    title, text, formulas, source = (words[key] for key in ("title", "text", "formulas", "source"))
    return Lesson(name, title, text, formulas, source, controls, show, questions, words.get("examples", {}))


def _view(name: str, values: Values, figure: Part, *tables: pd.DataFrame, **facts: Any) -> View:
    """Return what a lesson shows; sentences, alternative text and captions of its file are filled with facts."""
    prose, facts = PROSE[name], {**values, **facts}
    sentences = list(filter(None, (filled(template, **facts) for template in prose["said"].values())))
    captions = [filled(caption, **facts) for caption in prose.get("captions", ())]
    chart = Chart(figure, filled(prose["alt"], sentences=sentences, **facts))
    return View(chart, sentences, dict(zip(captions, tables, strict=True)))


def _errata(name: str, **computed: str) -> pd.DataFrame:
    """Return the errata of a source, with computed numbers filled in."""
    rows = [(row["printed"], row["recomputed"].format(**computed)) for row in PROSE[name]["errata"]]
    return pd.DataFrame(rows, columns=["as printed", "recomputed"])


def _bars(x: Sequence[Any], y: Sequence[Any], text: Sequence[str], colors: Sequence[str], hover: str) -> Part:
    """Return bars with their values, horizontal if y contains names."""
    bar: Part = {"type": "bar", "orientation": "h" if isinstance(y[0], str) else "v", "x": plain(x), "y": plain(y)}
    bar |= {"marker": {"color": colors}, "text": text, "textposition": "outside", "cliponaxis": False}
    return bar | {"hovertemplate": f"{hover}<extra></extra>"}


def _curves(x: Sequence[Any], values: Mapping[str, Sequence[float]], thick: str, hover: str) -> list[Part]:
    """Return one curve per name; the curve named `thick` is drawn thicker."""
    traces = list[Part]()
    for name, look in looks(values).items():
        width, shown = 5 if name == thick else 2.5, f"{label(name)}{hover}<extra></extra>"
        traces.append(curve_of(x, values[name], name, look, line={"width": width}, hovertemplate=shown))
    return traces


_THRESHOLD, _POSITIVE = PROSE["threshold"], PROSE["positive"]
_MEASURES_SHOWN = ("Po", "Pe", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
#: The lecture systems, the number of gold keyphrases, and the number of phrases that could have been chosen.
RECOVERED, GOLD, UNIVERSE = PROSE["lecture"]["systems"], 495, 10_750
_EMPTY = "(empty baseline)"
#: Axis for values up to 1, and axis options for bars, with room for a number above the highest bar.
_SHARES = axis(range=[0, 1.05], tickformat=".1~f")
_ABOVE_ONE = {"range": [0, 1.15], "tickformat": ".1~f"}


def value(measure: str, a: float, b: float, c: float, d: float) -> float:
    """Return a measure of one concordance table."""
    return float(MEASURES[measure].score(table(a, b, c, d)))


def _show_paradox(values: Values) -> View:
    cells = {letter: int(values[letter]) for letter in "abcd"}
    results = {name: value(name, **cells) for name in _MEASURES_SHOWN}
    labels = [number(result) for result in results.values()]
    colors = [GRAY if name in ("Po", "Pe") else COLORS[0] for name in _MEASURES_SHOWN]
    trace = _bars(list(results.values()), _MEASURES_SHOWN, labels, colors, "%{y} = %{x:.3f}")
    x = axis(range=[-1.15, 1.15], zeroline=True, zerolinewidth=2, tickformat=".1~f")
    figure = laid_out([trace], 300, x, axis(autorange="reversed"), showlegend=False)
    return _view("paradox", values, figure, concordance(cells), total=sum(cells.values()), measures=results, **cells)


def _as_list(hits: Sequence[int], length: int) -> list[str]:
    keyphrases = {rank: f"keyphrase {index}" for index, rank in enumerate(hits)}
    return [keyphrases.get(rank, f"miss {rank}") for rank in range(1, length + 1)]


def _keyphrases(size: int) -> list[str]:
    return [f"keyphrase {index}" for index in range(size)]


def _scored(gold: list[str], lists: Mapping[str, list[str]], measures: list[str], k: str, **args: Any) -> pd.DataFrame:
    corpus = load(gold={"d": gold}, systems={name: {"d": phrases} for name, phrases in lists.items()})
    return evaluate(corpus, measures=measures, k=k, interval="none", normalise="none", **args).frame


def _over_k(rows: pd.DataFrame) -> pd.DataFrame:
    names = rows["measure"].str.replace(r"@\d+", "@k", regex=True)
    return rows.assign(measure=names).pivot_table("value", ["system", "k"], "measure", sort=False)


_TWO_LISTS = {name: _as_list(**data) for name, data in _THRESHOLD["lists"].items()}
_FOUR, _PHRASES = ["P@k", "R@k", "F1@k", "kappa"], _THRESHOLD["universe"]
#: (list, k) → P@k, R@k, F1@k and kappa of the two lists.
AT_K = _over_k(_scored(_keyphrases(_THRESHOLD["gold"]), _TWO_LISTS, _FOUR, "1-20", universe=_PHRASES))


def _show_threshold(values: Values) -> View:
    k, name, gold = int(values["k"]), str(values["list"]), _THRESHOLD["gold"]
    results, data = AT_K.loc[name], _THRESHOLD["lists"][name]
    traces = _curves(results.index, results.to_dict("list"), "F1@k", " at k = %{x}: %{y:.3f}")
    length, anchors = data["length"], {"xref": "x", "yref": "y domain"}
    lines = [upright(k, width=2, color=GRAY), *(upright(position, dash="dot", width=1) for position in (gold, length))]
    notes = [words_at(gold, 1, "gold size", xanchor="right", yanchor="top", **anchors)]
    notes.append(words_at(length, 1, "the list ends", xanchor="center", yanchor="bottom", **anchors))
    layout: Part = {"shapes": lines, "annotations": notes, "margin": {"t": 24}}
    figure = laid_out(traces, 360, axis("k", dtick=1), _SHARES, **layout)
    (other,) = set(_THRESHOLD["lists"]) - {name}
    rival, at_k = float(AT_K.loc[(other, k), "F1@k"]), results.loc[k].to_dict()
    facts = {"hits": sum(rank <= k for rank in data["hits"]), "length": length, "gold": gold, "rival": rival}
    return _view("threshold", values, figure, at_k=at_k, equal=close(at_k["F1@k"], rival), **facts)


def _show_universe(values: Values) -> View:
    a, b, c = PROSE["universe"]["chosen"][str(values["chosen"])]
    total = max(round(10 ** float(values["size"])), a + b + c)
    cells = {"a": a, "b": b, "c": c, "d": total - a - b - c}
    facts = {"kappa": value("kappa", **cells), "limit": value("P_pos", **cells), "pabak": value("PABAK", **cells)}
    facts |= {"total": total, "silent": value("PABAK", 0, a + b, 0, total - a - b)}
    chart = against_universe({"the system": {**cells, "N": total}}, "kappa", 360)
    return _view("universe", values, chart.figure, alt=chart.alt, **cells, **facts)


def lecture_cells(system: str) -> tuple[int, int, int, int]:
    """Return a, b, c, d of a lecture system (reconstructed from printed figures) or of the empty baseline."""
    a, c = RECOVERED.get(system, (0, 0))
    return a, GOLD - a, c, UNIVERSE - GOLD - c


def lecture_figures() -> pd.DataFrame:
    """Return printed figures, reconstructed table, precision and recall of each system and of the empty baseline."""
    rows = []
    for system in (*RECOVERED, _EMPTY):
        a, b, c, d = lecture_cells(system)
        printed = " ".join(LECTURE_SYSTEMS.get(system, ("not printed",)))
        figures = " ".join(number(value(name, a, b, c, d)).replace("0.", ".") for name in PROSE["lecture"]["measures"])
        precision = number(a / (a + c)) if a + c else "undefined"
        rows.append((system, printed, f"{a}, {b}, {c}, {d:,}", figures, precision, number(a / GOLD)))
    names = ["system", "printed: kappa P_pos P_neg PABAK", "a, b, c, d", "recomputed", "precision", "recall"]
    return pd.DataFrame(rows, columns=names)


def _show_lecture(values: Values) -> View:
    measure = str(values["measure"])
    results = {system: value(measure, *lecture_cells(system)) for system in (*RECOVERED, _EMPTY)}
    empty = [system == _EMPTY for system in results]
    rows = pd.DataFrame({"name": results.keys(), "value": results.values(), "low": np.nan, "high": np.nan})
    rows = rows.assign(color=np.where(empty, GRAY, COLORS[0]), symbol=np.where(empty, SYMBOLS[2], SYMBOLS[0]))
    chart = forest(rows, measure, measure, rangemode="normal", tickformat=".3~f")
    below = sum(results[system] < results[_EMPTY] for system in RECOVERED)
    recomputed = {
        "document_boosting": lecture_cells("Document Boosting"),
        "phrase_boosting": lecture_cells("Phrase Boosting"),
        # Tables with 500 gold keyphrases that give the same four printed values.
        "document_other": (66, 434, 98, UNIVERSE - 598),
        "phrase_other": (72, 428, 139, UNIVERSE - 639),
    }
    kappas = {name: number(value("kappa", *cells), 4) for name, cells in recomputed.items()}
    errata = _errata("lecture", silent=number(value("P_neg", *lecture_cells(_EMPTY))), **kappas)
    facts = {"alt": chart.alt, "below": below, "systems": len(RECOVERED)}
    return _view("lecture", values, chart.figure, lecture_figures(), errata, **facts)


_GOLD, _RANKS, _RULES = _POSITIVE["gold"], range(1, 11), ("k", "returned")
#: Query of the notes on keyword evaluation → ranks of its relevant results, and AP as printed.
QUERIES = PROSE["map"]["queries"]


def over_k(name: str) -> pd.DataFrame:
    """Return P@k, R@k, F1@k and P_pos for k = 1 … 10, and F1@k with denominator “returned”."""
    lists, measures = {name: _POSITIVE["lists"][name]}, ["P@k", "R@k", "F1@k", "P_pos"]
    by_rule = [_over_k(_scored(_GOLD, lists, measures, "1-10", universe=100, denominator=rule)) for rule in _RULES]
    return by_rule[0].assign(returned=by_rule[1]["F1@k"]).loc[name]


def _show_positive(values: Values) -> View:
    k, name = int(values["k"]), str(values["list"])
    results, returned = over_k(name), _POSITIVE["lists"][name]
    traces = _curves(list(_RANKS), results.drop(columns="returned").to_dict("list"), "F1@k", " at k = %{x}: %{y:.3f}")
    figure = laid_out(traces, 340, axis("k", dtick=1), _SHARES, shapes=[upright(k, dash="dot", width=1)])
    at_k, chosen = results.loc[k].to_dict(), returned[:k]
    right = [phrase in _GOLD for phrase in chosen]
    facts: dict[str, Any] = {"a": sum(right), "b": len(_GOLD) - sum(right), "c": len(chosen) - sum(right), "at_k": at_k}
    facts |= {"length": len(returned), "same": close(at_k["P_pos"], at_k["F1@k"])}
    marks = ["✓" if hit else "·" for hit in right]
    table = pd.DataFrame({"rank": range(1, len(chosen) + 1), "phrase": chosen, "": marks})
    return _view("positive", values, figure, table, gold=_GOLD, **facts)


_LISTS = {query: _as_list(given["hits"], 10) for query, given in QUERIES.items()}
#: Query → MAP, MRR, nDCG@10 and P@1 … P@10.
RECOMPUTED = _scored(_keyphrases(5), _LISTS, ["MAP", "MRR", "nDCG@10", "P@k"], "1-10").pivot_table(
    "value", "system", "measure"
)


def query_figures() -> pd.DataFrame:
    """Return each query's AP as printed and recomputed, its mean of P@1 … P@5, and other ranking measures."""
    columns = {"MAP": "AP recomputed", "first": "mean of P@1 … P@5", "MRR": "reciprocal rank", "nDCG@10": "nDCG@10"}
    first_five = RECOMPUTED[[f"P@{rank}" for rank in range(1, 6)]].mean(axis=1)
    measured = RECOMPUTED.assign(first=first_five)[list(columns)].rename(columns=columns)
    measured.loc["mean"] = measured.mean()
    figures = measured.map(number).rename_axis("query").reset_index()
    figures.insert(1, "AP printed", [*(record["printed"] for record in QUERIES.values()), PROSE["map"]["printed_mean"]])
    return figures


def _show_average_precision(values: Values) -> View:
    query, last = str(values["query"]), int(values["rank"])
    hits, printed = QUERIES[query]["hits"], QUERIES[query]["printed"]
    precision = {rank: float(RECOMPUTED.loc[query, f"P@{rank}"]) for rank in _RANKS}
    rounded = {rank: number(share) for rank, share in precision.items()}
    ranks = [rank for rank in hits if rank <= last]
    colors = [COLORS[0] if rank in ranks else COLORS[1] if rank in hits else GRAY for rank in _RANKS]
    trace = _bars(list(_RANKS), list(precision.values()), list(rounded.values()), colors, "P@%{x} = %{y:.3f}")
    y, line = axis("precision at this rank", **_ABOVE_ONE), upright(last + 0.5, dash="dot", width=1)
    figure = laid_out([trace], 340, axis("rank", dtick=1), y, shapes=[line], showlegend=False)
    facts = {"query": query, "hits": hits, "last": last, "terms": [rounded[rank] for rank in ranks], "printed": printed}
    so_far = sum(precision[rank] for rank in ranks) / len(hits)
    ap = RECOMPUTED["MAP"]
    wrong = _errata("map", Q1=number(ap["Q1"]), Q2=f"{ap['Q2']:g}", mean=number(ap.mean()))
    facts |= {"precision": rounded.values(), "so_far": so_far, "ap": ap[query]}
    return _view("map", values, figure, query_figures(), wrong, **facts)


PAIRS = [tuple(pair.split(" ← ")) for pair in PROSE["weights"]["pairs"]]
#: (measure, subset, average) → the correlation that Kim, Baldwin & Kan 2010 print.
_PRINTED_RHO = kim2010.correlations().set_index(["measure", "subset", "average"])["value"]


def _scores(keyphrase: str, candidate: str) -> tuple[Fraction, Fraction]:
    """Return R-precision and modified R-precision of a pair as fractions."""
    rows = similarity([(keyphrase, candidate)], ["R-precision", "M-R-precision"])
    plain, modified = (Fraction(float(value)).limit_denominator(1000) for value in rows["value"])
    return plain, modified


def _show_weights(values: Values) -> View:
    keyphrase, candidate = str(values["pair"]).split(" ← ")
    words, shared_words = keyphrase.split(), set(keyphrase.split()) & set(candidate.split())
    weights = {word: Fraction(1, len(words) - index) for index, word in enumerate(words)}
    heights, labels = [float(weight) for weight in weights.values()], [str(weight) for weight in weights.values()]
    colors = [COLORS[0] if word in shared_words else GRAY for word in words]
    trace = _bars([label(word) for word in words], heights, labels, colors, "weight of “%{x}”: %{text}")
    candidates = [other for same, other in PAIRS if same == keyphrase]
    rows = {other: [f"{score} = {float(score):.3f}" for score in _scores(keyphrase, other)] for other in candidates}
    plain, modified = rows[candidate]
    matched = [weight for word, weight in weights.items() if word in shared_words]
    facts: dict[str, Any] = {"plain": plain, "modified": modified, "matched": matched, "all": sum(weights.values())}
    facts |= {"common": len(shared_words), "words": words, "keyphrase": keyphrase, "labels": labels}
    table = pd.DataFrame.from_dict(rows, "index", columns=["R-precision", "modified R-precision"])
    table = table.rename_axis("candidate").reset_index()
    figure = laid_out([trace], 320, y=axis("weight", **_ABOVE_ONE), showlegend=False)
    return _view("weights", values, figure, table, kim2010.table("scores"), **facts)


def _show_claims(values: Values) -> View:
    subsets, average = PROSE["claims"]["groups"][str(values["group"])], str(values["average"])
    measures = [name for name in _PRINTED_RHO.index.unique("measure") if name != "semantic similarity"]
    printed = {name: [float(_PRINTED_RHO[name, subset, average]) for subset in subsets] for name in measures}
    traces = _curves([subset.split(":")[-1] for subset in subsets], printed, "human", ", %{x}: %{y:.4f}")
    figure = laid_out(traces, 400, y=axis("Spearman's rho, as printed", tickformat=".2~f"))
    r_precision, human = printed["R-precision"], printed["human"]
    n_above = sum(rho > ceiling for rho, ceiling in zip(r_precision, human, strict=True))
    facts = {"above": n_above, "cells": len(subsets), "subsets": dict(zip(subsets, r_precision, strict=True))}
    sizes = kim2010.table("data")
    sizes = sizes.assign(value=[f"{value:,g}" for value in sizes["value"]])
    return _view("claims", values, figure, kim2010.table("claims"), sizes, **facts)


#: Case → annotator → numbers of the phrases (out of ten) that this annotator chose.
PEOPLE: dict[str, dict[str, list[int]]] = PROSE["trimming"]["people"]
PHRASES = 10


def levels(name: str) -> pd.DataFrame:
    """Return K and the remaining phrases for each required number of votes.

    Choices of removed phrases become “no”; the universe does not change.
    """
    rows, people, votes = [], PEOPLE[name], _votes(name)
    for majority in range(1, len(people) + 1):
        rest = sorted(phrase for phrase in votes if votes[phrase] >= majority)
        lists = {person: {"text": [f"{phrase}" for phrase in row if phrase in rest]} for person, row in people.items()}
        k = np.nan
        if rest:
            options: dict[str, Any] = {"universe": PHRASES, "interval": "none", "normalise": "none"}
            frame = agreement(load(gold=lists), measures=["K"], **options).frame.set_index(["system", "subset"])
            k = float(frame["value"]["all", "all"])
        rows.append((majority, k, ", ".join(map(str, rest))))
    return pd.DataFrame(rows, columns=["votes asked", "K", "phrases left"])


def _votes(name: str) -> Counter[int]:
    return Counter(phrase for phrases in PEOPLE[name].values() for phrase in phrases)


def _show_trimming(values: Values) -> View:
    name, threshold = str(values["people"]), float(values["threshold"])
    table, votes, threshold_text = levels(name), _votes(name), number(threshold, 2)
    rows = table[reaches(table["K"], threshold)]
    majority, agreement, phrases = rows.iloc[0] if len(rows) else (len(PEOPLE[name]) + 1, np.nan, "")
    facts = {"agreement": agreement, "phrases": phrases, "threshold": threshold_text, "universe": PHRASES}
    choices = [(phrase, label(who), votes[phrase] >= majority) for who, row in PEOPLE[name].items() for phrase in row]
    traces = list[Part]()
    styles = (True, "stays", COLORS[0], "circle"), (False, "removed: becomes a “no”", GRAY, "circle-open")
    for is_kept, legend_text, color, symbol in styles:
        x, y = ([choice[i] for choice in choices if choice[2] == is_kept] for i in (0, 1))
        options = {"name": legend_text, "hovertemplate": "%{y} chose phrase %{x}<extra></extra>"}
        traces.append(dotted(x, y, color, symbol, 18, marker={"line": {"width": 2, "color": color}}, **options))
    x_axis = axis("phrase", range=[0.3, PHRASES + 0.7], dtick=1)
    figure = laid_out(traces, 300, x_axis, axis(autorange="reversed"))
    shown = table.assign(K=[number(k) if k == k else "nothing left" for k in table["K"]])
    by_order = float(choice_levels(choice_matrix(((1, 2, 3), (2, 3, 4))), 2)[0][0])
    errata = _errata("trimming", by_order=number(by_order), by_sentence=number(value("pi", 2, 1, 1, 6)))
    return _view("trimming", values, figure, shown, errata, votes=majority if len(rows) else 0, **facts)


_SILENCE = value("PABAK", *lecture_cells(_EMPTY))
_HALVES = [_scores("alpha beta gamma", candidate)[1] for candidate in ("alpha beta", "beta gamma")]
#: Lesson → function that draws it, and answers to its numeric questions.
_SHOW: dict[str, tuple[Callable[[Values], View], Sequence[float]]] = {
    "threshold": (_show_threshold, [1 / 2, 4 / 16]),
    "paradox": (_show_paradox, [value(name, 40, 9, 6, 45) for name in ("Po", "kappa")]),
    "universe": (_show_universe, [value("P_pos", *lecture_cells("TF-IDF")), _SILENCE]),
    "positive": (_show_positive, [3 / 5, 8 / 15, 4 / 15]),
    "map": (_show_average_precision, [RECOMPUTED.loc["Q2", name] for name in ("MAP", "MRR")]),
    "weights": (_show_weights, list(map(float, _HALVES))),
    "trimming": (_show_trimming, levels("three people, five phrases")["K"].tolist()[:2]),
    "lecture": (_show_lecture, [value("P_pos", *lecture_cells("Phrase Boosting N-Grams")), _SILENCE]),
    "claims": (_show_claims, [1298 / 250]),
}
LESSONS: dict[str, Lesson] = {name: lesson(name, *drawn) for name, drawn in _SHOW.items()}
