"""Turn the parsed options of a command into a result on standard output: the functions of the Python API."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kp_core import streaming
from kp_core.conventions import FIELDS
from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, counted
from kp_core.settings import Settings, make_settings

if TYPE_CHECKING:
    from kp_core.studies.compare import Comparison
    from kp_core.studies.correlation.study import CorrelationStudy, Similarities
    from kp_core.studies.result import Result
    from kp_core.studies.sentence_study.study import SentenceStudy
    from kp_core.studies.trimming import Trimmed

    _Printable = Comparison | CorrelationStudy | SentenceStudy | Similarities | Trimmed


def load_data(options: argparse.Namespace, needs: tuple[str, ...] = ("gold", "system")) -> Corpus:
    """Read the data that the options name; rejected rows are told."""
    from kp_core.reading import load
    from kp_core.reading.chosen import choices_of

    if options.workspace:
        return _saved(options)
    if "gold" in needs and not options.gold:
        raise UsageError("--gold is missing: name the file, folder or zip of the gold standard")
    if "system" in needs and not options.system:
        raise UsageError("--system is missing: name the ranked output of at least one system")
    corpus = load(
        gold=options.gold,
        systems=systems_of(options),
        documents=options.documents,
        judgements=options.judgements,
        encoding=options.encoding,
        strict=options.strict,
        fixes=[name for one in options.fix for name in one.split(",")],
        roles=choices_of(getattr(options, "as")),
    )
    if lost := len(corpus.report.rejected):
        rows = counted(lost, "row was rejected and is", "rows were rejected and are")
        print(f"warning: {rows} not used; see: kpscope validate", file=sys.stderr)
    return corpus


def systems_of(options: argparse.Namespace) -> Any:
    """Return the paths of the systems, by name where names were given."""
    # Every --system is one system; its paths belong together. NAME= names it, else the name of the first file does.
    named: dict[str, list[str]] = {}
    unnamed: list[str] = []
    for paths in options.system or []:
        name, equals, first = paths[0].partition("=")
        if equals and not Path(paths[0]).exists():
            if name in named:
                raise UsageError(f"two systems are named '{name}'; name each differently: --system NAME=PATH")
            named[name] = [first, *paths[1:]]
        else:
            unnamed += paths
    systems: Any = {**named}
    if unnamed:
        systems = [*unnamed] if not named else {**named, **{_stem(path): path for path in unnamed}}
    return systems or None


def _saved(options: argparse.Namespace) -> Corpus:
    """Return the data of a workspace file, the pairs rated in the dashboard among the judgements."""
    from kp_core.studies.correlation.sample import with_ratings
    from kp_core.takeaway.workspace_file import read_workspace

    beside = ("gold", "system", "documents", "judgements", "fix", "encoding", "strict", "as")
    given = next((name for name in beside if getattr(options, name)), "")
    if given:
        raise UsageError(f"--workspace holds all data already; leave out --{given}")
    saved = read_workspace(options.workspace)
    corpus = saved.uploads.load()
    return replace(corpus, judgements=with_ratings(corpus.judgements, saved.ratings))


def _stem(path: str) -> str:
    from kp_core.reading.source import stem_of

    return stem_of(path)


def write_out(text: str, options: argparse.Namespace) -> int:
    """Write to the file that was asked for, or to standard output."""
    if options.out:
        from kp_core.takeaway.disk import write_files

        try:
            write_files({Path(options.out): text.encode()})
        except OSError as error:
            raise UsageError(f"cannot write to {options.out}: {error.strerror}") from None
    else:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    return 0


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings that the options ask for."""
    conventions = {n: getattr(options, n) for n in FIELDS if n != "average" and getattr(options, n) is not None}
    made = make_settings(
        k=options.k,
        preset_name=options.preset,
        annotators=options.annotators,
        average=options.average,
        interval=options.interval,
        resamples=1000 if options.resamples is None else options.resamples,
        seed=options.seed,
        **conventions,
    )
    return replace(made, universe=options.universe or "")


def print_result(result: Result, options: argparse.Namespace, caption: str) -> int:
    """Print a result in the format asked for, its notes on standard error."""
    from kp_core import tables

    parts = (result.frame["subset"] != "all").any()
    texts: dict[str, Callable[[], str]] = {
        "json": result.as_json,
        "csv": lambda: tables.exchange_csv(result.frame),
        "latex": lambda: result.latex(caption),
        "markdown": result.markdown,
        # The column of subsets says something only where there are several.
        "table": lambda: f"{tables.text(result.frame.drop(columns=[] if parts else ['subset']))}\n{result.signature}\n",
    }
    status = write_out(texts[options.format](), options)
    warn(result.notes)
    return status


def warn(notes: Iterable[Note]) -> None:
    """Print notes on standard error."""
    for note in notes:
        print(f"{note.level}: {note.where}: {note.message}", file=sys.stderr)


