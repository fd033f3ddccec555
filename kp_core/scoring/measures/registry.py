"""Join the texts of every measure with its function, for tables, help, documentation and command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kp_core.errors import UsageError, read_toml
from kp_core.scoring.codes import Floats
from kp_core.settings import LARGEST_K, SUBJECT, Cutoff, Settings

Family = Literal["overlap", "ranking", "concordance", "annotators", "sets", "hierarchy", "semantic", "list"]
Matcher = str
#: Matchers without baselines → key of the error if their data are missing.
SPECIAL: dict[Matcher, str] = {"hierarchy": "no hierarchy", "given": "no meaning", "as-returned": "no lists"}
#: Families of measures of several annotators.
OF_PEOPLE: tuple[Family, ...] = ("annotators", "sets")

#: Letters for cutoffs that differ by document.
LETTERS: dict[str, Cutoff] = {"O": "gold", "M": "all", "G": "larger"}


@dataclass(frozen=True)
class MeasureCard:
    """A measure: its texts, as described in `measures.toml`, and the function from counts to values.

    * `family`: input of the function. concordance, overlap: counts, which may be pooled; ranking: hits of a document;
      annotators: tables of several annotators; sets: sizes of two label sets; hierarchy: counts with all broader
      concepts; semantic: hits by similarity; list: a list as it was returned
    * `fixed`: cutoff of a measure written without `@k`; None: the cutoff of the evaluation
    * `by_subject`: the subjects that have a value: those suggested, those due (in the gold standard), or either
    * `cells`: the counts that it reads (None: the five of `Cells`)
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
    matcher: Matcher = "exact"
    averages: tuple[str, ...] = ("macro",)


_TEXTS = read_toml("scoring/measures/measures.toml")
_FAMILIES = _TEXTS.pop("families")
#: In the order of measures.toml, regardless of the order of registration.
MEASURES: dict[str, MeasureCard] = dict.fromkeys(_TEXTS)  # type: ignore[assignment]


def of_systems(vocabulary: bool = False) -> list[str]:
    """Return the measures that score a system's output; `vocabulary`: also those that need a table of phrases."""
    without = () if vocabulary else SPECIAL
    return [name for name, m in MEASURES.items() if m.family not in OF_PEOPLE and m.matcher not in without]


