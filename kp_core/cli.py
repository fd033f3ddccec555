"""Turn a command line into the calls of the Python API, and their answers into text on standard output."""

from __future__ import annotations

import inspect
import json
import runpy
import sys
from codecs import register_error
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Unpack, cast, get_args, get_origin, get_type_hints

from cyclopts import App, CycloptsError, Parameter, Token

import kp_core as kp
from kp_core import typeset
from kp_core.errors import InputError, Note, UsageError, input_error, named, pluralize, refuse_unless, usage_error
from kp_core.extraction.texts import stop_words_in
from kp_core.reading.beside.datasets import NamedPath, by_name, datasets_of_paths, systems_of
from kp_core.reading.beside.named_tables import load_attributes, load_pairs
from kp_core.reading.limits import LIMITS
from kp_core.reading.lists.family import File
from kp_core.reading.meaning.mapping import mappings_of
from kp_core.reading.open.source import expand
from kp_core.reading.rows.sense import refuse_apart
from kp_core.reading.rows.tidy import Written, formulas, tidy
from kp_core.scoring.given import as_lines
from kp_core.scoring.measures import names_in
from kp_core.settings import CONVENTIONS, PRESETS, Interval, Settings
from kp_core.studies.compare import TRIALS, Correction, Family, Test, compare_all
from kp_core.studies.correlation.correlate import similarities
from kp_core.studies.correlation.human import with_ratings
from kp_core.studies.evaluate import DEFAULT_MEASURES
from kp_core.studies.gate import Requirement, checked, fails
from kp_core.studies.published_tables import recovered
from kp_core.studies.result import Numbers
from kp_core.takeaway.disk import write_files, write_folder
from kp_core.takeaway.trec_files import trec
from kp_core.takeaway.workspace_file import ENDING, Saved, read_workspace, tidy_uploads, workspace_file
from kp_core.typeset import storable
from kp_core.words import answers, read, validation

app = App(
    name="kpscope",
    help="Evaluate keyword and keyphrase extraction.",
    help_format="plaintext",
    version=kp.__version__,
    default_parameter=Parameter(negative="", consume_multiple=True),
)

#: Command, or group of options → option → what it means.
WORDS = read("options.toml")

Paths = list[str] | None
#: How an answer is written; in csv no cell is a formula to a spreadsheet.
Form = Literal["table", "json", "csv", "csv-exact", "latex", "markdown"]
_CSV = {"csv": typeset.csv, "csv-exact": typeset.exchange_csv}
#: The exit status where everything was done and what was required does not hold.
UNMET = 3
Documented = TypeVar("Documented", bound=Any)


def explained(options: Documented, extends: str = "") -> Documented:
    """Add the words on its options to the docstring of a command or group, where cyclopts reads them."""
    words = WORDS.get(extends, {}) | WORDS[options.__name__]
    lines = [f"    {name}: {about}" for name, about in words.items()]
    options.__doc__ = "\n".join([options.__doc__, "", "Args:", *lines])
    return options


def command(verb: Documented) -> Documented:
    """Add a verb to the command line."""
    return cast(Documented, app.command(explained(verb)))


def _by_occurrence(_: Any, tokens: Sequence[Token]) -> list[list[str]]:
    """Return the words that belong together after each `--system`: those of one system, or of one run."""
    flags: list[list[str]] = []
    for token in tokens:
        if token.index == 0:
            flags.append([])
        flags[-1].append(token.value)
    return [words for flag in flags for words in by_name(flag)]


