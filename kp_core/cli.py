"""Turn a command line into a result on standard output: the same functions as the Python API and the dashboard."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kp_core import convert
from kp_core.conventions import FIELDS, PRESETS, Conventions
from kp_core.errors import InputError, UsageError
from kp_core.model import Corpus, Note
from kp_core.settings import Settings, __version__, make_settings

if TYPE_CHECKING:
    from kp_core.compare import Comparison
    from kp_core.correlate import CorrelationStudy, Similarities
    from kp_core.result import Result
    from kp_core.trimming import Trimmed

    _Printable = Comparison | CorrelationStudy | Similarities | Trimmed

FORMATS = ("table", "json", "csv", "latex", "markdown")


class _Parser(argparse.ArgumentParser):
    """Refuses wrong usage with one line, as every other error."""

    def error(self, message: str) -> Any:
        raise UsageError(message)


def _data_options(parser: argparse.ArgumentParser) -> None:
    data = parser.add_argument_group("data")
    data.add_argument("--gold", nargs="+", metavar="PATH", help="gold keyphrases: files, folders or zips")
    data.add_argument("--system", nargs="+", action="append", metavar="[NAME=]PATH", help="ranked output of a system")
    data.add_argument("--documents", metavar="PATH", nargs="+", help="texts of the documents")
    data.add_argument("--judgements", metavar="PATH", nargs="+", help="judged pairs")
    data.add_argument("--encoding", help="encoding of files that are not UTF-8")
    data.add_argument("--strict", action="store_true", help="refuse at the first rejected row")
    data.add_argument("--fix", action="append", default=[], metavar="NAME", help="a fix that the load report offers")


def _convention_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("conventions")
    group.add_argument("--k", help="10 | 5,10,15 | 1-50 | average | gold | all, or mixed (default: average)")
    group.add_argument("--preset", default="kpscope", help=f"one of: {', '.join(PRESETS)}")
    group.add_argument("--annotators", default="union", help="union, majority[:M], intersection, votes, or a name")
    group.add_argument("--universe", help="ngrams[:n], rankings, vocabulary, or a number of phrases")
    group.add_argument("--average", help="micro, macro, f-of-means or both")
    group.add_argument("--gold-stemmed", nargs="?", const="yes", help="the gold was released as stems")
    for name, field in FIELDS.items():
        if name not in ("average", "gold_stemmed"):
            choices = f" ({', '.join(field.values)})" if field.values else ""
            group.add_argument(
                f"--{name.replace('_', '-')}", dest=name, help=(field.meaning + choices).replace("%", "%%")
            )
    group.add_argument("--interval", default="bootstrap", help="bootstrap, cluster-t or none")
    group.add_argument("--resamples", type=int, help="bootstrap resamples (1000)")
    group.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")


def _output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", default="table", help=f"one of: {', '.join(FORMATS)}")
    parser.add_argument("--out", metavar="PATH", help="write to a file instead of standard output")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="kpscope", description="Evaluate keyword and keyphrase extraction.")
    parser.add_argument("--version", action="version", version=f"kpscope {__version__}")
    commands = parser.add_subparsers(dest="command", parser_class=_Parser, metavar="COMMAND")
    evaluate = commands.add_parser("evaluate", help="score systems against the gold standard")
    compare = commands.add_parser("compare", help="say which system is better, and whether that is certain")
    agreement = commands.add_parser("agreement", help="say how well several annotators agree")
    trim = commands.add_parser("trim", help="trim the gold standard until the annotators agree on what is left")
    for command in (evaluate, compare, agreement, trim):
        _data_options(command)
        _convention_options(command)
    evaluate.add_argument("--measures", help="such as kappa,PABAK,P@5,F1@10,MAP (see: kpscope methods)")
    evaluate.add_argument("--baselines", action="store_true", help="add: says nothing, random k, oracle k")
    compare.add_argument("--measures", default="F1@k", help="such as F1@10,MAP: each is a family of pairs (F1@k)")
    compare.add_argument("--test", default="randomisation", help="randomisation, bootstrap, t or wilcoxon")
    compare.add_argument("--correction", default="holm", help="holm, bh (Benjamini and Hochberg) or none")
    agreement.add_argument("--measures", help="such as K,alpha,AC1,kappa,P_pos (see: kpscope methods)")
    trim.add_argument("--threshold", type=float, default=0.5, help="K that the gold standard must reach (0.5)")
    trim.add_argument("--pooled", action="store_true", help="one majority for all documents, by their pooled K")
    trim.add_argument("--form", default="binary", help="binary, or choices: the choice matrix of the source")
    similarity = commands.add_parser("similarity", help="say how similar pairs of phrases are")
    correlate = commands.add_parser("correlate", help="say which measure of similarity agrees with people")
    _data_options(correlate)
    for command in (similarity, correlate):
        command.add_argument("--measures", help="such as R-precision,BLEU,METEOR (see: kpscope methods)")
        command.add_argument("--direction", help="longer (the longer phrase is the reference) or keyphrase")
        command.add_argument("--compat", help="none, or nltk: exactly what NLTK, rouge-score and sacreBLEU give")
        command.add_argument("--preset", help="paper-like or same-tokens")
        command.add_argument("--stemmer", help="stemmer of the stems, such as porter-nltk or snowball-fr")
        command.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")
    similarity.add_argument("--pairs", metavar="PATH", nargs="+", help="a table with keyphrase and candidate")
    similarity.add_argument("--encoding", help="encoding of files that are not UTF-8")
    correlate.add_argument("--by", default="location,complexity,pos", help="breakdowns, separated by commas")
    correlate.add_argument("--correlation", default="spearman", help="spearman, pearson or kendall")
    correlate.add_argument("--interval", default="bootstrap", help="bootstrap, closed-form or none")
    correlate.add_argument("--resamples", type=int, default=1000, help="bootstrap resamples (1000)")
    correlate.add_argument("--ties", default="low", help="of the majority: low, high or mid")
    correlate.add_argument("--test", default="perm-both", help="between measures: perm-both, williams or none")
    correlate.add_argument("--paper", action="store_true", help="group the pairs as Kim, Baldwin and Kan (2010)")
    validate = commands.add_parser("validate", help="say how files were understood, and what is odd about them")
    _data_options(validate)
    default = Conventions().normalise
    validate.add_argument("--normalise", default=default, help="pipeline for the duplicates in the report")
    validate.add_argument("--k", help="cutoff for the short lists in the report")
    convert.add_options(commands.add_parser("convert", help="write the data in another format"), _data_options)
    methods = commands.add_parser("methods", help="list every measure with formula and source")
    for command in (evaluate, compare, agreement, trim, similarity, correlate, validate, methods):
        _output_options(command)
    app = commands.add_parser("app", help="open the dashboard")
    app.add_argument("streamlit", nargs=argparse.REMAINDER, help="options for streamlit run")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 done, 1 the data were refused, 2 wrong usage."""
    parser = _parser()
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "evaluate": _evaluate, "compare": _compare, "agreement": _agreement, "trim": _trim,
        "similarity": _similarity, "correlate": _correlate, "validate": _validate, "convert": _convert,
        "methods": _methods, "app": _app,
    }  # fmt: skip
    try:
        options = parser.parse_args(arguments)
        if options.command is None:
            raise UsageError(f"name a command: {', '.join(commands)}")
        if getattr(options, "format", "table") not in FORMATS:
            raise UsageError(f"there is no format '{options.format}'; choose one of: {', '.join(FORMATS)}")
        return commands[options.command](options)
    except UsageError as error:
        print(f"kpscope: {error}", file=sys.stderr)
        return 2
    except (InputError, OSError) as error:
        print(f"kpscope: {error if isinstance(error, InputError) else error.strerror}", file=sys.stderr)
        return 1


