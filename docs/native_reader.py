"""Draw sentences and names for a native reader, who marks those to rewrite: `python -m docs.native_reader SEED`.

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
_CODE = re.compile(r"```.*?```|^\s*\|.*?\|\s*$|^#.*?$|^    .*?$|>>>.*", re.DOTALL | re.MULTILINE)
#: The end of a sentence, or the beginning of an item of a list.
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*“`])|\n\n|^\s*(?:[*-]|\d+\.)\s+", re.MULTILINE)


def sentences(text: str) -> list[str]:
    """Split prose into sentences of four words or more."""
    return [" ".join(part.split()) for part in _END.split(_CODE.sub("\n\n", text)) if len(part.split()) >= 4]


def strings(value: Any) -> Iterator[str]:
    """Yield all strings of parsed TOML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def files(ending: str) -> list[Path]:
    """Return the files of the program."""
    return sorted(path for folder in ("kp_core", "kp_ui", "pages") for path in (ROOT / folder).rglob(f"*{ending}"))


def main(seed: int) -> None:
    """Print the draw of a seed; a name is as likely as it is frequent."""
    rng, docstrings, modules = random.Random(seed), list[str](), files(".py")
    names = [f"{path.stem} ({path.relative_to(ROOT)})" for path in modules]
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    names.append(f"{name} ({path.relative_to(ROOT)})")
                    docstrings.append(ast.get_docstring(node) or "")
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    names.append(f"{name} ({path.relative_to(ROOT)})")
                case ast.Module():
                    docstrings.append(ast.get_docstring(node) or "")
    screen = (path for path in files(".toml") if path.name not in _WORDS)
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    texts = {
        "screen": [text for path in screen for text in strings(tomllib.loads(path.read_text("utf-8")))],
        "docs": [path.read_text("utf-8") for path in pages],
        "docstrings": docstrings,
    }
    found = {source: [one for text in part for one in sentences(text)] for source, part in texts.items()}
    for number in range(SENTENCES):
        source = list(found)[number % len(found)]
        print(f"{number + 1}. [{source}] {rng.choice(found[source])}")
    print("\n" + "\n".join(rng.sample(sorted(names), NAMES)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