#: The options of tables about phrases and concepts.
_VOCABULARY = ("broader", "frequencies", "similar", "directed", "vectors")


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Data:
    """The files."""

    gold: Paths = None
    system: Annotated[list[list[str]] | None, Parameter(converter=_by_occurrence)] = None
    documents: Paths = None
    judgements: Paths = None
    broader: Paths = None
    frequencies: Paths = None
    similar: Paths = None
    directed: bool = False
    vectors: Paths = None
    workspace: str | None = None
    encoding: str | None = None
    as_: list[str] | None = None
    strict: bool = False
    fix: list[str] | None = None
    dataset: str | None = None

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        return [name.rstrip("_") for name, value in vars(self).items() if value]

    def refuse_nothing(self, verb: str) -> None:
        """Refuse a command without any file."""
        if not {"gold", "system", "documents", "judgements", "workspace"} & set(self.given()):
            raise UsageError(f"name the files to {verb}: --gold, --system, --documents, --judgements or --workspace")

    def systems(self) -> Any:
        """Return the paths of the systems, by name where names were given; else the first file gives the name."""
        return systems_of([NamedPath.read(words) for words in self.system or []])

    def load(self, *needs: str) -> kp.Corpus:
        """Read the files; rejected rows are told."""
        corpus = self._saved() if self.workspace else self._read(needs)
        if self.dataset is not None:
            refuse_unless(self.dataset, corpus.by_dataset, "dataset")
            corpus = corpus.by_dataset[self.dataset]
        if {"gold", "system"} <= {*needs}:
            for part in corpus.by_dataset.values() or (corpus,):
                refuse_apart(part)
        if lost := len(corpus.report.rejected):
            rows = pluralize(lost, "row was rejected and is", "rows were rejected and are")
            print(f"warning: {rows} not used; see: kpscope validate", file=sys.stderr)
        return corpus

    def _read(self, needs: Sequence[str]) -> kp.Corpus:
        """Return the data of the files."""
        for name, what in (("gold", "the gold standard"), ("system", "the ranked output of at least one system")):
            if name in needs and not getattr(self, name):
                raise UsageError(f"--{name} is missing: name the file, folder or zip of {what}")
        fixes = [name for fixes in self.fix or [] for name in fixes.split(",")]
        mapping = mappings_of(self.as_ or [])
        how: dict[str, Any] = {"encoding": self.encoding, "strict": self.strict, "fixes": fixes}
        how |= {name: getattr(self, name) for name in _VOCABULARY}
        files = {"gold": self.gold, "systems": self.systems(), "documents": self.documents}
        if datasets := datasets_of_paths(self.gold or [], self.system or [], self.documents or []):
            return _together(datasets, mapping, how)
        return kp.load(**files, judgements=self.judgements, mapping=mapping, **how)

    def _saved(self) -> kp.Corpus:
        """Return the data of a workspace file, the pairs rated in the dashboard among the judgements."""
        if beside := [name for name in self.given() if name != "workspace"]:
            raise UsageError(f"--workspace holds all data already; leave out --{beside[0]}")
        saved = read_workspace(cast(str, self.workspace))
        corpus = saved.uploads.load()
        return replace(corpus, judgements=with_ratings(corpus.judgements, saved.ratings))


def _together(datasets: dict[str, dict[str, Any]], mapping: dict[str, kp.Mapping], how: dict[str, Any]) -> kp.Corpus:
    """Return the data sets as one corpus; what --as says of a file holds for files of this name in all of them."""
    found = dict[str, kp.Corpus]()
    for name, files in datasets.items():
        words = str(files)
        own = {file: said for file, said in mapping.items() if file in words}
        with named(name):
            found[name] = kp.load(**files, mapping=own, **how)
    return kp.together(**found) if len(found) > 1 else next(iter(found.values()))


def _option(name: str, kind: Any = str) -> Any:
    """Return a field of the settings as an option of the command line."""
    meaning = ""
    if name in CONVENTIONS:
        card = CONVENTIONS[name]
        meaning, kind = card.meaning, Literal[tuple(card.values)] if card.values else type(card.usual)
        kind = bool if name == "gold_stemmed" else kind
    about = WORDS["settings"].get(name, meaning).format(meaning=meaning, presets=", ".join(PRESETS))
    return Annotated[kind, Parameter(help=about)]


#: Every field of the settings as an option; what is not given has its default, or that of the preset.
Options = TypedDict(  # type: ignore[misc, unused-ignore]
    "Options",
    {name: _option(name) for name in ("preset", "k", "annotators", "universe")}
    | {"interval": _option("interval", Interval), "resamples": _option("resamples", int), "seed": _option("seed", int)}
    | {name: _option(name) for name in CONVENTIONS},
    total=False,
)