def _load(options: argparse.Namespace, needs: tuple[str, ...] = ("gold", "system")) -> Corpus:
    from kp_core.reading import load

    if "gold" in needs and not options.gold:
        raise UsageError("--gold is missing: name the file, folder or zip of the gold standard")
    if "system" in needs and not options.system:
        raise UsageError("--system is missing: name the ranked output of at least one system")
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
    return load(
        gold=options.gold,
        systems=systems or None,
        documents=options.documents,
        judgements=options.judgements,
        encoding=options.encoding,
        strict=options.strict,
        fixes=tuple(options.fix),
    )


def _stem(path: str) -> str:
    from kp_core.reading.source import stem_of

    return stem_of(path)


def _print(text: str, options: argparse.Namespace) -> int:
    if options.out:
        try:
            Path(options.out).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write to {options.out}: {error.strerror}") from None
    else:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    return 0


def _settings(options: argparse.Namespace) -> Settings:
    conventions = {n: getattr(options, n) for n in FIELDS if n != "average" and getattr(options, n) is not None}
    made = make_settings(
        k=options.k, preset_name=options.preset, annotators=options.annotators, average=options.average,
        interval=options.interval, resamples=1000 if options.resamples is None else options.resamples,
        seed=options.seed, **conventions,
    )  # fmt: skip
    return replace(made, universe=options.universe or "")


