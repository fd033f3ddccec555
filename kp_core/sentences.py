"""Turn results into honest sentences; every wording is tested, and none says more than the numbers do."""

from __future__ import annotations

from kp_core import interpretation
from kp_core.compare import Comparison
from kp_core.errors import REASONS
from kp_core.result import Result


def figure(value: float, digits: int = 3) -> str:
    """Print a number as it stands in a sentence.

    >>> figure(0.1234), figure(-0.0001), figure(float("nan"))
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


def _listed(names: list[str], most: int = 6) -> str:
    """Return names as an enumeration; many are cut short.

    >>> _listed(["a", "b", "c"]), _listed(list("abcdefgh"))
    ('a, b and c', 'a, b, c, d, e and 3 others')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def verdict(comparison: Comparison, measure: str) -> str:
    """Say which system is better, and whether that is certain."""
    values = {name: value for name, value in comparison.scores.items() if value == value}
    if len(values) < 2:
        return f"{measure} is undefined for all systems or all but one, so there is nothing to compare."
    ranking = sorted(values, key=lambda name: -values[name])
    best, n = ranking[0], comparison.documents
    corrected, kind = _CORRECTIONS[comparison.correction]
    few = " Below 10 documents no such statement is reliable." if n < 10 else ""
    beaten = [name for name in ranking if name in comparison.better[best]]
    equal = [name for name in ranking[1:] if name not in beaten]
    if not beaten and not any(comparison.better.values()):
        spread = (comparison.frame["low"] <= 0) & (comparison.frame["high"] >= 0)
        zero = "all pairwise difference intervals include zero, and " if spread.all() else ""
        return (
            f"{best} has the highest {measure} ({figure(values[best])}), but {zero}no pairwise difference is "
            f"significant{corrected} ({n} documents), so the ranking is not decisive.{few}"
        )
    if not beaten:
        return (
            f"{best} has the highest {measure} ({figure(values[best])}), but it cannot be told apart from the others "
            f"({n} documents), although some of these differ among themselves.{few}"
        )
    row = comparison.frame[comparison.frame[["a", "b"]].isin([best, beaten[0]]).all(axis=1)].iloc[0]
    sign = 1 if row["a"] == best else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    against = f"against {beaten[0]}: " if len(beaten) > 1 else ""
    text = (
        f"{best} is better than {_listed(beaten)} in {measure} ({against}difference "
        f"{figure(sign * row['difference'])}, 95 % interval {figure(low)} to {figure(high)}, "
        f"{kind}{probability(row['p_adjusted'])}, {n} documents)"
    )
    text += f"; {best} and {_listed(equal)} cannot be told apart." if equal else "."
    return text + few


def reliability(result: Result, error: float, scale: str) -> str:
    """Say how well the annotators agree, with the word of a scale and the word that is certain.

    error: the standard error of K with documents as clusters.
    """
    row = result.frame[(result.frame["system"] == "all") & (result.frame["measure"] == "K")].iloc[0]
    if row["value"] != row["value"]:
        return f"The agreement of the annotators is undefined: {REASONS.get(str(row['reason']), str(row['reason']))}."
    bounds = f"95 % interval {figure(row['low'])} to {figure(row['high'])}, " if row["low"] == row["low"] else ""
    text = f"The annotators agree with K = {figure(row['value'])} ({bounds}{row['documents']} documents)"
    text += f": “{interpretation.word(row['value'], scale)}” on the scale of {scale}"
    if error > 0:
        certain = interpretation.benchmark(row["value"], error, scale).certain
        same = certain == interpretation.word(row["value"], scale)
        text += ", and this word is certain" if same else f"; only “{certain}” is certain"
        text += f" (probability at least {interpretation.CERTAIN:g})"
    few = " Below 10 documents no such statement is reliable." if row["documents"] < 10 else ""
    return f"{text}.{few}"


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
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(97 + rest) + text
    return text


#: What a test cannot say.
NOT_EQUAL = "not being significantly different does not mean being equal"
