"""Define all settings that affect results as one flat record with a signature of one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast, get_args
from urllib.parse import quote, unquote

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, read_toml, refuse_unless, usage_error
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import library

__version__ = "2.0.0"

#: A cutoff: number of phrases, gold size of the document (O), all returned (M), the larger of the two (G), none, or the
#: average gold size, which `prepare` replaces with a number.
Cutoff = int | Literal["gold", "all", "larger", "none", "average"]
AnyK = int | str | Iterable[int | str]
#: Averages over subjects instead of documents.
SUBJECT = ("subject", "subject-weighted")
#: poisson: a bootstrap with weights that depend only on the document id, so that data may be streamed. The last two
#: also sample runs; two-way-t replaces the first three if a system has several runs.
Interval = Literal["bootstrap", "poisson", "cluster-t", "none", "two-way-t", "multi-bootstrap"]
INTERVALS = get_args(Interval)

LARGEST_K = 10_000


@dataclass(frozen=True)
class Convention:
    """A convention; `data/conventions.toml` explains the fields."""

    key: str
    question: str
    meaning: str
    group: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    default: Any = ""
    short: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    named: bool = False
    of_counts: bool = False
    of_data: bool = False

    @property
    def usual(self) -> Any:
        """The default value."""
        return next(iter(self.values), self.default)


CONVENTIONS = {name: Convention(**entry) for name, entry in read_toml("data/conventions.toml").items()}


def _with_conventions(settings: type[Any]) -> type[Any]:
    for name, convention in CONVENTIONS.items():
        settings.__annotations__[name] = "Any"
        setattr(settings, name, convention.usual)
    return settings


@dataclass(frozen=True, init=False)
@_with_conventions
class Settings:
    """Everything that determines the numbers of an evaluation, apart from the data.

    Every other field is a convention; `CONVENTIONS` has its meaning and values.

    Attributes
    ----------
    preset : str
        A published convention of `PRESETS` that sets all other fields; kpscope: the defaults.
    k : tuple
        Cutoffs: 10, "5,10,15", "1-50", "average" (mean number of keyphrases per annotator and document), "gold" (gold
        size of each document), "all", or a sequence.
    annotators : str
        Gold standard: union, majority[:M], intersection, votes, or one annotator; or others[:majority], which leaves
        out each annotator in turn and scores that person like a system (human ceiling).
    universe : str
        N: ngrams[:n], candidates, rankings, vocabulary, sentences or a number; by default n-grams if there are texts.
    average : str
        usual (macro for lists, micro for concordance tables), macro, micro, f-of-means or both; subject or
        subject-weighted: over keyphrases or concepts.
    interval : str
        bootstrap over documents, poisson (also used for streamed data), cluster-t or none; with several runs two-way-t
        (also in place of these) or multi-bootstrap.
    resamples, seed : int
        Number of resamples, and seed of the random numbers.
    fixes, trim
        Fixes applied on loading, and how the gold standard was trimmed, such as 0.5-binary.

    Raises
    ------
    UsageError
        If a field or value does not exist.

    Examples
    --------
    >>> Settings(k="5,10", preset="pke").denominator, Settings(k=3).changed(average="macro").k
    ('returned', (3,))
    """

    preset: str = "kpscope"
    k: tuple[Cutoff, ...] = ("average",)
    annotators: str = "union"
    universe: str = ""
    interval: Interval = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    fixes: tuple[str, ...] = ()
    trim: str = ""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of a convention."""

    def __init__(self, **changes: Unpack[Changes]) -> None:
        if unknown := set(changes) - set(_DEFAULTS):
            raise UsageError(f"there is no setting '{sorted(unknown)[0]}'; the settings are: {', '.join(_DEFAULTS)}")
        name = changes.get("preset", "kpscope")
        refuse_unless(name, PRESETS, "preset")
        preset = PRESETS[name]
        given_values = {name: value for name, value in changes.items() if value is not None}
        vars(self).update({**_DEFAULTS, "k": preset.k, **preset.changes, **given_values})
        self._check()

    def _check(self) -> None:
        try:
            rel = float(self.rel)
        except ValueError:
            rel = float("nan")
        if not rel < float("inf"):
            raise UsageError(f"rel is '{self.rel}'; write a number, such as 1")
        vars(self).update(
            k=parse_k(self.k),
            universe=format_value(self.universe).strip(),
            normalise=str(Normaliser.parse(self.normalise)),
            fixes=tuple(self.fixes),
            rel=rel,
        )
        refuse_unless(self.interval, INTERVALS, "interval")
        for name, convention in CONVENTIONS.items():
            if convention.values:
                refuse_unless(getattr(self, name), convention.values, name)
        if not 1 <= int(self.resamples) <= 100_000:
            raise UsageError(f"resamples is {self.resamples}; choose a number from 1 to 100000")
        if int(self.seed) < 0:
            raise UsageError(f"seed is {self.seed}; choose a whole number of at least 0")
        if self.ties == "expected" and (self.ap == "hits" or self.rr == "all-hits" or self.ap_repeats == "hit"):
            without = "ap = hits, ap_repeats = hit or rr = all-hits"
            raise UsageError(f"ties = expected has no closed form with {without}; choose ties = stable")

    def changed(self, **changes: Any) -> Settings:
        """Return settings with changed fields; a preset is applied first and sets its conventions and cutoffs."""
        reset = {*CONVENTIONS, "k"} if "preset" in changes else set()
        unchanged = {name: value for name, value in vars(self).items() if name not in reset}
        return Settings(**unchanged | {name: value for name, value in changes.items() if value is not None})

    def as_dict(self) -> dict[str, str]:
        """Return {option: its value as a string}."""
        return {
            name: ",".join(map(str, value)) if isinstance(value, tuple) else format_value(value)
            for name, value in vars(self).items()
        }

    def differences(self, other: Settings) -> dict[str, tuple[Any, Any]]:
        """Return the conventions in which two settings differ, with both values."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in CONVENTIONS}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def resolve_settings(corpus: object, settings: Settings | None, changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a call; if the arguments are of another kind, raise an error with the intended call."""
    if not isinstance(corpus, Corpus):
        found = "None" if corpus is None else f"a {type(corpus).__name__}"
        raise UsageError(f"the first argument is {found}, which is not a corpus; load one: kp.load(gold=…, systems=…)")
    if settings is not None and not isinstance(settings, Settings):
        name = "preset" if str(settings) in PRESETS else "measures" if isinstance(settings, str) else "k"
        suggestion = f"{name}={settings!r}" + f", or measure={settings!r}" * (name == "measures")
        raise UsageError(f"the second argument is {settings!r}, not a kp.Settings; name its parameter: {suggestion}")
    base = Settings() if settings is None else settings
    return base.changed(**changes) if changes else base


