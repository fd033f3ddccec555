"""Turn a corpus into files of another format in a folder, for the command `convert`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.reading.written import Written
from kp_core.takeaway.disk import write_files

#: Forms of the tidy tables, TREC, and lists by document (F1, F2, F3 and F4 in docs/formats.md).
FORMS = ("tidy", "jsonl", "parquet", "trec", "workspace", "variants", "lists", "lines", "keys")


def add_options(parser: ArgumentParser, data_options: Callable[[ArgumentParser], None]) -> None:
    """Declare the options of the command."""
    data_options(parser)
    parser.add_argument("--to", default="tidy", help=f"one of: {', '.join(FORMS)} (see docs/formats.md)")
    parser.add_argument("--out", dest="folder", metavar="FOLDER", help="where the files go; it is made if need be")
    parser.add_argument("--force", action="store_true", help="overwrite files that are there")
    trec = parser.add_argument_group("trec")
    trec.add_argument("--normalise", default="none", help="write normalised forms, so that equal phrases are equal ids")
    trec.add_argument("--gold-stemmed", action="store_true", help="the gold was released as stems")
    trec.add_argument("--union", action="store_true", help="one qrels file of all annotators, the grade being votes")
    parser.set_defaults(out=None)


def checked(options: Namespace) -> Namespace:
    """Return the options, or refuse wrong usage before anything is read."""
    if options.to not in FORMS:
        raise UsageError(f"there is no form '{options.to}'; choose one of: {', '.join(FORMS)}")
    if not options.folder:
        raise UsageError("--out is missing: name the folder for the files")
    if not (options.gold or options.system or options.documents or options.judgements or options.workspace):
        raise UsageError("name the files to convert: --gold, --system, --documents, --judgements or --workspace")
    if options.to != "trec" and (options.normalise != "none" or options.gold_stemmed or options.union):
        raise UsageError("--normalise, --gold-stemmed and --union go with --to trec; the other forms change no phrase")
    return options


def converted(corpus: Corpus, options: Namespace) -> Written:
    """Return the files of the form asked for, and what it cannot hold."""
    if options.to == "trec":
        from kp_core.takeaway.trec import trec

        return trec(corpus, options.normalise, options.gold_stemmed, options.union)
    if options.to == "workspace":
        from kp_core.takeaway.workspace_file import ENDING, Saved, tidy_uploads, workspace_file

        return Written({f"workspace{ENDING}": workspace_file(Saved(tidy_uploads(corpus)))})
    if options.to in ("tidy", "jsonl", "parquet"):
        from kp_core.reading.tidy import tidy

        return tidy(corpus, "csv" if options.to == "tidy" else options.to)
    from kp_core.takeaway.lists import lists

    return lists(corpus, options.to)


def save(written: Written, folder: str | Path, force: bool = False) -> str:
    """Write the files, all or none of them; return one line a file: its path and its size."""
    paths = {Path(folder) / name: data for name, data in written.files.items()}
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is there already; choose another folder, or add --force to overwrite")
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(paths)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return "".join(f"{path} ({len(data):,} bytes)\n" for path, data in paths.items())
