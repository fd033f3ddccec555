"""Register every measure: its texts and its function, as used by tables, help, Methods and the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kp_core.errors import UsageError, read_toml
from kp_core.scoring.codes import Floats
from kp_core.settings import LARGEST_K, SUBJECT, Cutoff, Settings

Family = Literal["overlap", "ranking", "concordance", "annotators", "sets", "hierarchy", "semantic", "list"]
#: exact, sets, hierarchy, given, or as-returned.
Matcher = str
#: Family → how predictions are matched with keyphrases for its measures; all others match exactly. Sets are distinct
#: phrases on both sides; with a hierarchy all broader concepts match; given is a similarity of the user's.
_MATCHERS: dict[Family, Matcher] = {
    "concordance": "sets",
    "hierarchy": "hierarchy",
    "semantic": "given",
    "list": "as-returned",
}
#: Matchers that baselines do not have → the refusal if what these are made of was not loaded.
SPECIAL: dict[Matcher, str] = {"hierarchy": "no hierarchy", "given": "no meaning", "as-returned": "no lists"}
#: Families of several annotators.
OF_PEOPLE: tuple[Family, ...] = ("annotators", "sets")

#: The letters that stand for a cutoff that differs by document.
LETTERS: dict[str, Cutoff] = {"O": "gold", "M": "all", "G": "larger"}


@dataclass(frozen=True)
class Measure:
    """One measure: how it is written, what it contains, and the function from counts to values.

    name        as users write it; `@k` marks a cutoff
    sentence    what it answers, in words a librarian understands
    formula     in LaTeX; a b c d N are the cells of the concordance table, H_k the hits up to k, g the gold size
    family      concordance and overlap: functions of counts, which may be pooled; ranking: of one document's hits;
                annotators: of the tables of several annotators; sets: of the sizes of two label sets, whose similarity
                makes an alpha; hierarchy: of counts with all broader concepts;
                semantic: of hits by a similarity of the user's; list: of a list alone, as it was returned
    fixed       the cutoff of a measure written without `@k`; None: it uses the cutoff that was asked for
    smooth      whether it has a gradient
    f_of        the measures whose means over documents the average f-of-means puts into F; without: it does not exist
    by_subject  where a subject has a value: where it is suggested, due (in the gold standard), or either; without it
                there is no mean over subjects
    example     what it gives for the worked example
    cells       the counts that it reads (None: the five of `Cells`)
    """

    name: str
    family: Family
    score: Callable[..., Floats]
    sentence: str
    formula: str
    source: str
    undefined: str = "never"
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "none"] = "higher"
    fixed: Cutoff | None = None
    parameter: str = ""
    smooth: bool = True
    f_of: str = ""
    by_subject: Literal["", "suggested", "due", "either"] = ""
    example: str = ""
    cells: type[Any] | None = None

    @property
    def matcher(self) -> Matcher:
        """How predictions are matched with keyphrases."""
        return _MATCHERS.get(self.family, "exact")

    @property
    def averages(self) -> tuple[str, ...]:
        """The averages that exist for this measure."""
        by_family = {
            "concordance": ("micro", "macro"),
            "annotators": ("micro", "macro"),
            "sets": ("micro",),
            "overlap": ("macro", "f-of-means", "micro") if self.f_of else ("macro", "micro"),
            "ranking": ("macro",),
            "hierarchy": ("macro", "micro"),
            "semantic": ("macro",),
            "list": ("macro",),
        }
        return by_family[self.family] + (SUBJECT if self.by_subject else ())


MEASURES: dict[str, Measure] = {}
#: What every measure is, but for its function.
DECLARED = read_toml("scoring/measures/measures.toml")


def of_systems(vocabulary: bool = False) -> list[str]:
    """Return the measures that score the output of a system; vocabulary: also those that need a table of phrases."""
    without = () if vocabulary else SPECIAL
    return [name for name, one in MEASURES.items() if one.family not in OF_PEOPLE and one.matcher not in without]


def measure(name: str, cells: type[Any] | None = None) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register the decorated function of counts as the measure that `measures.toml` declares."""

    def declare(score: Callable[..., Floats]) -> Callable[..., Floats]:
        MEASURES[name] = Measure(name, score=score, cells=cells, **DECLARED[name])
        return score

    return declare


