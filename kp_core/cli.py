"""Turn a command line into the calls of the Python API, and their answers into text on standard output."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, cast, get_args, get_type_hints

import pandas as pd
from cyclopts import App, CycloptsError, Parameter, Token

import kp_core as kp
from kp_core import typeset
from kp_core.errors import InputError, Note, UsageError, counted
from kp_core.settings import FIELDS, PRESETS, Changes, Settings
from kp_core.studies.compare import TRIALS, Correction, Test
from kp_core.studies.result import Answer

app = App(name="kpscope", help="Evaluate keyword and keyphrase extraction.", version=kp.__version__)

Many = Parameter(consume_multiple=True, negative="")
Flag = Parameter(negative="")
Form = Literal["table", "json", "csv", "latex", "markdown"]
Paths = Annotated[list[str] | None, Many]


def _by_occurrence(_: Any, tokens: Sequence[Token]) -> list[list[str]]:
    """Return the words after each `--system`: one system each, whose paths belong together."""
    systems: list[list[str]] = []
    for token in tokens:
        if token.index == 0:
            systems.append([])
        systems[-1].append(token.value)
    return systems


@Parameter(name="*")
@dataclass
class Data:
    """The files."""

    gold: Annotated[list[str] | None, Many, Parameter(help="gold keyphrases: files, folders or zips")] = None
    system: Annotated[
        list[list[str]] | None,
        Many,
        Parameter(converter=_by_occurrence, help="ranked output of a system, [NAME=]PATH; once for each system"),
    ] = None
    documents: Annotated[list[str] | None, Many, Parameter(help="texts of the documents")] = None
    judgements: Annotated[list[str] | None, Many, Parameter(help="judged pairs")] = None
    workspace: Annotated[str | None, Parameter(help="a saved workspace, in place of all other data")] = None
    encoding: Annotated[str | None, Parameter(help="encoding of files that are not UTF-8")] = None
    as_: Annotated[
        list[str] | None,
        Parameter(
            name="--as",
            negative="",
            help="how to read a file: g.xlsx:sheet=Lists, a.csv:phrase=Term, a.csv:better=lower",
        ),
    ] = None
    strict: Annotated[bool, Flag, Parameter(help="refuse at the first rejected row")] = False
    fix: Annotated[list[str] | None, Parameter(negative="", help="a fix that the load report offers")] = None

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        return [name.rstrip("_") for name, value in vars(self).items() if value]

    def refuse_nothing(self, verb: str) -> None:
        """Refuse a command without any file."""
        if not {"gold", "system", "documents", "judgements", "workspace"} & set(self.given()):
            raise UsageError(f"name the files to {verb}: --gold, --system, --documents, --judgements or --workspace")

    def systems(self) -> Any:
        """Return the paths of the systems, by name where names were given; else the first file gives the name."""
        from kp_core.reading.source import stem_of

        named: dict[str, list[str]] = {}
        unnamed: list[str] = []
        for paths in self.system or []:
            name, equals, first = paths[0].partition("=")
            if equals and not Path(paths[0]).exists():
                if name in named:
                    raise UsageError(f"two systems are named '{name}'; name each differently: --system NAME=PATH")
                named[name] = [first, *paths[1:]]
            else:
                unnamed += paths
        if named and unnamed:
            return named | {stem_of(path): [path] for path in unnamed}
        return named or unnamed or None

    def load(self, *needs: str) -> kp.Corpus:
        """Read the files; rejected rows are told."""
        from kp_core.reading.chosen import choices_of

        if self.workspace:
            return self._saved()
        for name, what in (("gold", "the gold standard"), ("system", "the ranked output of at least one system")):
            if name in needs and not getattr(self, name):
                raise UsageError(f"--{name} is missing: name the file, folder or zip of {what}")
        corpus = kp.load(
            gold=self.gold,
            systems=self.systems(),
            documents=self.documents,
            judgements=self.judgements,
            encoding=self.encoding,
            strict=self.strict,
            fixes=[name for one in self.fix or [] for name in one.split(",")],
            roles=choices_of(self.as_ or []),
        )
        if lost := len(corpus.report.rejected):
            rows = counted(lost, "row was rejected and is", "rows were rejected and are")
            print(f"warning: {rows} not used; see: kpscope validate", file=sys.stderr)
        return corpus

    def _saved(self) -> kp.Corpus:
        """Return the data of a workspace file, the pairs rated in the dashboard among the judgements."""
        from kp_core.studies.correlation.ratings import with_ratings
        from kp_core.takeaway.workspace_file import read_workspace

        if beside := [name for name in self.given() if name != "workspace"]:
            raise UsageError(f"--workspace holds all data already; leave out --{beside[0]}")
        saved = read_workspace(cast(str, self.workspace))
        corpus = saved.uploads.load()
        return replace(corpus, judgements=with_ratings(corpus.judgements, saved.ratings))


_ABOUT = {
    "k": "10 | 5,10,15 | 1-50 | average | gold | all, or mixed (average)",
    "preset": f"one of: {', '.join(PRESETS)}",
    "annotators": "union, majority[:M], intersection, votes, others[:majority], or a name (union)",
    "universe": "ngrams[:n], candidates, rankings, vocabulary, sentences, or a number",
    "interval": "how the interval of every value is made",
    "resamples": "bootstrap resamples (1000)",
    "seed": "seed of every random choice (0)",
}


def _option(name: str, hint: Any) -> Any:
    """Return a field of the settings as an option of the command line."""
    if name == "gold_stemmed":
        return Annotated[bool, Flag, Parameter(help="the gold was released as stems")]
    about = _ABOUT.get(name) or FIELDS[name].meaning
    values = [value for one in (hint, *get_args(hint)) for value in get_args(one) if isinstance(value, str)]
    kind = hint if hint in (int, float, str) else str
    return Annotated[kind, Parameter(help=f"{about} ({', '.join(values)})" if values else about)]


#: Every field of the settings as an option; what is not given has its default, or that of the preset.
Options = TypedDict(  # type: ignore[misc, unused-ignore]
    "Options",
    {name: _option(name, hint) for name, hint in get_type_hints(Changes).items() if name not in ("fixes", "trim")},
    total=False,
)
Choices = Annotated[Options, Parameter(name="*")]


def _settings(choices: Any) -> Settings:
    stemmed = {"gold_stemmed": "yes" if choices["gold_stemmed"] else "no"} if "gold_stemmed" in choices else {}
    return Settings(**cast(Changes, {**choices, **stemmed}))


@Parameter(name="*")
@dataclass
class Output:
    """Where the answer goes, and how it is written."""

    format: Annotated[Form, Parameter(help="how the answer is written")] = "table"
    out: Annotated[str | None, Parameter(help="write to a file instead of standard output")] = None

    def write(self, text: str | bytes) -> None:
        """Write to the file that was asked for, or to standard output."""
        if not self.out:
            words = text if isinstance(text, str) else text.decode()
            sys.stdout.write(words if words.endswith("\n") else f"{words}\n")
            return
        from kp_core.takeaway.disk import write_files

        try:
            write_files({Path(self.out): text.encode() if isinstance(text, str) else text})
        except OSError as error:
            raise UsageError(f"cannot write to {self.out}: {error.strerror}") from None

    def answer(self, answer: Answer) -> None:
        """Write the rows of an answer; its notes go to standard error."""
        forms: dict[str, Callable[[], str]] = {
            "json": answer.json,
            "csv": lambda: typeset.exchange_csv(answer.frame),
            "latex": answer.latex,
            "markdown": answer.markdown,
            "table": answer.text,
        }
        self.write(forms[self.format]())
        warn(answer.notes)

    def table(self, frame: pd.DataFrame, caption: str) -> None:
        """Write a table that has no recipe."""
        forms: dict[str, Callable[[], str]] = {
            "json": lambda: json.dumps(frame.to_dict("records"), ensure_ascii=False, indent=1),
            "csv": lambda: typeset.exchange_csv(frame),
            "latex": lambda: typeset.latex(frame, caption),
            "markdown": lambda: typeset.markdown(frame),
            "table": lambda: typeset.text(frame),
        }
        self.write(forms[self.format]())


def warn(notes: Iterable[Note]) -> None:
    """Print notes on standard error."""
    for note in notes:
        print(f"{note.level}: {note.where}: {note.message}", file=sys.stderr)


@Parameter(name="*")
@dataclass
class Streaming:
    """How tables larger than memory are read (see docs/scale.md)."""

    stream: Annotated[bool, Flag, Parameter(help="add up part by part; Parquet, CSV or JSONL tables")] = False
    partition_rows: Annotated[int | None, Parameter(help="rows of a part, about (1000000)")] = None
    checkpoint: Annotated[str | None, Parameter(help="file from which an interrupted run goes on")] = None
    cluster: Annotated[str | None, Parameter(help="Dask: local, local:N or tcp://host:port")] = None
    scratch: Annotated[str | None, Parameter(help="folder for rows regrouped by document")] = None
    save_statistics: Annotated[str | None, Parameter(help="file of all sums, for the dashboard")] = None

    def wanted(self, data: Data) -> bool:
        """Tell whether a command is to be streamed: it was asked for, or the tables are beyond the limits of memory."""
        from kp_core.scale.memory import beyond_memory

        if any(value not in (None, False) for value in vars(self).values()):
            return True
        paths = [*(data.gold or []), *(path for own in data.system or [] for path in own)]
        if why := beyond_memory(paths):
            print(f"info: {why}, so the tables are streamed", file=sys.stderr)
        return bool(why)

    def run(self, data: Data, settings: Settings, **asked: Any) -> Any:
        """Return the streamed run of tables."""
        from kp_core import scale
        from kp_core.scale.memory import Progress
        from kp_core.scale.tally import refuse_without_folder

        for name in ("encoding", "strict", "fix", "judgements", "as"):
            if name in data.given():
                words = "is not for streamed tables; write them once with: kpscope convert --to parquet"
                raise UsageError(f"--{name} {words}")
        if not data.gold:
            raise UsageError("--gold is missing: name the table of the gold standard")
        refuse_without_folder(self.save_statistics)
        rows = {} if self.partition_rows is None else {"partition_rows": self.partition_rows}
        places = {"checkpoint": self.checkpoint, "scratch": self.scratch}
        engine = scale.Engine(cluster=self.cluster or "", progress=Progress(), **places, **rows)  # type: ignore[arg-type]
        try:
            run = scale.stream(data.gold, data.systems(), data.documents, settings, engine=engine, **asked)
        except KeyboardInterrupt:
            again = "run the same command again to go on" if self.checkpoint else "with --checkpoint it could go on"
            raise UsageError(f"interrupted; {again}") from None
        if self.save_statistics:
            run.save(self.save_statistics)
        return run


def _names(measures: str | None) -> list[str]:
    return [part.strip() for part in measures.split(",")] if measures else []


@app.command
def evaluate(
    *,
    measures: Annotated[str | None, Parameter(help="such as kappa,PABAK,P@5,F1@10,MAP (see: kpscope methods)")] = None,
    by: Annotated[str, Parameter(help="also give the parts of the data: group, length or presence")] = "",
    baselines: Annotated[bool, Flag, Parameter(help="add: says nothing, random k, oracle k")] = False,
    data: Data | None = None,
    choices: Choices | None = None,
    streaming: Streaming | None = None,
    output: Output | None = None,
) -> None:
    """Score systems against the gold standard."""
    data, output, settings = data or Data(), output or Output(), _settings(choices or {})
    streaming, asked = streaming or Streaming(), _names(measures) or None
    if streaming.wanted(data):
        output.answer(streaming.run(data, settings, measures=asked, baselines=baselines, by=by).result())
    else:
        output.answer(kp.evaluate(data.load("gold", "system"), settings, asked, baselines=baselines, by=by))


@app.command
def compare(
    *,
    measures: Annotated[str, Parameter(help="such as F1@10,MAP: each is a family of pairs")] = "F1@k",
    test: Annotated[Test, Parameter(help="of each pair")] = "randomisation",
    correction: Annotated[Correction, Parameter(help="over all pairs; bh: Benjamini and Hochberg")] = "holm",
    data: Data | None = None,
    choices: Choices | None = None,
    streaming: Streaming | None = None,
    output: Output | None = None,
) -> None:
    """Say which system is better, and whether that is certain."""
    from kp_core.studies.compare import Family, compare_all

    data, output, streaming = data or Data(), output or Output(), streaming or Streaming()
    trials = cast(int, (choices or {}).get("resamples", TRIALS))
    settings, names = _settings(choices or {}), _names(measures)
    if streaming.wanted(data):
        # The values of the same measures cost little beside the tests, and the file of statistics then holds both.
        families = [Family(name, test, correction, trials) for name in names]
        output.answer(streaming.run(data, settings, measures=names, comparisons=families).comparison())
    else:
        corpus = data.load("gold", "system")
        output.answer(compare_all(corpus, settings, names, test=test, correction=correction, trials=trials))


@app.command
def agreement(
    *,
    measures: Annotated[str | None, Parameter(help="such as K,alpha,AC1,kappa,P_pos (see: kpscope methods)")] = None,
    data: Data | None = None,
    choices: Choices | None = None,
    streaming: Streaming | None = None,
    output: Output | None = None,
) -> None:
    """Say how well several annotators agree."""
    data, output, settings = data or Data(), output or Output(), _settings(choices or {})
    streaming, asked = streaming or Streaming(), _names(measures)
    if streaming.wanted(data):
        output.answer(streaming.run(data, settings, measures=(), agreement=tuple(asked)).result())
    else:
        output.answer(kp.agreement(data.load("gold"), settings, asked))


@app.command
def trim(
    *,
    threshold: Annotated[float, Parameter(help="K that the gold standard must reach")] = 0.5,
    pooled: Annotated[bool, Flag, Parameter(help="one majority for all documents, by their pooled K")] = False,
    form: Annotated[str, Parameter(help="binary, or choices: the choice matrix of the source")] = "binary",
    data: Data | None = None,
    choices: Choices | None = None,
    output: Output | None = None,
) -> None:
    """Trim the gold standard until the annotators agree on what is left."""
    corpus, how = (data or Data()).load("gold"), cast(Any, form)
    (output or Output()).answer(kp.trim(corpus, _settings(choices or {}), threshold, pooled=pooled, form=how))


@app.command
def report(
    *,
    measure: Annotated[str, Parameter(help="the measure by which systems are ranked")] = "F1@k",
    sections: Annotated[str | None, Parameter(help="such as leaderboard,agreement,methods (all)")] = None,
    title: Annotated[str, Parameter(help="heading of the report")] = "Evaluation of keyphrase extraction",
    out: Annotated[str, Parameter(help="ends in .html, .zip, .md, .tex or .json")] = "report.html",
    data: Data | None = None,
    choices: Choices | None = None,
) -> None:
    """Write an HTML report, or an archive with all tables."""
    from kp_core.takeaway.bundle import report as report_of
    from kp_core.takeaway.sections import SECTIONS

    corpus = (data or Data()).load("gold", "system")
    names = _names(sections) or tuple(SECTIONS)
    answer = report_of(corpus, _settings(choices or {}), measure=measure, sections=names, title=title)
    forms: dict[str, Callable[[], str | bytes]] = {
        ".html": answer.html,
        ".zip": answer.zip,
        ".md": answer.markdown,
        ".tex": answer.latex,
        ".json": answer.record,
    }
    if Path(out).suffix not in forms:
        raise UsageError(f"--out is {out}; let the name end in {', '.join(forms)}")
    Output(out=out).write(forms[Path(out).suffix]())
    print(f"{out}: {counted(len(answer.sections), 'section')}, {answer.signature}")


@Parameter(name="*")
@dataclass
class Similarity:
    """How two phrases are compared."""

    measures: Annotated[str | None, Parameter(help="such as R-precision,BLEU,METEOR (see: kpscope methods)")] = None
    direction: Annotated[str | None, Parameter(help="longer (the longer phrase is the reference) or keyphrase")] = None
    preset: Annotated[str | None, Parameter(help="paper-like or same-tokens")] = None
    stemmer: Annotated[str | None, Parameter(help="stemmer of the stems, such as porter-nltk or snowball-fr")] = None
    seed: Annotated[int, Parameter(help="seed of every random choice")] = 0

    def choices(self) -> dict[str, Any]:
        """Return what was chosen."""
        return {name: value for name, value in vars(self).items() if value is not None and name != "measures"}


@app.command
def similarity(
    *,
    pairs: Annotated[Paths, Parameter(help="a table with keyphrase and candidate")] = None,
    encoding: Annotated[str | None, Parameter(help="encoding of files that are not UTF-8")] = None,
    stream: Annotated[bool, Flag, Parameter(help="write scores of any number of pairs to --out")] = False,
    how: Similarity | None = None,
    output: Output | None = None,
) -> None:
    """Say how similar pairs of phrases are."""
    from kp_core.reading.pairs import load_pairs
    from kp_core.studies.plain_pairs import Similarities

    how, output = how or Similarity(), output or Output()
    if not pairs:
        raise UsageError("--pairs is missing: name a table with the columns keyphrase and candidate")
    if not stream:
        output.answer(Similarities.of(load_pairs(pairs, encoding), how.measures, how.choices()))
        return
    from kp_core.scale.similarities import similarity as streamed

    if not output.out:
        raise UsageError("--out is missing: name a .parquet, .csv or .jsonl file for the scores")
    sys.stderr.write(typeset.text(streamed(pairs, how.measures, output.out, **how.choices())) + "\n")


@app.command
def correlate(
    *,
    by: Annotated[str, Parameter(help="breakdowns, separated by commas")] = "location,complexity,pos",
    correlation: Annotated[str, Parameter(help="spearman, pearson or kendall")] = "spearman",
    interval: Annotated[str, Parameter(help="bootstrap, closed-form or none")] = "bootstrap",
    resamples: Annotated[int, Parameter(help="bootstrap resamples")] = 1000,
    ties: Annotated[str, Parameter(help="of the majority: low, high or mid")] = "low",
    test: Annotated[str, Parameter(help="between measures: perm-both, williams or none")] = "perm-both",
    trials: Annotated[int, Parameter(help="trials of perm-both")] = 2000,
    correction: Annotated[str, Parameter(help="holm, bh or none")] = "holm",
    paper: Annotated[bool, Flag, Parameter(help="group the pairs as Kim, Baldwin and Kan (2010)")] = False,
    how: Similarity | None = None,
    data: Data | None = None,
    output: Output | None = None,
) -> None:
    """Say which measure of similarity agrees with people."""
    data, how = data or Data(), how or Similarity()
    if not (data.judgements or data.workspace):
        raise UsageError("--judgements is missing: name a table of phrase pairs with scores")
    corpus = data.load()
    warn(corpus.report.notes)
    study: dict[str, Any] = {"correlation": correlation, "interval": interval, "resamples": resamples, "ties": ties}
    study |= {"test": test, "trials": trials, "correction": correction, "paper": paper, **how.choices()}
    (output or Output()).answer(kp.correlate(corpus, how.measures, by, **study))


@app.command
def sentences(
    *,
    attributes: Annotated[Paths, Parameter(help="a table of given attributes of sentences")] = None,
    repeats: Annotated[int, Parameter(help="draws at every threshold")] = 20,
    form: Annotated[str, Parameter(help="of trimming: binary, or choices (see trim)")] = "binary",
    grouped: Annotated[bool, Flag, Parameter(help="no document on both sides of a fold")] = False,
    seed: Annotated[int, Parameter(help="seed of every random choice")] = 0,
    data: Data | None = None,
    output: Output | None = None,
) -> None:
    """List sentences with ids; with extracts as gold, study them."""
    from kp_core.reading.attribute_tables import load_attributes

    data, output = data or Data(), output or Output()
    if not data.documents:
        raise UsageError("--documents is missing: name the texts")
    corpus = data.load()
    if not data.gold:
        output.table(kp.list_sentences(corpus), "Sentences")
        return
    given = load_attributes(attributes, data.encoding) if attributes else None
    how: dict[str, Any] = {"form": form, "repeats": repeats, "grouped": grouped, "seed": seed}
    output.answer(kp.sentence_study(corpus, attributes=given, **how))


@app.command
def validate(
    *,
    normalise: Annotated[str, Parameter(help="pipeline for the duplicates in the report")] = Settings().normalise,
    k: Annotated[int | None, Parameter(help="cutoff for the short lists in the report")] = None,
    data: Data | None = None,
    output: Output | None = None,
) -> None:
    """Say how files were understood, and what is odd about them."""
    from kp_core.words import validation

    data, output = data or Data(), output or Output()
    data.refuse_nothing("look at")
    if k is not None and k < 1:
        raise UsageError(f"k is '{k}'; for this report write a number from 1 up")
    corpus = data.load()
    if output.format not in ("table", "json"):  # these two hold the notes themselves
        warn(corpus.report.notes)
    output.write(validation.text(corpus, normalise, k, output.format))


@app.command
def extract(
    *,
    documents: Annotated[Paths, Parameter(help="the texts: files, folders or zips")] = None,
    method: Annotated[str, Parameter(help="one system or several, as tfidf,tfidf-chunks (see: methods)")] = "tfidf",
    external: Annotated[Paths, Parameter(help="external documents, or lists of phrases")] = None,
    phrases: Annotated[
        Paths, Parameter(help="external lists of phrases, where --external names documents as well")
    ] = None,
    top: Annotated[str, Parameter(help="length of the lists, or all")] = "50",
    longest: Annotated[
        float | None, Parameter(help="most words of a candidate (3); 0: any number, with chunks only")
    ] = None,
    m: Annotated[float | None, Parameter(help="how many of the most similar external documents count (5)")] = None,
    lam: Annotated[float | None, Parameter(name="--lambda", help="weight of the external documents (0.5)")] = None,
    beta: Annotated[float | None, Parameter(help="by how much a phrase of the list is raised (1)")] = None,
    stop_words: Annotated[str | None, Parameter(help="stop words of another language, one a line")] = None,
    stemmer: Annotated[str, Parameter(help="none, porter-nltk, snowball-fr and so on")] = "porter-nltk",
    format: Annotated[Literal["jsonl", "csv", "table"], Parameter(help="how the lists are written")] = "jsonl",
    out: Annotated[str | None, Parameter(help="write to a file instead of standard output")] = None,
) -> None:
    """Rank the phrases of texts by the lecture systems."""
    from kp_core.extraction.extract import stop_words_in
    from kp_core.reading.family import File
    from kp_core.reading.limits import LIMITS
    from kp_core.reading.source import expand

    if not documents:
        raise UsageError("--documents is missing: name the texts")
    if top != "all" and not top.isdecimal():
        raise UsageError(f"top is '{top}'; write a number or all")
    stop: str | list[str] = "english"
    if stop_words:
        lines = [line for source in expand(stop_words).files for line in File(source, LIMITS).lines]
        if not (stop := stop_words_in("\n".join(lines))):
            raise InputError(Path(stop_words).name, "no word", "stop words, one a line", "Load another file.")
    given: dict[str, Any] = {"longest": longest, "m": m, "lam": lam, "beta": beta}
    lists = kp.extract(
        documents,
        method,
        None if top == "all" else int(top),
        {"documents": external, "phrases": phrases} if phrases else external,
        stop_words=stop,
        stemmer=stemmer,
        **{name: value for name, value in given.items() if value is not None},
    )
    forms: dict[str, Callable[[], str]] = {
        "jsonl": lambda: lists.jsonl().decode(),
        "csv": lambda: typeset.exchange_csv(lists.frame),
        "table": lambda: f"{typeset.text(lists.frame)}\n{lists.signature}\n",
    }
    Output(out=out).write(forms[format]())
    warn(lists.notes)


@app.command
def convert(
    *,
    to: Annotated[
        Literal["tidy", "jsonl", "parquet", "trec", "workspace"], Parameter(help="see docs/formats.md")
    ] = "tidy",
    out: Annotated[str | None, Parameter(help="folder where the files go; it is made if need be")] = None,
    force: Annotated[bool, Flag, Parameter(help="overwrite files that are there")] = False,
    normalise: Annotated[
        str, Parameter(help="of trec: write normalised forms, so that equal phrases are equal ids")
    ] = "none",
    gold_stemmed: Annotated[bool, Flag, Parameter(help="of trec: the gold was released as stems")] = False,
    union: Annotated[
        bool, Flag, Parameter(help="of trec: one qrels file of all annotators, the grade being votes")
    ] = False,
    data: Data | None = None,
) -> None:
    """Write the data in another format."""
    from kp_core.reading.tidy import Written, tidy
    from kp_core.takeaway.disk import write_folder
    from kp_core.takeaway.trec_files import trec
    from kp_core.takeaway.workspace_file import ENDING, Saved, tidy_uploads, workspace_file

    data = data or Data()
    if not out:
        raise UsageError("--out is missing: name the folder for the files")
    data.refuse_nothing("convert")
    if to != "trec" and (normalise != "none" or gold_stemmed or union):
        raise UsageError("--normalise, --gold-stemmed and --union go with --to trec; the other forms change no phrase")
    corpus = data.load()
    if to == "trec":
        written = trec(corpus, normalise, gold_stemmed, union)
    elif to == "workspace":
        written = Written({f"workspace{ENDING}": workspace_file(Saved(tidy_uploads(corpus)))})
    else:
        written = tidy(corpus, "csv" if to == "tidy" else to)
    warn((*corpus.report.notes, *written.notes))
    Output().write(write_folder(written, out, force))


@app.command
def methods(*, output: Output | None = None) -> None:
    """List every measure with formula and source."""
    from kp_core.words import methods as words

    output = output or Output()
    output.write(words.text(output.format))


@app.command(name="app")
def dashboard(
    *streamlit: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="options of streamlit run, such as --server.port 8502")
    ],
) -> None:
    """Open the dashboard."""
    if find_spec("kp_ui") is None or find_spec("streamlit") is None:
        raise UsageError("the dashboard is not installed here; install KPScope with `pip install .`, or use `make run`")
    # in this process, so that whoever ends it ends the dashboard
    sys.argv = [sys.argv[0], *streamlit]
    runpy.run_module("kp_ui", run_name="__main__")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 done, 1 the data were refused, 2 wrong usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not words:
            raise UsageError(f"name a command: {', '.join(name for name in app if not name.startswith('-'))}")
        app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, UsageError) as error:
        print(f"kpscope: {error}", file=sys.stderr)
        return 2
    except (InputError, OSError) as error:
        print(f"kpscope: {error if isinstance(error, InputError) else error.strerror}", file=sys.stderr)
        return 1
    return 0
