"""Define the sums of parts of large data, in memory and as one file."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import InputError, Note, input_error, machine_reason
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.open.archive import DAMAGED_ARRAYS
from kp_core.reading.open.source import Source
from kp_core.scale.disk import write_files
from kp_core.scale.plan import Plan
from kp_core.scale.sources import Source as Table
from kp_core.scoring.accumulate import Ids, Place, Sums, Totals
from kp_core.scoring.codes import Floats
from kp_core.scoring.pair_sums import PairTotals
from kp_core.scoring.paired import Family
from kp_core.scoring.prepare import Names
from kp_core.settings import Settings

FORMAT = "kpscope statistics 2"
#: Dataclasses of the header.
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Family, Ids, Names, Note, Plan, Settings, Table)}


@dataclass
class Tally(Sums):
    """Sums over documents.

    notes  notes on reading, of which numbers are added up; header: meaning of the sums, and completed parts
    """

    notes: list[Note] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        super().merge(other)
        self.notes = added([*self.notes, *getattr(other, "notes", ())])

    def save(self, path: str | Path, **header: Any) -> None:
        """Write one NumPy archive without pickled objects, atomically."""
        path, packed = Path(path), io.BytesIO()
        content = {"format": FORMAT, **self.header, **header, "notes": self.notes, "ids": self.ids}
        arrays: dict[str, Any] = {"header.json": np.frombuffer(as_json(content), np.uint8), **arrays_of(self)}
        np.savez(packed, **arrays)
        try:
            write_files({path: packed.getvalue()})
        except OSError as error:
            raise input_error(path.name, "not written", error=machine_reason(error)) from None


def arrays_of(tally: Tally) -> dict[str, Floats]:
    """Return all arrays by their names in a file, such as totals/0/0/macro/F1@k/5/sums/0."""
    arrays = {f"numbers/{name}": array for name, array in tally.numbers.items()}
    records = {f"totals/{'/'.join(place)}": array for place, array in tally.totals.items()}
    for name, record in (records | {f"pairs/{name}": array for name, array in tally.pairs.items()}).items():
        for part, value in vars(record).items():
            items = value if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else {"": value}
            arrays |= {f"{name}/{part}/{key}": array for key, array in dict(items).items() if array is not None}
    return arrays


def sums_of(arrays: Mapping[str, Floats]) -> Tally:
    """Return the sums from such arrays."""
    tally, parts = Tally(), dict[str, dict[str, Any]]()
    for name, array in arrays.items():
        kind, _, rest = name.partition("/")
        if kind == "numbers":
            tally.numbers[rest] = array
            continue
        place, part, key = name.rsplit("/", 2)
        inner = parts.setdefault(place, {})
        if key.isdigit():
            inner.setdefault(part, []).append(array)
        elif key:
            inner.setdefault(part, {})[key] = array
        else:
            inner[part] = array
    for name, inner in parts.items():
        kind, _, rest = name.partition("/")
        if kind == "pairs":
            tally.pairs[rest] = PairTotals(**inner)
        else:
            tally.totals[Place(*rest.rsplit("/", 4))] = Totals(**inner)
    return tally


def as_json(content: Any) -> bytes:
    """Return plain values and dataclasses as JSON."""

    def plain(value: Any) -> dict[str, Any]:
        return {"dataclass": type(value).__name__} | {item.name: getattr(value, item.name) for item in fields(value)}

    return json.dumps(content, default=plain, ensure_ascii=False).encode()


def _rebuilt(values: dict[str, Any]) -> Any:
    if values.get("dataclass") not in _KINDS:
        return values
    kind = _KINDS[values.pop("dataclass")]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def added(notes: Iterable[Note]) -> list[Note]:
    """Return notes, merging those that differ only in their number and adding the numbers.

    >>> [note.message for note in added(Note.counting("info", "a", n, "list was", "lists were") for n in (1, 2))]
    ['3 lists were']
    """
    merged: dict[Any, Note] = {}
    for note in notes:
        key = note.level, note.where, note.counts[1:] if note.counts else note.message
        if note.counts and (before := merged.get(key)) and before.counts:
            note = Note.counting(note.level, note.where, before.counts[0] + note.counts[0], *note.counts[1:])
        merged[key] = note
    return list(merged.values())


def refuse_without_folder(path: str | Path | None) -> None:
    """Refuse an unwritable file before a run begins."""
    path = None if path is None else Path(path)
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise input_error(path.name or str(path), "a folder" if path.is_dir() else "no folder")


def is_statistics_file(source: Source) -> bool:
    """Return whether a file has statistics of a streamed run, by its first member.

    >>> is_statistics_file(Source("gold.csv", b"doc_id,phrase"))
    False
    """
    return source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(b"header.json.npy")


def load_tally(file: Source, limits: Limits | None = None) -> Tally:
    """Read a tally, with limits for uploads; raises InputError for any other file."""
    try:
        # NumPy warns of malformed headers
        with warnings.catch_warnings(action="ignore"), np.load(io.BytesIO(file.data)) as archive:
            members = archive.zip.infolist()
            if limits is not None:
                refuse_over(limits.file_bytes, len(file.data), "bytes", file.name)
                refuse_over(limits.archive_members, len(members), "arrays", file.name)
            # compressed members may expand to gigabytes
            if any(info.compress_type != zipfile.ZIP_STORED or info.file_size > len(file.data) for info in members):
                raise input_error(file.name, "compressed")
            arrays: dict[str, Any] = dict(archive)
        header = json.loads(arrays.pop("header.json").tobytes(), object_hook=_rebuilt)
        if any(array.dtype != np.float64 or not np.isfinite(array).all() for array in arrays.values()):
            raise input_error(file.name, "damaged")
        if header.pop("format", None) != FORMAT:
            raise input_error(file.name, "version", version=FORMAT)
        return replace(sums_of(arrays), ids=header.pop("ids"), notes=header.pop("notes"), header=header)
    except InputError:
        raise
    except DAMAGED_ARRAYS:
        raise input_error(file.name, "damaged") from None
