"""Turn results into honest sentences; every wording is tested, and none says more than the numbers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kp_core.errors import REASONS, counted
from kp_core.order import leveled, reaches
from kp_core.scoring.measures import concordance, parse
from kp_core.settings import change_in_words, in_words
from kp_core.studies.answer import ranges
from kp_core.studies.compare import ALPHA, Comparison
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.facts import above_one
from kp_core.studies.over_k import OverK
from kp_core.studies.result import Result
from kp_core.studies.spread import Spread
from kp_core.studies.versus import Versus
from kp_core.typeset import listed, number
from kp_core.words import read

#: Scale → (lower bound, word), lowest first; the first band begins at -1.
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    scale: tuple((low, band) for low, band in bands) for scale, bands in read("scales.toml").items()
}
#: How sure a word must be (Gwet 2014, ch. 6).
CERTAIN = 0.95


@dataclass(frozen=True)
class Benchmark:
    """A word for the value, the word that is certain, and the probability of each band or a higher one, top first."""

    word: str
    certain: str
    cumulative: tuple[tuple[str, float], ...]


def word(value: float, scale: str = "Landis & Koch 1977") -> str:
    """Return the band of a value.

    >>> word(0.204), word(0.2), word(1.0), word(-0.3)
    ('fair', 'fair', 'almost perfect', 'poor')
    """
    return next(name for low, name in reversed(SCALES[scale]) if reaches(value, low))


def benchmark(value: float, error: float, scale: str = "Landis & Koch 1977") -> Benchmark:
    """Return the highest band that the true value reaches with probability .95, given the value's standard error.

    The error must take documents as clusters. Source: Gwet 2014, section 6.3.

    >>> benchmark(0.67, 0.15).certain
    'moderate'
    """
    from scipy.stats import norm

    bands = SCALES[scale]
    edges = np.array([low for low, _ in bands] + [1.0])
    within = norm.cdf((value - edges) / error)
    share = (within[:-1] - within[1:]) / (within[0] - within[-1])
    total = np.cumsum(share[::-1])
    cumulative = tuple((name, float(p)) for (_, name), p in zip(reversed(bands), total, strict=True))
    certain = next((name for name, p in cumulative if p >= CERTAIN), bands[0][1])
    return Benchmark(word(value, scale), certain, cumulative)


def _few(documents: int) -> str:
    return " With fewer than 10 documents, no such statement is reliable." if documents < 10 else ""


def _above(measure: str, values: Iterable[float]) -> str:
    """Say why a measure that should end at 1 does not."""
    return "".join(f" {note.message}." for note in above_one((measure, value) for value in values))


def between(low: float, high: float, before: str = " (", after: str = "", digits: int = 3) -> str:
    """Return a 95 % interval between two marks, or nothing where there is none.

    >>> between(0.1, 0.25, ", ")
    ', 95 % interval 0.100 to 0.250'
    """
    return f"{before}95 % interval {number(low, digits)} to {number(high, digits)}{after}" if low == low else ""


def reliability(result: Result, error: float, scale: str, say: Mapping[str, str]) -> str:
    """Say how well the annotators agree, with the word of a scale and the word that is certain.

    error: the standard error of K with documents as clusters; say: what people and documents are called.
    """
    row = result.frame[(result.frame["system"] == "all") & (result.frame["measure"] == "K")].iloc[0]
    if row["value"] != row["value"]:
        return f"The agreement of the {say['annotators']} is undefined: {REASONS[row['reason']]}."
    bounds = between(row["low"], row["high"], "", ", ")
    documents = counted(row["documents"], say["document"])
    text = f"The {say['annotators']} agree with K = {number(row['value'])} ({bounds}{documents})"
    text += f": “{word(row['value'], scale)}” on the scale of {scale}"
    if error > 0:
        certain = benchmark(row["value"], error, scale).certain
        lowest = SCALES[scale][0][1]
        sure = f"“{certain}” or better is certain (probability at least {CERTAIN:g})"
        text += f"; {sure}" if certain != lowest else "; no word better than the lowest is certain"
    return f"{text}."


def best_measure(study: CorrelationStudy, average: str) -> tuple[str, str]:
    """Say which measure of similarity agrees best with people; and how certain that is, beside people's own limit."""
    rows = study.frame[(study.frame["subset"] == "all") & (study.frame["average"] == average)]
    measures = rows[~rows["measure"].isin(["human", *SENTINELS]) & rows["value"].notna()]
    if measures.empty:
        return "No measure varies together with the human scores.", "So none can be called better."
    best = measures.iloc[int(leveled(measures["value"]).argmax())]
    p = study.found.p_matrix(average)
    certain = set(p.index[p[best["measure"]] < ALPHA]) if best["measure"] in p else set()
    equal = [name for name in measures["measure"] if name != best["measure"] and name not in certain]
    # the bounds stand at the beginning of a sentence here
    bounds = between(best["low"], best["high"], "").strip()
    few, pairs = _few(best["documents"]), counted(best["n"], "pair")
    rests = f"{f'{bounds}, ' if bounds else ''}{pairs}"
    if best["value"] <= 0 or best["low"] <= 0:
        highest = f"The highest correlation is that of {best['measure']}: {number(best['value'])} ({rests}).{few}"
        return "No measure is shown to agree with people.", highest
    claim = f"{best['measure']} agrees best with people: correlation {number(best['value'])}."
    text = f"{rests[:1].upper()}{rests[1:]}"
    human = rows[rows["measure"] == "human"]["value"]
    if len(human) and human.iloc[0] == human.iloc[0] and human.iloc[0] > 0:
        text += f"; people agree with each other by {number(float(human.iloc[0]))}"
    if study.found.study.test == "none":
        return claim, f"{text}. No test was asked for.{few}"
    if len(measures) == 1:
        return claim, f"{text}. No other measure was asked for.{few}"
    end = f"It cannot be told apart from {listed(equal)}" if equal else "It is better than every other of them"
    return claim, f"{text}. {end}.{few}"


