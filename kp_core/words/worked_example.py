"""Turn the formula of a measure into one with the numbers of a small example put in, and the value it gives there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.reading import load
from kp_core.scoring.measures import MEASURES, Measure, of_systems
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import Similarity, score
from kp_core.studies.annotators import agreement
from kp_core.studies.evaluate import evaluate

#: Cutoff k, and the number of phrases that could have been chosen.
K, UNIVERSE = 5, 20
ANNOTATORS = ("A", "B", "C")
#: Phrase, rank in the list of the system, and the grade that each annotator gave: 0 is “not relevant”.
PHRASES: tuple[tuple[str, int | None, tuple[int | None, int | None, int | None]], ...] = (
    ("main result", 1, (0, None, None)),
    ("keyphrase extraction", 2, (2, 2, 1)),
    ("gold standard", 3, (1, 1, None)),
    ("first step", 4, (None, 0, None)),
    ("evaluation", 5, (None, None, None)),
    ("human agreement", 6, (None, None, 1)),
    ("cutoff", None, (2, None, None)),
)
#: The keyphrase and the candidate for the similarity of two phrases.
PAIR = ("effective grid computing algorithm", "grid computing")

#: A piece of a formula: a command with its text, a number, a letter with its index, or any other sign.
_LETTER = r"[A-Za-z](?:_(?:\w|\{[^}]*\}))?"
_PIECE = rf"\\(?:text|mathrm)\{{[^}}]*\}}|\\log_2|\\Big[()]|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|{_LETTER}|."
_BEGINS = ("(", "[", r"\Big(", r"\frac", r"\min", r"\max", r"\log_2", r"\ln", r"\exp", r"\sqrt")
_ENDS = re.compile(rf"\d.*|\)|\]|\\Big\)|{_LETTER}")
#: An equals sign that stands inside no brackets.
_EQUALS = re.compile(r" = (?![^\[]*\])(?![^{]*\})")


def put_in(formula: str, numbers: Mapping[str, str]) -> str:
    r"""Return a formula with numbers in place of its symbols, and a dot wherever two of them are multiplied.

    >>> put_in(r"\frac{2(ad-bc)}{N}", {"a": "2", "b": "2", "c": "3", "d": "13", "N": "20"})
    '\\frac{2 \\cdot (2 \\cdot 13-2 \\cdot 3)}{20}'
    """
    symbols = [re.escape(one) + "(?!_)" for one in sorted(numbers, key=len, reverse=True)]
    found, after_factor = "", False
    for piece in re.findall("|".join([*symbols, _PIECE]), formula):
        if piece in (" ", r"\,"):
            found += " "
            continue
        number = piece in numbers or piece.isdigit()
        if after_factor and (number or piece in _BEGINS):
            found = found.rstrip() + r" \cdot "
        found += numbers.get(piece, piece)
        after_factor = number or bool(_ENDS.fullmatch(piece))
    return found.strip()


def written_out(formula: str, numbers: Mapping[str, str], value: float, example: str = "") -> tuple[str, ...]:
    r"""Return the formula with its numbers and the value, and a line for each letter that it explains behind commas.

    example   stands in place of the formula where that holds sums, which a reader wants to see written out

    >>> written_out(r"P_o = \frac{a+d}{N}", {"a": "2", "d": "13", "N": "20"}, 0.75)
    ('P_o = \\frac{2+13}{20} = 0.75',)
    """
    head = formula.partition(r",\ ")[0]
    first, *others = ((side[0], side[-1]) for side in map(_EQUALS.split, _clauses(example or formula)))
    own = {symbol: number for symbol, number in numbers.items() if symbol not in [name for name, _ in others]}
    filled, rounded = put_in(first[1], own), f"{value:.4f}".rstrip("0").rstrip(".")
    name, *rest = _EQUALS.split(head)
    sides = [name.replace("@k", f"@{K}")] if rest or filled == rounded else []
    sides += [filled] if filled != rounded else []
    sign = "=" if abs(value - float(rounded)) < 1e-9 else r"\approx"
    whole = f"{' = '.join(sides)} {sign} {rounded}"
    return (whole, *(f"{symbol} = {put_in(meaning, own)}" for symbol, meaning in others))


def _clauses(formula: str) -> list[str]:
    """Return a formula and the explanations behind it; one document needs no sum over documents."""
    return formula.replace(r"\sum_D ", "").replace(r"\sum_D", "").split(r",\ ")


def phrases() -> pd.DataFrame:
    """Return the example as a table: one row a phrase, its rank, and the grade that each annotator gave."""
    rows = [
        (phrase, *("–" if cell is None else str(cell) for cell in (rank, *grades))) for phrase, rank, grades in PHRASES
    ]
    return pd.DataFrame(rows, columns=["phrase", "rank", *(f"annotator {name}" for name in ANNOTATORS)])


@cache
def corpus() -> Corpus:
    """Return the example as data like those of any user."""
    gold = [
        ("d", annotator, phrase, grade)
        for phrase, _, grades in PHRASES
        for annotator, grade in zip(ANNOTATORS, grades, strict=True)
        if grade is not None
    ]
    returned = [phrase for phrase, rank, _ in PHRASES if rank]
    return load(
        gold=pd.DataFrame(gold, columns=["doc_id", "annotator", "phrase", "relevance"]),
        systems={"system": {"d": returned}},
    )


@cache
def values() -> dict[str, float]:
    """Return what every measure gives for the example, by its own function."""
    names, people = of_systems(), [name for name, one in MEASURES.items() if one.family == "annotators"]
    scored = evaluate(corpus(), K, names, universe=UNIVERSE, interval="none", average="macro").frame
    agreed = agreement(corpus(), people, universe=UNIVERSE, interval="none", average="micro").frame
    agreed = agreed[(agreed["system"] == "all") & (agreed["subset"] == "all")]
    found = dict(zip(names, scored["value"], strict=True)) | dict(zip(people, agreed["value"], strict=True))
    # Pairs of phrases that only a text, a model or chance could score have no example.
    alike = [name for name, one in SIMILARITIES.items() if one.example is not None]
    return found | dict(zip(alike, score([PAIR[0]], [PAIR[1]], alike).table[0].tolist(), strict=True))


def of_system() -> dict[str, str]:
    """Return the numbers of the example behind the symbols of the formulas, for measures of a system."""
    grades = {phrase: max((g for g in given if g is not None), default=0) for phrase, _, given in PHRASES}
    rejected = [rank for _, rank, given in PHRASES if rank and 0 in given]
    hits = {rank: grades[phrase] for phrase, rank, _ in PHRASES if rank and grades[phrase]}
    ideal = sorted((grade for grade in grades.values() if grade), reverse=True)
    size, found = len(ideal), sum(rank <= K for rank in hits)
    cells = (found, size - found, K - found, UNIVERSE - size - K + found)
    numbers: dict[str, float] = dict(zip("abcd", cells, strict=True))
    numbers |= {"N": UNIVERSE, "f_1": size, "f_2": UNIVERSE - size, "g_1": K, "g_2": UNIVERSE - K}
    numbers |= {"H_k": found, "H_g": sum(rank <= size for rank in hits), "D_k": K, "g": size, "A": size}
    numbers |= {"P_o": (cells[0] + cells[3]) / UNIVERSE, "g_0": len(rejected)}
    numbers["n"] = sum(1 for _, rank, _ in PHRASES if rank)
    for number, (rank, grade) in enumerate(hits.items(), 1):
        numbers |= {f"h_{rank}": 1, f"H_{rank}": number, f"y_{rank}": grade, f"e_{rank}": grade / ideal[0]}
        numbers[f"u_{number}"] = sum(above < rank for above in rejected)
    numbers |= {f"y^*_{place}": grade for place, grade in enumerate(ideal, 1)}
    return {symbol: f"{number:g}" for symbol, number in numbers.items()}


def of_annotators() -> dict[str, str]:
    """Return the numbers of the example behind the symbols of the formulas, for agreement of annotators."""
    votes = np.array([[bool(grade) for grade in given] for _, _, given in PHRASES], int)
    together = votes.T @ votes
    numbers: dict[str, float] = {"R_D": len(ANNOTATORS), "C_D": votes.sum(), "N_D": UNIVERSE}
    numbers["Q_D"] = together.sum() - np.trace(together)
    numbers |= {f"p_{name}": own / UNIVERSE for name, own in zip(ANNOTATORS, np.diag(together), strict=True)}
    pairs = agreement(corpus(), ["kappa"], universe=UNIVERSE, interval="none", average="micro").frame
    for first, second in combinations(ANNOTATORS, 2):
        numbers[f"k_{{{first}{second}}}"] = pairs.set_index("system")["value"][f"{first}|{second}"]
    return {symbol: f"{number:.4g}" for symbol, number in numbers.items()}


def of_pair() -> dict[str, str]:
    """Return the numbers of the pair of phrases behind the symbols of the formulas."""
    a, b = (set(phrase.split()) for phrase in PAIR)
    common = len(a & b)
    numbers = {r"|\mathrm{keyphrase} \cap \mathrm{candidate}|": common, r"|A \cap B|": common}
    numbers[r"|A \cup B|"] = len(a | b)
    numbers |= {"|A|": len(a), "|B|": len(b), "|ref|": len(a), "|hyp|": len(b), "r": len(a), "c": len(b)}
    numbers |= {"|a|": len(PAIR[0]), "|b|": len(PAIR[1])}
    return {symbol: str(number) for symbol, number in numbers.items()} | {
        symbol: rf"\text{{{phrase}}}" for symbol, phrase in zip("ab", PAIR, strict=True)
    }


def example(one: Measure | Similarity) -> tuple[str, ...]:
    """Return a measure's formula for the example, with its value, as lines of LaTeX; empty if there is no example."""
    if one.example is None:
        return ()
    if isinstance(one, Similarity):
        numbers = of_pair()
    else:
        numbers = of_annotators() if one.family == "annotators" else of_system()
        numbers |= {one.parameter[0]: f"{one.parameter[1]:g}"} if one.parameter else {}
    return written_out(one.formula, numbers, values()[one.name], one.example)
