"""Check the layers: imports only go down, chains are short, and only the dashboard imports Streamlit."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cases import ROOT, cases

#: The packages and modules of kp_core from the ground up; a module imports from its own package and from those below.
#: `data` is a stub for editors, and the public API in kp_core/__init__.py is "".
ORDER = (
    *("errors", "text", "corpus", "data", "settings", "typeset", "reading", "scoring", "similarity", "studies"),
    *("extraction", "scale", "words", "charts", "takeaway", "", "learn", "cli", "__main__"),
)
#: Packages that one chain of imports may cross, and modules that it may hold (files that only hand names on: none).
PACKAGES, MODULES = 10, 14
parsed = cache(ast.parse)
DASHBOARD = {"kp_ui": len(ORDER), "pages": len(ORDER) + 1, "app": len(ORDER) + 1}


def package(name: str) -> str:
    """Return the package of a dotted name of kp_core, "" for the public API."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ORDER else ""


def floor(name: str) -> int | None:
    """Return the layer of a dotted name; -1 if it is not in ORDER, None if it is not part of the project."""
    top, *rest = name.split(".")
    if top != "kp_core":
        return DASHBOARD.get(top)
    if rest and rest[0] not in ORDER:
        return -1
    return ORDER.index(rest[0] if rest else "")


def imports(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything imported anywhere in a file, inside functions and type checks too."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            part = module.split(".") if is_package else module.split(".")[:-1]
            above = part[: len(part) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def breaches(source: str, module: str, is_package: bool = False) -> list[str]:
    """Return every import that goes up, and every import of Streamlit that does not belong."""
    part = floor(module)
    if part == -1:
        return [f"{module} has no floor: add it to ORDER in tests/rules/test_layers.py"]
    result = []
    for line, target in imports(source, module, is_package):
        if target.partition(".")[0] == "streamlit" and module.partition(".")[0] not in DASHBOARD:
            result.append(f"{module}, line {line}: only app.py, pages and kp_ui may import streamlit")
        above = floor(target)
        if above == -1:  # a name of the public API, such as `from kp_core import load`
            above = ORDER.index("")
        if part is not None and above is not None and above > part:
            result.append(f"{module}, line {line}: imports {target}, which is on a higher floor")
    return result


def modules() -> Iterator[tuple[str, Path]]:
    """Yield name and path of every Python file except the tests."""
    files = [ROOT / "app.py"] if (ROOT / "app.py").exists() else []
    for folder in ("kp_core", "kp_ui", "pages", "benchmarks", "sample_data"):
        files += sorted((ROOT / folder).rglob("*.py"))
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@cache
def arrows() -> dict[str, set[str]]:
    """Return for every module of kp_core the modules that it imports."""
    paths = {name: path for name, path in modules() if name.split(".")[0] == "kp_core"}
    result: dict[str, set[str]] = {}
    for name, path in paths.items():
        targets = {target for _, target in imports(path.read_text("utf-8"), name, path.name == "__init__.py")}
        known = {target if target in paths else target.rpartition(".")[0] for target in targets} & paths.keys()
        result[name] = known - {name}
    return result


def longest(graph: dict[str, set[str]], weigh: dict[str, int]) -> list[str]:
    """Return the chain of imports with the largest weight, from the top down."""

    @cache
    def chain(name: str) -> tuple[int, tuple[str, ...]]:
        below = max((chain(target) for target in sorted(graph[name])), default=(0, ()))
        return below[0] + weigh[name], (name, *below[1])

    return [name for name in max(chain(name) for name in graph)[1] if weigh[name]]


def test_imports_go_down_only() -> None:
    result = [
        breach
        for module, path in modules()
        for breach in breaches(path.read_text("utf-8"), module, path.name == "__init__.py")
    ]
    assert not result, "\n" + "\n".join(result)


def test_no_chain_of_modules_is_long() -> None:
    hands_on = {
        name: not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in parsed(path.read_text("utf-8")).body)
        for name, path in modules()
        if path.stem in ("__init__", "__main__")
    }
    graph = arrows()
    chain = longest(graph, {name: int(not hands_on.get(name, False)) for name in graph})
    assert len(chain) <= MODULES, "\n" + "\n".join(chain)


def test_no_chain_of_packages_is_deep() -> None:
    graph: dict[str, set[str]] = {}
    for name, targets in arrows().items():
        graph.setdefault(package(name), set()).update(package(target) for target in targets)
    for name, targets in graph.items():
        targets.discard(name)
    chain = longest(graph, dict.fromkeys(graph, 1))
    assert len(chain) <= PACKAGES, chain


def test_no_two_modules_share_a_name() -> None:
    stems: dict[str, list[str]] = {}
    for name in arrows():
        stems.setdefault(name.rpartition(".")[2], []).append(name)
    shared = [names for names in stems.values() if len(names) > 1]
    assert not shared, shared


def test_a_long_chain_is_found() -> None:
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    assert longest(graph, {"a": 1, "b": 1, "c": 1}) == ["a", "b", "c"]
    assert longest(graph, {"a": 1, "b": 0, "c": 1}) == ["a", "c"]


@pytest.mark.parametrize(("module", "source"), cases(__file__)["breaches"])
def test_a_breach_is_found(module: str, source: str) -> None:
    assert len(breaches(source, module)) == 1


def test_a_package_resolves_its_relative_imports() -> None:
    assert list(imports("from .text import words", "kp_core", is_package=True)) == [(1, "kp_core.text.words")]
