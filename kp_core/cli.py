"""Turn a command line into calls of the Python API, and results into text on standard output."""

from __future__ import annotations

import inspect
import json
import runpy
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypedDict, Unpack, cast, get_args, get_origin, get_type_hints

from cyclopts import App, CycloptsError, Parameter, Token

import kp_core as kp
from kp_core import typeset
from kp_core.errors import InputError, UsageError, input_error, named, pluralize, read_toml, refuse_unless, usage_error
from kp_core.extraction.texts import stop_words_in
from kp_core.reading.beside.datasets import NamedPath, datasets_of_paths, systems_of
from kp_core.reading.beside.named_tables import load_attributes, load_pairs
from kp_core.reading.limits import LIMITS
from kp_core.reading.meaning.mapping import mappings_of
from kp_core.reading.open.decode import File
from kp_core.reading.open.source import expand
from kp_core.reading.rows import identifiers
from kp_core.reading.rows import report as rows_report
from kp_core.reading.rows.sense import refuse_apart
from kp_core.scale.disk import write_files, write_folder
from kp_core.scoring.measures import names_in, parse
from kp_core.scoring.paired import Family
from kp_core.scoring.semantic import as_lines
from kp_core.settings import CONVENTIONS, PRESETS, Interval, Settings
from kp_core.similarity.scorer import SimilarityOptions
from kp_core.studies.compare import compare_all
from kp_core.studies.correlation.correlate import similarities
from kp_core.studies.correlation.estimates import Study
from kp_core.studies.correlation.human import with_ratings
from kp_core.studies.evaluate import DEFAULT_MEASURES
from kp_core.studies.published_tables import recover_table
from kp_core.studies.result import Requirement, checked
from kp_core.takeaway import methods
from kp_core.takeaway.bundle import report
from kp_core.takeaway.figures import image, table_svg
from kp_core.takeaway.tidy import Written, formulas, tidy
from kp_core.takeaway.trec_files import trec
from kp_core.takeaway.workspace_file import ENDING, Saved, read_workspace, uploads_of, workspace_file
from kp_core.text.normalise import Normaliser
from kp_core.typeset import storable
from kp_core.words import answers

app = App(
    name="kpscope",
    help="Evaluate keyword and keyphrase extraction.",
    help_format="plaintext",
    version=kp.__version__,
    default_parameter=Parameter(negative="", consume_multiple=True),
)

WORDS = read_toml("words/options.toml")

Paths = list[str] | None
#: Output formats; csv escapes cells that a spreadsheet would interpret as formulas.
Form = Literal["table", "json", "csv", "csv-exact", "latex", "markdown"]
_CSV = {"csv": typeset.csv, "csv-exact": typeset.unescaped_csv}
#: Exit status if a requirement is not met.
UNMET = 3


def explained(options: Any, *groups: str) -> Any:
    """Set the docstring of a command or group, with the help of its options and groups, which cyclopts reads."""
    name = options.__name__.removeprefix("_")
    lines = [f"    {key}: {description}" for table in (name, *groups) for key, description in WORDS[table].items()]
    options.__doc__ = "\n".join([WORDS["commands"].get(name, options.__doc__ or ""), "", "Args:", *lines])
    return options


def command(function: Callable[..., Any]) -> None:
    """Register a command."""
    app.command(explained(function))


def _by_occurrence(_: Any, tokens: Sequence[Token]) -> list[list[str]]:
    starts = [index for index, token in enumerate(tokens) if token.index == 0]
    flags = [tokens[start:end] for start, end in pairwise([*starts, len(tokens)])]
    return [[token.value for token in flag] for flag in flags]


