"""The worked example: every formula as it is shown, computed here from its LaTeX, gives what the measure gives."""

import math
import re

import pytest

from kp_core.scoring.measures import MEASURES
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.words import worked_example

ENTRIES = {**MEASURES, **SIMILARITIES}
#: A text, a model, a column of one's own and a random generator: two phrases do not decide these.
WITHOUT = {"context", "embedding", "combined", "random"}


_PIECE = re.compile(
    r"\\(?:text|mathrm)\{[^}]*\}|\\log_2|\\[A-Za-z]+(?:_\{\w+\})?|[\d.]+|[A-Za-z](?:_(?:\w|\{\w+\}))?|\S"
)
FUNCTIONS = {r"\ln": math.log, r"\log_2": math.log2, r"\exp": math.exp, r"\min": min, r"\max": max}
CLOSED_BY = {"(": ")", "[": "]", "{": "}", "|": "|"}


class Formula:
    """Compute a formula from left to right; letters are looked up among the lines that explain them."""

    def __init__(self, formula: str, meanings: dict[str, str]) -> None:
        pieces = _PIECE.findall(formula.replace(r"\Big", "").replace(r"a_{\min}", "a_m"))
        self.pieces, self.meanings = [*pieces, ""], meanings

    def take(self, *expected: str) -> str:
        piece = self.pieces.pop(0)
        assert not expected or piece in expected, (piece, expected)
        return piece

    def value(self) -> float | str:
        """A sum, or a comparison of two."""
        left = self.sum()
        if self.pieces[0] in ("=", ">"):
            return float(left == self.sum() if self.take() == "=" else left > self.sum())
        return left

    def sum(self) -> float | str:
        total = -self.product() if self.pieces[0] == "-" and self.take() else self.product()
        while self.pieces[0] in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self) -> float | str:
        found = self.power()
        while self.pieces[0] not in ("", "+", "-", "=", ">", ",", *CLOSED_BY.values()):
            operator = self.take() if self.pieces[0] in ("/", r"\cdot") else "implied"
            found = found / self.power() if operator == "/" else found * self.power()
        return found

    def power(self) -> float | str:
        base = self.factor()
        return base ** self.factor() if self.pieces[0] == "^" and self.take() else base

    def factor(self) -> float | str:
        piece = self.take()
        if piece in CLOSED_BY:
            found = self.value()
            self.take(CLOSED_BY[piece])
            return abs(found) if piece == "|" else found
        if piece == r"\frac":
            return self.factor() / self.factor()
        if piece == r"\sqrt":
            return math.sqrt(self.factor())
        if piece in (r"\min", r"\max"):
            self.take("(")
            several = [self.value()]
            while self.take(",", ")") == ",":
                several.append(self.value())
            return FUNCTIONS[piece](several)
        if piece in FUNCTIONS:
            return FUNCTIONS[piece](self.factor())
        if piece == r"\mathrm{stem}":
            return self.factor()  # no stem of the example equals another
        if piece.startswith(r"\text"):
            return piece
        return Formula(self.meanings[piece], self.meanings).value() if piece in self.meanings else float(piece)


def computed(lines: tuple[str, ...]) -> tuple[float | str, float]:
    """Return what the formula in the first line gives, with what the others explain, and the value printed there."""
    whole, printed = re.fullmatch(r"(.*) (?:=|\\approx) (\S+)", lines[0]).groups()
    sides = re.split(r" = (?![^\[]*\])", whole)
    only_a_name = len(sides) == 1 and re.match(r"[a-z]|\\mathrm", whole)
    formula = printed if only_a_name else sides[-1]
    meanings = dict(line.replace(r"a_{\min}", "a_m").split(" = ") for line in lines[1:])
    return Formula(formula, meanings).value(), float(printed)


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in WITHOUT])
def test_the_formula_of_every_measure_gives_its_value(name: str) -> None:
    lines = worked_example.example(ENTRIES[name])
    value, printed = computed(lines)
    exact = worked_example.values()[name]
    assert value == pytest.approx(exact, abs=6e-5), lines
    assert printed == pytest.approx(exact, abs=6e-5)
    assert (r"\approx" in lines[0]) == (abs(printed - exact) > 1e-9)


def test_only_what_two_phrases_cannot_decide_has_no_example() -> None:
    assert {name for name, one in ENTRIES.items() if not worked_example.example(one)} == WITHOUT


def test_values_of_the_example_counted_by_hand() -> None:
    """The list hits at ranks 2, 3 and 6 of 6; gold has 4 phrases of grades 2, 1, 1, 2; N = 20 and k = 5."""
    found = worked_example.values()
    assert [found[name] for name in ("a", "b", "c", "d")] == [2, 2, 3, 13]
    assert found["MAP"] == pytest.approx((1 / 2 + 2 / 3 + 3 / 6) / 4)
    assert found["MRR"] == 1 / 2
    ideal = 2 + 2 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert found["nDCG@k"] == pytest.approx((2 / math.log2(3) + 1 / 2) / ideal)
    assert found["bpref"] == pytest.approx((1 / 2 + 1 / 2 + 0) / 4)
    # Items chosen by 3, 2, 1 and 1 of 3 annotators: 2 and 1 agreeing pairs less than all, 16 items nobody chose.
    observed, yes = 1 - (2 + 2 + 2) / (3 * 20), 7 / 60
    assert found["K"] == pytest.approx((observed - (yes**2 + (1 - yes) ** 2)) / (2 * yes * (1 - yes)))
    assert found["M-R-precision"] == pytest.approx((1 / 3 + 1 / 2) / (1 / 4 + 1 / 3 + 1 / 2 + 1))
