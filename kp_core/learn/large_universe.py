"""N and kappa: the more phrases that nobody would choose are counted in, the higher kappa, up to P_pos."""

from __future__ import annotations

from kp_core.charts.curves import against_universe
from kp_core.learn.lesson import Lesson, Options, Question, Slider, Values, View
from kp_core.learn.paradox import value
from kp_core.words.statements import figure

#: Tables in the proportions that the printed figures of the lecture-keyword section imply: a, b, c. N is not known.
CHOSEN = {
    "as in the lecture table: 70 hits": (70, 425, 135),
    "a good list: 300 hits": (300, 195, 105),
    "a perfect list": (495, 0, 0),
}
_A, _B, _C = CHOSEN["as in the lecture table: 70 hits"]


def show(values: Values) -> View:
    """Draw kappa against N for one choice of a, b and c, with the N in use marked."""
    a, b, c = CHOSEN[str(values["chosen"])]
    total = max(round(10 ** float(values["size"])), a + b + c)
    d = total - a - b - c
    cells = {"the system": {"a": a, "b": b, "c": c, "d": d, "N": total}}
    kappa, limit, pabak = (value(name, a, b, c, d) for name in ("kappa", "P_pos", "PABAK"))
    empty = value("PABAK", 0, a + b, 0, total - a - b)
    said = [
        f"a = {a}, b = {b}, c = {c} stay as they are; N = {total:,.0f}, so d = {d:,.0f}. Kappa is {figure(kappa, 3)}. "
        f"It can never pass P_pos, which is {figure(limit, 3)} whatever N is.",
        f"PABAK is {figure(pabak, 3)}; a system that says nothing at all has {figure(empty, 3)}.",
    ]
    return View(against_universe(cells, "kappa", 360), tuple(said))


LESSON = Lesson(
    "universe",
    "How many phrases could have been chosen?",
    "Kappa needs d, the phrases that neither side chose, so it needs N: how many phrases there were to choose from. "
    "Nobody counts them, everybody assumes them. Move N and nothing about the system changes, but its kappa does. "
    "Therefore a kappa without its N cannot be compared with another.",
    (r"\lim_{N\to\infty} \kappa = P_{pos} = \frac{2a}{2a+b+c}", r"\lim_{N\to\infty} \mathrm{PABAK} = 1"),
    "Derived from Cohen 1960; Hripcsak & Rothschild 2005; the first table is reconstructed from figures that the "
    "lecture-keyword evaluation section prints (its own N is not known)",
    (
        Options("chosen", "What was chosen", tuple(CHOSEN)),
        Slider("size", "N as a power of ten (3 is a thousand, 4 ten thousand)", 2.8, 6, 4, 0.1),
    ),
    show,
    (
        Question(
            "a = 70, b = 425, c = 135. To which value does kappa rise as N grows without end?",
            value("P_pos", _A, _B, _C, 1),
            "P_pos = 140 / (140 + 425 + 135) = .20: d cancels out.",
        ),
        Question(
            "With the same a, b, c and d = 0, kappa is …",
            "below 0",
            "There is no agreement on “no” at all, so the two sides agree less than chance would give.",
            ("below 0", "exactly 0", "equal to P_pos"),
        ),
        Question(
            "N = 10,750 and 495 gold keyphrases. What PABAK does a system get that chooses nothing?",
            value("PABAK", 0, 495, 0, 10_750 - 495),
            "P_o = 10,255 / 10,750 = .954, so PABAK = 2 · .954 − 1 = .908, more than any of the six lecture systems.",
        ),
    ),
)