_LOADED = ("encoding", "strict", "broader", "frequencies", "similar", "directed", "vectors")


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Data:
    """The input files."""

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

    def require(self, *needs: str) -> None:
        """Raise a UsageError if a required option is missing."""
        for name in needs:
            if not getattr(self, name):
                raise UsageError(f"--{name} is missing: {WORDS['Data'][name].partition(';')[0]}")

    def systems(self) -> Any:
        """Return the paths of the systems, by name if names were given."""
        return systems_of(path for values in self.system or [] for path in NamedPath.each(values))

    def load(self, *needs: str) -> kp.Corpus:
        """Read the files and report rejected rows."""
        corpus = self._saved(self.workspace) if self.workspace else self._read(needs)
        if self.dataset is not None:
            refuse_unless(self.dataset, corpus.by_dataset, "dataset")
            corpus = corpus.by_dataset[self.dataset]
        if "gold" in needs:
            for part in corpus.by_dataset.values() or (corpus,):
                refuse_apart(part)
        if n_rejected := len(corpus.report.rejected):
            rows = pluralize(n_rejected, "row was rejected and is", "rows were rejected and are")
            print(f"warning: {rows} not used; see: kpscope validate", file=sys.stderr)
        return corpus

    def _read(self, needs: Sequence[str]) -> kp.Corpus:
        if not needs and not (self.gold or self.system or self.documents or self.judgements):
            raise UsageError("name the files: --gold, --system, --documents, --judgements or --workspace")
        self.require(*needs)
        fixes = [name for fixes in self.fix or [] for name in fixes.split(",")]
        load_options: dict[str, Any] = {name: getattr(self, name) for name in _LOADED} | {"fixes": fixes}
        mapping, corpora = mappings_of(self.as_ or []), dict[str, kp.Corpus]()
        datasets = datasets_of_paths(self.gold or [], self.system or [], self.documents or [])
        if not datasets:
            files = {"gold": self.gold, "systems": self.systems(), "documents": self.documents}
            return kp.load(**files, judgements=self.judgements, mapping=mapping, **load_options)
        for name, files in datasets.items():  # --as applies to files with this name in all data sets
            applicable = {file: value for file, value in mapping.items() if file in str(files)}
            with named(name):
                corpora[name] = kp.load(**files, mapping=applicable, **load_options)
        return kp.together(**corpora) if len(corpora) > 1 else next(iter(corpora.values()))

    def _saved(self, workspace: str) -> kp.Corpus:
        if other_options := [name for name in self.given() if name != "workspace"]:
            raise UsageError(f"--workspace already contains all data; leave out --{other_options[0]}")
        saved = read_workspace(workspace)
        corpus = saved.uploads.load()
        return replace(corpus, judgements=with_ratings(corpus.judgements, saved.ratings))


def _setting(name: str, kind: Any) -> Any:
    meaning, kind = "", kind if kind in (int, Interval) else str
    if name in CONVENTIONS:
        convention = CONVENTIONS[name]
        meaning, values = convention.meaning, convention.values
        kind = bool if name == "gold_stemmed" else Literal[tuple(values)] if values else type(convention.usual)
    description = WORDS["settings"].get(name, meaning).format(meaning=meaning, presets=", ".join(PRESETS))
    return Annotated[kind, Parameter(help=description)]


_FIELDS = {name: kind for name, kind in get_type_hints(Settings).items() if name not in ("fixes", "trim")}
Options = TypedDict(  # type: ignore[misc, unused-ignore]
    "Options", {name: _setting(name, kind) for name, kind in _FIELDS.items()}, total=False
)


def _settings(choices: Any) -> Settings:
    flags = {name: ("no", "yes")[value] for name, value in choices.items() if isinstance(value, bool)}
    return Settings(**{**choices, **flags})


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Output:
    """The format and the file of the output."""

    format: Form = "table"
    out: str | None = None

    def write(self, text: str | bytes) -> None:
        """Write to the requested file, or to standard output."""
        content = storable(text).encode() if isinstance(text, str) else text
        if not self.out:
            print(content.decode().removesuffix("\n"))
            return
        try:
            write_files({Path(self.out): content})
        except OSError as error:
            raise UsageError(f"cannot write to {self.out}: {error.strerror}") from None

    def answer(self, answer: Any) -> None:
        """Write text, or the rows of a result and its notes to standard error."""
        if isinstance(answer, str):
            self.write(answer)
            return
        csv, form = _CSV.get(self.format), "text" if self.format == "table" else self.format
        self.write(csv(answer.frame) if csv else getattr(answer, form)())
        warn(answer.notes)


