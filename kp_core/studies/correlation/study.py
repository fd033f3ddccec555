"""Turn judged phrase pairs into the study of Kim, Baldwin & Kan (2010): which similarity agrees with people."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError, counted
from kp_core.scoring.codes import Floats, Ints
from kp_core.settings import __version__
from kp_core.similarity import PRESETS, Choices, best_over_gold, describe, score, similarity, split_names
from kp_core.similarity.relation import TYPES
from kp_core.similarity.tokens import Phrases, Recipe
from kp_core.studies.correlation import estimates
from kp_core.studies.correlation.human import pair_table, sampling_unit, score_matrix
from kp_core.studies.correlation.rows import Correlations, Study
from kp_core.studies.correlation.subtypes import length_labels, paper_labels, paper_pairs, side_labels
from kp_core.studies.result import json_of
from kp_core.text.tags import keyphrase_classes

#: The measures of the paper, and those that any measure worth its name must beat.
PAPER = ("R-precision", "M-R-precision", "BLEU", "METEOR", "NIST", "ROUGE-1")
SENTINELS = ("exact", "stem-exact", "length-difference", "candidate-length", "random")
#: Breakdown → what its subsets tell apart.
BREAKDOWNS = {
    "location": "which part of the longer phrase the two have in common",
    "complexity": "whether the keyphrase has a preposition (PP) or a conjunction (CC)",
    "pos": "whether the keyphrase is nouns (NN), or adjectives and nouns (AdjN)",
    "type": "type of the near miss",
    "side": "whether the candidate is shorter or longer than the keyphrase",
    "length": "words of the keyphrase",
    "group": "type of the document",
}
DEFAULT_BY = ("location", "complexity", "pos")
_FIXED = ("pair_id", "doc_id", "keyphrase", "candidate")


@dataclass(frozen=True)
class CorrelationStudy:
    """A study with the pairs behind it.

    found   correlations, share of the human ceiling, tests, clusters
    pairs   one row a judged pair: phrases, document, labels, human scores, and the value of every measure
    notes   what the reader must know; unit: what was resampled: documents, keyphrases or pairs
    """

    found: Correlations
    pairs: pd.DataFrame
    settings: dict[str, str]
    notes: tuple[Note, ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row a measure, subset and way to combine the human scores."""
        return self.found.frame

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        parts = [f"{key}:{value}" for key, value in self.settings.items() if value]
        return "|".join(["kps-correlation", *parts, f"pairs:{len(self.pairs)}", f"v:{__version__}"])

    def as_json(self) -> str:
        """Return the rows as the one object that the command line prints."""
        return json_of(self.frame, self.signature, self.settings, self.notes)


@dataclass(frozen=True)
class Similarities:
    """Values of plain pairs, as the command line prints them: one row a pair and measure."""

    frame: pd.DataFrame
    settings: dict[str, str]
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, pairs: pd.DataFrame, measures: str | None, options: dict[str, Any]) -> Similarities:
        """Score pairs by measures, written as one text with commas between them."""
        asked = {"measures": split_names(measures)} if measures else {}
        frame = similarity(pairs, **asked, **options)
        frame["reason"] = frame["reason"].where(frame["reason"] != "ok")
        choices = Choices.of(options)
        settings = {"sim": choices.preset, "dir": choices.direction, "stem": choices.stemmer, "seed": str(choices.seed)}
        return cls(frame, settings, ())

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return "|".join(["kps-similarity", *(f"{k}:{v}" for k, v in self.settings.items()), f"v:{__version__}"])

    def as_json(self) -> str:
        """Return the rows as the one object that the command line prints."""
        return json_of(self.frame, self.signature, self.settings, self.notes)


