"""Turn tables of judged phrase pairs, wide or long, into rows of one score of one annotator each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from kp_core.corpus import empty_table
from kp_core.errors import InputError, Note
from kp_core.reading.family import Rows
from kp_core.reading.limits import refuse_over
from kp_core.reading.settle import Part
from kp_core.reading.table import Table
from kp_core.reading.values import byte_lengths, floats

_FIXED = ("pair_id", "doc_id", "keyphrase", "candidate")
_TEXT = pd.StringDtype(na_value=np.nan)


def judgement_rows(
    table: Table, columns: dict[str, str], raters: Mapping[str, tuple[str, ...]], scale: str = ""
) -> Rows:
    """Return one row a pair and annotator; a blank score is no judgement, one outside the scale is rejected.

    raters  annotator → the column of its scores; empty where a column `score` holds them
    scale   such as `0-4`; where it is not told, the scores tell it
    """
    size = len(table)
    judges = [name for names in raters.values() for name in names]
    if len(judges) > table.limits.judges:
        found = f"{len(judges):,} annotators a pair"
        raise InputError(table.file, found, f"at most {table.limits.judges}", "Keep fewer columns.")
    scored = judges or [columns["score"]]
    base = {role: table.texts(columns[role]) for role in _FIXED if role in columns}
    if "pair_id" not in base:
        base = {"pair_id": pa.chunked_array([pa.array(map(str, range(1, size + 1)), pa.large_string())]), **base}
    further = [name for name in table.names if name not in (*columns.values(), *scored)]
    base |= {name if name not in base else f"{name} (file)": table.column(name) for name in further}
    pairs = [floats(table.column(name)) for name in scored]
    values = np.stack([pair[0] for pair in pairs], axis=1).ravel()
    bad = np.stack([pair[1] for pair in pairs], axis=1).ravel()
    low, high = _scale(values, scale)
    outside = np.isfinite(values) & ((values < low) | (values > high))
    marked = {int(i): "score is not a finite number" for i in np.flatnonzero(bad)}
    marked |= {int(i): f"score {values[i]:g} is outside the scale {low:g} to {high:g}" for i in np.flatnonzero(outside)}
    keep = np.isfinite(values) | bad
    # Row i of the table gives rows i·n … i·n + n - 1: the scores of one pair stand together.
    pair, judge = np.divmod(np.flatnonzero(keep), len(scored))
    _refuse_too_large(table, base, pair)
    taken = {name: column.take(pa.array(pair)) for name, column in base.items()}
    if judges:
        names = pa.array(list(raters), pa.large_string())
        taken["annotator"] = pa.chunked_array([names.take(pa.array(judge))])
    elif "annotator" in columns:
        taken["annotator"] = table.texts(columns["annotator"]).take(pa.array(pair))
    else:
        taken["annotator"] = pa.chunked_array([pa.repeat(pa.scalar("judge", pa.large_string()), len(pair))])
    taken["score"] = pa.chunked_array([pa.array(values[keep], from_pandas=True)])
    numbers = np.arange(1, size + 1) if table.lines is None else np.asarray(table.lines)
    position = np.cumsum(keep) - 1
    return Rows(
        "judgements",
        pa.table(taken),
        numbers[pair].tolist(),
        marked={int(position[i]): reason for i, reason in marked.items()},
        rejected=table.rejected,
        notes=table.notes,
        blank=table.blank + int((~keep).sum()),
    )


def _refuse_too_large(table: Table, base: dict[str, pa.ChunkedArray], pair: npt.NDArray[np.int64]) -> None:
    """Refuse judgements that would repeat the texts of their pairs, once a score, beyond the limits."""
    refuse_over(table.limits.rows, len(pair), "scores", table.file, "a table")
    times = np.bincount(pair, minlength=len(table))
    texts = [column for column in base.values() if pa.types.is_large_string(column.type)]
    size = sum(int(byte_lengths(column.fill_null("")) @ times) for column in texts)
    refuse_over(table.limits.unpacked_bytes, size, "bytes with the texts of every score", table.file, "a table")


def _scale(values: npt.NDArray[np.float64], chosen: str) -> tuple[float, float]:
    """Return the scale chosen, else 0–4, widened if all scores are whole numbers up to 10."""
    if chosen:
        low, _, high = chosen.partition("-")
        return float(low), float(high)
    given = values[np.isfinite(values)]
    whole = bool(len(given)) and bool(np.all(np.floor(given) == given)) and given.min() >= 0 and given.max() <= 10
    return 0.0, max(4.0, float(given.max())) if whole else 4.0


def judgement_table(parts: Sequence[Part], gold: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    """Return the table of judgements; a `gold_id` is followed to the keyphrase of the gold standard."""
    frames = [
        part.table.to_pandas(types_mapper={pa.large_string(): _TEXT, pa.string(): _TEXT}.get)
        for part in parts
        if len(part.table)
    ]
    if not frames:
        return empty_table("judgements")
    table = pd.concat(frames, ignore_index=True)
    for name in ("doc_id", "keyphrase"):
        if name not in table:
            table[name] = pd.array([np.nan] * len(table), dtype=_TEXT)
    table["keyphrase"] = table["keyphrase"].replace("", np.nan)
    if {"gold_id", "doc_id"} <= set(table) and {"gold_id"} <= set(gold):
        terms = gold.drop_duplicates(["doc_id", "gold_id"]).set_index(["doc_id", "gold_id"])["phrase"]
        linked = terms.reindex(pd.MultiIndex.from_frame(table[["doc_id", "gold_id"]])).to_numpy()
        table["keyphrase"] = table["keyphrase"].fillna(pd.Series(linked, dtype=_TEXT))
        one, several = "pair is linked to a gold keyphrase.", "pairs are linked to a gold keyphrase."
        notes.append(Note.counting("info", "judgements", int(table["keyphrase"].notna().sum()), one, several))
    again = table.duplicated(["pair_id", "annotator"])
    if again.any():
        row = table[again].iloc[0]
        found = f"a second score of “{row['annotator']}” for pair “{row['pair_id']}”"
        raise InputError(
            "judgements", found, "one score a pair and annotator", "Remove one of them, or number the pairs."
        )
    first = ["pair_id", "doc_id", "keyphrase", "candidate", "annotator", "score"]
    return table[[*first, *(name for name in table if name not in first)]]
