"""Turn a corpus and settings into near misses: how every prediction relates to the gold standard, and the reverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import Corpus
from kp_core.errors import Note
from kp_core.scoring.codes import Bools, Coded, Ints
from kp_core.scoring.gold import Gold
from kp_core.scoring.match import Lists, match, newly, ranked_lists
from kp_core.scoring.prepare import prepare
from kp_core.settings import Changes, Settings
from kp_core.similarity.relation import NONE, TYPES, relate
from kp_core.similarity.tokens import Phrases, Recipe
from kp_core.studies.phrase_pairs import Facing, face, phrases_of, recipe_of
from kp_core.studies.result import Answer
from kp_core.text.normalise import Normaliser

_SHARED = {"type": "str", "morph": "bool", "reordered": "bool", "overlap": "float64"}
PREDICTIONS = {
    "system": "str",
    "document": "str",
    "rank": "int64",
    "phrase": "str",
    "hit": "bool",
    "keyphrase": "str",
    **_SHARED,
}
ENTRIES = {
    "system": "str",
    "document": "str",
    "keyphrase": "str",
    "hit": "bool",
    "phrase": "str",
    "rank": "Int64",
    **_SHARED,
}
_NAMES = np.array(list(TYPES), object)


@dataclass(frozen=True)
class NearMisses(Answer):
    """Predictions within the first k, and gold entries, each beside its best counterpart.

    predictions   columns of `PREDICTIONS`; hit is that of the evaluation, keyphrase the best gold entry
    gold          columns of `ENTRIES`, every entry once a system; phrase and rank are those of the best prediction
    frame         the predictions, which are what leaves

    The best is of the first type in `TYPES`, then of the higher R-precision, then the earlier one. Without a common
    stem the type is NONE and the counterpart is empty.
    """

    predictions: pd.DataFrame
    gold: pd.DataFrame
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    agreement: bool = False
    caption: str = "Predictions beside their nearest keyphrases"

    @property
    def frame(self) -> pd.DataFrame:
        """The predictions, row by row."""
        return self.predictions

    def counts(self, side: str = "predictions", by_document: bool = False) -> pd.DataFrame:
        """Return how many predictions (or `gold` entries) of each system, or document, are of each type."""
        table: pd.DataFrame = getattr(self, side)
        keys = ["system", "document"] if by_document else ["system"]
        found = table.groupby([*keys, "type"], sort=False, observed=True).size().unstack("type", fill_value=0)  # noqa: PD010
        return found.reindex(columns=list(TYPES), fill_value=0).rename_axis(columns=None).reset_index()

    def shares(self) -> pd.DataFrame:
        """Return for each system: predictions, hits, misses, near misses, and their share of the misses.

        A miss is a prediction that the evaluation does not count; it is near if it is of any type but NONE. A phrase
        that repeats a hit in another spelling is a miss as well.
        """
        missed = ~self.predictions["hit"]
        near = missed & (self.predictions["type"] != "NONE")
        table = pd.DataFrame({"system": self.predictions["system"], "predictions": 1, "misses": missed, "near": near})
        found = table.groupby("system", sort=False).sum().astype(int).reset_index()
        found.insert(2, "hits", found["predictions"] - found["misses"])
        found["share"] = found["near"] / found["misses"].where(found["misses"] > 0)
        return found

    def examples(self, number: int = 10) -> pd.DataFrame:
        """Return the most frequent near misses of each system and type: keyphrase, phrase and count, most first."""
        near = self.predictions[~self.predictions["hit"] & (self.predictions["type"] != "NONE")]
        keys = ["system", "type", "keyphrase", "phrase"]
        found = near.groupby(keys, sort=False).size().rename("count").reset_index()
        found["order"] = found["type"].map({name: place for place, name in enumerate(TYPES)})
        found = found.sort_values(["count", "keyphrase", "phrase"], ascending=[False, True, True], kind="stable")
        found = found.groupby(["system", "type"], sort=False).head(number)
        return found.sort_values(["system", "order"], kind="stable").drop(columns="order").reset_index(drop=True)


def near_misses(corpus: Corpus, settings: Settings | None = None, /, **changes: Unpack[Changes]) -> NearMisses:
    """Return how the predictions within the first k relate to the gold standard, under the rules of the evaluation.

    The first cutoff counts.

    Source: Kim, Baldwin & Kan 2010, section 2, and Zesch & Gurevych 2009; on token boundaries.
    """
    data = prepare(corpus, settings, **changes)
    coded, settings, gold = data.coded, data.settings, data.gold
    phrases = _phrases(coded, settings)
    predictions, entries = [], []
    for system, run in coded.runs.items():
        lists = ranked_lists(run, data.identities, settings)
        facing = face(data, run, lists, gold)
        limit = {"gold": gold.size, "all": lists.length}.get(str(settings.k[0]), settings.k[0])
        within = facing.rank <= np.broadcast_to(np.asarray(limit, np.int64), gold.size.shape)[facing.document]
        hit, found = _hits(lists, gold, within, settings.duplicates == "count")
        best = _best(facing, phrases, within)
        predictions.append(_predictions(system, coded, facing, np.flatnonzero(within), hit, best))
        entries.append(_entries(system, coded, facing, found, best))
    tables = _joined(predictions, PREDICTIONS), _joined(entries, ENTRIES)
    return NearMisses(*tables, settings.changed(k=settings.k[0]), data.notes, len(data.documents))


def _phrases(coded: Coded, settings: Settings) -> Phrases:
    """Return the phrases as the evaluation's normaliser makes them, at least in lower case and stemmed.

    So every hit of the evaluation is of type EXACT or MORPH, whatever its normaliser does.
    """
    normaliser = Normaliser.parse(settings.normalise)
    own = recipe_of(settings)
    steps = [step for step in own.words.split("+") if step != "none"]
    steps += [step for step in ("lower", "space", "possessive-drop") if step not in steps]
    stemmer = own.stemmer or ("" if normaliser.stemmer else "porter-nltk")
    texts, stemmed = phrases_of(coded, settings)
    return Phrases(texts, Recipe("+".join(steps), stemmer), stemmed)


def _hits(lists: Lists, gold: Gold, within: Bools, every: bool) -> tuple[Bools, Bools]:
    """Return which rows the evaluation counts as hits, and which gold items are hit by rows within the cutoff."""
    matches = match(lists, gold)
    new = newly(matches, len(gold.grade)) | every
    hit, found = np.zeros(len(within), bool), np.zeros(len(gold.grade), bool)
    hit[matches.row[new]] = True
    found[matches.item[new & within[matches.row]]] = True
    return hit, found


def _best(facing: Facing, phrases: Phrases, within: Bools) -> pd.DataFrame:
    """Return all pairs with a common stem, the best of every row and item marked: columns row, item, spelling, ..."""
    parts = []
    for row, spelling in facing.pairs(within):
        related = relate(phrases, facing.spelling[spelling], facing.phrase[row])
        kept = related.type < NONE
        parts.append(
            pd.DataFrame(
                {
                    "row": row[kept],
                    "item": facing.item[spelling[kept]],
                    "spelling": spelling[kept],
                    "type": related.type[kept],
                    "morph": related.morph[kept],
                    "reordered": related.reordered[kept],
                    "overlap": related.overlap[kept],
                }
            )
        )
    columns = ["row", "item", "spelling", "type", "morph", "reordered", "overlap"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _first(best: pd.DataFrame, key: str, then: str) -> pd.DataFrame:
    """Return the best pair of each `key`: by type, higher overlap, then the earlier `then`."""
    order = np.lexsort(
        tuple(best[name].to_numpy(float) * sign for name, sign in ((then, 1), ("overlap", -1), ("type", 1), (key, 1)))
    )
    return best.iloc[order].drop_duplicates(key).set_index(key)


def _described(best: pd.DataFrame, numbers: Ints) -> dict[str, Any]:
    """Return the columns that predictions and gold entries share, for some rows or items; NONE where there is none."""
    own = best.reindex(numbers)
    return {
        "type": _NAMES[own["type"].fillna(NONE).to_numpy(np.int64)],
        "morph": own["morph"].eq(True).to_numpy(),
        "reordered": own["reordered"].eq(True).to_numpy(),
        "overlap": own["overlap"].fillna(0.0).to_numpy(float),
    }


def _spelled(coded: Coded, phrases: Ints, numbers: pd.Series[Any]) -> list[str]:
    """Return the phrases behind numbers of rows or spellings, empty where there is no number."""
    given = numbers.notna().to_numpy()
    found = np.full(len(numbers), "", object)
    wanted = phrases[numbers[given].to_numpy(np.int64)] % max(1, len(coded.phrases))
    found[given] = np.array(coded.phrases.take(pa.array(wanted)).to_pylist(), object)
    return found.tolist()


def _predictions(system: str, coded: Coded, facing: Facing, rows: Ints, hit: Bools, best: pd.DataFrame) -> pd.DataFrame:
    own = _first(best, "row", "item")
    return pd.DataFrame(
        {
            "system": system,
            "document": np.array(coded.documents, object)[facing.document[rows]],
            "rank": facing.rank[rows],
            "phrase": coded.phrases.take(pa.array(facing.phrase[rows])).to_pylist(),
            "hit": hit[rows],
            "keyphrase": _spelled(coded, facing.spelling, own["spelling"].reindex(rows)),
            **_described(own, rows),
        }
    )


def _entries(system: str, coded: Coded, facing: Facing, found: Bools, best: pd.DataFrame) -> pd.DataFrame:
    own = _first(best, "item", "row")
    items = np.arange(len(facing.gold.grade))
    first = np.searchsorted(facing.item, items)  # the spelling that stands first in the file
    row = own["row"].reindex(items)
    return pd.DataFrame(
        {
            "system": system,
            "document": np.array(coded.documents, object)[facing.gold.document],
            "keyphrase": _spelled(coded, facing.spelling, pd.Series(first)),
            "hit": found,
            "phrase": _spelled(coded, facing.phrase, row),
            "rank": row.map(pd.Series(facing.rank)).astype("Int64").to_numpy(),
            **_described(own, items),
        }
    )


def _joined(parts: list[pd.DataFrame], columns: dict[str, str]) -> pd.DataFrame:
    """Return the tables of all systems as one, with the types of columns that an empty one has too."""
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))
    return table[list(columns)].astype(columns)