def warn(notes: Iterable[Any]) -> None:
    """Print notes on standard error."""
    for note in notes:
        print(": ".join(note.as_dict().values()), file=sys.stderr)


@Parameter(name="*")
@explained
@dataclass(frozen=True)
class Tables(Data):
    """The input files, which may be larger than memory (see docs/scale.md)."""

    stream: bool = False
    partition_rows: int | None = None
    checkpoint: str | None = None
    scratch: str | None = None
    save_statistics: str | None = None

    def streamed(self) -> bool:
        """Return whether the files are streamed, because an option of streams was given."""
        return any(getattr(self, name) for name in WORDS["Tables"])

    def run(self, settings: Settings, **run_options: Any) -> Any:
        """Stream the tables, and return the run."""
        from kp_core import scale
        from kp_core.scale.tally import refuse_without_folder

        if datasets_of_paths(self.gold or [], self.system or [], self.documents or []) or self.dataset:
            raise usage_error("data sets streamed")
        for name in {*self.given()} - {"gold", "system", "documents", *WORDS["Tables"]}:
            raise usage_error("not streamed", option=name)
        self.require("gold")
        refuse_without_folder(self.save_statistics)
        options = ("partition_rows", "checkpoint", "scratch")
        engine_options = {name: value for name, value in vars(self).items() if name in options and value is not None}
        engine = scale.StreamOptions(progress=scale.ProgressLine(), **engine_options)
        try:
            run = scale.stream(self.gold, self.systems(), self.documents, settings, options=engine, **run_options)
        except KeyboardInterrupt:
            hints = "run the same command again to resume", "with --checkpoint it could be resumed"
            raise UsageError(f"interrupted; {hints[not self.checkpoint]}") from None
        if self.save_statistics:
            run.save(self.save_statistics)
        n_unmatched = [ids.count for kind, ids in run.tally.ids.items() if kind.startswith("lost/")]
        if n_unmatched and min(n_unmatched) >= run.tally.number("documents"):
            raise input_error("gold standard and systems", "nothing in common")
        return run


