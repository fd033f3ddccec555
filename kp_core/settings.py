"""Hold every choice that changes a number as one flat record, and print it as one line that is read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, Literal, TypedDict, Unpack, cast, get_args, get_origin, get_type_hints
from urllib.parse import quote, unquote

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, read_toml, refuse_unless, unavailable
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import library

__version__ = "2.0.0"

#: A cutoff: a number of phrases, the document's gold size (O), all returned (M), the larger of both (G), none, or the
#: average gold size, which is a number in prepared data.
Cutoff = int | Literal["gold", "all", "larger", "none", "average"]
#: Cutoffs as users write them; see `parse_k`.
AnyK = int | str | Iterable[int | str]
Filter = Literal["none", "invalid-tokens", "one-word", "invalid-tokens,one-word"]
Duplicates = Literal["before", "after", "keep", "count"]
Denominator = Literal["k", "returned", "min(k,gold)"]
Average = Literal["usual", "macro", "f-of-means", "micro", "both", "subject", "subject-weighted"]
EmptyGold = Literal["skip", "zero", "one-if-empty", "zero-if-judged"]
SubjectEmpty = Literal["casimir", "zero"]
#: Averages whose values are those of subjects, not of documents.
SUBJECT = ("subject", "subject-weighted")
#: poisson: a bootstrap whose weights depend on the id of the document alone, so that data may be streamed. The last two
#: take the runs of a system as a sample too; where a system has several, two-way-t stands in for the first three.
Interval = Literal["bootstrap", "poisson", "cluster-t", "none", "two-way-t", "multi-bootstrap"]

LARGEST_K = 10_000


class Changes(TypedDict, total=False):
    """The fields of `Settings` as options of a verb; what they mean is said there."""

    preset: str
    k: AnyK
    annotators: str
    universe: str | float | None
    average: Average | None
    interval: Interval
    resamples: int
    seed: int
    normalise: str
    gold_stemmed: Literal["no", "yes"]
    by_concept: Literal["no", "yes"]
    titles: Literal["yes", "no"]
    variants: Literal["any", "first"]
    filter: Filter
    duplicates: Duplicates
    gold_list: Literal["unique", "listed"]
    hits_as: Literal["predictions", "gold"]
    denominator: Denominator
    missing: Literal["zero", "skip", "error"]
    empty_gold: EmptyGold
    subject_empty: SubjectEmpty
    ties: Literal["stable", "trec", "expected"]
    rel: float
    gain: Literal["linear", "exp", "propensity"]
    gains: Literal["relevant", "all"]
    ap: Literal["gold", "min(k,gold)", "hits"]
    ap_repeats: Literal["miss", "hit"]
    ideal: Literal["gold", "returned"]
    rr: Literal["first", "all-hits"]
    rr_miss: Literal["0", "1/(n+1)"]
    matching: Literal["one-to-one", "best"]
    sem_equal: Literal["both", "predictions"]
    fixes: tuple[str, ...]
    trim: str


@dataclass(frozen=True, init=False)
class Settings:
    """Everything that decides the numbers of an evaluation, apart from the data.

    preset      a published convention of `PRESETS` from which all other fields start; kpscope: the defaults here
    k           cutoffs: 10, "5,10,15", "1-50", "average" (mean number of keyphrases an annotator gave a document),
                "gold" (that of each document), "all", or a sequence
    annotators  the gold standard: union, majority[:M], intersection, votes, or one annotator; or others[:majority]:
                each annotator is left out in turn and stands beside the systems as the human ceiling
    universe    N: ngrams[:n], candidates, rankings, vocabulary, sentences or a number; by default n-grams with texts
    average     usual (macro over documents for lists, micro for concordance tables), macro, micro, f-of-means or both;
                subject or subject-weighted: over keyphrases or concepts
    interval    bootstrap over documents, poisson (the same where data are streamed), cluster-t or none; over documents
                and runs two-way-t, which stands for any of them where a system has several runs, or multi-bootstrap
    resamples, seed   of the bootstrap and of every random choice
    fixes, trim how the data were mended on loading, and how the gold standard was trimmed, such as 0.5-binary

    Every other field is a convention; `FIELDS` says what each decides. Raises UsageError for what does not exist.

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
    # The conventions, in the order of the signature.
    normalise: str = "nfkc+lower+space+porter-nltk"
    gold_stemmed: Literal["no", "yes"] = "no"
    by_concept: Literal["no", "yes"] = "no"
    titles: Literal["yes", "no"] = "yes"
    variants: Literal["any", "first"] = "any"
    filter: Filter = "none"
    duplicates: Duplicates = "before"
    gold_list: Literal["unique", "listed"] = "unique"
    hits_as: Literal["predictions", "gold"] = "predictions"
    denominator: Denominator = "k"
    average: Average = "usual"
    missing: Literal["zero", "skip", "error"] = "zero"
    empty_gold: EmptyGold = "skip"
    subject_empty: SubjectEmpty = "casimir"
    ties: Literal["stable", "trec", "expected"] = "stable"
    rel: float = 1.0
    gain: Literal["linear", "exp", "propensity"] = "linear"
    gains: Literal["relevant", "all"] = "relevant"
    ap: Literal["gold", "min(k,gold)", "hits"] = "gold"
    ap_repeats: Literal["miss", "hit"] = "miss"
    ideal: Literal["gold", "returned"] = "gold"
    rr: Literal["first", "all-hits"] = "first"
    rr_miss: Literal["0", "1/(n+1)"] = "0"
    matching: Literal["one-to-one", "best"] = "one-to-one"
    sem_equal: Literal["both", "predictions"] = "both"

    def __init__(self, **changes: Unpack[Changes]) -> None:
        if unknown := set(changes) - set(_DEFAULTS):
            raise UsageError(f"there is no setting '{sorted(unknown)[0]}'; the settings are: {', '.join(_DEFAULTS)}")
        named = preset(changes.get("preset", "kpscope"))
        given = {name: value for name, value in changes.items() if value is not None}
        vars(self).update({**_DEFAULTS, "k": named.k, **named.changes, **given})
        self._check()

    def _check(self) -> None:
        """Bring the fields into their one spelling; refuse a value that a field does not have."""
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
        for name, known in _VALUES.items():
            refuse_unless(getattr(self, name), known, name)
        if not 1 <= int(self.resamples) <= 100_000:
            raise UsageError(f"resamples is {self.resamples}; choose a number from 1 to 100000")
        if int(self.seed) < 0:
            raise UsageError(f"seed is {self.seed}; choose a whole number from 0 up")
        if self.ties == "expected" and (self.ap == "hits" or self.rr == "all-hits" or self.ap_repeats == "hit"):
            without = "ap = hits, ap_repeats = hit or rr = all-hits"
            raise UsageError(f"ties = expected has no closed form with {without}; choose ties = stable")

    def changed(self, **changes: Unpack[Changes]) -> Settings:
        """Return the settings with some fields set anew; a preset sets its conventions and its cutoffs first."""
        anew = {*FIELDS, "k"} if "preset" in changes else set()
        kept = {name: value for name, value in vars(self).items() if name not in anew}
        given = {name: value for name, value in changes.items() if value is not None}
        return Settings(**cast(Changes, {**kept, **given}))

    def as_dict(self) -> dict[str, str]:
        """Return the settings as the command line prints them: option name → value."""
        return {
            name: ",".join(map(str, value)) if isinstance(value, tuple) else format_value(value)
            for name, value in vars(self).items()
        }

    def differences(self, other: Settings) -> dict[str, tuple[Any, Any]]:
        """Return the conventions in which two records differ, with both values."""
        both = {name: (getattr(self, name), getattr(other, name)) for name in FIELDS}
        return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def settled(corpus: object, settings: Settings | None, changes: Changes) -> Settings:
    """Return the settings that a verb was called with; anything else is told, with the call that was meant.

    >>> settled(None, None, {})
    Traceback (most recent call last):
    kp_core.errors.UsageError: the first argument is None, which is no corpus; load one: kp.load(gold=…, systems=…)
    """
    if not isinstance(corpus, Corpus):
        found = "None" if corpus is None else f"a {type(corpus).__name__}"
        raise UsageError(f"the first argument is {found}, which is no corpus; load one: kp.load(gold=…, systems=…)")
    if settings is not None and not isinstance(settings, Settings):
        name = "preset" if str(settings) in PRESETS else "measures" if isinstance(settings, str) else "k"
        meant = f"{name}={settings!r}" + f", or measure={settings!r}" * (name == "measures")
        raise UsageError(f"the second argument is {settings!r}, which is no kp.Settings; name what it is: {meant}")
    own = Settings() if settings is None else settings
    return own.changed(**changes) if changes else own