_DEFAULTS: dict[str, Any] = {item.name: item.default for item in fields(Settings)}

if TYPE_CHECKING:
    from kp_core.data.changes import Changes as Changes  # a stub generated by docs/written.py
else:
    Changes = TypedDict("Changes", dict.fromkeys(_DEFAULTS, Any), total=False)


@dataclass(frozen=True)
class Preset:
    """A published convention: its source, differences from the defaults, and cutoffs.

    * `note`: further conditions for its numbers; `reproduced`: equal / compared values, and the outputs used; `of`:
      kind of data scored (see `presets_for`)
    """

    source: str
    changes: Mapping[str, Any]
    k: tuple[Cutoff, ...] = ("average",)
    note: str = ""
    reproduced: str = ""
    of: Literal["keyphrases", "subjects", "similarity"] = "keyphrases"


PRESETS: dict[str, Preset] = {
    name: Preset(**{**words, "k": tuple(words.get("k", Preset.k))})
    for name, words in read_toml("data/presets.toml").items()
}


def presets_for(settings: Settings, semantic: bool = False) -> tuple[str, ...]:
    """Return the presets that average over documents, with subject indexing only if concepts are compared.

    * `semantic`: include presets for similarity measures
    """
    fits = {"keyphrases": True, "subjects": settings.by_concept == "yes", "similarity": semantic}
    return tuple(
        name for name, preset in PRESETS.items() if fits[preset.of] and preset.changes.get("average") not in SUBJECT
    )


