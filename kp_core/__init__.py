"""Evaluate keyword and keyphrase extraction: every number right, explained and reproducible from one line.

>>> corpus = load(gold={"d1": ["hash table", "collision"]}, systems={"a": {"d1": ["hash tables", "bucket"]}})
>>> result = evaluate(corpus, k=2, measures=["P@k", "kappa"], universe=10, interval="none")
>>> result.frame["value"].tolist()
[0.5, 0.375]
"""

from kp_core.conventions import PRESETS, Conventions
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.extraction import SYSTEMS, External, Extracted, extract
from kp_core.extraction.coverage import coverage
from kp_core.reading import load
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.sentence_ids import list_sentences
from kp_core.settings import Settings, __version__, settings_from, signature
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import similarity
from kp_core.studies.annotators import agreement, agreement_with
from kp_core.studies.compare import Comparison, compare, compare_with
from kp_core.studies.correlation.correlate import CorrelationStudy, correlate, correlation_from
from kp_core.studies.documents import all_values, by_document, one_document
from kp_core.studies.evaluate import evaluate, evaluate_with
from kp_core.studies.near_misses import NearMisses, near_misses
from kp_core.studies.published_tables import recover
from kp_core.studies.result import Result
from kp_core.studies.sentence_study.study import SentenceStudy, sentence_study
from kp_core.studies.soft import SOFT_PRESETS, Soft, soft_evaluate
from kp_core.studies.spread import Spread, spread, spread_with
from kp_core.studies.stability import Stability, stability, stability_with
from kp_core.studies.trimming import Trimmed, trim, trim_with

__all__ = [
    "MEASURES",
    "PRESETS",
    "SIMILARITIES",
    "SOFT_PRESETS",
    "SYSTEMS",
    "Comparison",
    "Conventions",
    "Corpus",
    "CorrelationStudy",
    "External",
    "Extracted",
    "InputError",
    "NearMisses",
    "Result",
    "SentenceStudy",
    "Settings",
    "Soft",
    "Spread",
    "Stability",
    "Trimmed",
    "UsageError",
    "__version__",
    "agreement",
    "agreement_with",
    "all_values",
    "by_document",
    "compare",
    "compare_with",
    "correlate",
    "correlation_from",
    "coverage",
    "evaluate",
    "evaluate_with",
    "extract",
    "list_sentences",
    "load",
    "near_misses",
    "one_document",
    "recover",
    "sentence_study",
    "settings_from",
    "signature",
    "similarity",
    "soft_evaluate",
    "spread",
    "spread_with",
    "stability",
    "stability_with",
    "trim",
    "trim_with",
]