_DEFAULTS: dict[str, Any] = {one.name: one.default for one in fields(Settings)}
#: The values of every field that has a list of them, the default first.
_VALUES: dict[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Settings).items() if get_origin(hint) is Literal
}


@dataclass(frozen=True)
class Field:
    """One convention: its key in the signature, what it decides, and the values it may take (default first).

    short   what is printed in the signature where it differs from the value
    silent  whether a signature names it only where it differs from its first value
    """

    key: str
    meaning: str
    values: tuple[str, ...] = ()
    short: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False


#: Every convention by its name, in the order of the signature.
FIELDS: dict[str, Field] = {
    name: Field(**words, values=_VALUES.get(name, ())) for name, words in read_toml("data/conventions.toml").items()
}


@dataclass(frozen=True)
class Preset:
    """A published convention: where it differs from the defaults, its cutoffs, and where it comes from.

    note        what else must be known to meet its numbers
    reproduced  values that are equal / compared, and on which outputs
    of          what it scores: a spread tries conventions of subject indexing only where concepts are compared, and
                those of a similarity only with measures of one
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
    """Return the presets that average over documents, those of subject indexing only where concepts are compared.

    semantic: also those of measures of a similarity.

    >>> "annif" in presets_for(Settings()), "annif" in presets_for(Settings(by_concept="yes"))
    (False, True)
    """
    meant = {name: one for name, one in PRESETS.items() if one.changes.get("average") not in SUBJECT}
    fits = {"keyphrases": True, "subjects": settings.by_concept == "yes", "similarity": semantic}
    return tuple(name for name, one in meant.items() if fits[one.of])


def preset(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        raise UsageError(f"there is no preset '{name}'; choose one of: {', '.join(PRESETS)}")
    return PRESETS[name]


def format_value(value: Any) -> str:
    """Print the value of a setting.

    >>> format_value(1.0), format_value("any")
    ('1', 'any')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def parse_k(k: AnyK) -> tuple[Cutoff, ...]:
    """Read cutoffs: 10, "5,10,15", "1-50", "average", "gold" (or "O"), "all" (or "M"), mixed, or a sequence.

    >>> parse_k("5,10,all"), parse_k("1-3"), parse_k(range(1, 3))
    ((5, 10, 'all'), (1, 2, 3), (1, 2))
    """
    given = k if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    # The last two belong to measures: they stand in settings, and nobody writes them.
    words = ("average", "gold", "all", "larger", "none")[: 5 if given is k else 3]
    parts = [str(part).strip() for part in given]
    cutoffs: list[Cutoff] = []
    for part in ",".join(parts).split(","):
        word = {"O": "gold", "M": "all"}.get(part.strip(), part.strip())
        first, dash, last = word.partition("-")
        if word in words:
            cutoffs.append(cast(Cutoff, word))
        elif (
            first.isdecimal() and (not dash or last.isdecimal()) and 1 <= int(first) <= int(last or first) <= LARGEST_K
        ):
            cutoffs.extend(range(int(first), int(last or first) + 1))
        else:
            raise unavailable("cutoff", part=part, largest=LARGEST_K)
    return tuple(dict.fromkeys(cutoffs))


