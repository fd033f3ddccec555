"""Time reading files of a million rows and stemming a million words, compared with readers that check nothing.

A reader of a DataFrame library gives a table of strings; KPScope gives ranked lists with validation, report and ranks.
KPScope's time is given as a multiple of each reader's time, and its memory as a multiple of the file size.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from benchmarks.timing import Task, peak_memory, timed
from benchmarks.workload import frames

PACKAGES = ("numpy", "pandas", "pyarrow", "polars", "nltk", "PyStemmer")
DOCUMENTS = 20_000
WORDS, TOKENS, SAMPLED = 50_000, 1_000_000, 100


def kpscope(path: str) -> Any:
    """Load one file of ranked lists."""
    import kp_core as kp

    return kp.load(systems={"s": path}).runs


#: Format → readers of other packages, to a table of strings.
_READERS: dict[str, dict[str, Callable[[str], Any]]] = {
    "csv": {"polars": pl.read_csv, "pandas": pd.read_csv},
    "jsonl": {"polars": pl.read_ndjson, "pandas": lambda path: pd.read_json(path, lines=True)},
    "parquet": {"polars": pl.read_parquet, "pandas": pd.read_parquet},
}

#: Format → the reader and the multiple of its time that KPScope may take; the multiple of the file's bytes in memory.
_AIMS = {"csv": ("polars", 5), "jsonl": ("pandas", 1), "parquet": ("polars", 4)}
_MEMORY = 6
_IMPORTED = "import sys; from benchmarks import loading"


def _written(run: pd.DataFrame, folder: Path) -> dict[str, str]:
    paths = {kind: str(folder / f"run.{kind}") for kind in ("csv", "jsonl", "parquet")}
    run.to_csv(paths["csv"], index=False)
    run.to_parquet(paths["parquet"])
    run.to_json(paths["jsonl"], orient="records", lines=True)
    return paths


def _files() -> list[Task]:
    """Time every format; all readers must return the same phrases in the same order."""
    _, run = frames(DOCUMENTS)
    result = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, path in _written(run, Path(folder)).items():
            tools = {"KPScope, to a corpus": partial(kpscope, path)}
            tools |= {f"{name}, to a table": partial(read, path) for name, read in _READERS[kind].items()}
            for name, tool in tools.items():
                if list(tool()["phrase"]) != run["phrase"].tolist():
                    raise SystemExit(f"{name}: other phrases than those in run.{kind}")
            size = Path(path).stat().st_size / 1e6
            peer, times = _AIMS[kind]
            aim = f"{times} × {peer}, memory {_MEMORY} × the file"
            task = timed(f"Reading {len(run):,} rows of {kind.upper()}, {size:.0f} MB", tools, aim=aim)
            task.notes += [f"KPScope takes {1 / row.ratio:.1f} × {row.tool}" for row in task.rows[1:]]
            before = peak_memory(_IMPORTED, path)
            task.rows[0].peak = peak_memory(f"{_IMPORTED}\nloading.kpscope(sys.argv[1])", path)
            if before is not None and task.rows[0].peak is not None:
                task.notes.append(
                    f"memory beyond the imports {(task.rows[0].peak - before) * 1.048576 / size:.1f} × the file"
                )
            result.append(task)
    return result


def _stems() -> list[Task]:
    """Time stemming a million Zipf-distributed words, compared with NLTK word by word on a sample."""
    from nltk.stem.porter import PorterStemmer

    from kp_core.text.normalise import Normaliser

    letters, rng = random.Random(0), np.random.default_rng(0)
    ends = ("", "s", "ing", "ed", "ation", "ness")
    words = ["".join(letters.choices("abcdefghiklmnoprstuvw", k=6)) + ends[i % len(ends)] for i in range(WORDS)]
    tokens = [words[i] for i in np.minimum(rng.zipf(1.2, TOKENS), WORDS) - 1]
    some = tokens[::SAMPLED]
    porter = PorterStemmer()

    def coded(pipeline: str) -> pa.Array:
        distinct = pa.array(tokens, pa.large_string()).dictionary_encode()
        stems = Normaliser.parse(pipeline).apply(distinct.dictionary.to_pylist())
        return pa.array(stems, pa.large_string()).take(distinct.indices)

    if coded("porter-nltk").to_pylist()[::SAMPLED] != [porter.stem(token) for token in some]:
        raise SystemExit("KPScope and NLTK give different stems")
    peer = "NLTK, word by word"
    tools: dict[str, Callable[[], Any]] = {
        "KPScope, porter-nltk": lambda: coded("porter-nltk"),
        "KPScope, snowball-en": lambda: coded("snowball-en"),
        peer: lambda: [porter.stem(token) for token in some],
    }
    distinct = len(set(tokens))
    title = f"Stems of {TOKENS:,} words, {distinct:,} of them distinct"
    return [timed(title, tools, scale={peer: SAMPLED}, aim="900 ms with NLTK, 150 ms with PyStemmer")]


def tasks() -> list[Task]:
    """Return the tasks, after checking that all readers return the same phrases."""
    return [*_files(), *_stems()]
