"""Turn settings into the paragraph on methods that a paper needs: what was compared how, and with which uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.conventions import FIELDS, preset
from kp_core.corpus import Corpus
from kp_core.errors import counted
from kp_core.scoring.measures import parse
from kp_core.settings import Settings, __version__, format_value
from kp_core.takeaway.references import cited
from kp_core.text.normalise import Normaliser

#: Steps of a pipeline in words; stemmers say their own names.
_STEPS = {
    "nfc": "canonical composition",
    "nfkc": "compatibility composition",
    "lower": "lower case",
    "casefold": "case folding",
    "space": "single blanks",
    "hyphen-keep": "hyphens kept",
    "hyphen-split": "hyphens as blanks",
    "hyphen-join": "hyphens removed",
    "possessive-drop": "possessives dropped",
    "punct-strip": "punctuation at the edges of words removed",
    "sort": "words sorted",
}
#: Convention → value → sentence.
WORDS: dict[str, dict[str, str]] = {
    "gold_stemmed": {"no": "", "yes": "The gold standard was released as stems and was not stemmed again."},
    "variants": {
        "any": "A prediction that matches any accepted spelling of a gold entry is a hit.",
        "first": "Only the first spelling of a gold entry counts.",
    },
    "filter": {
        "none": "",
        "invalid-tokens": "Predictions with a comma, a full stop or an unknown-word mark were dropped first.",
        "one-word": "One-word predictions after the first were dropped.",
        "invalid-tokens,one-word": "Predictions with a comma, a full stop or an unknown-word mark, and one-word "
        "predictions after the first, were dropped first.",
    },
    "duplicates": {
        "before": "Repeated predictions of a list were dropped before the cut at k.",
        "after": "Repeated predictions of a list were dropped after the cut at k.",
        "keep": "Repeated predictions of a list were kept as misses.",
        "count": "Repeated predictions of a list counted as hits again.",
    },
    "gold_list": {
        "unique": "The size of the gold standard is its number of distinct entries.",
        "listed": "The size of the gold standard is its number of entries as listed.",
    },
    "hits_as": {
        "predictions": "Hits are predictions that match an entry.",
        "gold": "Hits are gold entries that are matched.",
    },
    "denominator": {
        "k": "Precision divides by k, also where a list is shorter.",
        "returned": "Precision divides by the number of phrases returned up to k.",
        "min(k,gold)": "Precision divides by k or the gold size, whichever is smaller.",
    },
    "average": {
        "macro": "Precision, recall and F1 are means over documents.",
        "f-of-means": "F1 is computed from the mean precision and the mean recall over documents.",
        "micro": "Precision, recall and F1 are computed from counts pooled over documents.",
    },
    "missing": {
        "zero": "A document for which a system returned no list scores 0.",
        "skip": "Documents for which a system returned no list were left out for that system.",
        "error": "Every system returned a list for every document.",
    },
    "empty_gold": {
        "skip": "Documents without gold keyphrases were left out.",
        "zero": "Documents without gold keyphrases score 0.",
        "one-if-empty": "A document without gold keyphrases scores 1 where the system is silent too, else 0.",
    },
    "ties": {
        "stable": "Equal scores keep the order of the file.",
        "trec": "Equal scores were ordered by phrase, descending.",
        "expected": "Under equal scores, values are means over all orders.",
    },
    "gain": {
        "linear": "The gain of nDCG is the grade.",
        "exp": "The gain of nDCG is 2 to the power of the grade, minus 1.",
    },
    "ap": {
        "gold": "Average precision divides by the gold size.",
        "min(k,gold)": "Average precision divides by k or the gold size, whichever is smaller.",
        "hits": "Average precision divides by the number of hits.",
    },
    "ideal": {
        "gold": "The ideal ranking of nDCG holds all gold entries.",
        "returned": "The ideal ranking of nDCG is the best order of what was returned.",
    },
    "rr": {
        "first": "The reciprocal rank is that of the first hit.",
        "all-hits": "The reciprocal rank is the mean over all hits.",
    },
    "rr_miss": {
        "0": "A list without a hit has reciprocal rank 0.",
        "1/(n+1)": "A list without a hit has the reciprocal of its length plus 1 as reciprocal rank.",
    },
}
#: Conventions that only some measures know.
_ONLY = {"gain": "nDCG", "ideal": "nDCG", "ap": "MAP", "rr": "MRR", "rr_miss": "MRR"}
_BOTH = "Precision, recall and F1 are given as means over documents, and from counts pooled over documents."
_POOLED = {
    "micro": "pooled over documents",
    "macro": "averaged over documents",
    "both": "both pooled over documents and averaged over them",
}
_GOLD = {
    "union": "what any annotator chose",
    "majority": "what more than half of the annotators of a document chose",
    "intersection": "what all annotators of a document chose",
    "votes": "what any annotator chose, graded by the number of annotators",
    "others": "for each annotator in turn, what the others chose",
}
_UNIVERSE = {
    "ngrams": "the word n-grams of its text (up to {} words) and what was chosen beside them",
    "candidates": "the noun chunks of its text and what was chosen beside them",
    "sentences": "the sentences of its text",
    "rankings": "all phrases that any annotator or system chose",
    "vocabulary": "all phrases of the collection",
}


def paragraph(
    corpus: Corpus, settings: Settings, measures: Sequence[str], test: str, signature: str, documents: int
) -> str:
    """Return the paragraph on the documents that were evaluated, which are not always all that were loaded.

    settings are resolved; test is a comparison's own words, empty without a comparison.
    """
    said = [
        f"The evaluation covers {counted(len(corpus.systems), 'system')} on {counted(documents, 'document')} "
        f"with the keyphrases of {counted(len(corpus.annotators), 'annotator')}. The gold standard is "
        f"{_gold(settings)}.",
        _normalised(settings),
        *conventions(settings, measures),
        _cutoffs(settings),
        _agreement(settings, measures),
        _uncertainty(settings),
        f"Systems were compared pairwise by a {_tested(test)}." if test else "",
        _sources(measures),
        f"All values were computed with KPScope {__version__}; the recipe is {signature}.",
    ]
    return " ".join(sentence for sentence in said if sentence)


def conventions(settings: Settings, measures: Sequence[str]) -> list[str]:
    """Return one sentence for each convention that matters to the measures.

    >>> from kp_core.settings import Settings
    >>> conventions(Settings(), ["MRR"])[-2:]
    ['The reciprocal rank is that of the first hit.', 'A list without a hit has reciprocal rank 0.']
    """
    bases = " ".join(measures)
    record = settings.conventions
    said = [
        _BOTH if name == "average" and settings.both else WORDS[name][format_value(getattr(record, name))]
        for name in FIELDS
        if name in WORDS and _ONLY.get(name, "") in bases
    ]
    if record.rel != 1:
        said.insert(0, f"Gold keyphrases of grade {format_value(record.rel)} or higher count as relevant.")
    start = preset(settings.preset)
    if settings.preset != "kpscope":
        own = [name.replace("_", " ") for name in record.differences(start.conventions)]
        own += ["average"] if settings.both and "average" not in own else []
        apart = f", apart from: {', '.join(own)}" if own else ""
        said.insert(0, f"The conventions follow the preset {settings.preset} ({start.source}){apart}.")
    return [sentence for sentence in said if sentence]


def _gold(settings: Settings) -> str:
    name, _, votes = settings.annotators.partition(":")
    if name == "majority" and votes:
        return f"what at least {counted(int(votes), 'annotator')} of a document chose"
    return _GOLD.get(name, f"what the annotator {settings.annotators} chose")


def _normalised(settings: Settings) -> str:
    pipeline = Normaliser.parse(settings.conventions.normalise)
    steps = [_STEPS[step] for step in pipeline.steps if step in _STEPS]
    if pipeline.stemmer:
        porter = " (Porter 1980)" if pipeline.stemmer.startswith("porter") else ""
        steps.append(f"stemming by {pipeline.stemmer}{porter}")
    if not steps:
        return "Phrases were compared as given."
    return f"Phrases were compared after {', '.join(steps)} (the pipeline {pipeline})."


def _cutoffs(settings: Settings) -> str:
    words = {"gold": "the gold size of each document", "all": "all phrases returned"}
    return f"Cutoffs: k = {', '.join(words.get(str(k), str(k)) for k in settings.k)}."


def _agreement(settings: Settings, measures: Sequence[str]) -> str:
    if not any(parse(name).measure.family == "concordance" for name in measures):
        return ""
    name, _, size = settings.universe.partition(":")
    universe = _UNIVERSE[name].format(size) if name in _UNIVERSE else f"{int(name):,} phrases"
    tables = f"concordance tables {_POOLED[settings.pool]}"
    return f"Agreement was measured on {tables}; the universe of a document is {universe}."


def _uncertainty(settings: Settings) -> str:
    if settings.interval == "none":
        return ""
    if settings.interval == "cluster-t":
        return "Intervals are 95 % t intervals with documents as clusters (Liang & Zeger 1986)."
    kind = "Poisson bootstrap" if settings.interval == "poisson" else "bootstrap"
    return (
        f"Intervals are 95 % percentile intervals from {settings.resamples:,} {kind} resamples of documents "
        f"(Efron & Tibshirani 1993), seed {settings.seed}."
    )


#: A word of a test → its source.
_TESTS = {
    "randomisation": "Noreen 1989",
    "bootstrap": "Efron & Tibshirani 1993",
    "paired t": "Student 1908",
    "Wilcoxon": "Wilcoxon 1945",
    "Holm": "Holm 1979",
    "Benjamini": "Benjamini & Hochberg 1995",
}


def _tested(test: str) -> str:
    sources = [source for word, source in _TESTS.items() if word in test]
    return f"{test} ({'; '.join(sources)})" if sources else test


def _sources(measures: Sequence[str]) -> str:
    named: dict[str, list[str]] = {}
    for name in measures:
        base = parse(name).measure
        if cited(base.source):
            named.setdefault(base.source, []).append(name)
    listed = "; ".join(f"{', '.join(names)} ({source})" for source, names in named.items())
    return f"Definitions of the measures: {listed}." if listed else ""