def signature(settings: Settings, documents: int, concordance: bool = True) -> str:
    """Print settings as one ASCII line; two results are comparable iff their lines agree up to k, docs and v.

    concordance: whether concordance measures are among the results, so that the universe belongs to the recipe.
    """
    parts = {"preset": settings.preset} if settings.preset != "kpscope" else {}
    for name, convention in FIELDS.items():
        value = format_value(getattr(settings, name))
        if not convention.silent or value != convention.values[0]:
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
    """Return the version and a fingerprint of a signature, for a caption.

    >>> short_form("docs:20|v:1.0.0")
    'KPScope 1.0.0, recipe 86771ddf'
    """
    known = dict(part.split(":", 1) for part in line.split("|") if ":" in part)
    return f"KPScope {known.get('v', __version__)}, recipe {sha256(line.encode()).hexdigest()[:8]}"


_WORDS = read_toml("data/words.toml")


def question(setting: str) -> str:
    """Return what a setting asks.

    >>> question("duplicates")
    'Equal predictions in a list'
    """
    return str(_WORDS["questions"][setting])


def change_in_words(setting: str, text: str) -> str:
    """Return a setting with its value, as it stands in a sentence.

    >>> change_in_words("missing", "skip")
    'a document that a system has no list for is left out for this system'
    """
    asked, said = question(setting), in_words(setting, text)
    lead = asked if asked.startswith("nDCG") else f"{asked[:1].lower()}{asked[1:]}"
    return f"{lead.rstrip('?')}: {said}" if asked.endswith("?") or setting in _NAMED else f"{lead} {said}"


