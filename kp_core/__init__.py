"""Evaluate keyword and keyphrase extraction: every number right, explained and reproducible from one line.

Load gold keyphrases and ranked outputs once, then ask; every verb takes the corpus, settings if you have some, and
fields of `Settings` by name:

>>> import kp_core as kp
>>> corpus = kp.load(gold={"d1": ["hash table", "collision"]}, systems={"a": {"d1": ["hash tables", "bucket"]}})
>>> result = kp.evaluate(corpus, k=2, measures=["P@k", "kappa"], universe=10, interval="none")
>>> result.frame["value"].tolist()
[0.5, 0.375]

Every answer has `.frame` (tidy rows), `.signature` (the recipe in one line) and `.notes`, and leaves as `.latex()`,
`.csv()`, `.json()` or `.markdown()`. The same settings again, with one choice changed:

>>> again = kp.settings_from(result.signature)
>>> kp.evaluate(corpus, again, measures="P@k", denominator="returned").frame["value"].tolist()
[0.5]

Two plain lists, one number?                   score
Which system is better, significantly or not?  answer, evaluate, compare, versus, stability, spread
Why do I not get the printed number?           printing
Which phrases make the number?                 documents, one_document, subjects, near_misses, soft_evaluate
How far do the annotators agree?               agreement, trim
Which similarity agrees with people?           similarity, correlate
A similarity of your own?                      vocabulary, phrases
No system yet?                                 extract, coverage
A table for a paper?                           paper_table
Several data sets?                             together
Sentences instead of phrases?                  list_sentences, sentence_study
Printed figures, solved for their tables?      recover
What can be asked for?                         MEASURES, SIMILARITIES, SYSTEMS, PRESETS, Settings

Wrong data raise InputError (where, found, expected, remedy), wrong options UsageError. Files that can be read in
several ways raise one Question, an InputError with a form for each table whose meaning is not certain, and findings
with answers for what concerns several files; `load(mapping=...)` takes the mappings of both. Tables larger than memory:
`kp_core.scale`. The dashboard: `kpscope app`.
"""

from kp_core.charts.notebook import chart_of as chart_of
from kp_core.corpus import Corpus, together
from kp_core.errors import InputError, UsageError
from kp_core.extraction import SYSTEMS, External, Extracted, extract
from kp_core.extraction.coverage import coverage
from kp_core.reading import Mapping, Question, load, vocabulary
from kp_core.scoring.given import phrases
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.sentence_ids import list_sentences
from kp_core.settings import PRESETS, Settings, __version__, differences, settings_from, signature
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import similarity
from kp_core.studies.annotators import agreement
from kp_core.studies.answer import Answer
from kp_core.studies.compare import Comparison, compare
from kp_core.studies.correlation.correlate import CorrelationStudy, correlate, correlation_from
from kp_core.studies.document_values import all_values, documents, one_document
from kp_core.studies.evaluate import evaluate
from kp_core.studies.near_misses import NearMisses, near_misses
from kp_core.studies.paper_table import PaperTable, paper_table
from kp_core.studies.plain_lists import score
from kp_core.studies.printed import Printing
from kp_core.studies.published_tables import recover
from kp_core.studies.result import Result
from kp_core.studies.sentence_study.protocol import SentenceStudy, sentence_study
from kp_core.studies.soft import SOFT_PRESETS, Soft, soft_evaluate
from kp_core.studies.spread import Spread, printing, spread
from kp_core.studies.stability import Stability, stability
from kp_core.studies.subjects import subjects
from kp_core.studies.trimming import Trimmed, trim
from kp_core.studies.versus import Versus, versus
from kp_core.words.answers import answer

__all__ = [
    "MEASURES",
    "PRESETS",
    "SIMILARITIES",
    "SOFT_PRESETS",
    "SYSTEMS",
    "Answer",
    "Comparison",
    "Corpus",
    "CorrelationStudy",
    "External",
    "Extracted",
    "InputError",
    "Mapping",
    "NearMisses",
    "PaperTable",
    "Printing",
    "Question",
    "Result",
    "SentenceStudy",
    "Settings",
    "Soft",
    "Spread",
    "Stability",
    "Trimmed",
    "UsageError",
    "Versus",
    "__version__",
    "agreement",
    "all_values",
    "answer",
    "compare",
    "correlate",
    "correlation_from",
    "coverage",
    "differences",
    "documents",
    "evaluate",
    "extract",
    "list_sentences",
    "load",
    "near_misses",
    "one_document",
    "paper_table",
    "phrases",
    "printing",
    "recover",
    "score",
    "sentence_study",
    "settings_from",
    "signature",
    "similarity",
    "soft_evaluate",
    "spread",
    "stability",
    "subjects",
    "together",
    "trim",
    "versus",
    "vocabulary",
]
