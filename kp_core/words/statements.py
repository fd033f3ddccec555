"""Turn results into honest sentences; every wording is tested, and none says more than the numbers do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kp_core.errors import REASONS, counted
from kp_core.studies.compare import ALPHA, Comparison
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.result import Result
from kp_core.studies.spread import Spread
from kp_core.words import scales


def number(value: float, digits: int = 3) -> str:
    """Print a number as it stands in a sentence.

    >>> number(0.1234), number(-0.0001), number(float("nan"))
    ('0.123', '0.000', 'undefined')
    """
    return "undefined" if value != value else f"{round(value, digits) + 0.0:.{digits}f}"


def probability(p: float) -> str:
    """Print a p-value.

    >>> probability(0.0312), probability(0.0001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


#: Correction → how it is said after “significant”, and before “p”.
_CORRECTIONS = {
    "holm": (" after Holm's correction", "Holm "),
    "bh": (" after the correction of Benjamini and Hochberg", "Benjamini-Hochberg "),
    "none": (", although nothing was corrected for the number of pairs", ""),
}


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as an enumeration; many are cut short.

    >>> listed(["a", "b", "c"]), listed(list("abcdefgh"))
    ('a, b and c', 'a, b, c, d, e and 3 others')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def highest(values: Mapping[str, float]) -> list[str]:
    """Return the names of the highest value; values that differ by rounding alone are equal.

    >>> highest({"a": 0.3, "b": 0.1 + 0.2, "c": 0.2})
    ['a', 'b']
    """
    top = max(values.values())
    return [name for name, value in values.items() if top - value <= 1e-12]


def _few(documents: int) -> str:
    return " Below 10 documents no such statement is reliable." if documents < 10 else ""


def verdict(comparison: Comparison, measure: str) -> str:
    """Say which system is better, and whether that is certain."""
    values = {name: value for name, value in comparison.scores.items() if value == value}
    if len(values) < 2:
        return f"{measure} is undefined for all systems or all but one, so there is nothing to compare."
    ranking = sorted(values, key=lambda name: -values[name])
    best, documents = ranking[0], counted(comparison.documents, "document")
    corrected, kind = _CORRECTIONS[comparison.correction]
    few = _few(comparison.documents)
    beaten = [name for name in ranking if name in comparison.better[best]]
    equal = [name for name in ranking[1:] if name not in beaten]
    first = highest(values)
    if len(first) == len(values):
        return (
            f"{listed(first)} have the same {measure} ({number(values[best])}, {documents}), so there is no order "
            f"among them.{few}"
        )
    have, they = ("has", "it") if len(first) == 1 else ("have", "they")
    lead = f"{listed(first)} {have} the highest {measure} ({number(values[best])}), but"
    if not beaten and not any(comparison.better.values()):
        spread = (comparison.frame["low"] <= 0) & (comparison.frame["high"] >= 0)
        zero = "all pairwise difference intervals include zero, and " if spread.all() else ""
        return (
            f"{lead} {zero}no pairwise difference is significant{corrected} ({documents}), so the ranking is not "
            f"decisive.{few}"
        )
    if not beaten:
        return (
            f"{lead} {they} cannot be told apart from the others ({documents}), although some of these differ among "
            f"themselves.{few}"
        )
    row = comparison.frame[comparison.frame[["a", "b"]].isin([best, beaten[0]]).all(axis=1)].iloc[0]
    sign = 1 if row["a"] == best else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    against = f"against {beaten[0]}: " if len(beaten) > 1 else ""
    text = (
        f"{best} is better than {listed(beaten)} in {measure} ({against}difference "
        f"{number(sign * row['difference'])}, 95 % interval {number(low)} to {number(high)}, "
        f"{kind}{probability(row['p_adjusted'])}, {documents})"
    )
    text += f"; {best} cannot be told apart from {listed(equal)}." if equal else "."
    return text + few


def reliability(result: Result, error: float, scale: str) -> str:
    """Say how well the annotators agree, with the word of a scale and the word that is certain.

    error: the standard error of K with documents as clusters.
    """
    row = result.frame[(result.frame["system"] == "all") & (result.frame["measure"] == "K")].iloc[0]
    if row["value"] != row["value"]:
        return f"The agreement of the annotators is undefined: {REASONS.get(str(row['reason']), str(row['reason']))}."
    bounds = f"95 % interval {number(row['low'])} to {number(row['high'])}, " if row["low"] == row["low"] else ""
    text = f"The annotators agree with K = {number(row['value'])} ({bounds}{counted(row['documents'], 'document')})"
    text += f": “{scales.word(row['value'], scale)}” on the scale of {scale}"
    if error > 0:
        certain = scales.benchmark(row["value"], error, scale).certain
        lowest = scales.SCALES[scale][0][1]
        sure = f"“{certain}” or better is certain (probability at least {scales.CERTAIN:g})"
        text += f"; {sure}" if certain != lowest else "; no word better than the lowest is certain"
    return f"{text}.{_few(row['documents'])}"


def best_measure(study: CorrelationStudy, average: str) -> str:
    """Say which measure of similarity agrees best with people, how certain that is, and how near people's own limit."""
    rows = study.frame[(study.frame["subset"] == "all") & (study.frame["average"] == average)]
    measures = rows[~rows["measure"].isin(["human", *SENTINELS]) & rows["value"].notna()]
    if measures.empty:
        return "No measure varies together with the human scores, so none can be called better."
    best = measures.sort_values("value", ascending=False, kind="stable").iloc[0]
    p = study.found.p_matrix(average)
    certain = set(p.index[p[best["measure"]] < ALPHA]) if best["measure"] in p else set()
    equal = [name for name in measures["measure"] if name != best["measure"] and name not in certain]
    bounds = f", 95 % interval {number(best['low'])} to {number(best['high'])}" if best["low"] == best["low"] else ""
    few = _few(best["documents"])
    pairs = counted(best["n"], "pair")
    if best["value"] <= 0 or best["low"] <= 0:
        return (
            f"No measure is shown to agree with people: the highest correlation is that of {best['measure']} "
            f"({number(best['value'])}{bounds}, {pairs}).{few}"
        )
    text = f"{best['measure']} agrees best with people (correlation {number(best['value'])}{bounds}, {pairs})"
    human = rows[rows["measure"] == "human"]["value"]
    if len(human) and human.iloc[0] == human.iloc[0] and human.iloc[0] > 0:
        text += f"; people agree with each other by {number(float(human.iloc[0]))}"
    if study.found.study.test == "none":
        return f"{text}. No test was asked for.{few}"
    if len(measures) == 1:
        return f"{text}. No other measure was asked for.{few}"
    end = f"It cannot be told apart from {listed(equal)}" if equal else "It is better than every other of them"
    return f"{text}. {end}.{few}"


def range_of(spread: Spread) -> str:
    """Say between which values the best system stands under other conventions, and whether the order turns."""
    defined = spread.ranges[spread.ranges["current"].notna()]
    if defined.empty:
        return f"{spread.measure} is undefined under the present conventions, so there is no order that could change."
    best = defined.loc[defined["current"].idxmax()]
    low, high = number(best["low"], 2), number(best["high"], 2)
    between = f"{low} to {high}" if low != high else f"{low} throughout"
    text = f"Under other published conventions and their combinations the same files give {best['system']} {between}"
    if len(spread.ranges) < 2:
        return f"{text}."
    if spread.turns.empty:
        return f"{text}, and the order of the systems never changes."
    most = spread.turns.iloc[0]
    pair = f"{most['a']} and {most['b']}"
    if not most["settings"]:
        where = f"under the preset{'s' if len(most['presets']) > 1 else ''} {listed(list(most['presets']))}"
    else:
        example = listed([f"{field} = {value}" for field, value in most["example"].items()])
        where = f"in {most['settings']} of {spread.combinations} settings, for example with {example}"
    if len(spread.turns) == 1:
        return f"{text}, and the order of {pair} turns {where}."
    return f"{text}, and the order of {len(spread.turns)} pairs of systems turns, that of {pair} {where}."


def clusters(comparison: Comparison) -> dict[str, str]:
    """Return for each system the letters of the systems it is significantly better than (letters in order of value)."""
    ranking = sorted(comparison.scores, key=lambda name: -comparison.scores[name])
    letters = {name: letter(place) for place, name in enumerate(ranking)}
    return {name: " ".join(letters[other] for other in ranking if other in comparison.better[name]) for name in ranking}


def letter(place: int) -> str:
    """Return a, b, …, z, aa, ab, … for 0, 1, …

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(97 + place % 26)


#: What a test cannot say.
NOT_EQUAL = "not being significantly different does not mean being equal"
