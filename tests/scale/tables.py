"""Draw tidy tables with everything that occurs in public files, and write them for streaming."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import kp_core as kp
from kp_core import scale

WORDS = [f"t{i}x" for i in range(25)] + ["éa1", "Graphs", "graph", "漢7"]


class Given(NamedTuple):
    """The tables of a streamed run, as its functions accept them; systems are paths by name."""

    gold: Path
    systems: Any
    documents: Path | None = None


def draw(seed: int, documents: int = 60, systems: int = 3, grades: bool = False) -> dict[str, pd.DataFrame]:
    """Return gold of three annotators and some systems: lists missing, short, with repeats; a document without gold."""
    rng = np.random.default_rng(seed)
    gold, runs = [], []
    for number in range(documents):
        name = f"d{number:03d}"
        for annotator in ("ana", "ben", "cy"):
            if rng.random() < 0.85:
                chosen = rng.choice(WORDS, rng.integers(1, 7), replace=False)
                gold += [(name, annotator, str(p), int(rng.integers(0, 4))) for p in chosen]
        for system in range(systems):
            if rng.random() < 0.93:
                listed = rng.choice(WORDS, rng.integers(1, 15))
                runs += [(f"s{system}", name, rank, str(p)) for rank, p in enumerate(listed, 1)]
    runs.append(("s0", "nobody", 1, "t1x"))
    tables = {
        "gold": pd.DataFrame(gold, columns=["doc_id", "annotator", "phrase", "relevance"]),
        "runs": pd.DataFrame(runs, columns=["system", "doc_id", "rank", "phrase"]),
        "documents": pd.DataFrame(
            [(f"d{i:03d}", " ".join(rng.choice(WORDS, 12)), ("news", "talk", "")[i % 3]) for i in range(documents)],
            columns=["doc_id", "text", "group"],
        ),
    }
    return tables if grades else tables | {"gold": tables["gold"].drop(columns="relevance")}


def write(tables: dict[str, pd.DataFrame], folder: Path, form: str = "sorted") -> Given:
    """Write the tables and return gold, systems and documents of a streamed run, each system in separate files.

    form: sorted (Parquet by document, small row groups), scattered (several Parquet files, rows in any order; those of
    one list keep theirs), csv or jsonl
    """
    folder.mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {}
    systems: dict[str, Path] = {}
    for name, table in tables.items():
        if name == "runs":
            for system, part in table.groupby("system"):
                systems[str(system)] = _written(part.drop(columns="system"), folder, str(system), form)
        else:
            given[name] = _written(table, folder, name, form)
    return Given(systems=systems, **given)


def _written(table: pd.DataFrame, folder: Path, name: str, form: str) -> Path:
    path = folder / {"sorted": f"{name}.parquet", "scattered": name}.get(form, f"{name}.{form}")
    if form == "sorted":
        table.sort_values("doc_id", kind="stable").to_parquet(path, row_group_size=40, index=False)
    elif form == "scattered":
        path.mkdir()
        for part in range(3):
            table.iloc[part::3].sample(frac=1, random_state=part).to_parquet(path / f"{part}.parquet", index=False)
    elif form == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_json(path, orient="records", lines=True, force_ascii=False)
    return path


def in_memory(tables: dict[str, pd.DataFrame]) -> kp.Corpus:
    return kp.load(gold=tables["gold"], systems=[tables["runs"]], documents=tables.get("documents"))


def engine(rows: int = 150, **options: Any) -> scale.StreamOptions:
    return scale.StreamOptions(partition_rows=rows, **options)


def assert_same_rows(streamed: pd.DataFrame, memory: pd.DataFrame) -> None:
    """Assert that counts and words are equal, and values and bounds to 1e-9."""
    keys = [name for name in ("system", "a", "b", "measure", "k", "average", "subset") if name in memory]
    plain = [frame.assign(k=frame["k"].astype(str)) for frame in (streamed, memory)]
    ours, theirs = (frame.sort_values(keys, ignore_index=True) for frame in plain)
    said = [*keys, *(name for name in ("documents", "undefined", "reason") if name in memory)]
    pd.testing.assert_frame_equal(ours[said], theirs[said])
    value = "value" if "value" in memory else "difference"
    np.testing.assert_allclose(ours[value].astype(float), theirs[value].astype(float), rtol=1e-9, atol=1e-9)
    if "low" in memory:
        for bound in ("low", "high"):
            assert (ours[bound].isna() == theirs[bound].isna()).all()
            assert not ((ours[bound] - theirs[bound]).abs() > 1e-9).any(), bound