def _settings(choices: Any) -> Settings:
    stemmed = {"gold_stemmed": "yes" if choices["gold_stemmed"] else "no"} if "gold_stemmed" in choices else {}
    return Settings(**{**choices, **stemmed})


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Output:
    """Where the answer goes, and how it is written."""

    format: Form = "table"
    out: str | None = None

    def write(self, text: str | bytes) -> None:
        """Write to the file that was asked for, or to standard output."""
        if not self.out:
            _show(text if isinstance(text, str) else text.decode())
            return
        try:
            write_files({Path(self.out): storable(text).encode() if isinstance(text, str) else text})
        except OSError as error:
            raise UsageError(f"cannot write to {self.out}: {error.strerror}") from None

    def answer(self, answer: Numbers) -> None:
        """Write the rows of an answer; its notes go to standard error."""
        form = {"table": "text"}.get(self.format, self.format)
        self.write(_CSV[form](answer.frame) if form in _CSV else getattr(answer, form)())
        warn(answer.notes)


def _in_codes(error: UnicodeError) -> tuple[str, int]:
    """Return characters that an encoding lacks as JSON writes them, which is read as the same text again."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


#: How standard output and standard error write what their encoding lacks.
_CODES = "kpscope-codes"
register_error(_CODES, _in_codes)


def _show(text: str) -> None:
    """Print on standard output; what its encoding lacks is written in codes, and that is said."""
    text, encoding = storable(text), sys.stdout.encoding or "utf-8"
    print(text.removesuffix("\n"))
    if lost := len(text) - len(text.encode(encoding, "ignore").decode(encoding)):
        words = f"written as codes such as \\u2192, since {encoding} lacks them; --out writes UTF-8"
        warn([Note("warning", "output", f"{pluralize(lost, 'character is', 'characters are')} {words}")])


def warn(notes: Iterable[Note]) -> None:
    """Print notes on standard error."""
    for note in notes:
        print(": ".join(note.as_dict().values()), file=sys.stderr)


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Tables(Data):
    """The files, which may be larger than memory (see docs/scale.md)."""

    stream: bool = False
    partition_rows: int | None = None
    checkpoint: str | None = None
    cluster: str | None = None
    scratch: str | None = None
    save_statistics: str | None = None

    def streamed(self) -> bool:
        """Tell whether the files are to be streamed: it was asked for, or they are beyond the limits of memory."""
        from kp_core.scale.memory import beyond_memory

        if any(getattr(self, name) for name in WORDS["Tables"]):
            return True
        if why := beyond_memory([*(self.gold or []), *(path for paths in self.system or [] for path in paths)]):
            print(f"info: {why}, so the tables are streamed", file=sys.stderr)
        return bool(why)

    def run(self, settings: Settings, **asked: Any) -> Any:
        """Return the streamed run of the tables."""
        from kp_core import scale
        from kp_core.scale.memory import ProgressLine
        from kp_core.scale.tally import refuse_without_folder

        if datasets_of_paths(self.gold or [], self.system or [], self.documents or []) or self.dataset:
            raise usage_error("data sets streamed")
        for name in ("encoding", "strict", "fix", "judgements", *_VOCABULARY, "as"):
            if name in self.given():
                remedy = (
                    "leave out --stream"
                    if name in _VOCABULARY
                    else "write them once with: kpscope convert --to parquet"
                )
                raise UsageError(f"--{name} is not for streamed tables; {remedy}")
        if not self.gold:
            raise UsageError("--gold is missing: name the table of the gold standard")
        refuse_without_folder(self.save_statistics)
        chosen = {name: getattr(self, name) for name in ("partition_rows", "cluster", "checkpoint", "scratch")}
        engine = scale.Engine(progress=ProgressLine(), **{name: one for name, one in chosen.items() if one is not None})
        try:
            run = scale.stream(self.gold, self.systems(), self.documents, settings, engine=engine, **asked)
        except KeyboardInterrupt:
            again = "run the same command again to go on" if self.checkpoint else "with --checkpoint it could go on"
            raise UsageError(f"interrupted; {again}") from None
        if self.save_statistics:
            run.save(self.save_statistics)
        lost = [ids.count for kind, ids in run.tally.ids.items() if kind.startswith("lost/")]
        if lost and min(lost) >= run.tally.number("documents"):
            found, expected = "no document in common", "lists for the documents of the gold standard"
            raise InputError("gold standard and systems", found, expected, "See what would help: kpscope validate.")
        return run


def _option_of(parameter: inspect.Parameter, hint: Any) -> inspect.Parameter:
    """Return a parameter of the API as an option: a text for what may be a text, else a list of texts for several."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] if get_origin(hint) is UnionType else [hint]
    kind: Any = str if str in kinds else list[str] if get_origin(kinds[0]) is Sequence else kinds[0]
    off = f"--no-{parameter.name}" if parameter.default is True else ""
    usual = parameter.default if isinstance(parameter.default, str | int | float) else None
    kind = kind | None if usual is None else kind
    annotation = Annotated[kind, Parameter(negative=off)]
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=usual, annotation=annotation)


