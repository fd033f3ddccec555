"""Turn one pooled concordance table into sentences: what its measures show, and what they cannot show."""

from __future__ import annotations

from collections.abc import Mapping

from kp_core.scoring.measures import concordance
from kp_core.words import read
from kp_core.words.statements import number

_SAID: dict[str, str] = read("diagnosis.toml")

#: Thresholds of the specification of agreement, section 5: product decisions, not published ones.
PREVALENCE, GAP, BIAS, REJECTED, NEAR, POOLING = 0.6, 0.3, 0.3, 0.9, 0.02, 0.05


def diagnose(
    system: str, cells: Mapping[str, float], others: Mapping[str, Mapping[str, float]], macro_kappa: float | None = None
) -> list[str]:
    """Say what is worth knowing about a system's table; the most important first.

    cells   a, b, c, d of the system, summed over documents; others: the same of the other systems
    macro_kappa   the mean kappa over documents, to compare with that of the summed table

    >>> diagnose("x", {"a": 70, "b": 425, "c": 135, "d": 10120}, {})[0]
    'x gets PABAK 0.896, and a system that says nothing gets 0.908: only 34 % of the phrases that x chose are
    keyphrases, and below one half silence wins. Do not choose k, or a system, by PABAK, P_neg or AC1.'
    """
    a, b, c, d = (float(cells[name]) for name in "abcd")
    n, gold, chosen = a + b + c + d, a + b, a + c
    if not n or not chosen:
        return [_SAID["nothing"].format(system=system)]
    table = concordance.table(a, b, c, d)
    measures = (concordance.kappa, concordance.positive, concordance.pabak, concordance.prevalence_index)
    kappa, p_pos, pabak, prevalence = (float(measure(table)) for measure in measures)
    said = []
    if a / chosen < 0.5:
        silence = number(float(concordance.pabak(concordance.table(0, gold, 0, n - gold))), 3)
        share = 100 * a / chosen
        said.append(_SAID["silence"].format(system=system, pabak=number(pabak, 3), silence=silence, share=share))
    if abs(prevalence) > PREVALENCE and pabak - kappa > GAP:
        shown = {"pabak": number(pabak), "kappa": number(kappa), "prevalence": number(prevalence)}
        said.append(_SAID["paradox"].format(**shown))
    said += _sizes(system, cells, others)
    if d == 0 or (kappa <= 0 and n < 5 * (a + b + c)):
        said.append(_SAID["small"].format(n=n))
    elif p_pos - kappa < NEAR:
        said.append(_SAID["endless"].format(kappa=number(kappa, 3), p_pos=number(p_pos, 3)))
    if d / n > REJECTED:
        said.append(_SAID["rejected"].format(share=100 * d / n))
    if macro_kappa is not None and abs(macro_kappa - kappa) > POOLING:
        said.append(_SAID["pooling"].format(kappa=number(kappa), macro=number(macro_kappa)))
    return said


def _sizes(system: str, cells: Mapping[str, float], others: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Say whether the lists differ in length from the gold standard, or from those of other systems."""
    a, b, c, d = (float(cells[name]) for name in "abcd")
    gold, chosen, said = a + b, a + c, []
    if gold and abs(b - c) / gold > BIAS:
        more, less = ("The gold standard", system) if b > c else (system, "the gold standard")
        sizes = {"high": max(gold, chosen), "low": min(gold, chosen)}
        most = number(float(concordance.kappa_max(concordance.table(a, b, c, d))))
        said.append(_SAID["sizes"].format(more=more, less=less, most=most, **sizes))
    lengths = {name: float(other["a"]) + float(other["c"]) for name, other in others.items()}
    unequal = [f"{name} {size:,.0f}" for name, size in lengths.items() if size != chosen]
    if unequal:
        said.append(_SAID["unequal"].format(system=system, size=chosen, others=", ".join(unequal)))
    return said
