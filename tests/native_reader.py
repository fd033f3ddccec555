"""Draw sentences and names for a native reader, who marks those to rewrite: `python -m tests.native_reader SEED`.

Sentences come from the screen and messages (TOML), the documentation, and docstrings, in equal parts; names are those
of modules, classes, functions, arguments, and local variables. At most 5 of the 100 sentences and 5 of the 60 names
should be marked.
"""

import ast
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SENTENCES, NAMES = 100, 60
#: Lists of words that are no sentences.
_WORDS = ("headers.toml", "schemas.toml", "function_words.toml")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*“`])")
_CODE = re.compile(r"```.*?```|^\s*\|.*?\|\s*$|^#.*?$|^    .*?$", re.DOTALL | re.MULTILINE)
#: Where an item of a list begins.
_ITEM = re.compile(r"^\s*(?:[*-]|\d+\.)\s+", re.MULTILINE)


def sentences(text: str) -> list[str]:
    """Split prose into sentences of four words or more."""
    blocks = _ITEM.sub("\n\n", text).split("\n\n")
    parts = (" ".join(part.split()) for block in blocks for part in _SENTENCE.split(block))
    return [part for part in parts if len(part.split()) >= 4]


def strings(value: Any) -> Iterator[str]:
    """Yield all strings of parsed TOML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of the program."""
    for folder in ("kp_core", "kp_ui", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text("utf-8"))


def names() -> list[str]:
    """Return every name that the program gives with its file, as often as it is given."""
    given = list[tuple[str, Path]]()
    for path, tree in trees():
        given.append((path.stem, path))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                given.append((node.name, path))
            elif isinstance(node, ast.arg):
                given.append((node.arg, path))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                given.append((node.id, path))
    shown = ((name, path.relative_to(ROOT)) for name, path in given if len(name) > 1 and not name.startswith("__"))
    return sorted(f"{name} ({path})" for name, path in shown)


def main(seed: int) -> None:
    """Print the draw of a seed."""
    rng = random.Random(seed)
    prose = [
        path
        for folder in ("kp_core", "kp_ui")
        for path in sorted((ROOT / folder).rglob("*.toml"))
        if path.name not in _WORDS
    ]
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    docstrings = (ast.get_docstring(node) for _, tree in trees() for node in ast.walk(tree) if _has_docstring(node))
    screen = (text for path in prose for text in strings(tomllib.loads(path.read_text("utf-8"))))
    sources = {
        "screen": [s for text in screen for s in sentences(text)],
        "docs": [s for path in pages for s in sentences(_CODE.sub("\n\n", path.read_text("utf-8")))],
        "docstrings": [s for text in docstrings if text for s in sentences(text.partition(">>>")[0])],
    }
    for number in range(SENTENCES):
        source = list(sources)[number % len(sources)]
        print(f"{number + 1}. [{source}] {rng.choice(sources[source])}")
    print("\n" + "\n".join(rng.sample(names(), NAMES)))


def _has_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
