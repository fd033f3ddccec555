"""Turn settings into the methods paragraph of a paper, with the BibTeX entries of its sources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from kp_core.corpus import Corpus
from kp_core.errors import read_toml
from kp_core.scoring.measures import parse
from kp_core.scoring.runs import runs_of
from kp_core.settings import CONVENTIONS, PRESETS, SUBJECT, Settings, __version__, format_value, short_form
from kp_core.studies.annotators import interpretable
from kp_core.studies.result import Result
from kp_core.text.normalise import Normaliser
from kp_core.typeset import filled, say


@cache
def entries() -> dict[str, str]:
    """Return citation → BibTeX entry, for every source."""
    text = (files("kp_core.takeaway") / "references.bib").read_text(encoding="utf-8")
    blocks = [block.strip().split("\n", 1) for block in text.split("\n\n") if block.strip()]
    return {label.removeprefix("% "): entry for label, entry in blocks}


def cited(text: str) -> list[str]:
    """Return the sources cited in a text, in the order of `references.bib`."""
    return [label for label in entries() if label in text]


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all sources that a text cites, and of KPScope itself."""
    author = "@software{kpscope, author = {{KPScope contributors}}, title = {{KPScope}}"
    kpscope = f"{author}, version = {{{__version__}}}, year = {{2026}}}}"
    return "\n\n".join([*(entries()[label] for label in cited(text)), kpscope]) + "\n"


_PROSE = read_toml("words/paragraph.toml")
WORDS: dict[str, dict[str, str]] = _PROSE["conventions"]


def paragraphs(corpus: Corpus, result: Result, measure: str, measures: Sequence[str], test: str) -> tuple[str, str]:
    """Return the short paragraph (only one measure and non-default conventions) and the full one.

    * `test`: name of the significance test, empty if systems are not compared
    """
    settings, systems = result.settings, runs_of(corpus.systems)
    defaults = Settings(preset=settings.preset, universe=settings.universe, annotators=settings.annotators)
    facts: dict[str, Any] = {"systems": len(systems), "runs": len(corpus.systems), "documents": result.documents}
    gold, _, votes = settings.annotators.partition(":")
    gold = say("gold standard", words=_PROSE["gold"], name=gold, votes=votes, annotators=settings.annotators)
    facts |= {"people": len(corpus.annotators), "gold": gold, "normalised": _normalised(settings)}
    facts |= {"test": test, "test_sources": [source for word, source in _PROSE["tests"].items() if word in test]}
    facts |= {"short": short_form(result.signature), "signature": result.signature, "version": __version__}
    source = parse(measure).card.source
    sentences = [_preset(defaults, defaults), say("reported", measure=measure, source=source if cited(source) else "")]
    sentences += [_convention(settings, name) for name in settings.differences(defaults) if name in WORDS]
    sentences += [_agreement(settings, [measure]), _intervals(settings, [measure])]
    cutoffs = [_PROSE["cutoffs"].get(str(k), str(k)) for k in settings.k]
    full_sentences = [*_conventions(settings, measures), say("cutoffs", cutoffs=cutoffs)]
    full_sentences += [_agreement(settings, measures), _intervals(settings, measures)]
    sources = {name: source for name in measures if cited(source := parse(name).card.source)}
    defined = {source: [name for name in sources if sources[name] == source] for source in sources.values()}
    in_full = say("methods", whole=True, sentences=full_sentences, sources=defined, **facts)
    return say("methods", whole=False, sentences=sentences, sources={}, **facts), in_full


def _intervals(settings: Settings, measures: Sequence[str]) -> str:
    by_subject = [parse(name).over_subjects(settings.average) for name in measures]
    over_documents = _PROSE["intervals"][settings.interval].format(settings=settings)
    of_subjects = _PROSE["intervals"]["subjects"] if any(by_subject) and settings.interval != "none" else ""
    return of_subjects if all(by_subject) and by_subject else f"{over_documents} {of_subjects}".strip()


def of_people_alone(corpus: Corpus, result: Result, words: dict[str, str]) -> str:
    """Describe how the agreement of all annotators was computed, in words that suit the data."""
    settings, is_known = result.settings, interpretable(("K",), result.settings)
    facts: dict[str, Any] = {"annotators": len(corpus.annotators), "keyphrases": len(corpus.gold)}
    facts |= {"documents": result.documents, "notes": result.notes, "version": __version__}
    facts["files"] = [f"{file.file} ({file.sha256[:12]})" for file in corpus.report.readings if file.sha256]
    facts["intervals"] = _PROSE["intervals"][settings.interval].format(settings=settings) if is_known else ""
    return filled(_PROSE["people"]["paragraph"], words=words, normalized=_normalised(settings), **facts)


def _conventions(settings: Settings, measures: Sequence[str]) -> list[str]:
    """Return one sentence per convention that affects the measures."""
    measure_names, rel = " ".join(measures), format_value(settings.rel)
    grade = f"Gold keyphrases of grade {rel} or higher count as relevant." if settings.rel != 1 else ""
    names = [name for name in CONVENTIONS if name in WORDS and _PROSE["only"].get(name, "") in measure_names]
    if settings.average not in SUBJECT:
        names.remove("subject_empty")
    sentences = [_preset(settings, Settings(preset=settings.preset)), grade]
    return list(filter(None, [*sentences, *(_convention(settings, name) for name in names)]))


def _convention(settings: Settings, name: str) -> str:
    return WORDS[name][format_value(getattr(settings, name))]


def _preset(settings: Settings, preset_settings: Settings) -> str:
    if settings.preset == "kpscope":
        return ""
    changed = [name.replace("_", " ") for name in settings.differences(preset_settings)]
    return say("followed preset", preset=settings.preset, source=PRESETS[settings.preset].source, apart=changed)


def _normalised(settings: Settings) -> str:
    pipeline = Normaliser.parse(settings.normalise)
    steps = [_PROSE["steps"][step] for step in pipeline.steps if step in _PROSE["steps"]]
    return say("normalized", steps=steps, stemmer=pipeline.stemmer or "", pipeline=str(pipeline))


def _agreement(settings: Settings, measures: Sequence[str]) -> str:
    if not any(parse(name).card.family == "concordance" for name in measures):
        return ""
    name, _, size = settings.universe.partition(":")
    universe = _PROSE["universe"][name].format(size) if name in _PROSE["universe"] else f"{int(name):,} phrases"
    averages = parse("kappa").averages(settings.average)
    pooled = _PROSE["pooled"]["both" if len(averages) > 1 else averages[0]]
    return say("concordance", pooled=pooled, universe=universe)