def of_api(verb: Callable[..., Any], *needs: str) -> Callable[[Documented], Documented]:
    """Make a command of a verb: its parameters are the options, beside those of the function that writes its answer.

    needs: which files must be given, `gold` or `system`
    """
    hints, options = get_type_hints(verb), list[inspect.Parameter]()
    for parameter in inspect.signature(verb).parameters.values():
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            options.append(_option_of(parameter, hints[parameter.name]))
    names = {option.name for option in options}

    def made(write: Documented) -> Documented:
        def run(*, data: Data = Data(), **given: Any) -> Any:
            choices = {name: value for name, value in given.items() if name in Options.__annotations__}
            asked = {name: value for name, value in given.items() if name in names}
            more = {name: value for name, value in given.items() if name not in {*choices, *asked}}
            return write(verb(data.load(*needs), _settings(choices), **asked), **more)

        _, *more = inspect.signature(write, eval_str=True).parameters.values()
        files = inspect.Parameter("data", inspect.Parameter.KEYWORD_ONLY, default=Data(), annotation=Data)
        choices = inspect.Parameter("choices", inspect.Parameter.VAR_KEYWORD, annotation=Unpack[Options])
        vars(run)["__signature__"] = inspect.Signature([*options, files, *more, choices])
        run.__name__, run.__doc__, run.__annotations__ = write.__name__, write.__doc__, {}
        command(run)
        return write

    return made


@command
def evaluate(
    *,
    measures: str | None = None,
    by: str = "",
    baselines: bool = False,
    require: list[str] | None = None,
    data: Tables = Tables(),
    output: Output = Output(),
    **choices: Unpack[Options],
) -> int:
    """Score systems against the gold standard."""
    settings, required = _settings(choices), [Requirement.parse(one) for one in require or ()]
    if required:
        measures = ",".join([*names_in(measures or DEFAULT_MEASURES), *(one.asked.name() for one in required)])
    if by == "document":
        corpus, names = data.load("gold", "system"), measures or DEFAULT_MEASURES
        output.answer(kp.documents(corpus, settings, names, baselines=baselines))
        return 0
    if data.streamed():
        result = data.run(settings, measures=measures, baselines=baselines, by=by).result()
    else:
        corpus = data.load("gold", "system")
        result = kp.evaluate(corpus, settings, measures, baselines=baselines, by=by)
        result = replace(result, answer=answers.answer_by(corpus, settings, names_in(measures or ("F1@k",))))
    result = replace(result, checked=checked(result, required))
    output.answer(result)
    return 0 if all(one.met for one in result.checked) else UNMET


