"""Time the evaluation of tables larger than memory: peak memory and growth with the data.

Writes Parquet sorted by document into a temporary folder, and runs each evaluation in a separate process, whose peak
memory is its largest resident set. Run: python -m benchmarks.scale [documents] [folder]
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.workload import machine

HERE = Path(__file__).parent
#: 10,000,000 predictions of each of four systems: 40,000,000 rows in all.
DOCUMENTS, DEPTH, SYSTEMS, PHRASES, WORDS = 200_000, 50, 4, 120_000, 12_000
_CHUNK = 2_000
ROUNDS = 3


def write(folder: Path, documents: int) -> dict[str, int]:
    """Write a gold standard and four systems for a number of documents; return rows and bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    words = [f"{a}{b}{c}ation" for a in "bcdfgklmnprst" for b in "aeiou" for c in range(WORDS // 65)]
    vocabulary = pa.array([f"{words[i % len(words)]} {words[i * 7 // 3 % len(words)]}" for i in range(PHRASES)])
    schema = pa.schema([("doc_id", pa.string()), ("rank", pa.int64()), ("phrase", pa.string())])
    writers = [pq.ParquetWriter(folder / f"system-{s}.parquet", schema) for s in range(SYSTEMS)]
    gold = pq.ParquetWriter(folder / "gold.parquet", pa.schema([("doc_id", pa.string()), ("phrase", pa.string())]))
    rows = 0
    for begin in range(0, documents, _CHUNK):
        n = min(_CHUNK, documents - begin)
        ids = pa.array([f"document-{i:08d}" for i in range(begin, begin + n)])
        size = rng.integers(5, 16, n)
        wanted = rng.integers(0, PHRASES, (n, 15))
        owner = np.repeat(np.arange(n), size)
        part = wanted[owner, np.concatenate([np.arange(item) for item in size])]
        gold.write_table(pa.table({"doc_id": ids.take(pa.array(owner)), "phrase": vocabulary.take(pa.array(part))}))
        rows += len(part)
        for number, writer in enumerate(writers):
            ranked = rng.integers(0, PHRASES, (n, DEPTH))
            hit = rng.random((n, DEPTH)) < (0.15 + 0.05 * number) / np.arange(1, DEPTH + 1) ** 0.45
            ranked[hit] = wanted[np.nonzero(hit)[0], rng.integers(0, 15, int(hit.sum()))]
            table = {
                "doc_id": ids.take(pa.array(np.repeat(np.arange(n), DEPTH))),
                "rank": np.tile(np.arange(1, DEPTH + 1), n),
                "phrase": vocabulary.take(pa.array(ranked.ravel())),
            }
            writer.write_table(pa.table(table, schema))
            rows += n * DEPTH
    for item in (gold, *writers):
        item.close()
    return {"rows": rows, "bytes": sum(file.stat().st_size for file in folder.glob("*.parquet"))}


def one_run(folder: Path, resamples: int = 1000) -> dict[str, float]:
    """Evaluate in a separate process; return seconds without imports, and peak memory in megabytes."""
    arguments = [sys.executable, "-m", "benchmarks.scale", "--run", str(folder), str(resamples)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=HERE.parent)
    return dict(json.loads(result.stdout.splitlines()[-1]))


def _run(folder: Path, resamples: int) -> None:
    from kp_core import scale

    systems = {f"system-{s}": folder / f"system-{s}.parquet" for s in range(SYSTEMS)}
    begun, before = time.perf_counter(), time.process_time()
    result = scale.evaluate(
        folder / "gold.parquet", systems, k=10, resamples=resamples, interval="bootstrap" if resamples > 1 else "none"
    )
    seconds, processor = time.perf_counter() - begun, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    first = float(result.frame["value"].iloc[0])
    times = {"seconds": seconds, "processor": processor}
    sys.stdout.write(json.dumps({**times, "megabytes": peak, "documents": result.documents, "P@10": first}))


def measured(folder: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the median, minimum and maximum seconds, and the largest peak memory of several runs."""
    runs = [one_run(folder) for _ in range(rounds)]
    seconds = [run["seconds"] for run in runs]
    return {
        "median": statistics.median(seconds),
        "min": min(seconds),
        "max": max(seconds),
        "processor": statistics.median(run["processor"] for run in runs),
        "megabytes": max(run["megabytes"] for run in runs),
        "documents": runs[0]["documents"],
        "P@10": runs[0]["P@10"],
    }


def _slope(growth: list[dict[str, Any]]) -> float:
    """Return the exponent with which time grows with the rows."""
    rows, seconds = ([item[name] for item in growth] for name in ("rows", "median"))
    return float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])


def main(documents: int = DOCUMENTS, root: str | None = None) -> None:
    """Print the figures and write them to benchmarks/scale.json."""
    with tempfile.TemporaryDirectory(dir=root) as name:
        growth = []
        for part in (documents // 100, documents // 10, documents):
            folder = Path(name) / str(part)
            size = write(folder, part)
            growth.append({**size, **measured(folder)})
            print(growth[-1], flush=True)
        slope = _slope(growth)
    large = growth[-1]
    report = {
        "machine": machine(("numpy", "pyarrow", "pandas")),
        "what": f"{SYSTEMS} systems × {DEPTH} phrases, ten measures at k = 10 with 1,000 Poisson resamples",
        "growth": growth,
        "exponent": slope,
        "exponent of the last step": _slope(growth[-2:]),
        "rows a second": large["rows"] / large["median"],
    }
    (HERE / "scale.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _run(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS, sys.argv[2] if len(sys.argv) > 2 else None)
