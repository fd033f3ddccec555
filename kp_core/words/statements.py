"""Turn results into sentences that are supported by the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kp_core.errors import REASONS, read_toml
from kp_core.scoring.measures import MEASURES, concordance, parse
from kp_core.scoring.order import leveled, reaches
from kp_core.scoring.paired import ALPHA
from kp_core.settings import change_in_words, in_words
from kp_core.studies.all_cutoffs import AllCutoffs
from kp_core.studies.answer import ranges
from kp_core.studies.compare import Comparison
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.document_values import HeadToHead
from kp_core.studies.facts import notes_above_one
from kp_core.studies.result import Result
from kp_core.studies.sensitivity import Sensitivity
from kp_core.typeset import first_capital, number, say

#: Scale → (lower bound, word), lowest first; the first band begins at -1.
SCALES: dict[str, list[tuple[float, str]]] = read_toml("words/scales.toml")
#: Probability with which a value must reach a band (Gwet 2014, ch. 6).
CERTAIN = 0.95


def word(value: float, scale: str = "Landis & Koch 1977") -> str:
    """Return the word for the band that contains a value."""
    return next(name for low, name in reversed(SCALES[scale]) if reaches(value, low))


def benchmark(value: float, error: float, scale: str = "Landis & Koch 1977") -> tuple[str, list[tuple[str, float]]]:
    """Return the highest band that the true value reaches with probability 0.95, and all probabilities, top band first.

    * `error`: standard error of the value, with documents as clusters. Source: Gwet 2014, section 6.3.
    """
    from scipy.stats import norm

    bands = SCALES[scale]
    edges = np.array([low for low, _ in bands] + [1.0])
    cdf = norm.cdf((value - edges) / error)
    band_probability = (cdf[:-1] - cdf[1:]) / (cdf[0] - cdf[-1])
    from_top = np.cumsum(band_probability[::-1])
    cumulative = [(name, float(p)) for (_, name), p in zip(reversed(bands), from_top, strict=True)]
    return next((name for name, p in cumulative if p >= CERTAIN), bands[0][1]), cumulative


def reliability(result: Result, error: float, scale: str, terms: Mapping[str, str]) -> str:
    """Report K of all annotators with its band; `error`: as in `benchmark`; `terms`: from `terms_for`."""
    row = result.frame[(result.frame["system"] == "all") & (result.frame["measure"] == "K")].iloc[0]
    if row["value"] != row["value"]:
        return say("reliability undefined", words=terms, reason=REASONS[row["reason"]])
    certain = benchmark(row["value"], error, scale)[0] if error > 0 else ""
    universe = result.settings.universe if result.settings.universe.isdigit() else ""
    facts = {"universe": universe, "word": word(row["value"], scale), "certain": certain, "lowest": SCALES[scale][0][1]}
    return say("reliability", **row.to_dict(), words=terms, scale=scale, probability=CERTAIN, **facts)


def best_measure(study: CorrelationStudy, average: str) -> tuple[str, str]:
    """Report which similarity correlates best with human scores, whether significantly so, and the human ceiling."""
    rows = study.frame[(study.frame["subset"] == "all") & (study.frame["average"] == average)]
    measures = rows[~rows["measure"].isin(["human", *SENTINELS]) & rows["value"].notna()]
    if measures.empty:
        return say("no measure varies"), say("none better")
    best = measures.iloc[int(leveled(measures["value"]).argmax())]
    if best["value"] <= 0 or best["low"] <= 0:
        return say("no measure agrees"), say("highest correlation", best=best)
    p = study.found.p_matrix(average)
    worse = set(p.index[p[best["measure"]] < ALPHA]) if best["measure"] in p else set()
    others = [name for name in measures["measure"] if name != best["measure"]]
    human = float(rows.loc[rows["measure"] == "human", "value"].max())
    facts = {"tested": study.found.study.test != "none", "others": others, "human": human}
    why = say("best measure, why", best=best, equal=[name for name in others if name not in worse], **facts)
    return say("best measure", best=best), first_capital(why)


def leaders(comparisons: Mapping[str, Comparison], preposition: str) -> str:
    """Report which system leads significantly by which measures or in which parts of the data (Bonferroni correction).

    * `comparisons`: measure or part → comparison; `preposition`: the preposition, `by` for measures or `in` for parts
    """
    leads = dict[str, list[str]]()
    for name, comparison in comparisons.items():
        leads.setdefault(comparison.leader(ALPHA / len(comparisons)), []).append(name)
    return say("leaders", nowhere=leads.pop("", []), leads=list(leads.items()), joined=preposition)


def nearly_right(shares: pd.DataFrame, systems: Sequence[str]) -> str:
    """Report the share of near misses among each system's misses; `shares`: from `NearMisses.shares`."""
    with_misses = shares[shares["misses"] > 0].set_index("system")
    shown_names = [name for name in systems if name in with_misses.index]
    near_share = with_misses["near"] / with_misses["misses"]
    return say("nearly right", shares=[say("share", share=near_share[name], name=name) for name in shown_names])