def format_value(value: Any) -> str:
    """Return the value of a setting as a string."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def parse_k(k: AnyK) -> tuple[Cutoff, ...]:
    """Parse cutoffs: 10, "5,10,15", "1-50", "average", "gold" (or "O"), "all" (or "M"), mixed, or a sequence."""
    values = k if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    # The last two are internal cutoffs of measures.
    names = ("average", "gold", "all", "larger", "none")[: 5 if values is k else 3]
    parts = [str(part).strip() for part in values]
    cutoffs: list[Cutoff] = []
    for part in ",".join(parts).split(","):
        word = {"O": "gold", "M": "all"}.get(part.strip(), part.strip())
        first, dash, last = word.partition("-")
        if word in names:
            cutoffs.append(cast(Cutoff, word))
        elif (
            first.isdecimal() and (not dash or last.isdecimal()) and 1 <= int(first) <= int(last or first) <= LARGEST_K
        ):
            cutoffs.extend(range(int(first), int(last or first) + 1))
        else:
            raise usage_error("cutoff", part=part, largest=LARGEST_K)
    return tuple(dict.fromkeys(cutoffs))


def signature(settings: Settings, documents: int, concordance: bool = True) -> str:
    """Return settings as one line of ASCII; results are comparable if their signatures differ only in k, docs and v.

    Parameters
    ----------
    concordance : bool
        Whether the results include concordance measures, so that the universe is part of the signature.
    """
    parts = {"preset": settings.preset} if settings.preset != "kpscope" else {}
    for name, convention in CONVENTIONS.items():
        value = format_value(getattr(settings, name))
        if not convention.silent or value != convention.usual:
            parts[convention.key] = convention.short.get(value, value)
    parts["k"] = ",".join(map(str, settings.k))
    if concordance:
        parts["N"] = str(settings.universe)
    parts["annot"] = quote(settings.annotators, safe=":")
    if settings.interval != "none":
        seeded = settings.interval in ("bootstrap", "poisson", "multi-bootstrap")
        parts["ci"] = settings.interval + (f"-{settings.resamples}-seed{settings.seed}" if seeded else "")
    if settings.fixes:
        parts["fix"] = ",".join(settings.fixes)
    if settings.trim:
        parts["trim"] = settings.trim
    stemmer = library(Normaliser.parse(settings.normalise).stemmer)
    parts |= {"docs": str(documents), "stem": stemmer, "v": __version__}
    return "|".join(["kps", *(f"{key}:{value}" for key, value in parts.items())])


def short_form(line: str) -> str:
    """Return the version and a fingerprint of a signature, for a caption."""
    parts = dict(part.split(":", 1) for part in line.split("|") if ":" in part)
    return f"KPScope {parts.get('v', __version__)}, signature {sha256(line.encode()).hexdigest()[:8]}"


_WORDS = read_toml("data/words.toml")


def question(setting: str) -> str:
    """Return the question that a setting answers."""
    return CONVENTIONS[setting].question if setting in CONVENTIONS else str(_WORDS["questions"][setting])


def change_in_words(setting: str, text: str) -> str:
    """Describe the value of a setting as part of a sentence."""
    label, answer = question(setting), in_words(setting, text)
    lead = label if label.startswith("nDCG") else f"{label[:1].lower()}{label[1:]}"
    has_name = setting in CONVENTIONS and CONVENTIONS[setting].named
    return f"{lead.rstrip('?')}: {answer}" if label.endswith("?") or has_name else f"{lead} {answer}"


def spelled_out(text: str) -> str:
    """Replace the names of settings in a message with those on screen."""
    return _SETTING.sub(lambda match: f"“{question(match[1]).rstrip('?')}: {in_words(match[1], match[2])}”", text)


def remedy_in_words(setting: str, value: str) -> str:
    """Return the label of a button that changes a setting."""
    remedies = _WORDS["remedies"]
    return str(remedies.get(f"{setting} {value}") or remedies[setting])


#: A setting and its value, such as “missing = skip”.
_SETTING = re.compile(rf"\b({'|'.join({*_WORDS['questions'], *CONVENTIONS} - {'k', 'N'})}) = ([^\s;,.]*[^\s;,.)])")


def differences(name: str) -> list[tuple[str, str, str]]:
    """Return the conventions in which a preset differs from the default, as (question, default, value of the preset).

    Examples
    --------
    >>> differences("kpscope"), [rule for rule, *_ in differences("pke")][:1]
    ([], ['When are two phrases the same?'])
    """
    changes = Settings().differences(Settings(preset=name)).items()
    both = {field: [in_words(field, format_value(value)) for value in values] for field, values in changes}
    return [(question(field), default, value) for field, (default, value) in both.items()]


def in_words(setting: str, text: str) -> str:
    """Return the value of a setting in words; names, such as those of annotators, are unchanged."""
    if setting == "normalise":
        return _pipeline(text)
    if setting in CONVENTIONS:
        return CONVENTIONS[setting].values.get(text, text)
    return str(_WORDS["values"].get(f"{setting} {text}", text))


def _pipeline(steps: str) -> str:
    if steps == "none":
        return "spelled exactly alike"
    names = steps.split("+")
    ignored = [in_words("step", name) for name in names if name in ("nfkc", "lower", "space")]
    others = [in_words("step", name) for name in names if name not in ("nfkc", "lower", "space")]
    stemmer = re.compile(r"^(.*snowball)-(..)$")  # with its language code
    step_labels = [stemmer.sub(lambda match: f"{in_words('step', match[1])} ({match[2]})", step) for step in others]
    return "; ".join([f"ignores {', '.join(ignored)}", *step_labels])


_FURTHER = {"preset", "k", "N", "annot", "ci", "fix", "trim", "docs", "stem", "v", "soft"}


def settings_from(line: str) -> Settings:
    """Return settings from a signature, without the field `soft`.

    Examples
    --------
    >>> settings_from(signature(Settings(k=10), 100)).k
    (10,)
    """
    head, *parts = line.strip().split("|")
    if head != "kps" or any(":" not in part for part in parts):
        raise UsageError("this is not a signature: expected a line such as kps|norm:…|k:10|docs:100|v:2.0.0")
    values = dict(part.split(":", 1) for part in parts)
    if len(values) < len(parts):
        raise UsageError("the signature names a field twice")
    made_by = values.get("v", __version__)
    if made_by.partition(".")[0] != __version__.partition(".")[0]:
        raise UsageError(f"the signature was made by version {made_by}, whose conventions had other meanings")
    known_keys = {convention.key for convention in CONVENTIONS.values()} | _FURTHER
    if unknown := set(values) - known_keys:
        raise UsageError(f"the signature has a field '{sorted(unknown)[0]}' that version {__version__} does not know")
    changes: dict[str, Any] = {"preset": values.get("preset", "kpscope")}
    for name, convention in CONVENTIONS.items():
        if convention.key in values or convention.silent:
            value = values.get(convention.key) or convention.usual
            changes[name] = {short: long for long, short in convention.short.items()}.get(value, value)
    changes |= {name: values[key] for key, name in (("N", "universe"), ("trim", "trim")) if key in values}
    if "k" in values:
        changes["k"] = values["k"].split(",")
    changes["annotators"] = unquote(values.get("annot", "union"))
    changes["fixes"] = tuple(values["fix"].split(",")) if "fix" in values else ()
    changes["interval"] = values.get("ci", "none")
    if match := re.fullmatch(r"(bootstrap|poisson|multi-bootstrap)-(\d+)-seed(\d+)", changes["interval"]):
        changes |= {"interval": match[1], "resamples": int(match[2]), "seed": int(match[3])}
    return Settings(**changes)
