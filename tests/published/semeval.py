"""Turn the SemEval-2010 files into corpora, without going through the readers."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import kp_core as kp
from tests.corpora import corpus_of

SYSTEMS = ("degree", "closeness", "betweenness", "eigenvector", "textrank")
_FOLDER = "data/semeval2010/system_outputs_ijcnlp13"


@cache
def _lists(path: Path) -> dict[str, list[str]]:
    lines = path.read_text("utf-8").split("\n")
    pairs = (line.rstrip("\r").split("\t", 1) for line in lines if line.strip())
    return {name.removesuffix(".txt"): [p.strip() for p in phrases.split(";") if p.strip()] for name, phrases in pairs}


def corpus(shared: Callable[[str], Path], gold: str, longest: int | None = None) -> kp.Corpus:
    """Return the five published rankings against one gold: `published`, `combined`, `reader` or `author`.

    longest: the phrases of each list, which hold thousands, that are enough for small cutoffs
    """
    files = {name: _lists(shared(f"{_FOLDER}/output/semeval/candidats.{name}")) for name in SYSTEMS}
    runs = {name: {document: listed[:longest] for document, listed in lists.items()} for name, lists in files.items()}
    if gold == "published":
        return corpus_of(_lists(shared(f"{_FOLDER}/data/references/semeval.ref")), runs)
    file = shared(f"data/semeval2010/references/test.{gold}.stem.json")
    return corpus_of(json.loads(file.read_text("utf-8")), runs)