def correlate(
    judgements: Corpus | pd.DataFrame,
    measures: Sequence[str] | str | None = None,
    by: Sequence[str] | str = DEFAULT_BY,
    *,
    paper: bool = False,
    study: Study | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> CorrelationStudy:
    """Correlate measures of similarity with the scores that people gave to pairs of phrases.

    judgements  a corpus with judgements, or a table pair_id, keyphrase, candidate with annotator and score, or with
                one column score_… an annotator; a pair without keyphrase is compared with all gold keyphrases of its
                document, and its best value counts
    measures    names of `kp.SIMILARITIES`, or of numeric columns of the table; by default those of the paper, and
                sentinels
    by          breakdowns: location, complexity, pos, type, side, length, group
    paper       group the pairs as the paper does, near misses only
    study       correlation, intervals and tests (or its fields as options: correlation, resamples, seed, …)
    options     also those of `similarity`: direction, preset, stemmer, normalise, synonyms, model

    Source: Kim, Baldwin & Kan 2010.
    """
    corpus = judgements if isinstance(judgements, Corpus) else None
    table = judgements.judgements if isinstance(judgements, Corpus) else judgements
    if not len(table):
        raise InputError("judgements", "no judged pair", "pairs of phrases with scores", "Load a table of judgements.")
    breakdowns = tuple(one.strip() for one in by.split(",") if one.strip()) if isinstance(by, str) else tuple(by)
    for name in breakdowns:
        if name not in BREAKDOWNS:
            raise UsageError(f"there is no breakdown '{name}'; choose among: {', '.join(BREAKDOWNS)}")
    if "unit" in options:
        raise UsageError("what is resampled follows from the table: documents, else keyphrases, else pairs")
    known = {field.name for field in fields(Study)}
    study = replace(study or Study(), **{name: value for name, value in options.items() if name in known})
    chosen = {name: value for name, value in options.items() if name not in known}
    chosen.setdefault("seed", study.seed)
    if corpus is not None and corpus.has_texts:
        chosen.setdefault("texts", corpus.documents["text"].dropna().tolist())
    choices = Choices.of(chosen)
    scores, pairs = score_matrix(table), pair_table(table)
    names = split_names(measures) if isinstance(measures, str) else list(measures or (*PAPER, *SENTINELS))
    facing, owner = _facing(pairs, corpus)
    values = _values(pairs, facing, owner, names, choices)
    related, facing = _related(facing, owner, len(pairs), choices)
    labels = _labels(related, facing, pairs, corpus, breakdowns)
    unit, clusters = sampling_unit(pairs)
    used = paper_pairs(related["type"].tolist()) if paper else None
    lengths = _lengths(facing)
    shown = labels[[name for name in breakdowns if name in labels]]
    found = estimates.correlate(
        scores,
        values,
        replace(study, unit=unit),
        clusters=clusters,
        labels=paper_labels(shown) if paper else shown,
        lengths=lengths,
        used=used,
        progress=progress,
    )
    human = pd.DataFrame(scores.matrix, columns=[f"score {name}" for name in scores.annotators])
    computed = {*labels.columns, *human.columns, *values.columns}
    own = pairs.reset_index(drop=True).rename(columns=lambda name: f"{name} (file)" if name in computed else name)
    beside = pd.concat([own, labels, human, values], axis=1)
    settings = _settings(choices, found.study, names, breakdowns, paper, owner is not None)
    kept = np.ones(len(pairs), bool) if used is None else used
    return CorrelationStudy(found, beside, settings, tuple(_notes(found, values[kept], labels[kept])))


def _facing(pairs: pd.DataFrame, corpus: Corpus | None) -> tuple[pd.DataFrame, Ints | None]:
    """Return keyphrase and candidate of each pair; without one, a row a gold keyphrase, with the place of the pair."""
    phrases = pairs.reindex(columns=["keyphrase", "candidate"]).reset_index(drop=True)
    missing = phrases["keyphrase"].isna()
    if not missing.any():
        return phrases, None
    if corpus is None or not len(corpus.gold) or "doc_id" not in pairs:
        raise InputError(
            "judgements",
            f"{counted(int(missing.sum()), 'pair')} without a keyphrase",
            "a keyphrase for every pair",
            "Fill the column “keyphrase”, or load the gold standard and name the document of each pair.",
        )
    gold = corpus.gold.groupby("doc_id", sort=False)["phrase"].unique()
    listed = [[one] for one in phrases["keyphrase"].tolist()]
    documents = pairs["doc_id"].tolist()
    for place in np.flatnonzero(missing):
        listed[place] = list(gold.get(documents[place], [""]))
    owner = np.repeat(np.arange(len(listed)), [len(one) for one in listed])
    flat = pd.DataFrame({"keyphrase": [phrase for one in listed for phrase in one]})
    return flat.assign(candidate=phrases["candidate"].to_numpy()[owner]), owner


def numeric_columns(judgements: pd.DataFrame) -> list[str]:
    """Return the further columns of judgements that hold numbers, so that they can be measures."""
    further = [name for name in judgements.columns if name not in (*_FIXED, "annotator", "score")]
    return [str(name) for name in further if pd.to_numeric(judgements[name], errors="coerce").notna().any()]


def _values(
    pairs: pd.DataFrame, facing: pd.DataFrame, owner: Ints | None, names: list[str], choices: Choices
) -> pd.DataFrame:
    """Return one column a measure, one row a judged pair."""
    columns, asked = {}, {name.removeprefix("column:") for name in names}
    for name in pairs.columns:
        if str(name) in asked and name not in _FIXED:
            column = pd.to_numeric(pairs[name], errors="coerce").to_numpy(np.float64, na_value=np.nan)
            columns[str(name)] = column if owner is None else column[owner]
    wide = score(facing["keyphrase"].tolist(), facing["candidate"].tolist(), names, choices, columns)
    table: Floats = wide.table if owner is None else best_over_gold(wide.table, owner)
    return pd.DataFrame(table, columns=list(wide.names))


def _related(
    facing: pd.DataFrame, owner: Ints | None, pairs: int, choices: Choices
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how the phrases of each pair are related, to the best of several keyphrases, and these phrases."""
    recipe = replace(PRESETS[choices.preset], stemmer=choices.stemmer)
    related = describe(facing["keyphrase"].tolist(), facing["candidate"].tolist(), recipe)
    if owner is None:
        return related, facing
    order = {name: place for place, name in enumerate(TYPES)}
    rank = related["type"].map(order).to_numpy()
    best = np.lexsort((np.arange(len(owner)), rank, owner))
    first = best[np.searchsorted(owner[best], np.arange(pairs))]
    return related.iloc[first].reset_index(drop=True), facing.iloc[first].reset_index(drop=True)


def _lengths(facing: pd.DataFrame) -> Floats:
    """Return the words of keyphrase and candidate (P, 2)."""
    sides = [Phrases(facing[name].tolist(), Recipe()).words.length for name in ("keyphrase", "candidate")]
    return np.stack(sides, axis=1).astype(np.float64)


def _labels(
    related: pd.DataFrame, facing: pd.DataFrame, pairs: pd.DataFrame, corpus: Corpus | None, wanted: Sequence[str]
) -> pd.DataFrame:
    """Return one column a breakdown; columns of the file win over what is computed."""
    lengths = _lengths(facing)
    labels = pd.DataFrame(
        {
            "type": related["type"],
            "location": related["location"],
            "complexity": related["complexity"],
            "side": side_labels(lengths[:, 0], lengths[:, 1]),
            "length": length_labels(lengths[:, 0]),
        }
    )
    if "pos" in wanted:
        given = [None if tag != tag else str(tag) for tag in pairs["pos"].tolist()] if "pos" in pairs else None
        texts = corpus.documents["text"].dropna().tolist() if corpus is not None and corpus.has_texts else ()
        kept = corpus.cache if corpus is not None else {}
        classes = keyphrase_classes(facing["keyphrase"].tolist(), texts, given, kept)
        labels["pos"], labels["pos_source"] = [one for one, _ in classes], [source for _, source in classes]
    if corpus is not None and "doc_id" in pairs and (corpus.documents["group"].fillna("") != "").any():
        groups = corpus.documents.set_index("doc_id")["group"]
        labels["group"] = groups.reindex(pairs["doc_id"]).fillna("").to_numpy()
    for name in ("location", "complexity", "group"):
        if name in pairs:
            labels[name] = pairs[name].fillna("").astype(str).to_numpy()
    return labels


def _settings(
    choices: Choices, study: Study, measures: Sequence[str], by: Sequence[str], paper: bool, several: bool
) -> dict[str, str]:
    drawn = f"-{study.resamples}-seed{study.seed}" if study.interval == "bootstrap" else ""
    test = study.test if study.test == "none" else f"{study.test}-{study.correction}"
    if study.test == "perm-both":
        test = f"{study.test}-{study.trials}-seed{study.seed}-{study.swap}-{study.correction}"
    return {
        "sim": choices.preset,
        "dir": choices.direction,
        "stem": choices.stemmer,
        "pairs-of": "best-over-gold" if several else "",
        "grouping": "paper" if paper else "",
        "corr": study.correlation,
        "ties": study.ties,
        "by": ",".join(by),
        "unit": study.unit,
        "ci": f"{study.interval}{drawn}" if study.interval != "none" else "",
        "test": test,
        "measures": quote(",".join(measures), safe=",()=-@"),
        "synonyms": f"{len(choices.synonyms)}-groups" if choices.synonyms else "",
        "normalise": json.dumps(dict(choices.normalise)) if choices.normalise else "",
    }


def _notes(found: Correlations, values: pd.DataFrame, labels: pd.DataFrame) -> list[Note]:
    notes = []
    for name, count in ((name, int(missing)) for name, missing in values.isna().sum().items() if missing):
        text = f"undefined for {count} of {counted(len(labels), 'pair')}, which its correlation leaves out"
        notes.append(Note("info", str(name), text))
    if found.tied:
        have = counted(found.tied, "pair has", "pairs have")
        text = f"{have} no single majority, nor one mode nearest to the median"
        notes.append(Note("info", "majority", f"{text}; ties go {found.study.ties}"))
    whole = found.frame[found.frame["subset"] == "all"]
    units = int(whole["documents"].max()) if len(whole) else 0
    if units < 10 and found.study.interval == "bootstrap":
        few = counted(units, f"{found.study.unit.removesuffix('s')} is", f"{found.study.unit} are")
        notes.append(Note("warning", "intervals", f"{few} too few for a reliable interval"))
    if found.study.test == "perm-both" and found.study.trials < found.trials_needed():
        text = f"with so many pairs of measures, {found.study.trials} trials cannot make any difference significant"
        notes.append(Note("warning", "tests", f"{text}; ask for {found.trials_needed()} or more"))
    if "pos_source" in labels and (labels["pos_source"] == "phrase").any():
        count = int((labels["pos_source"] == "phrase").sum())
        tagged = counted(count, "keyphrase was tagged by itself", "keyphrases were tagged by themselves")
        notes.append(Note("info", "pos", f"{tagged}, which is less certain"))
    return notes