@command
def compare(
    *,
    measures: str = "F1@k",
    test: Test = "randomisation",
    correction: Correction = "holm",
    over_k: bool = False,
    by: Literal["", "dataset"] = "",
    baseline: str = "",
    margin: float | None = None,
    fail_on: str = "",
    data: Tables = Tables(),
    output: Output = Output(),
    **choices: Unpack[Options],
) -> int:
    """Report which system is better, by how much, and whether that is significant."""
    settings, names, trials = _settings(choices), names_in(measures), cast(int, choices.get("resamples", TRIALS))
    if (fail_on or margin is not None) and not baseline:
        raise UsageError("--margin and --fail-on say how systems stand to one of them; name it: --baseline NAME")
    margin = 0.0 if fail_on and margin is None else margin
    families = [Family(name, test, correction, trials, baseline, margin) for name in names]
    if data.streamed():
        # The values of the same measures cost little beside the tests, and the file of statistics then holds both.
        found = data.run(settings, measures=names, comparisons=families).comparison()
        found = replace(found, answer=answers.of_comparison(found, str(found.frame["measure"].iloc[0])))
    else:
        corpus = data.load("gold", "system")
        if by and not corpus.datasets:
            raise input_error("the documents", "no data set")
        said = answers.answer(corpus, settings, names[0], over="ask" if over_k else None, family=families[0])
        found = replace(compare_all(corpus, settings, families), answer=said)
    output.answer(found)
    return UNMET if fail_on and fails(found, names_in(fail_on)) else 0


@command
def agreement(
    *, measures: str | None = None, data: Tables = Tables(), output: Output = Output(), **choices: Unpack[Options]
) -> None:
    """Say how well several annotators agree."""
    settings = _settings(choices)
    if data.streamed():
        output.answer(data.run(settings, measures=(), agreement=measures or ()).result())
    else:
        corpus = data.load("gold")
        said = answers.people(corpus, settings)
        output.answer(replace(kp.agreement(corpus, settings, measures), answer=said))


@command
def spread(
    *,
    measure: str = "F1@k",
    printed: list[str] | None = None,
    data: Data = Data(),
    output: Output = Output(),
    **choices: Unpack[Options],
) -> None:
    """List a measure under every published convention, or the conventions that print a number."""
    corpus, settings = data.load("gold", "system"), _settings(choices)
    output.answer(
        kp.printing(corpus, settings, printed) if printed else kp.spread(corpus, settings, measure).printing()
    )


@of_api(kp.stability, "gold", "system")
def stability(found: Numbers, *, output: Output = Output()) -> None:
    """Rank the systems from several views."""
    output.answer(found)


@of_api(kp.near_misses, "gold", "system")
def near_misses(found: kp.NearMisses, *, missed: bool = False, output: Output = Output()) -> None:
    """List predictions beside their nearest keyphrases."""
    output.answer(replace(found, frame=found.gold) if missed else found)


@of_api(kp.subjects, "gold")
def subjects(found: Numbers, *, output: Output = Output()) -> None:
    """Report for each keyphrase or concept where it was due, suggested and found; of people alone who chose it."""
    output.answer(found)


@command
def phrases(*, data: Data = Data(), output: Output = Output()) -> None:
    """List the distinct phrases, one a line: those that need vectors, or scores."""
    output.write(as_lines(kp.phrases(data.load())))


@command
def soft(
    *,
    soft: str = "R-precision",
    similarity: str = "",
    tau: float = 0.8,
    hits: Literal["weighted", "count"] = "weighted",
    measures: str = "P@k,R@k,F1@k",
    data: Data = Data(),
    output: Output = Output(),
    **choices: Unpack[Options],
) -> None:
    """Score systems with predictions that count where they are similar enough."""
    counts = kp.Soft(similarity, tau, hits) if similarity else soft
    output.answer(kp.soft_evaluate(data.load("gold", "system"), _settings(choices), counts, names_in(measures)))


@command
def recover(*, kappa: str, P_pos: str, P_neg: str, PABAK: str, output: Output = Output()) -> None:
    """Solve printed kappa, P_pos, P_neg and PABAK for their concordance tables."""
    output.answer(recovered(kappa, P_pos, P_neg, PABAK))


@of_api(kp.trim, "gold")
def trim(found: Numbers, *, output: Output = Output()) -> None:
    """Trim the gold standard until the annotators agree on what is left."""
    output.answer(found)


@of_api(kp.paper_table, "gold", "system")
def table(made: kp.PaperTable, *, format: Form = "table", out: str = "") -> None:
    """Make the table of a paper."""
    from kp_core.takeaway.figures import table_svg

    if out:
        endings = (".tex", ".md", ".html", ".csv", ".xlsx", ".parquet")
        _write_as(made, out, endings, lambda: table_svg(made.html()))
    else:
        form = {"table": "text"}.get(format, format)
        Output().write(_CSV[form](made.frame()) if form in _CSV else getattr(made, form)())
    warn(made.result.notes)