def leaders(found: Mapping[str, Comparison], joined: str) -> str:
    """Report which system is significantly ahead of every other one by some measures, or in some parts of the data.

    found   name of a measure or part → the comparison; joined: `by` or `in`
    The level is divided by how many there are, since a lead is looked for in all of them.
    """
    if not found:
        return "There are no two systems to compare."
    where = dict[str, list[str]]()
    for name, comparison in found.items():
        where.setdefault(comparison.leader(ALPHA / len(found)), []).append(name)
    nowhere = where.pop("", [])
    if not where:
        return f"No system is significantly ahead of every other one {joined} {listed(nowhere)}."
    (first, names), *others = where.items()
    text = f"{first} is significantly ahead of every other system {joined} {listed(names)}"
    text += "".join(f", {other} {joined} {listed(own)}" for other, own in others)
    return f"{text}; {joined} {listed(nowhere)} no system is." if nowhere else f"{text}."


def threshold(cutoff: int | str, system: str, kappa: Mapping[str, float], pabak: Mapping[str, float]) -> str:
    """Say what kappa and PABAK of a system are at a cutoff, beside those of a system that knows nothing.

    >>> print(threshold(6, "a", {"a": 0.2, "random k": 0.0}, {"a": 0.95, "random k": 0.93, "says nothing": 0.96}))
    At k = 6, a has kappa 0.200 and PABAK 0.950; k at random have 0.000 and 0.930; saying nothing has PABAK 0.960.
    """
    said = f"At k = {cutoff}, {system} has kappa {number(kappa[system])} and PABAK {number(pabak[system])}"
    chance, silent = "random k", "says nothing"
    if chance in kappa:
        said += f"; k at random have {number(kappa[chance])} and {number(pabak[chance])}"
    return f"{said}; saying nothing has PABAK {number(pabak[silent])}." if silent in pabak else f"{said}."