def _print_result(result: Result, options: argparse.Namespace) -> int:
    from kp_core.export import tables

    parts = (result.frame["subset"] != "all").any()
    texts: dict[str, Callable[[], str]] = {
        "json": result.as_json,
        "csv": lambda: tables.exchange_csv(result.frame),
        "latex": result.latex,
        "markdown": result.markdown,
        # The column of subsets says something only where there are several.
        "table": lambda: f"{tables.text(result.frame.drop(columns=[] if parts else ['subset']))}\n{result.signature}\n",
    }
    status = _print(texts[options.format](), options)
    _warn(result.notes)
    return status


def _warn(notes: Iterable[Note]) -> None:
    for note in notes:
        print(f"{note.level}: {note.where}: {note.message}", file=sys.stderr)


def _evaluate(options: argparse.Namespace) -> int:
    from kp_core.evaluate import evaluate_with

    found = evaluate_with(_load(options), _settings(options), options.measures, options.baselines)
    return _print_result(found, options)


def _compare(options: argparse.Namespace) -> int:
    from kp_core.compare import TRIALS, compare_all

    trials = TRIALS if options.resamples is None else options.resamples
    names = options.measures.split(",")
    found = compare_all(_load(options), _settings(options), names, trials, options.test, options.correction)
    return _print_table(found, options, "Pairs of systems")


def _agreement(options: argparse.Namespace) -> int:
    from kp_core.agreement import agreement_with

    corpus = _load(options, ("gold",))
    return _print_result(agreement_with(corpus, _settings(options), options.measures), options)


def _trim(options: argparse.Namespace) -> int:
    from kp_core.trimming import trim_with

    corpus = _load(options, ("gold",))
    found = trim_with(corpus, _settings(options), options.threshold, options.pooled, options.form)
    return _print_table(found, options, "Gold standard trimmed by agreement")


_SIMILARITY = ("direction", "compat", "preset", "stemmer", "seed")


def _similarity(options: argparse.Namespace) -> int:
    from kp_core.correlate import Similarities
    from kp_core.reading.pairs import load_pairs

    if not options.pairs:
        raise UsageError("--pairs is missing: name a table with the columns keyphrase and candidate")
    chosen = {name: getattr(options, name) for name in _SIMILARITY if getattr(options, name) is not None}
    pairs = load_pairs(options.pairs, options.encoding)
    return _print_table(Similarities.of(pairs, options.measures, chosen), options, "Similarity of phrases")


def _correlate(options: argparse.Namespace) -> int:
    from kp_core.correlate import correlate

    if not options.judgements:
        raise UsageError("--judgements is missing: name a table of phrase pairs with scores")
    names = (*_SIMILARITY[:-1], "seed", "correlation", "interval", "resamples", "ties", "test")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    found = correlate(_load(options, ()), options.measures, options.by, paper=options.paper, **chosen)
    return _print_table(found, options, "Correlation of similarity with human scores")


def _print_table(found: _Printable, options: argparse.Namespace, caption: str) -> int:
    from kp_core.export import tables

    texts: dict[str, Callable[[], str]] = {
        "json": found.as_json,
        "csv": lambda: tables.exchange_csv(found.frame),
        "latex": lambda: tables.latex(found.frame, caption, found.signature),
        "markdown": lambda: f"{tables.markdown(found.frame)}\n`{found.signature}`\n",
        "table": lambda: f"{tables.text(found.frame)}\n{found.signature}\n",
    }
    status = _print(texts[options.format](), options)
    _warn(found.notes)
    return status


def _validate(options: argparse.Namespace) -> int:
    from kp_core import validation

    if not (options.gold or options.system or options.documents or options.judgements):
        raise UsageError("name the files to look at: --gold, --system, --documents or --judgements")
    if options.k is not None and not (options.k.isdecimal() and int(options.k)):
        raise UsageError(f"k is '{options.k}'; for this report write one number")
    corpus = _load(options, ())
    k = int(options.k) if options.k else None
    return _print(validation.text(corpus, options.normalise, k, options.format), options)


def _convert(options: argparse.Namespace) -> int:
    written = convert.converted(_load(convert.checked(options), ()), options)
    _warn(written.notes)
    return _print(convert.save(written, options.folder, options.force), options)


def _methods(options: argparse.Namespace) -> int:
    from kp_core import methods

    return _print(methods.text(options.format), options)


def _app(options: argparse.Namespace) -> int:
    from importlib.util import find_spec

    app = Path(__file__).resolve().parent.parent / "app.py"
    if not app.exists() or find_spec("streamlit") is None:
        raise UsageError("the dashboard is not installed here; run it from a copy of the project with `make run`")
    return subprocess.call([sys.executable, "-m", "streamlit", "run", str(app), *options.streamlit])