def leaders_over_k(measure: str, tests: AllCutoffs | None) -> str:
    """Report at which cutoffs a system is significantly ahead of all others."""
    if tests is None:
        return say("no test over k", measure=measure)
    leads = sorted(tests.leads().items(), key=lambda lead: -len(lead[1]))
    cutoffs_of_leaders = [(name, ranges(cutoffs, tests.tested_cutoffs)) for name, cutoffs in leads]
    return say("leaders over k", measure=measure, leads=cutoffs_of_leaders, tried=tests.tested_cutoffs)


def describe_conventions(preset: str, changes: Sequence[str]) -> str:
    """Describe conventions as a preset and the changes to it."""
    words = [change_in_words(*change.split(":", 1)) for change in changes]
    return say("setting", preset=in_words("preset", preset), changes=words)


def range_of(sensitivity: Sensitivity) -> str:
    """Report the range of the best system's value under other conventions, and whether systems change order."""
    defined = sensitivity.ranges[sensitivity.ranges["current"].notna()]
    if defined.empty:
        return say("spread undefined", measure=sensitivity.measure)
    best = defined.iloc[int(leveled(defined["current"]).argmax())]
    facts: dict[str, Any] = {"low": number(best["low"], 2), "high": number(best["high"], 2), "pair": "", "where": ""}
    facts["above"] = "".join(f" {note.message}." for note in notes_above_one([(sensitivity.measure, best["high"])]))
    if len(sensitivity.rank_reversals):
        row = sensitivity.rank_reversals.iloc[0]
        presets = [in_words("preset", preset) for preset in row["presets"]]
        example = [change_in_words(*change) for change in row["example"].items()]
        counts = {"settings": row["settings"], "combinations": sensitivity.combinations}
        where = say("under settings", example=example, **counts) if row["settings"] else ""
        facts |= {"pair": f"{row['a']} and {row['b']}", "where": where or say("under presets", presets=presets)}
    return say(
        "spread", best=best["system"], systems=len(sensitivity.ranges), turns=len(sensitivity.rank_reversals), **facts
    )


def of_two(pair: HeadToHead) -> str:
    """Report on how many documents each of two systems is better, and how many keyphrases only one of the two finds."""
    (won, level, lost), (only_a, only_b) = pair.wins_ties_losses, pair.found
    facts = {"won": won, "level": level, "lost": lost, "only_a": only_a, "only_b": only_b, "stayed": pair.stayed}
    facts["by_subject"] = parse(pair.measure).over_subjects(pair.settings.average)
    return say("two systems", measure=pair.measure, a=pair.a, b=pair.b, k=pair.settings.k[0], **facts)


NOT_EQUAL = "not being significantly different does not mean being equal"


#: Thresholds of `diagnose`, which are not from the literature.
PREVALENCE, GAP, BIAS, REJECTED, NEAR, POOLING = 0.6, 0.3, 0.3, 0.9, 0.02, 0.05


def diagnose(
    system: str, cells: Mapping[str, float], others: Mapping[str, Mapping[str, float]], macro_kappa: float = math.nan
) -> list[str]:
    """Explain what is special about a system's concordance table, most important first.

    * `cells`: a, b, c, d summed over documents; `others`: system → its cells; `macro_kappa`: mean kappa over documents
    """
    a, b, c, d = (float(cells[name]) for name in "abcd")
    n, gold, chosen = a + b + c + d, a + b, a + c
    if not n or not chosen:
        return [say("nothing chosen", system=system)]
    table, silent = concordance.table(a, b, c, d), concordance.table(0, gold, 0, n - gold)
    kappa, p_pos, pabak, prevalence = (float(MEASURES[name].score(table)) for name in ("kappa", "P_pos", "PABAK", "PI"))
    small = d == 0 or (kappa <= 0 and n < 5 * (a + b + c))
    lengths = {name: float(other["a"]) + float(other["c"]) for name, other in others.items()}
    unequal = [f"{name} {size:,.0f}" for name, size in lengths.items() if size != chosen]
    conditions = {
        "silence": a / chosen < 0.5,
        "paradox": abs(prevalence) > PREVALENCE and pabak - kappa > GAP,
        "sizes": gold > 0 and abs(b - c) / gold > BIAS,
        "unequal": len(unequal) > 0,
        "small": small,
        "endless": not small and p_pos - kappa < NEAR,
        "rejected": d / n > REJECTED,
        "pooling": abs(macro_kappa - kappa) > POOLING,
    }
    facts = {"kappa": kappa, "p_pos": p_pos, "pabak": pabak, "prevalence": prevalence, "macro": macro_kappa}
    facts |= {"silent": float(MEASURES["PABAK"].score(silent)), "kappa_max": float(MEASURES["kappa_max"].score(table))}
    facts |= {"n": n, "gold": gold, "chosen": chosen, "right": a / chosen, "neither": d / n}
    return [say(name, system=system, unequal=unequal, **facts) for name, applies in conditions.items() if applies]
