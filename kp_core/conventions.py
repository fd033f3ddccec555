"""Hold every choice that changes a number as one record, with presets named after published conventions."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from kp_core.errors import UsageError
from kp_core.text.normalise import Normaliser


@dataclass(frozen=True)
class Field:
    """One convention: its key in the signature, the values it may take (default first) and what they mean."""

    key: str
    values: tuple[str, ...]
    meaning: str
    #: what is printed in the signature where it differs from the value
    short: tuple[tuple[str, str], ...] = ()


#: Every field of `Conventions`, in the order of the signature. An empty `values` means free text, checked elsewhere.
FIELDS: dict[str, Field] = {
    "normalise": Field("norm", (), "pipeline that decides when two phrases are the same"),
    "gold_stemmed": Field("gstem", ("no", "yes"), "the gold standard was released as stems and is not stemmed again"),
    "variants": Field("var", ("any", "first"), "all accepted spellings of a gold entry, or only the first"),
    "filter": Field(
        "filter",
        ("none", "invalid-tokens", "one-word", "invalid-tokens,one-word"),
        "predictions dropped first: with a token , . or <unk>; one-word predictions after the first",
    ),
    "duplicates": Field(
        "dup",
        ("before", "after", "keep", "count"),
        "equal predictions: dropped before the cut; after it; kept as misses; counted as hits again",
    ),
    "gold_list": Field("gold", ("unique", "listed"), "size of the gold standard: distinct entries, or as listed"),
    "hits_as": Field(
        "hits",
        ("predictions", "gold"),
        "count predictions that match, or gold entries matched",
        (("predictions", "pred"),),
    ),
    "denominator": Field(
        "den", ("k", "returned", "min(k,gold)"), "of precision: k, the number returned up to k, or min(k, gold size)"
    ),
    "average": Field(
        "avg",
        ("macro", "f-of-means", "micro"),
        "of P, R and F1: mean over documents, F of the mean P and R, or pooled counts",
    ),
    "missing": Field(
        "miss", ("zero", "skip", "error"), "a document the system has no list for: 0, left out, or refused"
    ),
    "empty_gold": Field(
        "empty",
        ("skip", "zero", "one-if-empty"),
        "a document without gold: left out, 0, or 1 if the system is silent too",
    ),
    "ties": Field(
        "ties",
        ("stable", "trec", "expected"),
        "equal scores: input order, phrase descending, or mean over all orders (repeats inside a tie keep their order)",
    ),
    "rel": Field("rel", (), "smallest grade that counts as relevant"),
    "gain": Field("gain", ("linear", "exp"), "gain of nDCG: the grade, or 2 to the grade minus 1"),
    "ap": Field("ap", ("gold", "min(k,gold)", "hits"), "denominator of average precision"),
    "ideal": Field("ideal", ("gold", "returned"), "ideal ranking of nDCG: from all gold, or from what was returned"),
    "rr": Field("rr", ("first", "all-hits"), "reciprocal rank of the first hit, or mean over all hits"),
    "rr_miss": Field("rrmiss", ("0", "1/(n+1)"), "reciprocal rank of a list without a hit"),
}

#: Every field and value that is listed, in this order.
LISTED = tuple((name, value) for name, field in FIELDS.items() for value in field.values)


@dataclass(frozen=True)
class Conventions:
    """The convention record; the defaults are the preset `kpscope`.

    >>> Conventions().denominator
    'k'
    >>> Conventions(denominator="returned") == Conventions().changed(denominator="returned")
    True
    """

    normalise: str = "nfkc+lower+space+porter-nltk"
    gold_stemmed: str = "no"
    variants: str = "any"
    filter: str = "none"
    duplicates: str = "before"
    gold_list: str = "unique"
    hits_as: str = "predictions"
    denominator: str = "k"
    average: str = "macro"
    missing: str = "zero"
    empty_gold: str = "skip"
    ties: str = "stable"
    rel: float = 1.0
    gain: str = "linear"
    ap: str = "gold"
    ideal: str = "gold"
    rr: str = "first"
    rr_miss: str = "0"

    def __post_init__(self) -> None:
        """Refuse a value that its field does not have."""
        object.__setattr__(self, "normalise", str(Normaliser.parse(self.normalise)))
        for name, field in FIELDS.items():
            value = getattr(self, name)
            if field.values and value not in field.values:
                raise UsageError(f"{name} is '{value}'; choose one of: {', '.join(field.values)}")
        if self.ties == "expected" and (self.ap == "hits" or self.rr == "all-hits"):
            raise UsageError("ties = expected has no closed form with ap = hits or rr = all-hits; choose ties = stable")
        try:
            object.__setattr__(self, "rel", float(self.rel))
        except ValueError:
            raise UsageError(f"rel is '{self.rel}'; write a number, such as 1") from None
        if not self.rel < float("inf"):
            raise UsageError(f"rel is {self.rel}; write a number, such as 1")

    def changed(self, **changes: Any) -> Conventions:
        """Return the record with some fields set anew; an unknown name is refused with the known ones."""
        unknown = set(changes) - set(FIELDS)
        if unknown:
            raise UsageError(f"there is no convention '{sorted(unknown)[0]}'; the conventions are: {', '.join(FIELDS)}")
        return replace(self, **changes)

    def differences(self, other: Conventions) -> dict[str, tuple[Any, Any]]:
        """Return the fields in which two records differ, with both values."""
        return {
            field.name: (getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        }


@dataclass(frozen=True)
class Preset:
    """A named record, the cutoffs it was published with, and where it comes from."""

    conventions: Conventions
    source: str
    k: tuple[int | str, ...] = ("average",)


_LOWER_PORTER = "lower+space+porter-nltk"
_KPEVAL = Conventions(_LOWER_PORTER, variants="first", average="f-of-means", empty_gold="zero", ideal="returned")

PRESETS: dict[str, Preset] = {
    "kpscope": Preset(Conventions(), "the defaults of this project"),
    "semeval2010": Preset(
        Conventions("lower+space+porter-semeval", gold_list="listed", average="micro"),
        "official ranking of SemEval-2010 task 5 (Kim et al. 2010); that duplicates go before the cut is our reading",
        (5, 10, 15),
    ),
    "ijcnlp13": Preset(
        Conventions(_LOWER_PORTER, variants="first", gold_list="listed"),
        "per-document scores published with Boudin 2013 (IJCNLP)",
        (10,),
    ),
    "jcdl20": Preset(
        Conventions(
            _LOWER_PORTER,
            duplicates="keep",
            gold_list="listed",
            hits_as="gold",
            denominator="returned",
            missing="skip",
            empty_gold="zero",
        ),
        "evaluation code of Gallina, Boudin and Daille 2020 (JCDL)",
    ),
    "pke": Preset(
        Conventions(_LOWER_PORTER, variants="first", duplicates="keep", gold_list="listed", denominator="returned"),
        "evaluation script of the pke toolkit (Boudin 2016)",
        (5, 10),
    ),
    "kpeval": Preset(_KPEVAL, "KPEval (Wu et al. 2024)", (5, "all", "gold")),
    "chan": Preset(
        _KPEVAL.changed(filter="invalid-tokens,one-word"),
        "evaluation code of Chan et al. 2019 (ACL)",
        (5, "all", "gold"),
    ),
    "opennmt-kpg": Preset(
        Conventions(
            _LOWER_PORTER,
            variants="first",
            filter="invalid-tokens",
            gold_list="listed",
            denominator="returned",
            empty_gold="zero",
            rr="all-hits",
        ),
        "OpenNMT-kpg (Meng et al. 2021)",
        (5, 10, "all", "gold"),
    ),
    "kex": Preset(
        Conventions(
            _LOWER_PORTER,
            variants="first",
            duplicates="keep",
            gold_list="listed",
            denominator="min(k,gold)",
            average="micro",
            rr_miss="1/(n+1)",
        ),
        "kex (Ushio, Liberatore and Camacho-Collados 2021)",
        (5, 10),
    ),
    "trec": Preset(
        Conventions(variants="first", missing="skip", ties="trec"), "trec_eval 9, as far as keyphrases allow"
    ),
}


def preset(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        raise UsageError(f"there is no preset '{name}'; choose one of: {', '.join(PRESETS)}")
    return PRESETS[name]
