"""The documentation: it builds without a broken link, fetches nothing, and every block of code in it runs."""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import nbformat
import pytest
import yaml
from nbclient import NotebookClient

import kp_core as kp
from docs.written import PAGES as WRITTEN
from kp_core.cli import app, main
from kp_core.reading.meaning.mapping import Mapping
from kp_ui.shell import PAGES as SHOWN
from tests.cases import ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
OTHERS = [
    ROOT / name
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md", "sample_data/README.md")
]
#: What stands between fences: what is run; what the test of its page runs with models or files of its own; commands on
#: files that are not here; what is no command.
RUN, WITH_MODELS, ON_OTHER_FILES = {"python", "bash"}, {"py"}, {""}
NO_COMMANDS = {"nginx", "ini", "json", "latex", "yaml"}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)


def blocks(page: Path, *languages: str) -> list[str]:
    return [code for language, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a separate folder, with the sample data in the documented place."""
    for folder in ("sample_data", "docs/guide/gallery"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# tests/app/test_gallery.py runs the commands of the gallery
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem != "gallery"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_block_of_python_and_every_command_runs(page: Path, scratch: Path) -> None:
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, f"{page.name}, a block of Python", "exec"), names)
    for code in blocks(page, "bash"):
        for line in commands(code):
            run(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_known_and_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"^```(\w*)\n.*?^```", text, re.M | re.S)) <= RUN | WITH_MODELS | ON_OTHER_FILES | NO_COMMANDS
    assert text.count("```") == 2 * len(_BLOCK.findall(text)), "a block that stands inside a list is not found"
    for code in blocks(page, *ON_OTHER_FILES):
        for line in commands(code):
            if part := words_of_ours(line):
                app.parse_args(part, exit_on_error=False, print_error=False)


def test_ci_workflow_runs_on_sample_data(scratch: Path) -> None:
    """Its steps are run on the sample data in place of a repository's files."""
    (code,) = blocks(ROOT / "docs" / "ci.md", "yaml")
    steps = yaml.safe_load(code)["jobs"]["gate"]["steps"]
    shutil.copy("sample_data/lectures/gold.csv", "gold.csv")
    lectures = kp.load(systems={name: f"sample_data/lectures/systems/{name}.csv" for name in ("yake", "rake")})
    for name, system in (("new", "yake"), ("old", "rake")):
        lists = lectures.runs[lectures.runs["system"] == system].groupby("doc_id")["phrase"].agg(list)
        lines = (json.dumps({"id": doc_id, "keyphrases": part}) for doc_id, part in lists.items())
        Path(f"{name}.jsonl").write_text("\n".join(lines))
    ours = [step["run"] for step in steps if step.get("run", "").startswith("kpscope ")]
    assert len(ours) == 2
    for line in ours:
        run(line)
    turned = ours[1].replace("new=new.jsonl", "new=old.jsonl").replace("old=old.jsonl", "old=new.jsonl")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(words_of_ours(turned)) == 3


def commands(code: str) -> list[str]:
    """Return the commands of a block, one per line, without comments."""
    return [line.split(" #")[0].strip() for line in code.replace("\\\n", " ").splitlines()]


def words_of_ours(line: str) -> list[str]:
    """Return what follows `kpscope` or `python -m kp_core` in a command; nothing for another program."""
    result = re.match(r"(?:kpscope|\S*python -m kp_core) (.*)", line)
    return shlex.split(result[1]) if result else []


def run(line: str) -> None:
    """Run one command of KPScope in this process; a block of another program's is no `bash` block here."""
    part, printed = words_of_ours(line), io.StringIO()
    assert part or not line, f"nothing runs this line of the documentation: {line}"
    if part:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()) as said:
            status = main(part)
        assert status == 0, f"{line}: {said.getvalue()}"


def test_docs_build_without_broken_links_or_foreign_fetches(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # --quiet hides warnings
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not [item for item in fetched if "canonical" not in item], page.name
        assert "$$" not in text, page.name


def test_files_named_in_architecture_page_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 60
    tops = [path for top in ("kp_core", "kp_ui", "pages", "tests", "deploy") for path in (ROOT / top).rglob("*")]
    there = [f"/{path.relative_to(ROOT)}{'/' * path.is_dir()}" for path in (*tops, *ROOT.glob("*"))]
    named = re.findall(r"`([\w/]+(?:\.py|\.toml|/))`", page)
    assert len(named) > 50
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_outside_the_documentation_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_dashboard_page_has_guide_page() -> None:
    guide = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("- Guide:\n")[2]
    entries = re.findall(r"^ {6}- (.+): guide/(\w+)\.md$", guide, re.M)
    read = [("Ten common tasks", "ways"), ("Five examples to open", "gallery")]
    assert entries == [*read, *((stem.capitalize(), stem) for stem in SHOWN)]
    for title, stem in entries:
        text = (ROOT / "docs" / "guide" / f"{stem}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {title}\n")
        parts = {"More: "} if stem in ("ways", "gallery") else {"## Steps", "More: "}
        assert parts <= set(re.findall(r"^(?:## Steps|More: )", text, re.M)), stem


def test_screen_words_in_guide_exist_in_program() -> None:
    tops, kinds = ("pages", "kp_ui", "kp_core"), ("*.py", "*.toml")
    files = [path for top in tops for kind in kinds for path in (ROOT / top).rglob(kind)]
    # strings that go on in the next line are one
    program = re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text(encoding="utf-8") for path in files))
    lost = []
    for page in (*(ROOT / "docs" / "guide").glob("*.md"), ROOT / "docs" / "quick_start.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        named = (" ".join(words.split()) for words in re.findall(r"(?<!\*)\*([^*\s][^*]*)\*(?!\*)", text))
        lost += [
            f"{page.name}: {part}" for words in named for part in words.split(" … ") if part.strip("… ") not in program
        ]
    assert lost == []


@pytest.mark.parametrize("name", WRITTEN)
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == WRITTEN[name](), "run: make pages"


def test_formats_page_lists_every_mapping_field() -> None:
    said = WRITTEN["formats.md"]()
    keys = [field.name for field in fields(Mapping)]
    assert [key for key in keys if f"`{key}=" not in said] == []
    written = [words for row in re.findall(r"^\| (`\w+=[^|]*) \|", said, re.M) for words in re.findall(r"`(\w+)=", row)]
    assert sorted(written) == sorted(keys)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Return the code of each cell → kind of output → output."""
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT / "docs")}}).execute()
    return {
        cell.source: {kind: text for output in cell.outputs for kind, text in output.get("data", {}).items()}
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def test_notebook_is_stored_without_outputs() -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_notebook_shows_answer_table_and_chart(executed: dict[str, dict[str, str]], lectures: kp.Corpus) -> None:
    shown = {source.rstrip().rpartition("\n")[2]: result for source, result in executed.items()}
    claim = kp.answer(lectures, k=6).claim
    assert f"{claim}</b>" in shown["kp.answer(corpus, k=6)"]["text/html"]
    values = kp.evaluate(lectures, k=6, measures="F1@k", interval="none").frame["value"]
    assert all(f"{value:.3f}" in shown["result"]["text/html"] for value in values)
    (drawn,) = (result for source, result in shown.items() if source.endswith(".chart()"))
    assert {trace.get("name") for trace in drawn["application/vnd.plotly.v1+json"]["data"]} >= {"yake", "tfidf"}
    assert "normalise:" in shown["printed"]["text/html"]
