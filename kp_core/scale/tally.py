"""Hold what the parts of large data add up to, in memory and as one file: sums and notes."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import InputError, Note, input_error, machine_reason
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.open.archive import DAMAGED_ARRAYS
from kp_core.reading.open.source import Source
from kp_core.scale.plan import Plan
from kp_core.scale.sources import Source as Table
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.prepare import Names
from kp_core.settings import Settings
from kp_core.studies.compare import Family

#: The version of the file; a file of another one is refused.
FORMAT = "kpscope statistics 2"
#: What the header holds beside plain values.
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Family, Ids, Names, Note, Plan, Settings, Table)}


@dataclass
class Tally(Sums):
    """What the documents seen so far add up to.

    notes   on reading; those with a number add up
    header  what the sums mean, and which parts are done
    """

    notes: list[Note] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)

    def merge(self, other: Sums) -> None:
        """Add what other documents add up to."""
        super().merge(other)
        self.notes = added([*self.notes, *getattr(other, "notes", ())])

    def save(self, path: str | Path, **header: Any) -> None:
        """Write one NumPy archive without pickled objects, whole or not at all."""
        path = Path(path)
        content = {"format": FORMAT, **self.header, **header, "notes": self.notes, "ids": self.ids}
        arrays: dict[str, Any] = {"header.json": np.frombuffer(as_json(content), np.uint8), **self.arrays}
        part = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with part.open("wb") as file:
                np.savez(file, **arrays)
            part.replace(path)
        except OSError as error:
            raise input_error(path.name, "not written", said=machine_reason(error)) from None
        finally:
            part.unlink(missing_ok=True)


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
    """Return whether a file holds statistics of a streamed run, by its first member.

    >>> is_statistics_file(Source("run.npz", b"")), is_statistics_file(Source("gold.csv", b"doc_id,phrase"))
    (False, False)
    """
    return source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(b"header.json.npy")


def load_tally(file: Source, limits: Limits | None = None) -> Tally:
    """Read a tally back; raises InputError for anything that is not such a file.

    limits: those of uploads, held before anything is unpacked; a run is written without compression
    """
    try:
        with np.load(io.BytesIO(file.data)) as archive:
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
        return Tally(arrays, header.pop("ids"), header.pop("notes"), header)
    except InputError:
        raise
    except DAMAGED_ARRAYS:
        raise input_error(file.name, "damaged") from None
