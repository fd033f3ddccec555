"""Evaluate keyword and keyphrase extraction.

Functions take a corpus, optional settings, and any field of `Settings` by name. Results have `.frame` (tidy rows),
`.signature` (all settings in one line) and `.notes`, and the methods `.latex()`, `.csv()`, `.json()` and `.markdown()`.

* Two plain lists: `score`
* Which system is better? `answer`, `evaluate`, `compare`, `versus`, `stability`, `spread`
* Why do I not get the printed number? `printing`
* Which phrases does a number come from? `documents`, `one_document`, `subjects`, `near_misses`, `soft_evaluate`
* How far do the annotators agree? `agreement`, `trim`
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

from kp_core.charts.notebook import chart_of as chart_of
from kp_core.corpus import Corpus as Corpus
from kp_core.corpus import together as together
from kp_core.errors import InputError as InputError
from kp_core.errors import UsageError as UsageError
from kp_core.extraction import SYSTEMS as SYSTEMS
from kp_core.extraction import External as External
from kp_core.extraction import Extracted as Extracted
from kp_core.extraction import extract as extract
from kp_core.extraction.coverage import coverage as coverage
from kp_core.reading import Mapping as Mapping
from kp_core.reading import Question as Question
from kp_core.reading import load as load
from kp_core.reading import vocabulary as vocabulary
from kp_core.scoring.given import phrases as phrases
from kp_core.scoring.measures import MEASURES as MEASURES
from kp_core.scoring.sentence_ids import list_sentences as list_sentences
from kp_core.settings import PRESETS as PRESETS
from kp_core.settings import Settings as Settings
from kp_core.settings import __version__ as __version__
from kp_core.settings import differences as differences
from kp_core.settings import settings_from as settings_from
from kp_core.settings import signature as signature
from kp_core.similarity import MEASURES as _SIMILARITIES
from kp_core.similarity import similarity as similarity
from kp_core.studies.annotators import agreement as agreement
from kp_core.studies.answer import Answer as Answer
from kp_core.studies.compare import Comparison as Comparison
from kp_core.studies.compare import compare as compare
from kp_core.studies.correlation.correlate import CorrelationStudy as CorrelationStudy
from kp_core.studies.correlation.correlate import correlate as correlate
from kp_core.studies.correlation.correlate import correlation_from as correlation_from
from kp_core.studies.document_values import all_values as all_values
from kp_core.studies.document_values import documents as documents
from kp_core.studies.document_values import one_document as one_document
from kp_core.studies.evaluate import evaluate as evaluate
from kp_core.studies.near_misses import NearMisses as NearMisses
from kp_core.studies.near_misses import near_misses as near_misses
from kp_core.studies.paper_table import PaperTable as PaperTable
from kp_core.studies.paper_table import paper_table as paper_table
from kp_core.studies.plain_lists import score as score
from kp_core.studies.published_tables import recover as recover
from kp_core.studies.result import Result as Result
from kp_core.studies.sentence_study.protocol import SentenceStudy as SentenceStudy
from kp_core.studies.sentence_study.protocol import sentence_study as sentence_study
from kp_core.studies.soft import SOFT_PRESETS as SOFT_PRESETS
from kp_core.studies.soft import Soft as Soft
from kp_core.studies.soft import soft_evaluate as soft_evaluate
from kp_core.studies.spread import Printing as Printing
from kp_core.studies.spread import Spread as Spread
from kp_core.studies.spread import printing as printing
from kp_core.studies.spread import spread as spread
from kp_core.studies.stability import Stability as Stability
from kp_core.studies.stability import stability as stability
from kp_core.studies.subjects import subjects as subjects
from kp_core.studies.trimming import Trimmed as Trimmed
from kp_core.studies.trimming import trim as trim
from kp_core.studies.versus import Versus as Versus
from kp_core.studies.versus import versus as versus
from kp_core.words.answers import answer as answer

SIMILARITIES = _SIMILARITIES