#: Names of options that differ from those of parameters.
_FLAGS = {"lam": "--lambda"}
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _option_of(name: str, hint: Any, default: Any) -> inspect.Parameter:
    """Return a parameter of the API as an option, whose value is text if the parameter accepts text."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] if get_origin(hint) is UnionType else [hint]
    kind: Any = str if str in kinds else list[str] if get_origin(kinds[0]) is Sequence else kinds[0]
    if default is not inspect.Parameter.empty:
        default = default if isinstance(default, str | int | float) else None
        kind = kind | None if default is None else kind
    flag = Parameter(name=_FLAGS.get(name), negative=f"--no-{name}" if default is True else "")
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[kind, flag])


def of_api(
    verb: Callable[..., Any], *needs: str, name: str = "", records: Sequence[type] = ()
) -> Callable[[Callable[..., Any]], None]:
    """Make a command from a function of the API; its parameters in `options.toml` become options.

    The decorated function receives that function bound to corpus, settings and options, and may add options; if the
    tables are streamed, the corpus is None. It returns what is to be written, or also whether a requirement is not
    met, or None if it writes the output itself.
    needs: required data; records: dataclasses whose fields are further options
    """
    parameters, hints = inspect.signature(verb).parameters, get_type_hints(verb)
    of_corpus, has_settings = next(iter(parameters)) in ("corpus", "judgements"), "settings" in parameters
    kinds = {option: (hints[option], parameter.default) for option, parameter in parameters.items() if option in hints}
    for record in records:
        kinds |= {key: (int if kind is int else str, None) for key, kind in get_type_hints(record).items()}

    def decorate(write: Callable[..., Any]) -> None:
        extra = {**inspect.signature(write, eval_str=True).parameters}
        del extra["call"]
        tables = [name or write.__name__.removeprefix("_"), *(record.__name__ for record in records)]
        documented = {key: None for table in tables for key in WORDS[table]}
        unnamed = hints.get("parameters"), None  # a parameter of an extraction system
        options = {key: _option_of(key, *kinds.get(key, unnamed)) for key in documented.keys() - extra.keys()}
        classes = ({"data": Data} if of_corpus else {}) | ({} if "out" in documented else {"output": Output})
        groups = {key: inspect.Parameter(key, _KEYWORD, default=cls(), annotation=cls) for key, cls in classes.items()}
        listed = list(({key: (options | extra)[key] for key in documented} | groups | extra).values())
        if has_settings:
            listed.append(inspect.Parameter("choices", inspect.Parameter.VAR_KEYWORD, annotation=Unpack[Options]))

        def run(**values: Any) -> int:
            bound, given = (
                {key: values.pop(key) for key in keys if key in values} for keys in (options, groups | extra)
            )
            if "trials" in parameters and "resamples" in values:
                bound["trials"] = values["resamples"]
            files, output = given.get("data", Data()), given.get("output", Output())
            is_streamed = isinstance(files, Tables) and files.streamed()
            inputs = [None if is_streamed else files.load(*needs)] if of_corpus else []
            inputs += [_settings(values)] if has_settings else []
            answer = write(partial(verb, *inputs, **bound), **{key: given[key] for key in given if key in extra})
            answer, is_unmet = answer if isinstance(answer, tuple) else (answer, False)
            if answer is not None:
                output.answer(answer)
            return UNMET if is_unmet else 0

        vars(run)["__signature__"] = inspect.Signature(listed)
        run.__name__, run.__annotations__ = tables[0], {}
        app.command(explained(run, *tables[1:]))

    return decorate


@of_api(kp.evaluate, "gold", "system")
def _evaluate(call: Any, *, require: list[str] | None = None, data: Tables = Tables()) -> Any:
    (corpus, settings), options = call.args, call.keywords
    measures, required = options.pop("measures", None), [Requirement.parse(text) for text in require or ()]
    if required:
        measures = ",".join([*names_in(measures or DEFAULT_MEASURES), *(rule.parsed.name() for rule in required)])
    if corpus is None:
        result = data.run(settings, measures=measures, **options).result()
    elif options.get("by") == "document":
        baselines = options.get("baselines", False)
        return kp.documents(corpus, settings, measures or DEFAULT_MEASURES, baselines=baselines)
    else:
        ranking = [name for name in names_in(measures or "F1@k") if parse(name).card.better != "none"]
        answer = answers.answer(corpus, settings, ranking[0]) if ranking else None
        result = replace(call(measures=measures), answer=answer)
    result = replace(result, checked=checked(result, required))
    return result, not all(rule.met for rule in result.checked)


@of_api(kp.compare, "gold", "system")
def _compare(
    call: Any,
    *,
    measures: str = "F1@k",
    over_k: bool = False,
    by: Literal["", "dataset"] = "",
    fail_on: str = "",
    data: Tables = Tables(),
) -> Any:
    (corpus, settings), options, names = call.args, call.keywords, names_in(measures)
    if (fail_on or "margin" in options) and not options.get("baseline"):
        raise UsageError("--margin and --fail-on compare systems with a baseline; name it: --baseline NAME")
    families = [Family(name, **({"margin": 0.0} if fail_on else {}) | options) for name in names]
    if corpus is None:
        comparison = data.run(settings, measures=names, comparisons=families).comparison()
        summary = answers.of_comparison(comparison, str(comparison.frame["measure"].iloc[0]))
    else:
        if by and not corpus.datasets:
            raise input_error("the documents", "no data set")
        summary = answers.answer(corpus, settings, names[0], over="ask" if over_k else None, family=families[0])
        comparison = compare_all(corpus, settings, families)
    return replace(comparison, answer=summary), bool(fail_on) and comparison.fails(names_in(fail_on))


@of_api(kp.agreement, "gold")
def _agreement(call: Any, *, data: Tables = Tables()) -> Any:
    corpus, settings = call.args
    if corpus is None:
        return data.run(settings, measures=(), agreement=call.keywords.get("measures", ())).result()
    return replace(call(), answer=answers.people(corpus, settings))


@of_api(kp.sensitivity, "gold", "system")
def _spread(call: Any, *, printed: list[str] | None = None) -> Any:
    corpus, settings = call.args
    return kp.match_reported(corpus, settings, printed) if printed else call().match_reported()


def _call(call: Any) -> Any:
    return call()


of_api(kp.stability, "gold", "system", name="stability")(_call)
of_api(kp.subjects, "gold", name="subjects")(_call)
of_api(kp.trim, "gold", name="trim")(_call)
of_api(recover_table, name="recover")(_call)


@of_api(kp.near_misses, "gold", "system")
def _near_misses(call: Any, *, missed: bool = False) -> Any:
    result = call()
    return replace(result, frame=result.gold) if missed else result


@of_api(kp.phrases)
def _phrases(call: Any) -> Any:
    return as_lines(call())


@of_api(kp.soft_evaluate, "gold", "system")
def _soft(call: Any, *, similarity: str = "", tau: float = 0.8, hits: Literal["weighted", "count"] = "weighted") -> Any:
    return call(soft=kp.Soft(similarity, tau, hits)) if similarity else call()


@of_api(kp.paper_table, "gold", "system")
def _table(call: Any, *, format: Form = "table", out: str = "") -> None:
    result = call()
    if not out:
        Output(format).answer(result)
        return
    endings = (".tex", ".md", ".html", ".csv", ".xlsx", ".parquet")
    _write_as(result, out, endings, lambda: table_svg(result.html()))
    warn(result.notes)


_FORMS = {".tex": "latex", ".md": "markdown", ".json": "record"}


def _write_as(answer: Any, out: str, endings: Sequence[str], svg: Callable[[], str]) -> None:
    ending, images = Path(out).suffix, (".svg", ".pdf", ".png")
    if ending in images:
        content = image(svg(), ending[1:], answer.signature)
    elif ending in endings:
        content = getattr(answer, _FORMS.get(ending, ending[1:]))()
    else:
        raise UsageError(f"--out is {out}; the name must end in {', '.join((*endings, *images))}")
    Output(out=out).write(content)


@of_api(report, "gold")
def _report(call: Any, *, sections: str = "", out: str = "report.html", columns: Literal[1, 2] = 1) -> None:
    answer = call(sections=names_in(sections) if sections else ())
    _write_as(answer, out, (".html", ".zip", ".md", ".tex", ".json"), lambda: answer.svg(columns))
    print(f"{out}: {pluralize(len(answer.sections), 'section')}, {answer.signature}")


@of_api(similarities, records=[SimilarityOptions])
def _similarity(
    call: Any,
    *,
    pairs: list[str],
    measures: str | None = None,
    encoding: str | None = None,
    similar: Paths = None,
    directed: bool = False,
    vectors: Paths = None,
) -> Any:
    table = kp.vocabulary(similar=similar, vectors=vectors, directed=directed, encoding=encoding)
    return call(load_pairs(pairs, encoding), measures, vocabulary=table)


@of_api(kp.correlate, "judgements", records=[SimilarityOptions, Study])
def _correlate(call: Any, *, by: str = "location,complexity,pos") -> Any:
    warn(call.args[0].report.notes)
    return call(by=by)


@of_api(kp.sentence_study, "documents")
def _sentences(call: Any, *, attributes: Paths = None, data: Data = Data(), output: Output = Output()) -> Any:
    (corpus,) = call.args
    if not len(corpus.gold):
        return typeset.written(kp.list_sentences(corpus), output.format, "Sentences")
    return call(attributes=load_attributes(attributes, data.encoding) if attributes else None)


@command
def _validate(
    *, normalise: str = Settings().normalise, k: int | None = None, data: Data = Data(), output: Output = Output()
) -> None:
    if k is not None and k < 1:
        raise UsageError(f"k is '{k}'; for this report use a number of at least 1")
    corpus = data.load()
    sources = rows_report.statistics(corpus, Normaliser.parse(normalise), k)
    tables = {"files": rows_report.files(corpus), "sources": sources, "documents": identifiers.coverage(corpus)}
    by_id = (identifiers.fixes, identifiers.gaps, identifiers.missing, identifiers.suggestions, identifiers.unmatched)
    tables |= {report.__name__: report(corpus) for report in (*by_id, rows_report.characters)}
    tables["rejected"] = corpus.report.rejected
    nonempty = {heading: table for heading, table in tables.items() if len(table)}
    if output.format == "json":
        rows = {heading: typeset.records(table) for heading, table in nonempty.items()}
        rows["notes"] = [note.as_dict() for note in corpus.report.notes]
        output.write(json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False))
    elif output.format == "table":
        parts = [f"{heading}\n{typeset.text(table)}" for heading, table in nonempty.items()]
        notes = [f"{note.level}: {note.where}: {note.message}" for note in corpus.report.notes]
        output.write("\n".join([*parts, rows_report.understood(corpus), *notes]))
    else:  # the other formats have no place for notes
        warn(corpus.report.notes)
        output.write(typeset.written(sources, output.format, "Annotators and systems"))


@of_api(kp.extract)
def _extract(
    call: Any,
    *,
    documents: list[str],
    external: Paths = None,
    phrases: Paths = None,
    top: int | Literal["all"] = 50,
    stop_words: str | None = None,
    titles: Literal["yes", "no"] = "yes",
    format: Literal["jsonl", "csv", "table"] = "jsonl",
    out: str | None = None,
) -> None:
    stop_list: str | list[str] = "english"
    if stop_words:
        lines = [line for source in expand(stop_words).files for line in File(source, LIMITS).lines]
        if not (stop_list := stop_words_in("\n".join(lines))):
            raise InputError(Path(stop_words).name, "no word", "stop words, one per line", "Load another file.")
    external_sources = {"documents": external, "phrases": phrases} if phrases else external
    length = None if top == "all" else top
    lists = call(documents, top=length, external=external_sources, stop_words=stop_list, titles=titles)
    Output(cast(Any, "csv-exact" if format == "csv" else format), out).answer(lists)
    if format == "csv":
        warn(formulas("csv", lists.frame))


@of_api(trec)
def _convert(
    call: Any, *, to: Literal["tidy", "jsonl", "parquet", "trec", "workspace"] = "tidy", out: str, force: bool = False
) -> None:
    (corpus,) = call.args
    if to != "trec" and call.keywords:
        raise usage_error("only for trec")
    if to == "trec":
        files = call()
    elif to == "workspace":
        files = Written({f"workspace{ENDING}": workspace_file(Saved(uploads_of(corpus)))})
    else:
        files = tidy(corpus, "csv" if to == "tidy" else to)
    warn((*corpus.report.notes, *files.notes))
    Output().write(write_folder(files.files, out, force))


@command
def _methods(*, output: Output = Output()) -> None:
    output.write(methods.text(output.format))


@command
def _app(*streamlit: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
    if find_spec("kp_ui") is None or find_spec("streamlit") is None:
        raise UsageError("the dashboard is not installed; install KPScope with `pip install .`, or use `make run`")
    sys.argv = [sys.argv[0], *streamlit]
    runpy.run_module("kp_ui", run_name="__main__")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 (done), 1 (data refused), 2 (wrong usage) or 3 (requirement not met)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        if not words:
            raise UsageError(f"name a command: {', '.join(name for name in app if not name.startswith('-'))}")
        return app(words, exit_on_error=False, print_error=False, result_action="return_value") or 0
    except (CycloptsError, UsageError) as error:
        print(f"kpscope: {error}", file=sys.stderr)
        return 2
    except (InputError, OSError) as error:
        print(f"kpscope: {error if isinstance(error, InputError) else error.strerror}", file=sys.stderr)
        for mapping in error.answers if isinstance(error, kp.Question) else ():
            print(f"  {mapping.options()}    {mapping}", file=sys.stderr)
        return 1