@dataclass(frozen=True)
class Asked:
    """A measure as asked for: with its cutoff (None: that of the evaluation), its parameter, or its mean over cutoffs.

    over  the cutoffs whose values are averaged, document by document
    """

    measure: Measure
    cutoff: Cutoff | None = None
    value: float | None = None
    over: tuple[int, ...] = ()

    @property
    def fixed(self) -> Cutoff | None:
        """The cutoff that belongs to the measure as asked; None: it uses the cutoff of the evaluation."""
        return self.cutoff if self.cutoff is not None else self.measure.fixed

    @property
    def of_tables(self) -> bool:
        """Whether it is a measure of a system's concordance tables, which have counts of their own and need N."""
        return self.measure.matcher == "sets"

    def cutoffs(self, settings: Settings) -> tuple[Cutoff, ...]:
        """Return the cutoffs at which the measure is given."""
        return settings.k if self.fixed is None else (self.fixed,)

    def name(self, cutoff: Cutoff | None = None) -> str:
        """Print the measure with its cutoff.

        >>> parse("P@k").name(5), parse("P@k").name("gold"), parse("RBP(p=0.8)").name()
        ('P@5', 'P@O', 'RBP(p=0.8)')
        """
        base = self.measure.name
        if self.over:
            return f"{base[:-1]}mean({self.over[0]}..{self.over[-1]})"
        if self.value is not None:
            base += f"({self.measure.parameter}={self.value:g})"
        shown = self.cutoff if self.cutoff is not None else cutoff
        if not base.endswith("@k") or shown is None:
            return base
        letter = next((letter for letter, special in LETTERS.items() if special == shown), shown)
        return f"{base[:-1]}{letter}"

    def averages(self, average: str) -> list[str]:
        """Return the averages in which the measure is given under a setting; `usual` is macro, micro for tables.

        >>> parse("kappa").averages("usual"), parse("F1@k").averages("both"), parse("MAP").averages("micro")
        (['micro'], ['micro', 'macro'], ['macro'])
        """
        if self.over:
            return ["macro"]
        wanted = ["micro", "macro"] if average == "both" else [average]
        if average in ("usual", "f-of-means", *SUBJECT) and self.measure.family in ("concordance", "annotators"):
            wanted = ["micro"]
        return [name for name in wanted if name in self.measure.averages] or [self.measure.averages[0]]

    def by_rarity(self, settings: Settings) -> bool:
        """Return whether the value depends on how rare a keyphrase is."""
        return self.measure.name == "PSP@k" or (settings.gain == "propensity" and self.measure.name.startswith("nDCG"))

    def over_subjects(self, average: str) -> bool:
        """Return whether a setting asks for means over subjects, and the measure has them."""
        return average in SUBJECT and average in self.averages(average)

    def scores(self, counts: Any) -> Floats:
        """Return the values for counts of any shape (documents, cutoffs) or sums."""
        return self.measure.score(counts) if self.value is None else self.measure.score(counts, self.value)


def parse(text: str) -> Asked:
    """Read a measure as users write it; printing the result gives the same text back.

    R@mean(5..50) is the mean over the cutoffs 5, 10, …, 50: in steps of the first.

    >>> parse("F1@10").cutoff, parse("F1@M").cutoff, parse("kappa").measure.family, parse("R@mean(5..15)").over
    (10, 'all', 'concordance', (5, 10, 15))
    """
    text = text.strip()
    with_value = re.fullmatch(r"([\w-]+)\((\w+)=(\d+(?:\.\d+)?|\.\d+)\)", text)
    if with_value and with_value[1] in MEASURES:
        found, value = MEASURES[with_value[1]], float(with_value[3])
        if found.parameter == with_value[2] and 0 < value < 1:
            return Asked(found, None, value)
    if text in MEASURES:
        return Asked(MEASURES[text])
    base, _, cutoff = text.rpartition("@")
    declared = MEASURES.get(f"{base}@k")
    mean = re.fullmatch(r"mean\((\d{1,5})\.\.(\d{1,5})\)", cutoff)
    if declared and mean and 0 < int(mean[1]) < int(mean[2]) <= LARGEST_K:
        first, last = int(mean[1]), int(mean[2])
        return Asked(declared, "none", over=tuple(range(first, last + 1, first)))
    if declared and cutoff.isdigit() and int(cutoff) > 0:
        return Asked(declared, int(cutoff))
    if declared and cutoff in LETTERS and (cutoff != "G" or base == "F1"):
        return Asked(declared, LETTERS[cutoff])
    raise UsageError(f"there is no measure '{text}'; the measures are: {', '.join(MEASURES)} (k: a number, O or M)")


def matchers(asked: Iterable[Asked]) -> set[Matcher]:
    """Return how predictions are matched for some measures."""
    return {one.measure.matcher for one in asked}


def names_in(measures: Iterable[str] | str) -> tuple[str, ...]:
    """Return names of measures, each once.

    >>> names_in("P@5, MAP"), names_in(["P@5,MAP", "MAP"])
    (('P@5', 'MAP'), ('P@5', 'MAP'))
    """
    if not isinstance(measures, Iterable):
        raise UsageError(f"measures is {measures!r}; name some, such as measures='P@5,MAP'")
    each = [measures] if isinstance(measures, str) else measures
    return tuple(dict.fromkeys(part.strip() for names in each for part in names.split(",")))