def nearly_right(shares: pd.DataFrame, systems: Sequence[str]) -> str:
    """Say how much of what each system misses is nearly right; shares: columns system, misses and near.

    >>> table = pd.DataFrame({"system": ["a", "b"], "misses": [4, 10], "near": [2, 1]})
    >>> nearly_right(table, ["b", "a"])
    'Of the predictions that miss, 10 % of b and 50 % of a share a word with a keyphrase.'
    """
    rows = [(name, row["near"] / row["misses"]) for name, row in shares.set_index("system").iterrows() if row["misses"]]
    known = dict(rows)
    told = [f"{100 * known[name]:.0f} % of {name}" for name in systems if name in known]
    if not told:
        return "No prediction misses."
    return f"Of the predictions that miss, {listed(told)} share a word with a keyphrase."


def leaders_over_k(measure: str, found: OverK | None) -> str:
    """Report at which cutoffs a system is significantly ahead of every other one."""
    if found is None:
        return f"No test over all k is made for {measure} on these data."
    leads, tried = found.leads(), f"corrected for every k from {found.tried[0]} to {found.tried[-1]}"
    if not leads:
        return f"By {measure}, no system is significantly ahead of every other one at any k ({tried})."
    (first, at), *others = sorted(leads.items(), key=lambda lead: -len(lead[1]))
    rest = "".join(f", {name} at k = {ranges(own, found.tried)}" for name, own in others)
    where = f"k = {ranges(at, found.tried)}{rest}"
    return f"By {measure}, {first} is significantly ahead of every other system at {where} ({tried})."


def of_setting(preset: str, changes: Sequence[str]) -> str:
    """Say which conventions a setting is: a preset, and what is other than it says.

    >>> of_setting("pke", ["missing:skip"])
    'pke, but a document that a system has no list for is left out for this system.'
    """
    name = in_words("preset", preset)
    told = [change_in_words(*change.split(":", 1)) for change in changes]
    return f"{name}, but {listed(told)}." if told else f"{name}, as it stands."


def range_of(spread: Spread) -> str:
    """Say between which values the best system stands under other conventions, and whether the order turns."""
    defined = spread.ranges[spread.ranges["current"].notna()]
    if defined.empty:
        return f"{spread.measure} is undefined under the present conventions, so there is no order that could change."
    best = defined.iloc[int(leveled(defined["current"]).argmax())]
    low, high = number(best["low"], 2), number(best["high"], 2)
    between = f"{low} to {high}" if low != high else f"{low} throughout"
    text = f"Under other published conventions and their combinations the same files give {best['system']} {between}"
    above = _above(spread.measure, [best["high"]])
    if len(spread.ranges) < 2:
        return f"{text}.{above}"
    if spread.turns.empty:
        return f"{text}, and the order of the systems never changes.{above}"
    most = spread.turns.iloc[0]
    pair = f"{most['a']} and {most['b']}"
    if not most["settings"]:
        named = listed([in_words("preset", preset) for preset in most["presets"]])
        where = f"under the convention{'s' if len(most['presets']) > 1 else ''} of {named}"
    else:
        example = listed([change_in_words(field, value) for field, value in most["example"].items()])
        where = f"in {most['settings']} of {spread.combinations} settings, for example if {example}"
    if len(spread.turns) == 1:
        return f"{text}, and the order of {pair} turns {where}.{above}"
    return f"{text}, and the order of {len(spread.turns)} pairs of systems turns, that of {pair} {where}.{above}"


def of_two(found: Versus) -> str:
    """Say on how many documents each of two systems is better, which keyphrases only one finds, and what stayed.

    `new is better on 8 documents, level on 3 and worse on 9 …`
    """
    won, level, lost = found.won
    only_a, only_b = found.found
    by = " of each document, not by subject" if parse(found.measure).over_subjects(found.settings.average) else ""
    text = f"By {found.measure}{by}, {found.a} is better on {counted(won, 'document')}, level on {level:,}, "
    text += f"worse on {lost:,}. Only {found.a} finds {counted(only_a, 'keyphrase')}, only {found.b} {only_b:,}."
    if found.stayed != found.stayed:
        return text
    return f"{text} Of the first phrases of {found.a}, {100 * found.stayed:.0f} % are among those of {found.b} too."