def differences(name: str) -> list[tuple[str, str, str]]:
    """Return the rules in which a preset differs from KPScope: the question, KPScope's answer, and the preset's.

    >>> differences("kpscope"), [rule for rule, *_ in differences("pke")][:1]
    ([], ['When are two phrases the same?'])
    """
    usual, named = Settings(), Settings(preset=name)
    both = {field: [format_value(getattr(one, field)) for one in (usual, named)] for field in FIELDS}
    return [(question(f), in_words(f, own), in_words(f, its)) for f, (own, its) in both.items() if own != its]


#: Questions that no verb of the values goes on.
_NAMED = ("filter", "gold_list", "hits_as", "gain", "ideal", "ties", "variants")


def in_words(setting: str, text: str) -> str:
    """Return the value of a setting in words; what is a name already, such as an annotator, stays.

    >>> in_words("missing", "skip"), in_words("annotators", "Ada"), in_words("normalise", "lower+snowball-en")
    ('is left out for this system', 'Ada', 'ignores upper case; Snowball stems (en)')
    """
    if setting == "normalise":
        return _pipeline(text)
    return str(_WORDS["values"].get(f"{setting} {text}", text))


def _pipeline(steps: str) -> str:
    """Return the steps by which phrases are compared in words."""
    if steps == "none":
        return "written alike, letter by letter"
    names = steps.split("+")
    ignored = [in_words("step", name) for name in names if name in ("nfkc", "lower", "space")]
    others = [in_words("step", name) for name in names if name not in ("nfkc", "lower", "space")]
    # Stemmers of many languages are named by their code.
    coded = [re.sub(r"^(.*snowball)-(..)$", lambda of: f"{in_words('step', of[1])} ({of[2]})", one) for one in others]
    return "; ".join([f"ignores {', '.join(ignored)}", *coded])


#: Fields of a signature beside the conventions.
_FURTHER = {"preset", "k", "N", "annot", "ci", "fix", "trim", "docs", "stem", "v", "soft"}


def settings_from(line: str) -> Settings:
    """Read settings back from a signature, with the meaning that its version gave it; the part `soft` is left out.

    >>> settings_from(signature(Settings(k=10), 100)).k
    (10,)
    """
    head, *parts = line.strip().split("|")
    if head != "kps" or any(":" not in part for part in parts):
        raise UsageError("this is no signature: expected a line such as kps|norm:…|k:10|docs:100|v:2.0.0")
    given = dict(part.split(":", 1) for part in parts)
    if len(given) < len(parts):
        raise UsageError("the signature names a field twice")
    if pool := given.pop("pool", ""):  # version 1.0 named the average of concordance tables apart
        given["avg"] = {"micro/macro": "usual", "macro/macro": "macro"}.get(
            f"{pool}/{given.get('avg')}", given.get("avg", "usual")
        )
    known = {one.key for one in FIELDS.values()} | _FURTHER
    if unknown := set(given) - known:
        raise UsageError(f"the signature has a field '{sorted(unknown)[0]}' that version {__version__} does not know")
    changes: dict[str, Any] = {"preset": given.get("preset", "kpscope")}
    for name, one in FIELDS.items():
        if one.key in given or one.silent:
            value = given.get(one.key) or one.values[0]
            changes[name] = {short: long for long, short in one.short.items()}.get(value, value)
    changes |= {name: given[key] for key, name in (("N", "universe"), ("trim", "trim")) if key in given}
    if "k" in given:
        changes["k"] = given["k"].split(",")
    if given.get("v", "").startswith("1."):
        changes["titles"] = "no"  # a text was not yet its title, then its text
    changes["annotators"] = unquote(given.get("annot", "union"))
    changes["fixes"] = tuple(given["fix"].split(",")) if "fix" in given else ()
    changes["interval"] = given.get("ci", "none")
    if drawn := re.fullmatch(r"(bootstrap|poisson|multi-bootstrap)-(\d+)-seed(\d+)", changes["interval"]):
        changes |= {"interval": drawn[1], "resamples": int(drawn[2]), "seed": int(drawn[3])}
    return Settings(**cast(Changes, changes))
