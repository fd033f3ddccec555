"""Turn one pooled concordance table into sentences: what its measures show, and what they cannot show."""

from __future__ import annotations

from collections.abc import Mapping

from kp_core.scoring.measures import concordance
from kp_core.words.statements import number

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
        return [f"{system} chose nothing here, so there is no agreement on keyphrases to speak of."]
    table = concordance.table(a, b, c, d)
    measures = (concordance.kappa, concordance.positive, concordance.pabak, concordance.prevalence_index)
    kappa, p_pos, pabak, prevalence = (float(measure(table)) for measure in measures)
    said = []
    if a / chosen < 0.5:
        silence = float(concordance.pabak(concordance.table(0, gold, 0, n - gold)))
        said.append(
            f"{system} gets PABAK {number(pabak, 3)}, and a system that says nothing gets {number(silence, 3)}: only "
            f"{100 * a / chosen:.0f} % of the phrases that {system} chose are keyphrases, and below one half silence "
            "wins. Do not choose k, or a system, by PABAK, P_neg or AC1."
        )
    if abs(prevalence) > PREVALENCE and pabak - kappa > GAP:
        said.append(
            f"PABAK ({number(pabak)}) is far above kappa ({number(kappa)}) because most phrases are rejected by both "
            f"sides (prevalence index {number(prevalence)}). This is the prevalence paradox; here kappa and P_pos "
            "are the ones to read."
        )
    said += _sizes(system, cells, others)
    if d == 0 or (kappa <= 0 and n < 5 * (a + b + c)):
        said.append(
            f"The universe (N = {n:,.0f}) is hardly larger than what was chosen, and this alone pushes kappa to 0 or "
            "below. Choose a larger universe, or read P_pos."
        )
    elif p_pos - kappa < NEAR:
        said.append(
            f"Kappa ({number(kappa, 3)}) has almost reached the value it takes in an endless universe, which is P_pos "
            f"({number(p_pos, 3)}). P_pos says the same and does not depend on N."
        )
    if d / n > REJECTED:
        said.append(
            f"{100 * d / n:.0f} % of all phrases were rejected by both sides, so P_neg, PABAK and AC1 are high "
            "whatever the system does."
        )
    if macro_kappa is not None and abs(macro_kappa - kappa) > POOLING:
        said.append(
            f"Kappa of all documents together is {number(kappa)}, the mean over documents {number(macro_kappa)}: the "
            "documents differ, so say which of the two you report."
        )
    return said


def _sizes(system: str, cells: Mapping[str, float], others: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Say whether the lists differ in length from the gold standard, or from those of other systems."""
    a, b, c, d = (float(cells[name]) for name in "abcd")
    gold, chosen, said = a + b, a + c, []
    if gold and abs(b - c) / gold > BIAS:
        more, less = ("The gold standard", system) if b > c else (system, "the gold standard")
        most = float(concordance.kappa_max(concordance.table(a, b, c, d)))
        said.append(
            f"{more} chose many more phrases than {less} ({max(gold, chosen):,.0f} against "
            f"{min(gold, chosen):,.0f}), so kappa cannot be higher than {number(most)} even "
            "if every choice of the shorter list were right."
        )
    sizes = {name: float(other["a"]) + float(other["c"]) for name, other in others.items()}
    unequal = [f"{name} {size:,.0f}" for name, size in sizes.items() if size != chosen]
    if unequal:
        said.append(
            f"The systems did not choose equally many phrases (some lists are shorter than k): {system} {chosen:,.0f}, "
            f"{', '.join(unequal)}."
        )
    return said
