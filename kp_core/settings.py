"""Hold what an evaluation was asked to do, and print it as one line that can be parsed back: the signature."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast
from urllib.parse import quote, unquote

from kp_core.conventions import FIELDS, Conventions, preset
from kp_core.errors import UsageError
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import library

__version__ = "1.0.0"

#: A cutoff: a number of phrases, the document's gold size (O), all returned (M), the larger of both (G), or none.
Cutoff = int | Literal["gold", "all", "larger", "none"]

AVERAGES = ("macro", "f-of-means", "micro", "both")
#: poisson: a bootstrap whose weights depend on the id of the document alone, so that data may be streamed.
INTERVALS = ("bootstrap", "poisson", "cluster-t", "none")
_DRAWN = ("bootstrap", "poisson")
LARGEST_K = 10_000
#: Fields that a signature names only where they differ from their first value.
SILENT = ("gstem", "rrmiss")


@dataclass(frozen=True)
class Settings:
    """Everything that decides the numbers of an evaluation, apart from the data.

    k          cutoffs; `average` is the mean number of keyphrases per annotator and document
    pool       average of the concordance measures: micro, macro or both
    both       whether concordance measures, precision, recall and F1 are given micro and macro
    preset     the preset that the conventions started from
    trim       how the gold standard was trimmed, such as 0.5-binary; empty where it was not
    """

    conventions: Conventions = field(default_factory=Conventions)
    preset: str = "kpscope"
    k: tuple[int | str, ...] = ("average",)
    annotators: str = "union"
    universe: str = ""
    pool: str = "micro"
    both: bool = False
    interval: str = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    fixes: tuple[str, ...] = ()
    trim: str = ""

    @property
    def cutoffs(self) -> tuple[Cutoff, ...]:
        """The cutoffs of resolved settings, in which `average` has become a number."""
        return cast(tuple[Cutoff, ...], self.k)

    def as_dict(self) -> dict[str, str]:
        """Return the settings as the command line prints them: option name → value."""
        shown = {name: format_value(getattr(self.conventions, name)) for name in FIELDS}
        return (
            {
                "preset": self.preset,
                "k": ",".join(map(str, self.k)),
                "annotators": self.annotators,
                "universe": self.universe,
                "pool": self.pool,
                "interval": self.interval,
                "resamples": str(self.resamples),
                "seed": str(self.seed),
                "fixes": ",".join(self.fixes),
                "trim": self.trim,
            }
            | shown
            | ({"average": "both"} if self.both else {})
        )


def format_value(value: Any) -> str:
    """Print a convention's value.

    >>> format_value(1.0), format_value("any")
    ('1', 'any')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def parse_k(k: int | str | Iterable[int | str]) -> tuple[int | str, ...]:
    """Read cutoffs: 10, "5,10,15", "1-50", "average", "gold" (or "O"), "all" (or "M"), mixed, or a sequence.

    >>> parse_k("5,10,all"), parse_k("1-3"), parse_k(range(1, 3))
    ((5, 10, 'all'), (1, 2, 3), (1, 2))
    """
    given = k if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    parts = [str(part).strip() for part in given]
    found: list[int | str] = []
    for part in ",".join(parts).split(","):
        word = {"O": "gold", "M": "all"}.get(part.strip(), part.strip())
        first, dash, last = word.partition("-")
        if word in ("average", "gold", "all"):
            found.append(word)
        elif (
            first.isdecimal() and (not dash or last.isdecimal()) and 1 <= int(first) <= int(last or first) <= LARGEST_K
        ):
            found.extend(range(int(first), int(last or first) + 1))
        else:
            raise UsageError(
                f"k is '{part}'; write a number from 1 to {LARGEST_K}, a list such as 5,10,15, a range such as 1-50, "
                "average, gold or all"
            )
    return tuple(dict.fromkeys(found))


