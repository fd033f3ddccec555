"""Evaluate keyword and keyphrase extraction.

Functions take a corpus, optional settings, and any field of `Settings` by name. Results have `.frame` (tidy rows),
`.signature` (all settings in one line) and `.notes`, and the methods `.latex()`, `.csv()`, `.json()` and `.markdown()`.

* Score two plain lists: `score`
* Which system is better? `answer`, `evaluate`, `compare`, `head_to_head`, `stability`, `sensitivity`
* Why can I not reproduce the printed number? `match_reported`
* Which phrases does a number come from? `documents`, `one_document`, `subjects`, `near_misses`, `soft_evaluate`
* How much do the annotators agree? `agreement`, `trim`
* Which similarity agrees with people? `similarity`, `correlate`
* Your own similarity: `vocabulary`, `phrases`
* No system yet: `extract`, `coverage`
* A table for a paper: `paper_table`
* Several data sets: `together`
* Sentences instead of phrases: `list_sentences`, `sentence_study`
* Concordance tables from printed values: `recover`
* Registries: `MEASURES`, `SIMILARITIES`, `SYSTEMS`, `PRESETS`, `Settings`

Bad data raise `InputError`, wrong options `UsageError`. If the meaning of a file is unclear, `load` raises a `Question`
with proposed mappings, which are passed back as `load(mapping=...)`. For tables larger than memory see `kp_core.scale`;
`kpscope app` opens the dashboard.

Examples
--------
>>> import kp_core as kp
>>> corpus = kp.load(gold={"d1": ["hash table", "collision"]}, systems={"a": {"d1": ["hash tables", "bucket"]}})
>>> result = kp.evaluate(corpus, k=2, measures=["P@k", "kappa"], universe=10, interval="none")
>>> result.frame["value"].tolist()
[0.5, 0.375]

The same settings, with one change:

>>> again = kp.settings_from(result.signature)
>>> kp.evaluate(corpus, again, measures="P@k", denominator="returned").frame["value"].tolist()
[0.5]
"""

from kp_core.charts.notebook import chart_of
from kp_core.corpus import Corpus, together
from kp_core.errors import InputError, UsageError
from kp_core.extraction import SYSTEMS, External, Extracted, extract
from kp_core.extraction.coverage import coverage
from kp_core.reading import Mapping, Question, load, vocabulary
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.semantic import phrases
from kp_core.scoring.sentence_ids import list_sentences
from kp_core.settings import PRESETS, Settings, __version__, differences, settings_from, signature
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import similarity
from kp_core.studies.annotators import agreement
from kp_core.studies.answer import Answer
from kp_core.studies.compare import Comparison, compare
from kp_core.studies.correlation.correlate import CorrelationStudy, correlate, correlation_from
from kp_core.studies.document_values import HeadToHead, all_values, documents, head_to_head, one_document
from kp_core.studies.evaluate import evaluate
from kp_core.studies.near_misses import NearMisses, near_misses
from kp_core.studies.paper_table import PaperTable, paper_table
from kp_core.studies.plain_lists import score
from kp_core.studies.published_tables import recover
from kp_core.studies.result import Result
from kp_core.studies.sensitivity import ReportedMatches, Sensitivity, match_reported, sensitivity
from kp_core.studies.sentence_study.protocol import SentenceStudy, sentence_study
from kp_core.studies.soft import SOFT_PRESETS, Soft, soft_evaluate
from kp_core.studies.stability import Stability, stability
from kp_core.studies.subjects import subjects
from kp_core.studies.trimming import Trimmed, trim
from kp_core.words.answers import answer

__all__ = ["Answer", "Comparison", "Corpus", "__version__", "agreement", "all_values", "answer", "chart_of", "compare"]
__all__ += ["CorrelationStudy", "correlate", "correlation_from", "coverage", "differences", "documents", "evaluate"]
__all__ += ["External", "Extracted", "HeadToHead", "InputError", "extract", "head_to_head", "list_sentences", "load"]
__all__ += ["MEASURES", "Mapping", "NearMisses", "match_reported", "near_misses", "one_document", "paper_table"]
__all__ += ["PRESETS", "PaperTable", "Question", "ReportedMatches", "Result", "phrases", "recover", "score"]
__all__ += ["Sensitivity", "SentenceStudy", "Settings", "sensitivity", "sentence_study", "settings_from", "signature"]
__all__ += ["SIMILARITIES", "SOFT_PRESETS", "Soft", "Stability", "similarity", "soft_evaluate", "stability", "subjects"]
__all__ += ["SYSTEMS", "Trimmed", "UsageError", "together", "trim", "vocabulary"]
