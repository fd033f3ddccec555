"""Define what the parts of large data add up to, in memory and as one file: sums and notes."""

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

#: The version of the file; a file of another one is refused.
FORMAT = "kpscope statistics 2"
#: What the header holds beside plain values.
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Family, Ids, Names, Note, Plan, Settings, Table)}


@dataclass
class Tally(Sums):
    """Sums over the documents seen so far.

    notes   on reading; those with a number add up
    header  what the sums mean, and which parts are done
    """

    notes: list[Note] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        super().merge(other)
        self.notes = added([*self.notes, *getattr(other, "notes", ())])

    def save(self, path: str | Path, **header: Any) -> None:
        """Write one NumPy archive without pickled objects, whole or not at all."""
        path, packed = Path(path), io.BytesIO()
        content = {"format": FORMAT, **self.header, **header, "notes": self.notes, "ids": self.ids}
        arrays: dict[str, Any] = {"header.json": np.frombuffer(as_json(content), np.uint8), **arrays_of(self)}
        np.savez(packed, **arrays)
        try:
            write_files({path: packed.getvalue()})
        except OSError as error:
            raise input_error(path.name, "not written", error=machine_reason(error)) from None


def arrays_of(tally: Tally) -> dict[str, Floats]:
    """Return all arrays under the names that they have in a file, such as totals/0/0/macro/F1@k/5/sums/0."""
    arrays = {f"numbers/{name}": array for name, array in tally.numbers.items()}
    records = {f"totals/{'/'.join(place)}": one for place, one in tally.totals.items()}
    for name, record in (records | {f"pairs/{name}": one for name, one in tally.pairs.items()}).items():
        for part, value in vars(record).items():
            each = value if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else {"": value}
            arrays |= {f"{name}/{part}/{key}": one for key, one in dict(each).items() if one is not None}
    return arrays


def sums_of(arrays: Mapping[str, Floats]) -> Tally:
    """Return the sums whose arrays have these names."""
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
    """Return plain values and dataclasses as JSON, the same for equal ones."""

    def plain(one: Any) -> dict[str, Any]:
        return {"dataclass": type(one).__name__} | {each.name: getattr(one, each.name) for each in fields(one)}

    return json.dumps(content, default=plain, ensure_ascii=False).encode()


def _rebuilt(values: dict[str, Any]) -> Any:
    """Return an object of JSON as the dataclass that it was."""
    if values.get("dataclass") not in _KINDS:
        return values
    kind = _KINDS[values.pop("dataclass")]
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in values.items()})


def added(notes: Iterable[Note]) -> list[Note]:
    """Return notes of which those that say the same of parts of the data are one, with the numbers added.

    >>> [one.message for one in added(Note.counting("info", "a", n, "list was cut", "lists were cut") for n in (1, 2))]
    ['3 lists were cut']
    """
    merged: dict[Any, Note] = {}
    for note in notes:
        key = note.level, note.where, note.counts[1:] if note.counts else note.message
        if note.counts and (before := merged.get(key)) and before.counts:
            note = Note.counting(note.level, note.where, before.counts[0] + note.counts[0], *note.counts[1:])
        merged[key] = note
    return list(merged.values())


def refuse_without_folder(path: str | Path | None) -> None:
    """Refuse a file that could not be written at the end of a run, before it begins."""
    path = None if path is None else Path(path)
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise input_error(path.name or str(path), "a folder" if path.is_dir() else "no folder")


def is_statistics_file(source: Source) -> bool:
    """Return whether a file contains statistics of a streamed run, by its first member.

    >>> is_statistics_file(Source("run.npz", b"")), is_statistics_file(Source("gold.csv", b"doc_id,phrase"))
    (False, False)
    """
    return source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(b"header.json.npy")


def load_tally(file: Source, limits: Limits | None = None) -> Tally:
    """Read a tally back; raises InputError for anything that is not such a file.

    limits: those of uploads, held before anything is unpacked; a run is written without compression
    """
    try:
        # NumPy warns of heads that it can hardly read.
        with warnings.catch_warnings(action="ignore"), np.load(io.BytesIO(file.data)) as archive:
            members = archive.zip.infolist()
            if limits is not None:
                refuse_over(limits.file_bytes, len(file.data), "bytes", file.name)
                refuse_over(limits.archive_members, len(members), "arrays", file.name)
            # bzip2 and LZMA unpack a kilobyte into gigabytes, and a size in a header may lie.
            if any(one.compress_type != zipfile.ZIP_STORED or one.file_size > len(file.data) for one in members):
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
