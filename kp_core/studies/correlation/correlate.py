"""Correlate similarity measures with human judgments of phrase pairs, after Kim, Baldwin & Kan (2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, whole_texts
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize, refuse_unknown
from kp_core.scoring.codes import Ints
from kp_core.scoring.measures import names_in
from kp_core.settings import __version__
from kp_core.similarity import PRESETS, SimilarityOptions, best_over_gold, describe, score, similarity
from kp_core.similarity.relation import TYPES
from kp_core.similarity.scorer import DEFAULT_MEASURES
from kp_core.studies.correlation.breakdowns import BREAKDOWNS, CONTIGUOUS, DEFAULT_BY, label, paper_labels, word_counts
from kp_core.studies.correlation.estimates import HUMAN, Correlations, Study, estimate
from kp_core.studies.correlation.human import COLUMNS, Unit, pair_table, sampling_unit, score_matrix
from kp_core.studies.result import Numbers

#: Measures of the paper, and sentinels: trivial measures that a useful measure must beat.
PAPER = ("R-precision", "M-R-precision", "BLEU", "METEOR", "NIST", "ROUGE-1")
SENTINELS = ("exact", "stem-exact", "length-difference", "candidate-length", "random")
#: Option of `correlate` → its name in a signature.
_SIGNED = {
    "preset": "sim",
    "direction": "dir",
    "stemmer": "stem",
    "correlation": "corr",
    "interval": "ci",
    **{name: name for name in ("ties", "resamples", "test", "trials", "swap", "correction", "seed", "by")},
}


@dataclass(frozen=True, kw_only=True)
class CorrelationStudy(Numbers):
    """Correlations of similarity measures with human scores, and the pairs that were judged.

    Attributes
    ----------
    frame : DataFrame
        One row per measure, subset and combination of human scores.
    found : Correlations
        Correlations, shares of the human ceiling, tests, clusters.
    pairs : DataFrame
        One row per judged pair: phrases, document, labels, human scores, and values of the measures.
    """

    found: Correlations
    pairs: pd.DataFrame
    caption: str = "Correlation of similarity with human scores"

    @property
    def signature(self) -> str:
        """The signature in one line; `correlation_from` reads it back."""
        parts = [f"{key}:{value}" for key, value in self.settings.items() if value]
        return "|".join(["kps-correlation", *parts, f"pairs:{len(self.pairs)}", f"v:{__version__}"])


def correlate(
    judgements: Corpus | pd.DataFrame,
    measures: Sequence[str] | str | None = None,
    by: Sequence[str] | str = DEFAULT_BY,
    *,
    paper: bool = False,
    study: Study | None = None,
    **options: Any,
) -> CorrelationStudy:
    """Correlate similarity measures with human scores of phrase pairs.

    Parameters
    ----------
    judgements : Corpus or DataFrame
        A corpus with judgments, or a table with pair_id, keyphrase, candidate, and either annotator and score or one
        column score_… per annotator. If a pair has no keyphrase, its candidate is compared with all gold keyphrases of
        the document, and the highest value is used.
    measures : str or sequence of str, optional
        Names of `kp.SIMILARITIES` or of numeric columns; by default the measures of the paper and the sentinels.
    by : str or sequence of str
        Breakdowns: location, complexity, pos, type, side, length, group.
    paper : bool
        Group the pairs as in the paper (near misses only).
    study : Study, optional
        Settings of correlation, intervals and tests; its fields can also be passed as options.
    **options
        Also options of `similarity`: direction, preset, stemmer, normalise.

    References
    ----------
    Kim, Baldwin & Kan 2010.
    """
    corpus = judgements if isinstance(judgements, Corpus) else Corpus(judgements=judgements)
    table = corpus.judgements
    if not len(table):
        raise InputError("judgements", "no judged pair", "pairs of phrases with scores", "Load judged pairs.")
    breakdowns = [name.strip() for name in by.split(",") if name.strip()] if isinstance(by, str) else list(by)
    refuse_unknown(breakdowns, BREAKDOWNS, "breakdown")
    study_fields = {field.name for field in fields(Study)}
    study = replace(study or Study(), **{name: value for name, value in options.items() if name in study_fields})
    chosen = {"seed": study.seed} | {name: value for name, value in options.items() if name not in study_fields}
    chosen.setdefault("vocabulary", corpus.vocabulary)
    if corpus.has_texts:
        chosen.setdefault("texts", whole_texts(corpus.documents))
    choices = SimilarityOptions.of(chosen)
    scores, pairs = score_matrix(table), pair_table(table)
    names = names_in(measures or (*PAPER, *SENTINELS))
    phrases, owner = _candidate_pairs(pairs, corpus)
    values = _values(pairs, phrases, owner, names, choices)
    recipe = replace(PRESETS[choices.preset], stemmer=choices.stemmer)
    related = describe(phrases["keyphrase"].tolist(), phrases["candidate"].tolist(), recipe)
    # of several keyphrases, keep the first of the most closely related for each pair
    nearest = related["type"].map(list(TYPES).index).groupby(owner).idxmin()
    related, phrases = (rows.loc[nearest].reset_index(drop=True) for rows in (related, phrases))
    labels = label(related, phrases, pairs, corpus, breakdowns)
    included = labels["type"].isin(CONTIGUOUS).to_numpy() if paper else np.ones(len(pairs), bool)
    unit, clusters = sampling_unit(pairs)
    groups = labels[[name for name in breakdowns if name in labels]]
    grouped, cluster = paper_labels(groups) if paper else groups, pd.factorize(np.array(clusters, object)[included])[0]
    words = word_counts(phrases)[included]
    estimates = estimate(scores.to_numpy()[included], values[included], cluster, grouped[included], words, study)
    human = scores.add_prefix("score ").reset_index(drop=True)
    computed = {*labels.columns, *human.columns, *values.columns}
    file_columns = pairs.rename(columns=lambda name: f"{name} (file)" if name in computed else name)
    has_missing_keyphrase = bool(pairs.reindex(columns=["keyphrase"]).isna().any(axis=None))
    settings = _signature_fields(choices, study, breakdowns) | {
        "unit": unit,
        "pairs-of": "best-over-gold" if has_missing_keyphrase else "",
        "grouping": "paper" if paper else "",
        "measures": quote(",".join(names), safe=",()=-@"),
        "normalise": urlencode(choices.normalise),
    }
    notes = _notes(estimates, values[included], labels[included], unit)
    table = pd.concat([file_columns, labels, human, values], axis=1)
    return CorrelationStudy(estimates.frame, settings, tuple(notes), found=estimates, pairs=table)


def similarities(pairs: pd.DataFrame, measures: str | None, **options: Any) -> Numbers:
    """Return the similarity of phrase pairs, one row per pair and measure; `measures`: names separated by commas."""
    frame = similarity(pairs, measures or DEFAULT_MEASURES, **options)
    frame["reason"] = frame["reason"].where(frame["reason"] != "ok")
    choices = SimilarityOptions.of(options)
    settings = {"sim": choices.preset, "dir": choices.direction, "stem": choices.stemmer, "seed": str(choices.seed)}
    return Numbers(frame, settings, caption="Similarity of phrases", kind="kps-similarity")


def correlation_from(signature: str) -> dict[str, Any]:
    """Return the options of `correlate` from a signature.

    `kp.correlate(corpus, **correlation_from(study.signature))` gives the same study.

    Examples
    --------
    >>> correlation_from("kps-correlation|sim:paper-like|corr:kendall|resamples:200|measures:BLEU,exact")
    {'by': '', 'preset': 'paper-like', 'correlation': 'kendall', 'resamples': 200, 'measures': 'BLEU,exact'}
    """
    kind, *parts = signature.strip().split("|")
    signed_values = dict(part.partition(":")[::2] for part in parts)
    if kind != "kps-correlation":
        raise UsageError(f"'{kind}' is not a signature of a correlation, which begins with kps-correlation")
    numbers = {field.name for field in fields(Study) if isinstance(field.default, int)}
    options: dict[str, Any] = {"by": ""}
    for name, short in _SIGNED.items():
        if short in signed_values:
            options[name] = int(signed_values[short]) if name in numbers else signed_values[short]
    if "measures" in signed_values:
        options["measures"] = unquote(signed_values["measures"])
    if "grouping" in signed_values:
        options["paper"] = True
    if "normalise" in signed_values:
        options["normalise"] = dict(parse_qsl(signed_values["normalise"]))
    return options


def _signature_fields(choices: SimilarityOptions, study: Study, by: list[str]) -> dict[str, str]:
    option_values = {"by": ",".join(by), **vars(study)}
    option_values |= {name: getattr(choices, name) or "" for name in ("preset", "direction", "stemmer")}
    if study.interval != "bootstrap":
        del option_values["resamples"]
    if study.test != "perm-both":
        del option_values["trials"], option_values["swap"]
    return {short: str(option_values[name]) for name, short in _SIGNED.items() if name in option_values}


def numeric_columns(judgements: pd.DataFrame) -> list[str]:
    """Return the other numeric columns of judgments, which can be used as measures."""
    further = [name for name in judgements.columns if name not in (*COLUMNS, "annotator", "score")]
    return [str(name) for name in further if pd.to_numeric(judgements[name], errors="coerce").notna().any()]


def _candidate_pairs(pairs: pd.DataFrame, corpus: Corpus) -> tuple[pd.DataFrame, Ints]:
    """Return the phrases of each pair (with all gold keyphrases if it has no keyphrase) and the row of the pair."""
    phrases = pairs.reindex(columns=["keyphrase", "candidate"])
    if (missing := phrases["keyphrase"].isna()).any():
        if not len(corpus.gold) or "doc_id" not in pairs:
            raise input_error("judgements", "no keyphrase of pairs", pairs=pluralize(int(missing.sum()), "pair"))
        gold = corpus.gold.groupby("doc_id", sort=False)["phrase"].unique()
        keyphrases = phrases["keyphrase"].astype(object).where(~missing, pairs["doc_id"].map(gold))
        phrases = phrases.assign(keyphrase=keyphrases).explode("keyphrase").fillna({"keyphrase": ""})
    return phrases.reset_index(drop=True), phrases.index.to_numpy()


def _values(
    pairs: pd.DataFrame, phrases: pd.DataFrame, row: Ints, names: Sequence[str], choices: SimilarityOptions
) -> pd.DataFrame:
    requested_names = {name.removeprefix("column:") for name in names}
    columns = {}
    for name in pairs.columns:
        if str(name) in requested_names and name not in COLUMNS:
            column = pd.to_numeric(pairs[name], errors="coerce").to_numpy(np.float64, na_value=np.nan)
            columns[str(name)] = column[row]
    wide = score(phrases["keyphrase"].tolist(), phrases["candidate"].tolist(), names, choices, columns)
    if HUMAN in wide.names:
        raise InputError("judgements", "a measure called “human”", "another name", "Rename the column.")
    return pd.DataFrame(best_over_gold(wide.table, row), columns=list(wide.names))


def _notes(estimates: Correlations, values: pd.DataFrame, labels: pd.DataFrame, unit: Unit) -> list[Note]:
    notes = []
    for name, missing in values.isna().sum().items():
        if missing:
            text = f"undefined for {missing} of {pluralize(len(labels), 'pair')}, which its correlation leaves out"
            notes.append(Note("info", str(name), text))
    if estimates.tied:
        have = pluralize(estimates.tied, "pair has", "pairs have")
        text = f"{have} no single majority, nor one mode nearest to the median"
        notes.append(Note("info", "majority", f"{text}; ties go {estimates.study.ties}"))
    units = int(estimates.frame["documents"].max())  # pooled over all pairs
    if units < 10 and estimates.study.interval == "bootstrap":
        few = pluralize(units, f"{unit.removesuffix('s')} is", f"{unit} are")
        notes.append(Note("warning", "intervals", f"{few} too few for a reliable interval"))
    if estimates.study.test == "perm-both" and estimates.study.trials < estimates.trials_needed():
        text = f"{estimates.study.trials} trials are too few for significant differences of so many pairs of measures"
        notes.append(Note("warning", "tests", f"{text}; choose {estimates.trials_needed()} or more"))
    if count := int((labels["pos_source"] == "phrase").sum() if "pos_source" in labels else 0):
        tagged = pluralize(count, "keyphrase was tagged by itself", "keyphrases were tagged by themselves")
        notes.append(Note("info", "pos", f"{tagged}, which is less certain"))
    return notes
