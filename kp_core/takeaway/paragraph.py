"""Turn settings into the paragraph on methods that a paper needs, with the BibTeX entries of what it names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from kp_core.corpus import Corpus
from kp_core.errors import counted
from kp_core.scoring.measures import parse
from kp_core.settings import FIELDS, Settings, __version__, format_value, preset, short_form
from kp_core.text.normalise import Normaliser
from kp_core.words import read


@cache
def entries() -> dict[str, str]:
    """Return the BibTeX entry of every source: as it is named in a text → entry.

    >>> entries()["Cohen 1960"].startswith("@article{cohen1960")
    True
    """
    text = (files("kp_core.takeaway") / "references.bib").read_text(encoding="utf-8")
    blocks = [block.strip().split("\n", 1) for block in text.split("\n\n") if block.strip()]
    return {label.removeprefix("% "): entry for label, entry in blocks}


def cited(text: str) -> list[str]:
    """Return the sources that a text names, in the order of the list.

    >>> cited("kappa (Cohen 1960) and PABAK (Byrt, Bishop & Carlin 1993)")
    ['Byrt, Bishop & Carlin 1993', 'Cohen 1960']
    """
    return [label for label in entries() if label in text]


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all sources that a text names, and of KPScope itself."""
    return "\n\n".join([*(entries()[label] for label in cited(text)), _OWN]) + "\n"


_OWN = (
    "@software{kpscope, author = {{KPScope contributors}}, title = {{KPScope}}, "
    f"version = {{{__version__}}}, year = {{2026}}}}"
)


#: The words of the paragraph, by what they speak of.
_PROSE = read("paragraph.toml")
#: Convention → value → sentence.
WORDS: dict[str, dict[str, str]] = _PROSE["conventions"]


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
        f"Cutoffs: k = {', '.join(_PROSE['cutoffs'].get(str(k), str(k)) for k in settings.k)}.",
        _agreement(settings, measures),
        _PROSE["intervals"][settings.interval].format(settings=settings),
        f"Systems were compared pairwise by a {_tested(test)}." if test else "",
        _sources(measures),
        f"All values were computed with KPScope {__version__}; the recipe is {signature}.",
    ]
    return " ".join(sentence for sentence in said if sentence)


def brief(corpus: Corpus, settings: Settings, measure: str, test: str, signature: str, documents: int) -> str:
    """Return the paragraph that a paper has room for: what was done, and only conventions other than the usual ones."""
    usual = Settings(preset=settings.preset, universe=settings.universe, annotators=settings.annotators)
    apart = [
        WORDS[name][format_value(getattr(settings, name))] for name in settings.differences(usual) if name in WORDS
    ]
    preset_said = conventions(Settings(preset=settings.preset), [])[:1] if settings.preset != "kpscope" else []
    asked = parse(measure).measure
    source = f" ({asked.source})" if cited(asked.source) else ""
    interval = _PROSE["intervals"][settings.interval].format(settings=settings)
    said = [
        f"We evaluated {counted(len(corpus.systems), 'system')} on {counted(documents, 'document')} against the "
        f"keyphrases of {counted(len(corpus.annotators), 'annotator')}; the gold standard is {_gold(settings)}.",
        _normalised(settings),
        *preset_said,
        f"We report {measure}{source}.",
        *apart,
        _agreement(settings, [measure]),
        interval,
        f"Systems were compared pairwise by a {_tested(test)}." if test else "",
        f"All values were computed with {short_form(signature)}.",
    ]
    return " ".join(sentence for sentence in said if sentence)


def conventions(settings: Settings, measures: Sequence[str]) -> list[str]:
    """Return one sentence for each convention that matters to the measures.

    >>> from kp_core.settings import Settings
    >>> conventions(Settings(), ["MRR"])[-2:]
    ['The reciprocal rank is that of the first hit.', 'A list without a hit has reciprocal rank 0.']
    """
    bases = " ".join(measures)
    said = [
        WORDS[name][format_value(getattr(settings, name))]
        for name in FIELDS
        if name in WORDS and _PROSE["only"].get(name, "") in bases
    ]
    if settings.rel != 1:
        said.insert(0, f"Gold keyphrases of grade {format_value(settings.rel)} or higher count as relevant.")
    start = preset(settings.preset)
    if settings.preset != "kpscope":
        named = Settings(preset=settings.preset)
        own = [name.replace("_", " ") for name in settings.differences(named)]
        apart = f", apart from: {', '.join(own)}" if own else ""
        said.insert(0, f"The conventions follow the preset {settings.preset} ({start.source}){apart}.")
    return [sentence for sentence in said if sentence]


def _gold(settings: Settings) -> str:
    name, _, votes = settings.annotators.partition(":")
    if name == "majority" and votes:
        return f"what at least {counted(int(votes), 'annotator')} of a document chose"
    words: str = _PROSE["gold"].get(name, f"what the annotator {settings.annotators} chose")
    return words


def _normalised(settings: Settings) -> str:
    pipeline = Normaliser.parse(settings.normalise)
    steps = [_PROSE["steps"][step] for step in pipeline.steps if step in _PROSE["steps"]]
    if pipeline.stemmer:
        porter = " (Porter 1980)" if pipeline.stemmer.startswith("porter") else ""
        steps.append(f"stemming by {pipeline.stemmer}{porter}")
    if not steps:
        return "Phrases were compared as given."
    return f"Phrases were compared after {', '.join(steps)} (the pipeline {pipeline})."


def _agreement(settings: Settings, measures: Sequence[str]) -> str:
    if not any(parse(name).measure.family == "concordance" for name in measures):
        return ""
    name, _, size = settings.universe.partition(":")
    universe = _PROSE["universe"][name].format(size) if name in _PROSE["universe"] else f"{int(name):,} phrases"
    averages = parse("kappa").averages(settings.average)
    pooled = _PROSE["pooled"]["both" if len(averages) > 1 else averages[0]]
    return f"Concordance tables were {pooled}; the universe of a document is {universe}."


def _tested(test: str) -> str:
    sources = [source for word, source in _PROSE["tests"].items() if word in test]
    return f"{test} ({'; '.join(sources)})" if sources else test


def _sources(measures: Sequence[str]) -> str:
    named: dict[str, list[str]] = {}
    for name in measures:
        base = parse(name).measure
        if cited(base.source):
            named.setdefault(base.source, []).append(name)
    listed = "; ".join(f"{', '.join(names)} ({source})" for source, names in named.items())
    return f"Definitions of the measures: {listed}." if listed else ""