#: The end of a file's name → the form in which a table or a report leaves.
_FORMS = {".tex": "latex", ".md": "markdown", ".json": "record"}


def _write_as(answer: Any, out: str, endings: Sequence[str], svg: Callable[[], str]) -> None:
    """Write a table or a report in the form that the end of the file's name says; an image is drawn from its SVG."""
    from kp_core.takeaway.figures import image

    ending, images = Path(out).suffix, (".svg", ".pdf", ".png")
    if ending in images:
        written = image(svg(), ending[1:], answer.signature)
    elif ending in endings:
        written = getattr(answer, _FORMS.get(ending, ending[1:]))()
    else:
        raise UsageError(f"--out is {out}; let the name end in {', '.join((*endings, *images))}")
    Output(out=out).write(written)


@command
def report(
    *,
    measure: str = "F1@k",
    sections: str | None = None,
    title: str = "",
    out: str = "report.html",
    columns: Literal[1, 2] = 1,
    data: Data = Data(),
    **choices: Unpack[Options],
) -> None:
    """Write an HTML report, an archive with all tables, or the chart of a section for a paper."""
    from kp_core.takeaway.bundle import report as report_of

    corpus = data.load("gold", "system") if data.system else data.load("gold")
    names = names_in(sections) if sections else ()
    answer = report_of(corpus, _settings(choices), measure=measure, sections=names, title=title)
    _write_as(answer, out, (".html", ".zip", ".md", ".tex", ".json"), lambda: answer.svg(columns))
    print(f"{out}: {pluralize(len(answer.sections), 'section')}, {answer.signature}")


@explained
class Similarity(TypedDict, total=False):
    """How two phrases are compared; what is not given has its default."""

    direction: str
    preset: str
    stemmer: str
    seed: int


@command
def similarity(
    *,
    pairs: list[str],
    measures: str | None = None,
    encoding: str | None = None,
    stream: bool = False,
    similar: Paths = None,
    directed: bool = False,
    vectors: Paths = None,
    output: Output = Output(),
    **how: Unpack[Similarity],
) -> None:
    """Say how similar pairs of phrases are."""
    if not stream:
        table = kp.vocabulary(similar=similar, vectors=vectors, directed=directed, encoding=encoding)
        output.answer(similarities(load_pairs(pairs, encoding), measures, {**how, "vocabulary": table}))
        return
    if similar or vectors:
        raise UsageError("--similar and --vectors are not for streamed pairs; leave out --stream")
    from kp_core.scale.similarities import similarity as streamed

    if not output.out:
        raise UsageError("--out is missing: name a .parquet, .csv or .jsonl file for the scores")
    sys.stderr.write(
        typeset.text(streamed(pairs, measures, output.out, exact=output.format == "csv-exact", **how)) + "\n"
    )


@partial(explained, extends="Similarity")
class Study(Similarity, total=False):
    """How values of similarity are held against what people say; what is not given has its default."""

    correlation: str
    interval: str
    resamples: int
    ties: str
    test: str
    trials: int
    correction: str
    paper: bool


@command
def correlate(
    *,
    measures: str | None = None,
    by: str = "location,complexity,pos",
    data: Data = Data(),
    output: Output = Output(),
    **study: Unpack[Study],
) -> None:
    """Say which measure of similarity agrees with people."""
    if not (data.judgements or data.workspace):
        raise UsageError("--judgements is missing: name a table of phrase pairs with scores")
    corpus = data.load()
    warn(corpus.report.notes)
    output.answer(kp.correlate(corpus, measures, by, **study))


@command
def sentences(
    *,
    attributes: Paths = None,
    repeats: int = 20,
    form: Literal["binary", "choices"] = "binary",
    grouped: bool = False,
    seed: int = 0,
    data: Data = Data(),
    output: Output = Output(),
) -> None:
    """List sentences with ids; with extracts as gold, study them."""
    if not data.documents:
        raise UsageError("--documents is missing: name the texts")
    corpus = data.load()
    if not data.gold:
        output.write(typeset.written(kp.list_sentences(corpus), output.format, "Sentences"))
        return
    given = load_attributes(attributes, data.encoding) if attributes else None
    study = kp.sentence_study(corpus, attributes=given, form=form, repeats=repeats, grouped=grouped, seed=seed)
    output.answer(study)


