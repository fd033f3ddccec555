"""Relate every prediction to the gold standard, and every keyphrase to the predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import Corpus
from kp_core.errors import Note, pluralize
from kp_core.scoring.codes import Bools, Coded, Ints
from kp_core.scoring.prepare import prepare
from kp_core.scoring.semantic import CandidatePairs, candidate_pairs
from kp_core.scoring.systems import count_systems
from kp_core.settings import Changes, Settings
from kp_core.similarity.relation import NONE, TYPES, relate
from kp_core.similarity.tokens import Phrases, Tokenization
from kp_core.studies.result import Numbers
from kp_core.text.normalise import Normaliser

_RELATED = ("type", "morph", "reordered", "overlap")
#: Columns of predictions (the frame) and of gold entries.
PREDICTIONS = ("system", "document", "rank", "phrase", "hit", "keyphrase", *_RELATED)
ENTRIES = ("system", "document", "keyphrase", "hit", "phrase", "rank", *_RELATED)
_TYPES = {"hit": "bool", "morph": "bool", "reordered": "bool", "overlap": "float64", "rank": "Int64"}
_NAMES = np.array(list(TYPES), object)


def tokenization_of(settings: Settings, stemmer: str | None = None) -> Tokenization:
    """Return the recipe for words and stems that the evaluation's normalizer uses, optionally with another stemmer."""
    recipe = Tokenization.parse(settings.normalise)
    return Tokenization(recipe.words, recipe.stemmer if stemmer is None else stemmer)


def phrases_of(coded: Coded, settings: Settings) -> tuple[list[str], Bools | None]:
    """Return all phrases and a mask of stems; if the gold standard is stemmed, all phrases are repeated as stems."""
    phrases = coded.phrases.to_pylist()
    if settings.gold_stemmed != "yes":
        return phrases, None
    return phrases * 2, np.repeat([False, True], len(phrases))


@dataclass(frozen=True, kw_only=True)
class NearMisses(Numbers):
    """Predictions within the first cutoff and gold entries, each with its best counterpart.

    The best counterpart is chosen by type in the order of `TYPES`, then by R-precision, then by position. If no phrase
    shares a stem, the type is NONE and there is no counterpart.

    Attributes
    ----------
    frame : DataFrame
        Predictions, with the columns of `PREDICTIONS`; `hit` as in the evaluation, `keyphrase` the best gold entry.
    gold : DataFrame
        One row per system and gold entry, with the columns of `ENTRIES`; `phrase` and `rank` of the best prediction.
    """

    gold: pd.DataFrame
    caption: str = "Predictions and their nearest keyphrases"

    def counts(self, side: Literal["predictions", "gold"] = "predictions") -> pd.DataFrame:
        """Return how many predictions (or, for side = gold, gold entries) of each system belong to each type."""
        table = {"predictions": self.frame, "gold": self.gold}[side]
        counts = table.groupby(["system", "type"], sort=False).size().unstack("type", fill_value=0)  # noqa: PD010
        return counts.reindex(columns=list(TYPES), fill_value=0).rename_axis(columns=None).reset_index()

    @property
    def _near(self) -> pd.Series[bool]:
        return ~self.frame["hit"] & (self.frame["type"] != "NONE")

    def shares(self) -> pd.DataFrame:
        """Return for each system: predictions, hits, misses, near misses, and their share of the misses.

        A miss is a prediction that is not a hit; it is near if its type is not NONE. A phrase
        that repeats a hit in another spelling is a miss as well.
        """
        hit = self.frame["hit"]
        table = self.frame[["system"]].assign(predictions=1, hits=hit, misses=~hit, near=self._near)
        counts = table.groupby("system", sort=False).sum().astype(int).reset_index()
        return counts.assign(share=counts["near"] / counts["misses"].where(counts["misses"] > 0))

    def examples(self, number: int = 10) -> pd.DataFrame:
        """Return the most frequent near misses of each system and type: keyphrase, phrase, and count, highest first."""
        keys = ["system", "type", "keyphrase", "phrase"]
        counts = self.frame[self._near].groupby(keys, sort=False).size().rename("count").reset_index()
        counts["order"] = counts["type"].map({name: index for index, name in enumerate(TYPES)})
        counts = counts.sort_values(["count", "keyphrase", "phrase"], ascending=[False, True, True], kind="stable")
        counts = counts.groupby(["system", "type"], sort=False).head(number)
        return counts.sort_values(["system", "order"], kind="stable").drop(columns="order").reset_index(drop=True)