#: What a test cannot say.
NOT_EQUAL = "not being significantly different does not mean being equal"


_SAID: dict[str, str] = read("diagnosis.toml")

#: Thresholds of the specification of agreement, section 5: product decisions, not published ones.
PREVALENCE, GAP, BIAS, REJECTED, NEAR, POOLING = 0.6, 0.3, 0.3, 0.9, 0.02, 0.05


def table_in_words(system: str, cells: Mapping[str, float]) -> str:
    """Say what the four cells of a table count.

    >>> table_in_words("x", {"a": 70, "b": 425, "c": 135, "d": 10120})
    'x chose 205 phrases: 70 keyphrases (a) and 135 others (c). It missed 425 keyphrases (b); 10,120 phrases nobody
    chose (d).'
    """
    a, b, c, d = (round(cells[name]) for name in "abcd")
    own = f"{counted(a, 'keyphrase')} (a) and {counted(c, 'other')} (c)"
    left = f"It missed {counted(b, 'keyphrase')} (b); {counted(d, 'phrase')} nobody chose (d)."
    return f"{system} chose {counted(a + c, 'phrase')}: {own}. {left}"


def diagnose(
    system: str, cells: Mapping[str, float], others: Mapping[str, Mapping[str, float]], macro_kappa: float | None = None
) -> list[str]:
    """Say what is worth knowing about a system's table; the most important first.

    cells   a, b, c, d of the system, summed over documents; others: the same of the other systems
    macro_kappa   the mean kappa over documents, to compare with that of the summed table

    >>> diagnose("x", {"a": 70, "b": 425, "c": 135, "d": 10120}, {})[0]
    'PABAK is no guide here: x has 0.896, and a system that says nothing has more, 0.908, because only 34 % of what x
    chose are keyphrases. Choose neither k nor a system by PABAK, P_neg or AC1.'
    """
    a, b, c, d = (float(cells[name]) for name in "abcd")
    n, gold, chosen = a + b + c + d, a + b, a + c
    if not n or not chosen:
        return [_SAID["nothing"].format(system=system)]
    table, silent = concordance.table(a, b, c, d), concordance.table(0, gold, 0, n - gold)
    measures = (concordance.kappa, concordance.positive, concordance.pabak, concordance.prevalence_index)
    kappa, p_pos, pabak, prevalence = (float(measure(table)) for measure in measures)
    macro = np.nan if macro_kappa is None else macro_kappa
    small = d == 0 or (kappa <= 0 and n < 5 * (a + b + c))
    lengths = {name: float(other["a"]) + float(other["c"]) for name, other in others.items()}
    unequal = [f"{name} {size:,.0f}" for name, size in lengths.items() if size != chosen]
    more, less = ("The gold standard", system) if b > c else (system, "the gold standard")
    holds = {
        "silence": a / chosen < 0.5,
        "paradox": abs(prevalence) > PREVALENCE and pabak - kappa > GAP,
        "sizes": gold > 0 and abs(b - c) / gold > BIAS,
        "unequal": len(unequal) > 0,
        "small": small,
        "endless": not small and p_pos - kappa < NEAR,
        "rejected": d / n > REJECTED,
        "pooling": abs(macro - kappa) > POOLING,
    }
    values = {"kappa": kappa, "p_pos": p_pos, "pabak": pabak, "prevalence": prevalence, "macro": macro}
    values |= {"silence": float(concordance.pabak(silent)), "most": float(concordance.kappa_max(table))}
    facts = {name: number(value) for name, value in values.items()} | {"system": system, "more": more, "less": less}
    counts = {"n": n, "chosen": chosen, "high": max(gold, chosen), "low": min(gold, chosen)}
    shares = {"right": 100 * a / chosen, "neither": 100 * d / n}
    said = (_SAID[name] for name, true in holds.items() if true)
    return [words.format(others=", ".join(unequal), **facts, **counts, **shares) for words in said]
