"""Turn the parsed options of the commands that make something new into files: extracts, reports, other formats."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from kp_core.commands import load_data, print_table, settings_of, warn, write_out
from kp_core.errors import InputError, UsageError, counted
from kp_core.takeaway import convert


def _sentences(options: argparse.Namespace) -> int:
    from kp_core import tables
    from kp_core.reading.attribute_tables import load_attributes
    from kp_core.scoring.sentence_ids import list_sentences
    from kp_core.studies.sentence_study.study import sentence_study

    if not options.documents:
        raise UsageError("--documents is missing: name the texts")
    corpus = load_data(options, ())
    if options.gold:
        given = load_attributes(options.attributes, options.encoding) if options.attributes else None
        found = sentence_study(
            corpus,
            attributes=given,
            form=options.form,
            repeats=options.repeats,
            grouped=options.grouped,
            seed=options.seed,
        )
        return print_table(found, options, "Sentence study")
    frame = list_sentences(corpus)
    texts: dict[str, Callable[[], str]] = {
        "json": lambda: json.dumps(frame.to_dict("records"), ensure_ascii=False, indent=1),
        "csv": lambda: tables.exchange_csv(frame),
        "latex": lambda: tables.latex(frame, "Sentences"),
        "markdown": lambda: tables.markdown(frame),
        "table": lambda: tables.text(frame),
    }
    return write_out(texts[options.format](), options)


_PARAMETERS = ("longest", "m", "lam", "beta")


def extract_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command `extract`."""
    parser.add_argument("--documents", nargs="+", metavar="PATH", help="the texts: files, folders or zips")
    parser.add_argument("--method", default="tfidf", help="one system or several, as tfidf,tfidf-chunks (see: methods)")
    parser.add_argument("--external", nargs="+", metavar="PATH", help="external documents, or lists of phrases")
    parser.add_argument(
        "--phrases",
        nargs="+",
        metavar="PATH",
        help="external lists of phrases, where --external names documents as well",
    )
    parser.add_argument("--top", default="50", help="length of the lists, or all (50)")
    parser.add_argument("--longest", type=float, help="most words of a candidate (3); 0: any number, with chunks only")
    parser.add_argument("--m", type=float, help="how many of the most similar external documents count (5)")
    parser.add_argument("--lambda", type=float, dest="lam", help="weight of the external documents (0.5)")
    parser.add_argument("--beta", type=float, help="by how much a phrase of the list is raised (1)")
    parser.add_argument("--stop-words", metavar="PATH", help="stop words of another language, one a line")
    parser.add_argument("--stemmer", default="porter-nltk", help="none, porter-nltk, snowball-fr and so on")
    parser.add_argument("--format", default="jsonl", help="jsonl, csv or table")
    parser.add_argument("--out", metavar="PATH", help="write to a file instead of standard output")
    parser.set_defaults(formats=("jsonl", "csv", "table"))


def _extract(options: argparse.Namespace) -> int:
    from kp_core import tables
    from kp_core.extraction import extract
    from kp_core.extraction.extract import stop_words_in
    from kp_core.reading.family import File
    from kp_core.reading.limits import LIMITS
    from kp_core.reading.source import expand

    if not options.documents:
        raise UsageError("--documents is missing: name the texts")
    if options.top != "all" and not options.top.isdecimal():
        raise UsageError(f"top is '{options.top}'; write a number or all")
    stop: str | list[str] = "english"
    if options.stop_words:
        lines = [line for source in expand(options.stop_words).files for line in File(source, LIMITS).lines]
        if not (stop := stop_words_in("\n".join(lines))):
            raise InputError(Path(options.stop_words).name, "no word", "stop words, one a line", "Load another file.")
    external = {"documents": options.external, "phrases": options.phrases} if options.phrases else options.external
    found = extract(
        options.documents,
        options.method,
        None if options.top == "all" else int(options.top),
        external,
        stop_words=stop,
        stemmer=options.stemmer,
        **{name: value for name in _PARAMETERS if (value := getattr(options, name)) is not None},
    )
    texts: dict[str, Callable[[], str]] = {
        "jsonl": lambda: found.jsonl().decode(),
        "csv": lambda: tables.exchange_csv(found.runs),
        "table": lambda: f"{tables.text(found.runs)}\n{found.signature}\n",
    }
    status = write_out(texts[options.format](), options)
    warn(found.notes)
    return status


def _convert(options: argparse.Namespace) -> int:
    corpus = load_data(convert.checked(options), ())
    written = convert.converted(corpus, options)
    warn((*corpus.report.notes, *written.notes))
    return write_out(convert.save(written, options.folder, options.force), options)


def _report(options: argparse.Namespace) -> int:
    from kp_core.takeaway.bundle import report
    from kp_core.takeaway.disk import write_files
    from kp_core.takeaway.sections import SECTIONS

    path = Path(options.out)
    sections = options.sections.split(",") if options.sections else tuple(SECTIONS)
    found = report(load_data(options), settings_of(options), options.measure, sections, options.title)
    forms: dict[str, Callable[[], str | bytes]] = {
        ".html": found.html,
        ".zip": found.zip,
        ".md": found.markdown,
        ".tex": found.latex,
        ".json": found.record,
    }
    if path.suffix not in forms:
        raise UsageError(f"--out is {options.out}; let the name end in {', '.join(forms)}")
    content = forms[path.suffix]()
    try:
        write_files({path: content.encode() if isinstance(content, str) else content})
    except OSError as error:
        raise UsageError(f"cannot write to {options.out}: {error.strerror}") from None
    print(f"{options.out}: {counted(len(found.sections), 'section')}, {found.signature}")
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "sentences": _sentences,
    "extract": _extract,
    "convert": _convert,
    "report": _report,
}