def near_misses(corpus: Corpus, settings: Settings | None = None, /, **changes: Unpack[Changes]) -> NearMisses:
    """Return how predictions within the first cutoff relate to the gold standard.

    References
    ----------
    Kim, Baldwin & Kan 2010, section 2; Zesch & Gurevych 2009.
    """
    data = prepare(corpus, settings, **changes)
    coded, settings, gold = data.coded, data.settings, data.gold
    phrases, documents = _phrases(coded, settings), np.array(coded.documents, object)
    tables: dict[str, list[pd.DataFrame]] = {"row": [], "item": []}
    for system, by_matcher in count_systems(data, ["exact"]).items():
        counts, alignment = by_matcher.exact, by_matcher.exact.alignment
        candidates = candidate_pairs(data, coded.runs[system], alignment)
        is_within_cutoff = candidates.rank <= counts.limit(settings.k[0])[candidates.document]
        is_counted = alignment.is_best_ranked | (settings.duplicates == "count")
        hit, hit_items = np.zeros(len(is_within_cutoff), bool), np.zeros(len(gold.grade), bool)
        hit[alignment.row[is_counted]] = True
        hit_items[alignment.item[is_counted & is_within_cutoff[alignment.row]]] = True
        pairs, rows = _pairs(candidates, phrases, is_within_cutoff), np.flatnonzero(is_within_cutoff)
        for key, counterpart, numbers, document, hits in (
            ("row", "item", rows, candidates.document[rows], hit[rows]),
            ("item", "row", np.arange(len(gold.grade)), gold.document, hit_items),
        ):
            best = _best(pairs, key, counterpart, numbers)
            if key == "item":
                best["spelling"] = np.searchsorted(candidates.item, numbers)  # the first spelling in the file
            table = best.assign(system=system, document=documents[document], hit=hits)
            table["rank"] = best["row"].map(pd.Series(candidates.rank))
            table["phrase"] = _spellings(coded, candidates.phrase, best["row"])
            table["keyphrase"] = _spellings(coded, candidates.spelling, best["spelling"])
            tables[key].append(table)
    frame = _joined(tables["row"], PREDICTIONS).astype({"rank": "int64"})
    current = settings.changed(k=settings.k[0])
    notes = (*data.notes, *_notes_on_types(frame))
    return NearMisses(frame, current, notes, len(data.documents), False, gold=_joined(tables["item"], ENTRIES))


def _notes_on_types(frame: pd.DataFrame) -> list[Note]:
    """Explain why a system's hits are not exactly its predictions of types EXACT and MORPH."""
    notes = []
    for system, rows in frame.groupby("system", sort=False):
        is_equal, hit = rows["type"].isin(["EXACT", "MORPH"]), rows["hit"]
        type_only, hit_only = int((is_equal & ~hit).sum()), int((hit & ~is_equal).sum())
        if type_only or hit_only:
            hits = pluralize(int(hit.sum()), "prediction counts as a hit", "predictions count as hits")
            text = f"{hits}, and {int(is_equal.sum()):,} equal a keyphrase or another form of one"
            repeated = pluralize(type_only, "repeats another or still differs", "repeat others or still differ")
            no_hits = f"of these, {repeated} after normalization"
            others = f"{pluralize(hit_only, 'hit is', 'hits are')} spelled differently"
            notes.append(
                Note("info", str(system), "; ".join([text, *[no_hits] * bool(type_only), *[others] * bool(hit_only)]))
            )
    return notes


def _phrases(coded: Coded, settings: Settings) -> Phrases:
    """Return phrases normalized as in the evaluation and stemmed, so that all hits are EXACT or MORPH."""
    normaliser = Normaliser.parse(settings.normalise)
    recipe = tokenization_of(settings)
    steps = [step for step in recipe.words.split("+") if step != "none"]
    steps += [step for step in ("lower", "space", "possessive-drop") if step not in steps]
    stemmer = recipe.stemmer or ("" if normaliser.stemmer else "porter-nltk")
    texts, stemmed = phrases_of(coded, settings)
    return Phrases(texts, Tokenization("+".join(steps), stemmer), stemmed)


def _pairs(candidates: CandidatePairs, phrases: Phrases, is_within_cutoff: Bools) -> pd.DataFrame:
    parts = [pd.DataFrame(columns=["row", "item", "spelling", *_RELATED])]
    for row, spelling in candidates.pairs(is_within_cutoff):
        related = relate(phrases, candidates.spelling[spelling], candidates.phrase[row])
        pairs = related[list(_RELATED)].assign(row=row, item=candidates.item[spelling], spelling=spelling)
        parts.append(pairs[pairs["type"] < NONE])
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _best(pairs: pd.DataFrame, key: str, counterpart: str, numbers: Ints) -> pd.DataFrame:
    """Return the best pair of each row or item by type, then higher overlap, then lower `counterpart`; else NONE."""
    directions = {counterpart: 1, "overlap": -1, "type": 1, key: 1}
    order = np.lexsort(tuple(pairs[name].to_numpy(float) * direction for name, direction in directions.items()))
    best = pairs.iloc[order].drop_duplicates(key).set_index(key, drop=False).reindex(numbers)
    flags = {name: best[name].eq(True) for name in ("morph", "reordered")}
    types = _NAMES[best["type"].fillna(NONE).to_numpy(np.int64)]
    return best.assign(**{key: numbers}, **flags, type=types, overlap=best["overlap"].fillna(0.0))


def _spellings(coded: Coded, phrases: Ints, numbers: pd.Series[Any]) -> list[str]:
    indices = [None if number != number else phrases[int(number)] % len(coded.phrases) for number in numbers]
    return [phrase or "" for phrase in coded.phrases.take(pa.array(indices, pa.int64())).to_pylist()]


def _joined(parts: list[pd.DataFrame], columns: tuple[str, ...]) -> pd.DataFrame:
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))
    return table[list(columns)].astype({name: _TYPES.get(name, "str") for name in columns})