@command
def validate(
    *, normalise: str = Settings().normalise, k: int | None = None, data: Data = Data(), output: Output = Output()
) -> None:
    """Say how files were understood, and what is odd about them."""
    data.refuse_nothing("look at")
    if k is not None and k < 1:
        raise UsageError(f"k is '{k}'; for this report write a number from 1 up")
    corpus = data.load()
    if output.format not in ("table", "json"):  # these two hold the notes themselves
        warn(corpus.report.notes)
    output.write(validation.text(corpus, normalise, k, output.format))


@explained
class Weights(TypedDict, total=False):
    """Parameters of the lecture systems; what is not given has its default."""

    longest: float
    m: float
    lam: Annotated[float, Parameter(name="--lambda")]
    beta: float


@command
def extract(
    *,
    documents: list[str],
    method: str = "tfidf",
    external: Paths = None,
    phrases: Paths = None,
    top: str = "50",
    stop_words: str | None = None,
    stemmer: str = "porter-nltk",
    titles: Literal["yes", "no"] = "yes",
    format: Literal["jsonl", "csv", "table"] = "jsonl",
    out: str | None = None,
    **weights: Unpack[Weights],
) -> None:
    """Rank the phrases of texts by the lecture systems."""
    if top != "all" and not top.isdecimal():
        raise UsageError(f"top is '{top}'; write a number or all")
    stop: str | list[str] = "english"
    if stop_words:
        lines = [line for source in expand(stop_words).files for line in File(source, LIMITS).lines]
        if not (stop := stop_words_in("\n".join(lines))):
            raise InputError(Path(stop_words).name, "no word", "stop words, one a line", "Load another file.")
    outside = {"documents": external, "phrases": phrases} if phrases else external
    length = None if top == "all" else int(top)
    lists = kp.extract(documents, method, length, outside, stop_words=stop, stemmer=stemmer, titles=titles, **weights)
    if format == "jsonl":
        Output(out=out).write(lists.jsonl())
        warn(lists.notes)
    elif format == "csv":  # read again as the output of a system
        Output("csv-exact", out).answer(lists)
        warn(formulas("csv", lists.frame))
    else:
        Output(format, out).answer(lists)


@command
def convert(
    *,
    to: Literal["tidy", "jsonl", "parquet", "trec", "workspace"] = "tidy",
    out: str,
    force: bool = False,
    normalise: str = "none",
    gold_stemmed: bool = False,
    union: bool = False,
    data: Data = Data(),
) -> None:
    """Write the data in another format."""
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
def methods(*, output: Output = Output()) -> None:
    """List every measure with formula and source."""
    from kp_core.takeaway import methods as words

    output.write(words.text(output.format))


@app.command(name="app")
@explained
def dashboard(*streamlit: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
    """Open the dashboard."""
    if find_spec("kp_ui") is None or find_spec("streamlit") is None:
        raise UsageError("the dashboard is not installed here; install KPScope with `pip install .`, or use `make run`")
    # in this process, so that whoever ends it ends the dashboard
    sys.argv = [sys.argv[0], *streamlit]
    runpy.run_module("kp_ui", run_name="__main__")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 done, 1 the data were refused, 2 wrong usage, 3 what was required fails."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_CODES)
    try:
        if not words:
            raise UsageError(f"name a command: {', '.join(name for name in app if not name.startswith('-'))}")
        return app(words, exit_on_error=False, print_error=False, result_action="return_value") or 0
    except (CycloptsError, UsageError) as error:
        print(f"kpscope: {error}", file=sys.stderr)
        return 2
    except (InputError, OSError) as error:
        print(f"kpscope: {error if isinstance(error, InputError) else error.strerror}", file=sys.stderr)
        for answer in error.answers if isinstance(error, kp.Question) else ():
            print(f"  {answer.options()}    {answer}", file=sys.stderr)
        return 1