def measure(name: str, cells: type[Any] | None = None) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register the decorated function of counts as the measure of this name in `measures.toml`."""

    def declare(score: Callable[..., Floats]) -> Callable[..., Floats]:
        texts = {"averages": ["macro"]} | _FAMILIES[_TEXTS[name]["family"]] | _TEXTS[name]
        texts["averages"] = (*texts["averages"], *(SUBJECT if "by_subject" in texts else ()))
        MEASURES[name] = MeasureCard(name, score=score, cells=cells, **texts)
        return score

    return declare


@dataclass(frozen=True)
class Measure:
    """A requested measure with its cutoff (None: that of the evaluation), its parameter, and averaged cutoffs."""

    card: MeasureCard
    cutoff: Cutoff | None = None
    value: float | None = None
    over: tuple[int, ...] = ()

    @property
    def fixed(self) -> Cutoff | None:
        """The cutoff that the measure or its name sets; None: that of the evaluation."""
        return self.cutoff if self.cutoff is not None else self.card.fixed

    @property
    def of_tables(self) -> bool:
        """Whether the measure uses concordance tables, which have separate counts and need N."""
        return self.card.matcher == "sets"

    def cutoffs(self, settings: Settings) -> tuple[Cutoff, ...]:
        """Return the cutoffs at which the measure is computed."""
        return settings.k if self.fixed is None else (self.fixed,)

    def name(self, cutoff: Cutoff | None = None) -> str:
        """Return the name of the measure with its cutoff.

        >>> parse("P@k").name(5), parse("P@k").name("gold"), parse("RBP(p=0.8)").name()
        ('P@5', 'P@O', 'RBP(p=0.8)')
        """
        base = self.card.name
        if self.over:
            return f"{base[:-1]}mean({self.over[0]}..{self.over[-1]})"
        if self.value is not None:
            base += f"({self.card.parameter}={self.value:g})"
        shown_cutoff = self.cutoff if self.cutoff is not None else cutoff
        if not base.endswith("@k") or shown_cutoff is None:
            return base
        letter = next((letter for letter, special in LETTERS.items() if special == shown_cutoff), shown_cutoff)
        return f"{base[:-1]}{letter}"

    def averages(self, average: str) -> list[str]:
        """Return the averages of the measure under a setting; `usual` is macro, and micro for tables.

        >>> parse("kappa").averages("usual"), parse("F1@k").averages("both"), parse("MAP").averages("micro")
        (['micro'], ['micro', 'macro'], ['macro'])
        """
        if self.over:
            return ["macro"]
        requested = ["micro", "macro"] if average == "both" else [average]
        if average in ("usual", "f-of-means", *SUBJECT) and self.card.family in ("concordance", "annotators"):
            requested = ["micro"]
        return [name for name in requested if name in self.card.averages] or [self.card.averages[0]]

    def by_rarity(self, settings: Settings) -> bool:
        """Return whether the value depends on how rare a keyphrase is."""
        return self.card.name == "PSP@k" or (settings.gain == "propensity" and self.card.name.startswith("nDCG"))

    def over_subjects(self, average: str) -> bool:
        """Return whether the measure is averaged over subjects under a setting."""
        return average in SUBJECT and average in self.averages(average)

    def scores(self, counts: Any) -> Floats:
        """Return the values of counts (documents, cutoffs), or of their sums."""
        return self.card.score(counts) if self.value is None else self.card.score(counts, self.value)


def parse(text: str) -> Measure:
    """Parse the name of a measure; `Measure.name` of the result gives the same name.

    R@mean(5..50) is the mean of R over the cutoffs 5, 10, …, 50; the first cutoff is also the step.

    >>> parse("F1@10").cutoff, parse("F1@M").cutoff, parse("kappa").card.family, parse("R@mean(5..15)").over
    (10, 'all', 'concordance', (5, 10, 15))
    """
    text = text.strip()
    with_value = re.fullmatch(r"([\w-]+)\((\w+)=(\d+(?:\.\d+)?|\.\d+)\)", text)
    if with_value and with_value[1] in MEASURES:
        measure_with_value, value = MEASURES[with_value[1]], float(with_value[3])
        if measure_with_value.parameter == with_value[2] and 0 < value < 1:
            return Measure(measure_with_value, None, value)
    if text in MEASURES:
        return Measure(MEASURES[text])
    base, _, cutoff = text.rpartition("@")
    measure = MEASURES.get(f"{base}@k")
    mean = re.fullmatch(r"mean\((\d{1,5})\.\.(\d{1,5})\)", cutoff)
    if measure and mean and 0 < int(mean[1]) < int(mean[2]) <= LARGEST_K:
        first, last = int(mean[1]), int(mean[2])
        return Measure(measure, "none", over=tuple(range(first, last + 1, first)))
    if measure and cutoff.isdigit() and int(cutoff) > 0:
        return Measure(measure, int(cutoff))
    if measure and cutoff in LETTERS and (cutoff != "G" or base == "F1"):
        return Measure(measure, LETTERS[cutoff])
    raise UsageError(f"there is no measure '{text}'; the measures are: {', '.join(MEASURES)} (k: a number, O or M)")


def matchers(measures: Iterable[Measure]) -> set[Matcher]:
    """Return the matchers that some measures need."""
    return {measure.card.matcher for measure in measures}


def names_in(measures: Iterable[str] | str) -> tuple[str, ...]:
    """Return the distinct names of measures; commas inside brackets are part of a name.

    >>> names_in("P@5, MAP"), names_in(["BLEU,M-R-precision(alignment=ordered,weights=keyphrase)", "BLEU"])
    (('P@5', 'MAP'), ('BLEU', 'M-R-precision(alignment=ordered,weights=keyphrase)'))
    """
    if not isinstance(measures, Iterable):
        raise UsageError(f"measures is {measures!r}; name at least one, such as measures='P@5,MAP'")
    lists = [measures] if isinstance(measures, str) else measures
    parts = (part for names in lists for part in re.findall(r"(?:\([^()]*\)|[^,])+", names) or [names])
    return tuple(dict.fromkeys(map(str.strip, parts)))
