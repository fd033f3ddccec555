"""Check project rules that no linter knows; each rule is a function of the text of a file."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.cases import ROOT, cases

CORE, UI, PAGES = ("kp_core/**/*.py",), ("kp_ui/**/*.py",), ("pages/*.py",)
SCREEN = (*PAGES, *UI, "app.py")
#: Arguments that name something of ours, never of a user: what hangs on them may be kept for everybody.
OURS = ("stemmer: str | None", "sample: str", "shape: Shape", "role: str")

Check = Callable[[str], Iterator[str]]


@cache
def nodes(source: str) -> list[ast.AST]:
    """Return all nodes of a file, cached because several rules check the same files."""
    return list(ast.walk(ast.parse(source)))


def calls(source: str) -> Iterator[ast.Call]:
    return (node for node in nodes(source) if isinstance(node, ast.Call))


def called(node: ast.expr) -> str:
    """Return the last part of the name of a call or decorator: `cache_data` for `st.cache_data(...)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def calls_where(wrong: Callable[[ast.Call], object], words: str) -> Check:
    """Return a check that a file has no call for which `wrong` is true."""
    return lambda source: (f"line {call.lineno}: {words}" for call in calls(source) if wrong(call))


def options(call: ast.Call) -> set[str | None]:
    return {keyword.arg for keyword in call.keywords}


#: What session scope and a digest as key look like; without them, Streamlit samples data and shares results.
_OF_SESSION = re.compile(
    r'@st\.cache_(?:resource\(scope="session"'
    r'|data\(scope="session", max_entries=\d.*\)\ndef \w+\((?!.*, [a-z*])digest: str, _)'
)


def careless_caches(source: str) -> Iterator[str]:
    """Allow caches of Streamlit only by session, and others only of arguments that are no data of a user."""
    if len(re.findall(r"\bcache_(?:data|resource)\b", source)) != len(_OF_SESSION.findall(source)):
        yield 'write @st.cache_data(scope="session", max_entries=…) over a function of digest and one _argument'
    for node in nodes(source):
        decorators = {called(item) for item in getattr(node, "decorator_list", ())}
        if decorators & {"cache", "lru_cache"} and ast.unparse(node.args) not in ("", *OURS):
            yield f"line {node.lineno}: {node.name} keeps its arguments for as long as the server runs"


def open_ended(source: str) -> Iterator[str]:
    """Require a lower and an upper bound for every requirement, so that later installations do not differ."""
    for number, line in enumerate(source.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if entry and not entry.startswith("-r ") and not re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?>=[\w.]+,<[\w.]+", entry):
            yield f"line {number}: '{entry}' needs a floor and a ceiling, such as name>=1.2,<2"


def own_tolerances(source: str) -> Iterator[str]:
    """Forbid tolerances outside `kp_core/scoring/order.py`, so that all modules agree on which values are equal."""
    for node in nodes(source):
        parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        near = [part for part in parts if isinstance(part, ast.Constant) or _moved(part)]
        numbers = [item.value for part in near for item in ast.walk(part) if isinstance(item, ast.Constant)]
        if any(isinstance(number, float) and 0 < number < 1e-6 for number in numbers):
            yield f"line {node.lineno}: a tolerance of its own; see kp_core/scoring/order.py"
    for call in calls(source):
        if called(call) in ("isclose", "allclose"):
            yield f"line {call.lineno}: a tolerance of its own; see kp_core/scoring/order.py"


def _moved(part: ast.expr) -> bool:
    """Return whether an expression is a sum or a difference, such as a limit and a tolerance."""
    return isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub)


def machine_paths(source: str) -> Iterator[str]:
    """Forbid paths that exist only on one machine."""
    for number, line in enumerate(source.splitlines(), 1):
        if re.search(r"(?<![\w.~-])/(?:work|tmp)/", line):
            yield f"line {number}: a path of one machine"


def files(*patterns: str) -> list[Path]:
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def breaches(check: Check, paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {found}" for path in paths for found in check(path.read_text("utf-8"))]


#: Rule → the files that it holds for (none: a test of its own names them), and its check.
RULES: dict[str, tuple[tuple[str, ...], Check]] = {
    # HTML of ours would turn phrases into markup; the other option is deprecated.
    "options": (
        (*SCREEN, *CORE),
        calls_where(
            lambda call: options(call) & {"unsafe_allow_html", "use_container_width"}, "no HTML of ours, no old options"
        ),
    ),
    "tables": (
        SCREEN,
        calls_where(
            lambda call: ast.unparse(call.func) in ("st.table", "streamlit.table"), "st.table reads phrases as Markdown"
        ),
    ),
    # A chart needs a key to keep its state, and a text for those who do not see it.
    "charts": (
        SCREEN,
        calls_where(
            lambda call: called(call) == "plotly_chart" and {"key", "alt"} - options(call),
            "a chart needs key= and alt=",
        ),
    ),
    # What is uploaded stands in memory before any line of ours sees it.
    "uploads": (
        SCREEN,
        calls_where(
            lambda call: called(call) == "file_uploader" and "max_upload_size" not in options(call),
            "give max_upload_size=",
        ),
    ),
    "caches": ((*SCREEN, *CORE), careless_caches),
    "tolerances": ((*SCREEN, *CORE), own_tolerances),
    "requirements": (("requirements*.txt",), open_ended),
    "prints": ((), calls_where(lambda call: ast.unparse(call.func) == "print", "print belongs to the command line")),
    "paths": ((), machine_paths),
}


@pytest.mark.parametrize("rule", [name for name, (patterns, _) in RULES.items() if patterns])
def test_rule(rule: str) -> None:
    patterns, check = RULES[rule]
    result = breaches(check, files(*patterns))
    assert not result, "\n" + "\n".join(result)


def test_only_the_command_line_prints() -> None:
    engine = [path for path in files(*CORE) if path.name != "cli.py"]
    result = breaches(RULES["prints"][1], engine)
    assert not result, "\n" + "\n".join(result)


def test_every_file_is_named_for_what_it_does() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager"}
    result = [
        str(path.relative_to(ROOT))
        for path in files(*SCREEN, *CORE, "tests/**/*.py", "benchmarks/**/*.py")
        if vague & set(path.relative_to(ROOT).with_suffix("").parts)
    ]
    assert not result, f"names that say nothing: {', '.join(result)}"


def test_no_file_names_a_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("skipped: this is not a git repository, so the project's own files are not known")
    result = []
    for path in (ROOT / name for name in listed.stdout.split("\0") if name):
        content = path.read_bytes() if path.is_file() else b""
        if b"\0" not in content:
            text = content.decode("utf-8", errors="replace")
            result += [f"{path.relative_to(ROOT)}: {breach}" for breach in machine_paths(text)]
    assert not result, "\n" + "\n".join(result)


#: Each takes a tenth of a second to a second to import, so what needs it imports it where it is used.
SLOW = ("nltk", "plotly", "scipy.stats", "sklearn", "streamlit")


def test_importing_the_core_imports_nothing_slow() -> None:
    code = "import sys, kp_core; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pandas" in loaded.stdout.split()
    assert [name for name in SLOW if name in loaded.stdout.split()] == []


def test_the_citation_and_the_changelog_name_this_version() -> None:
    from kp_core.settings import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {__version__} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def required(name: str) -> set[str]:
    """Return the entries of a requirements file without comments, in the notation of conda."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines())
    return {re.sub(r"^[\w.-]+", lambda own: own[0].lower() + " ", line) for line in lines if line}


def test_conda_recipe_matches_wheel() -> None:
    from kp_core.settings import __version__

    recipe = yaml.safe_load((ROOT / "deploy/conda/recipe.yaml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert recipe["context"]["version"] == __version__
    needs, python = recipe["requirements"], f"python {project['project']['requires-python']}"
    assert {*needs["run"]} == {python, *required("requirements.txt")}
    assert {*needs["run_constraints"]} == required("requirements-remote.txt")
    assert {python, *(item.replace(">=", " >=") for item in project["build-system"]["requires"])} <= {*needs["host"]}
    scripts = [f"{name} = {goal}" for name, goal in project["project"]["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_upload_limit_equals_reading_limit() -> None:
    from kp_core.reading.limits import Limits  # here, so that every other rule speaks even where kp_core is broken

    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    assert config["server"]["maxUploadSize"] * 1_000_000 == Limits().file_bytes


def test_every_breach_of_a_rule_is_found() -> None:
    bad = cases(__file__)
    assert bad.keys() == RULES.keys()
    assert [(rule, text) for rule, texts in bad.items() for text in texts if not list(RULES[rule][1](text))] == []
