"""Turn a command line into a result on standard output: the same functions as the Python API and the dashboard."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from kp_core import commands, making
from kp_core.conventions import FIELDS, PRESETS, Conventions
from kp_core.errors import InputError, UsageError
from kp_core.settings import __version__
from kp_core.takeaway import convert

_COMMANDS = commands.COMMANDS | making.COMMANDS
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
    data.add_argument("--workspace", metavar="PATH", help="a saved workspace, in place of all other data")
    data.add_argument("--encoding", help="encoding of files that are not UTF-8")
    data.add_argument(
        "--as",
        action="append",
        default=[],
        metavar="FILE:KEY=VALUE",
        help="how to read a file: g.xlsx:sheet=Lists, a.csv:phrase=Term, a.csv:better=lower",
    )
    data.add_argument("--strict", action="store_true", help="refuse at the first rejected row")
    data.add_argument("--fix", action="append", default=[], metavar="NAME", help="a fix that the load report offers")


def _convention_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("conventions")
    group.add_argument("--k", help="10 | 5,10,15 | 1-50 | average | gold | all, or mixed (default: average)")
    group.add_argument("--preset", default="kpscope", help=f"one of: {', '.join(PRESETS)}")
    gold = "union, majority[:M], intersection, votes, others[:majority], or a name"
    group.add_argument("--annotators", default="union", help=gold)
    group.add_argument("--universe", help="ngrams[:n], candidates, rankings, vocabulary, sentences, or a number")
    group.add_argument("--average", help="micro, macro, f-of-means or both")
    group.add_argument("--gold-stemmed", nargs="?", const="yes", help="the gold was released as stems")
    for name, field in FIELDS.items():
        if name not in ("average", "gold_stemmed"):
            choices = f" ({', '.join(field.values)})" if field.values else ""
            group.add_argument(
                f"--{name.replace('_', '-')}", dest=name, help=(field.meaning + choices).replace("%", "%%")
            )
    group.add_argument("--interval", default="bootstrap", help="bootstrap, poisson, cluster-t or none")
    group.add_argument("--resamples", type=int, help="bootstrap resamples (1000)")
    group.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")


def _stream_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data larger than memory (see docs/scale.md)")
    group.add_argument("--stream", action="store_true", help="add up part by part; Parquet, CSV or JSONL tables")
    group.add_argument("--partition-rows", type=int, metavar="N", help="rows of a part, about (1000000)")
    group.add_argument("--checkpoint", metavar="PATH", help="file from which an interrupted run goes on")
    group.add_argument("--cluster", metavar="WHERE", help="Dask: local, local:N or tcp://host:port")
    group.add_argument("--scratch", metavar="PATH", help="folder for rows regrouped by document")
    group.add_argument("--save-statistics", metavar="PATH", help="file of all sums, for the dashboard")


def _output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", default="table", help=f"one of: {', '.join(FORMATS)}")
    parser.add_argument("--out", metavar="PATH", help="write to a file instead of standard output")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(prog="kpscope", description="Evaluate keyword and keyphrase extraction.")
    parser.add_argument("--version", action="version", version=f"kpscope {__version__}")
    parsers = parser.add_subparsers(dest="command", parser_class=_Parser, metavar="COMMAND")
    evaluate = parsers.add_parser("evaluate", help="score systems against the gold standard")
    compare = parsers.add_parser("compare", help="say which system is better, and whether that is certain")
    agreement = parsers.add_parser("agreement", help="say how well several annotators agree")
    trim = parsers.add_parser("trim", help="trim the gold standard until the annotators agree on what is left")
    report = parsers.add_parser("report", help="write an HTML report, or an archive with all tables")
    for command in (evaluate, compare, agreement, trim, report):
        _data_options(command)
        _convention_options(command)
    for command in (evaluate, compare, agreement):
        _stream_options(command)
    evaluate.add_argument("--measures", help="such as kappa,PABAK,P@5,F1@10,MAP (see: kpscope methods)")
    evaluate.add_argument("--by", default="", help="also give the parts of the data: group, length or presence")
    evaluate.add_argument("--baselines", action="store_true", help="add: says nothing, random k, oracle k")
    compare.add_argument("--measures", default="F1@k", help="such as F1@10,MAP: each is a family of pairs (F1@k)")
    compare.add_argument("--test", default="randomisation", help="randomisation, bootstrap, t or wilcoxon")
    compare.add_argument("--correction", default="holm", help="holm, bh (Benjamini and Hochberg) or none")
    agreement.add_argument("--measures", help="such as K,alpha,AC1,kappa,P_pos (see: kpscope methods)")
    trim.add_argument("--threshold", type=float, default=0.5, help="K that the gold standard must reach (0.5)")
    trim.add_argument("--pooled", action="store_true", help="one majority for all documents, by their pooled K")
    trim.add_argument("--form", default="binary", help="binary, or choices: the choice matrix of the source")
    report.add_argument("--measure", default="F1@k", help="the measure by which systems are ranked (F1@k)")
    report.add_argument("--sections", help="such as leaderboard,agreement,methods (default: all)")
    report.add_argument("--title", default="Evaluation of keyphrase extraction", help="heading of the report")
    report.add_argument("--out", default="report.html", metavar="PATH", help="ends in .html, .zip, .md, .tex or .json")
    similarity = parsers.add_parser("similarity", help="say how similar pairs of phrases are")
    correlate = parsers.add_parser("correlate", help="say which measure of similarity agrees with people")
    _data_options(correlate)
    for command in (similarity, correlate):
        command.add_argument("--measures", help="such as R-precision,BLEU,METEOR (see: kpscope methods)")
        command.add_argument("--direction", help="longer (the longer phrase is the reference) or keyphrase")
        command.add_argument("--preset", help="paper-like or same-tokens")
        command.add_argument("--stemmer", help="stemmer of the stems, such as porter-nltk or snowball-fr")
        command.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")
    similarity.add_argument("--pairs", metavar="PATH", nargs="+", help="a table with keyphrase and candidate")
    similarity.add_argument("--encoding", help="encoding of files that are not UTF-8")
    similarity.add_argument("--stream", action="store_true", help="write scores of any number of pairs to --out")
    correlate.add_argument("--by", default="location,complexity,pos", help="breakdowns, separated by commas")
    correlate.add_argument("--correlation", default="spearman", help="spearman, pearson or kendall")
    correlate.add_argument("--interval", default="bootstrap", help="bootstrap, closed-form or none")
    correlate.add_argument("--resamples", type=int, default=1000, help="bootstrap resamples (1000)")
    correlate.add_argument("--ties", default="low", help="of the majority: low, high or mid")
    correlate.add_argument("--test", default="perm-both", help="between measures: perm-both, williams or none")
    correlate.add_argument("--trials", type=int, default=2000, help="trials of perm-both (2000)")
    correlate.add_argument("--correction", default="holm", help="holm, bh or none")
    correlate.add_argument("--paper", action="store_true", help="group the pairs as Kim, Baldwin and Kan (2010)")
    sentences = parsers.add_parser("sentences", help="list sentences with ids; with extracts as gold, study them")
    _data_options(sentences)
    sentences.add_argument("--attributes", metavar="PATH", nargs="+", help="a table of given attributes of sentences")
    sentences.add_argument("--repeats", type=int, default=20, help="draws at every threshold (20)")
    sentences.add_argument("--form", default="binary", help="of trimming: binary, or choices (see trim)")
    sentences.add_argument("--grouped", action="store_true", help="no document on both sides of a fold")
    sentences.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")
    validate = parsers.add_parser("validate", help="say how files were understood, and what is odd about them")
    _data_options(validate)
    default = Conventions().normalise
    validate.add_argument("--normalise", default=default, help="pipeline for the duplicates in the report")
    validate.add_argument("--k", help="cutoff for the short lists in the report")
    making.extract_options(parsers.add_parser("extract", help="rank the phrases of texts by the lecture systems"))
    convert.add_options(parsers.add_parser("convert", help="write the data in another format"), _data_options)
    methods = parsers.add_parser("methods", help="list every measure with formula and source")
    for command in (evaluate, compare, agreement, trim, similarity, correlate, sentences, validate, methods):
        _output_options(command)
    app = parsers.add_parser("app", help="open the dashboard")
    app.add_argument("streamlit", nargs="*", help="options of streamlit run, such as --server.port 8502")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 done, 1 the data were refused, 2 wrong usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # What follows `app` is for streamlit; argparse would refuse options that it does not know.
    passed_on = words[1:] if words[:1] == ["app"] and not {"-h", "--help"} & set(words) else []
    try:
        options = make_parser().parse_args(words[: len(words) - len(passed_on)])
        options.streamlit = passed_on
        if options.command is None:
            raise UsageError(f"name a command: {', '.join(_COMMANDS)}")
        formats = getattr(options, "formats", FORMATS)
        if getattr(options, "format", "table") not in formats:
            raise UsageError(f"there is no format '{options.format}'; choose one of: {', '.join(formats)}")
        return _COMMANDS[options.command](options)
    except UsageError as error:
        print(f"kpscope: {error}", file=sys.stderr)
        return 2
    except (InputError, OSError) as error:
        print(f"kpscope: {error if isinstance(error, InputError) else error.strerror}", file=sys.stderr)
        return 1