def _evaluate(options: argparse.Namespace) -> int:
    from kp_core.studies.evaluate import evaluate_with

    if streaming.wanted(options):
        streamed = streaming.evaluated(options, systems_of(options), settings_of(options))
        return print_result(streamed, options, "Evaluation of keyphrase extraction")
    result = evaluate_with(load_data(options), settings_of(options), options.measures, options.baselines, options.by)
    return print_result(result, options, "Evaluation of keyphrase extraction")


def _compare(options: argparse.Namespace) -> int:
    from kp_core.studies.compare import TRIALS, compare_all

    trials = TRIALS if options.resamples is None else options.resamples
    names = options.measures.split(",")
    if streaming.wanted(options):
        compared = streaming.compared(options, systems_of(options), settings_of(options), names, trials)
        return print_table(compared, options, "Pairs of systems")
    found = compare_all(load_data(options), settings_of(options), names, trials, options.test, options.correction)
    return print_table(found, options, "Pairs of systems")


def _agreement(options: argparse.Namespace) -> int:
    from kp_core.studies.annotators import agreement_with

    if streaming.wanted(options):
        agreed = streaming.agreed(options, systems_of(options), settings_of(options))
        return print_result(agreed, options, "Agreement of annotators")
    corpus = load_data(options, ("gold",))
    result = agreement_with(corpus, settings_of(options), options.measures)
    return print_result(result, options, "Agreement of annotators")


def _trim(options: argparse.Namespace) -> int:
    from kp_core.studies.trimming import trim_with

    corpus = load_data(options, ("gold",))
    found = trim_with(corpus, settings_of(options), options.threshold, options.pooled, options.form)
    return print_table(found, options, "Gold standard trimmed by agreement")


_SIMILARITY = ("direction", "compat", "preset", "stemmer", "seed")


def _similarity(options: argparse.Namespace) -> int:
    from kp_core.reading.pairs import load_pairs
    from kp_core.studies.correlation.study import Similarities

    if not options.pairs:
        raise UsageError("--pairs is missing: name a table with the columns keyphrase and candidate")
    chosen = {name: getattr(options, name) for name in _SIMILARITY if getattr(options, name) is not None}
    if options.stream:
        return streaming.similarities(options, chosen)
    pairs = load_pairs(options.pairs, options.encoding)
    return print_table(Similarities.of(pairs, options.measures, chosen), options, "Similarity of phrases")


def _correlate(options: argparse.Namespace) -> int:
    from kp_core.studies.correlation.study import correlate

    if not (options.judgements or options.workspace):
        raise UsageError("--judgements is missing: name a table of phrase pairs with scores")
    names = (*_SIMILARITY[:-1], "seed", "correlation", "interval", "resamples", "ties", "test", "trials", "correction")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    corpus = load_data(options, ())
    warn(corpus.report.notes)
    found = correlate(corpus, options.measures, options.by, paper=options.paper, **chosen)
    return print_table(found, options, "Correlation of similarity with human scores")


def print_table(found: _Printable, options: argparse.Namespace, caption: str) -> int:
    """Print rows in the format asked for, their notes on standard error."""
    from kp_core import tables

    texts: dict[str, Callable[[], str]] = {
        "json": found.as_json,
        "csv": lambda: tables.exchange_csv(found.frame),
        "latex": lambda: tables.latex(found.frame, caption, found.signature),
        "markdown": lambda: f"{tables.markdown(found.frame)}\n`{found.signature}`\n",
        "table": lambda: f"{tables.text(found.frame)}\n{found.signature}\n",
    }
    status = write_out(texts[options.format](), options)
    warn(found.notes)
    return status


def _validate(options: argparse.Namespace) -> int:
    from kp_core.words import validation

    if not (options.gold or options.system or options.documents or options.judgements or options.workspace):
        raise UsageError("name the files to look at: --gold, --system, --documents, --judgements or --workspace")
    if options.k is not None and not (options.k.isdecimal() and int(options.k)):
        raise UsageError(f"k is '{options.k}'; for this report write one number")
    corpus = load_data(options, ())
    k = int(options.k) if options.k else None
    if options.format not in ("table", "json"):  # these two hold the notes themselves
        warn(corpus.report.notes)
    return write_out(validation.text(corpus, options.normalise, k, options.format), options)


def _methods(options: argparse.Namespace) -> int:
    from kp_core.words import methods

    return write_out(methods.text(options.format), options)


def _app(options: argparse.Namespace) -> int:
    from importlib.util import find_spec

    if find_spec("kp_ui") is None or find_spec("streamlit") is None:
        raise UsageError("the dashboard is not installed here; install KPScope with `pip install .`, or use `make run`")
    # in this process, so that whoever ends it ends the dashboard
    sys.argv = [sys.argv[0], *options.streamlit]
    runpy.run_module("kp_ui", run_name="__main__")
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": _evaluate,
    "compare": _compare,
    "agreement": _agreement,
    "trim": _trim,
    "similarity": _similarity,
    "correlate": _correlate,
    "validate": _validate,
    "methods": _methods,
    "app": _app,
}
