"""Hold the floors of the house: imports go down or stay, never up, and only the dashboard knows Streamlit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: From the ground up; a module of kp_core is named by its first part (by two where a folder spans floors), and ""
#: is the public API in kp_core/__init__.py.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "plural"),
    ("model",),
    ("digest",),
    ("conventions", "text", "reading"),
    ("coding",),
    ("gold", "matching", "terms", "counts", "annotators", "baselines", "universe"),
    ("metrics", "similarity", "nominal"),
    ("settings", "signature"),
    ("inference", "judgements"),
    # what evaluate and compare are made of; export.tables writes any table and knows no Result
    (
        "counting",
        "subsets",
        "aggregate",
        "notes",
        "result",
        "documents",
        "evaluate",
        "compare",
        "correlate",
        "spread",
        "stability",
        "agreement",
        "uncertainty",
        "recovery",
        "interpretation",
        "sentences",
        "diagnostics",
        "validation",
        "facing",
        "assignment",
        "soft",
        "near_misses",
        "export.tables",
        "export.tidy",
        "export.written",
    ),
    ("trimming", "trimming_curve", "abstracting", "extractors", "worked_example", "glossary", "methods", "scale"),
    ("export", "charts", "learn", "report", "convert", "extend", "streaming", "commands", "making", "cli", "reference",
     "__main__", ""),
)
CORE = {name: floor for floor, names in enumerate(FLOORS) for name in names}
DASHBOARD = {"kp_ui": len(FLOORS), "pages": len(FLOORS) + 1, "app": len(FLOORS) + 1}


def floor(name: str) -> int | None:
    """Return the floor of a dotted name; -1 if kp_core has it nowhere in FLOORS, None if it is not the project's."""
    top, *rest = name.split(".")
    if top != "kp_core":
        return DASHBOARD.get(top)
    whole, first = ".".join(rest[:2]), ".".join(rest[:1])
    return CORE.get(whole, CORE.get(first, -1))


def imports(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Give line and full name of everything imported anywhere in a file, inside functions and type checks too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def breaches(source: str, module: str, is_package: bool = False) -> list[str]:
    """Return every import that goes up, and every import of Streamlit that does not belong."""
    own = floor(module)
    if own == -1:
        return [f"{module} has no floor: add it to FLOORS in tests/rules/test_layers.py"]
    found = []
    for line, target in imports(source, module, is_package):
        if target.partition(".")[0] == "streamlit" and module.partition(".")[0] not in DASHBOARD:
            found.append(f"{module}, line {line}: only app.py, pages and kp_ui may import streamlit")
        above = floor(target)
        if above == -1:  # a name of the public API, such as `from kp_core import load`
            above = CORE[""]
        if own is not None and above is not None and above > own:
            found.append(f"{module}, line {line}: imports {target}, which is on a higher floor")
    return found


def modules() -> Iterator[tuple[str, Path]]:
    """Give name and path of every Python file except the tests."""
    files = [ROOT / "app.py"] if (ROOT / "app.py").exists() else []
    for folder in ("kp_core", "kp_ui", "pages", "benchmarks", "sample_data"):
        files += sorted((ROOT / folder).rglob("*.py"))
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def test_imports_go_down_only() -> None:
    found = [
        breach
        for module, path in modules()
        for breach in breaches(path.read_text("utf-8"), module, path.name == "__init__.py")
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kp_core.metrics.overlap", "import streamlit as st"),
        ("kp_core.metrics.overlap", "def f():\n    from streamlit import cache_data"),
        ("kp_core.cli", "from kp_ui import shell"),
        ("kp_core.coding", "from kp_core.counts import count"),
        ("kp_core.coding", "from kp_core import counts"),
        ("kp_core.coding", "import kp_core as kp"),
        ("kp_core.coding", "from kp_core import load"),
        ("kp_core.coding", "from .counts import count"),
        ("kp_core.reading.sniff", "from ..charts import over_k"),
        ("kp_core.evaluate", "def latex():\n    from kp_core.export.latex import table"),
        ("kp_ui.show", "import pages.overview"),
        ("kp_core.helpers", ""),
        ("benchmarks.peers", "import streamlit"),
    ],
)
def test_a_breach_is_found(module: str, source: str) -> None:
    assert len(breaches(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("app", "import streamlit as st\nfrom kp_ui import shell"),
        ("pages.overview", "import streamlit as st\nimport kp_core as kp\nfrom kp_core import charts"),
        ("kp_core.result", "from kp_core.export import tables"),
        ("kp_core.counts", "from kp_core.matching import match\nfrom .gold import Gold\nimport numpy as np"),
        ("kp_core.evaluate", "from kp_core import compare, inference"),
    ],
)
def test_what_is_allowed_passes(module: str, source: str) -> None:
    assert breaches(source, module) == []


def test_a_package_resolves_its_relative_imports() -> None:
    assert list(imports("from .text import words", "kp_core", is_package=True)) == [(1, "kp_core.text.words")]