def make_settings(
    *,
    k: int | str | Iterable[int | str] | None = None,
    preset_name: str = "kpscope",
    annotators: str = "union",
    universe: str = "",
    average: str | None = None,
    interval: str = "bootstrap",
    resamples: int = 1000,
    seed: int = 0,
    **conventions: Any,
) -> Settings:
    """Return settings from options: those of the preset, with every option given beside it set anew."""
    named = preset(preset_name)
    if average is not None and average not in AVERAGES:
        raise UsageError(f"average is '{average}'; choose one of: {', '.join(AVERAGES)}")
    if interval not in INTERVALS:
        raise UsageError(f"interval is '{interval}'; choose one of: {', '.join(INTERVALS)}")
    if not 1 <= int(resamples) <= 100_000:
        raise UsageError(f"resamples is {resamples}; choose a number from 1 to 100000")
    if int(seed) < 0:
        raise UsageError(f"seed is {seed}; choose a whole number from 0 up")
    if average in ("macro", "micro", "f-of-means"):
        conventions["average"] = average
    return Settings(
        named.conventions.changed(**conventions),
        preset_name,
        parse_k(k) if k is not None else named.k,
        annotators,
        universe,
        average if average in ("micro", "macro", "both") else "micro",
        average == "both",
        interval,
        int(resamples),
        int(seed),
    )


def signature(settings: Settings, documents: int, agreement: bool = True) -> str:
    """Print settings as one ASCII line; two results are comparable iff their lines agree up to k, docs and v.

    agreement: whether concordance measures are among the results, so that universe and pooling belong to the recipe.
    """
    fields = {"preset": settings.preset} if settings.preset != "kpscope" else {}
    record = settings.conventions
    for name, convention in FIELDS.items():
        value = format_value(getattr(record, name))
        if convention.key in SILENT and value == convention.values[0]:
            continue
        if name == "average" and settings.both:
            value = "both"
        fields[convention.key] = dict(convention.short).get(value, value)
    fields["k"] = ",".join(map(str, settings.k))
    if agreement:
        fields["N"] = settings.universe
    fields["annot"] = quote(settings.annotators, safe=":")
    if agreement:
        fields["pool"] = settings.pool
    if settings.interval != "none":
        seeded = f"-{settings.resamples}-seed{settings.seed}" if settings.interval in _DRAWN else ""
        fields["ci"] = settings.interval + seeded
    if settings.fixes:
        fields["fix"] = ",".join(settings.fixes)
    if settings.trim:
        fields["trim"] = settings.trim
    fields |= {"docs": str(documents), "stem": library(Normaliser.parse(record.normalise).stemmer), "v": __version__}
    return "|".join(["kps", *(f"{key}:{value}" for key, value in fields.items())])


def settings_from(line: str) -> Settings:
    """Read settings back from a signature.

    >>> settings_from(signature(Settings(k=(10,)), 100)).k
    (10,)
    """
    head, *parts = line.strip().split("|")
    if head != "kps" or any(":" not in part for part in parts):
        raise UsageError("this is no signature: expected a line such as kps|norm:…|k:10|docs:100|v:1.0.0")
    given = dict(part.split(":", 1) for part in parts)
    if len(given) < len(parts):
        raise UsageError("the signature names a field twice")
    if given.get("pool", "micro") not in ("micro", "macro", "both"):
        raise UsageError(f"pool is '{given['pool']}'; choose micro, macro or both")
    by_key = {one.key: (name, {short: long for long, short in one.short}) for name, one in FIELDS.items()}
    known = {*by_key, "preset", "k", "N", "annot", "pool", "ci", "fix", "trim", "docs", "stem", "v"}
    unknown = set(given) - known
    if unknown:
        raise UsageError(f"the signature has a field '{sorted(unknown)[0]}' that version {__version__} does not know")
    settings = make_settings(
        preset_name=given.get("preset", "kpscope"), k=given.get("k"), annotators=unquote(given.get("annot", "union"))
    )
    changes = {name: one.values[0] for name, one in FIELDS.items() if one.key in SILENT}
    for key, (name, long) in by_key.items():
        if key in given and not (key == "avg" and given[key] == "both"):
            changes[name] = long.get(given[key], given[key])
    record = settings.conventions.changed(**changes)
    interval, resamples, seed = given.get("ci", "none"), settings.resamples, settings.seed
    if drawn := re.fullmatch(r"(bootstrap|poisson)-(\d+)-seed(\d+)", interval):
        interval, resamples, seed = drawn[1], int(drawn[2]), int(drawn[3])
    if interval not in INTERVALS:
        raise UsageError(f"interval is '{interval}'; choose one of: {', '.join(INTERVALS)}")
    return replace(
        settings,
        conventions=record,
        universe=given.get("N", ""),
        pool=given.get("pool", "micro"),
        both=given.get("avg") == "both",
        interval=interval,
        resamples=resamples,
        seed=seed,
        fixes=tuple(given["fix"].split(",")) if "fix" in given else (),
        trim=given.get("trim", ""),
    )
