"""Turn values per document into sums that are integers, so that adding them up is exact in any order."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import InputError, Note, counted
from kp_core.reading.archive import DAMAGED
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.source import Source
from kp_core.scoring import draws
from kp_core.scoring.codes import Floats, Ints
from kp_core.studies.facts import AgreementFacts, Facts, Ids, SystemFacts

#: The version of the file; a file of another one is refused.
FORMAT = "kpscope statistics 1"
_STEP = 30
_TRIALS = 2000


def limbs(values: Floats) -> Ints:
    """Return the sum over documents of values (D, K) as integers (K, 3): ones, units of 2^-30, units of 2^-60.

    >>> exact(limbs(np.array([[0.1]] * 10)))[0] == sum([0.1] * 10), exact(limbs(np.array([[0.1]] * 10))).tolist()
    (np.False_, [1.0])
    """
    found, rest = [], values
    for _ in range(3):
        whole = np.rint(rest)
        found.append(whole.astype(np.int64).sum(axis=0))
        rest = (rest - whole) * 2.0**_STEP
    return np.stack(found, axis=-1)


def exact(total: Ints, count: Ints | int = 1) -> Floats:
    """Return the sums (K, 3) divided by counts (K,), rounded once; NaN where the count is 0."""
    counts = np.broadcast_to(np.asarray(count), total.shape[:-1])
    found = np.full(total.shape[:-1], np.nan)
    for place in np.ndindex(found.shape):
        ones, small, smaller = total[place].tolist()
        if counts[place]:
            found[place] = ((ones << 2 * _STEP) + (small << _STEP) + smaller) / (int(counts[place]) << 2 * _STEP)
    return found


def fixed(values: Floats, bits: int) -> Floats:
    """Return values as whole multiples of 2^-bits, so that their weighted sums are exact."""
    return np.rint(values * 2.0**bits)


@dataclass
class Statistics:
    """What the documents seen so far add up to.

    arrays  name → integers, which add up; names are parts joined by `/`
    header  what they mean: recipe, names of systems and annotators, what was read
    notes   (level, where, text) → count; text of a note that counts: what one takes, a line end, what several take
    facts   kind → counts and first names for the notes on the result
    """

    arrays: dict[str, Ints] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    notes: dict[tuple[str, str, str], int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, values: NDArray[Any]) -> None:
        """Add integers under a name."""
        array = np.asarray(values, np.int64)
        self.arrays[name] = self.arrays[name] + array if name in self.arrays else array

    def merge(self, other: Statistics) -> None:
        """Add what other documents add up to; the order in which parts are added changes nothing."""
        for name, array in other.arrays.items():
            self.add(name, array)
        for note, count in other.notes.items():
            # What is said of several parts without a number is said once.
            self.notes[note] = self.notes.get(note, 0) + count if count else 0
        for kind, found in other.facts.items():
            # Facts are added even to none, so that the names they keep are always the first by letters.
            self.facts[kind] = self.facts.get(kind, type(found)()) + found

    def save(self, path: str | Path, **header: Any) -> None:
        """Write one NumPy archive without pickled objects, whole or not at all."""
        path = Path(path)
        content = {
            "format": FORMAT,
            **self.header,
            **header,
            "notes": [[*n, c] for n, c in self.notes.items()],
            "facts": {kind: asdict(one) for kind, one in self.facts.items()},
        }
        text = np.frombuffer(json.dumps(content, ensure_ascii=False).encode(), np.uint8)
        every: dict[str, Any] = {"header.json": text, **self.arrays}
        part = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with part.open("wb") as file:
                np.savez(file, **every)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def refuse_without_folder(*paths: str | Path | None) -> None:
    """Refuse files that could not be written at the end of a run, before it begins."""
    for path in (Path(one) for one in paths if one is not None):
        if path.is_dir() or not path.parent.is_dir():
            found, expected = ("a folder", "a file") if path.is_dir() else ("no such folder", "a folder that is there")
            raise InputError(path.name or str(path), found, expected, "Name a file to write, such as run.npz.")


def load(item: str | Path | Source, limits: Limits = LIMITS) -> Statistics:
    """Read statistics back; raises InputError for anything that is not such a file.

    A file in memory is somebody's upload, so it is held to the limits; one on disk is of this machine.
    """
    name = item.name if isinstance(item, Source) else Path(item).name
    try:
        arrays = _uploaded(item, limits) if isinstance(item, Source) else _arrays(Path(item))
        header = json.loads(arrays.pop("header.json").tobytes())
        if header.pop("format", None) != FORMAT:
            raise InputError(name, "statistics of another version", FORMAT, "Run again with this version.")
        notes = {(level, where, text): count for level, where, text, count in header.pop("notes")}
        facts = {kind: _facts(kind, found) for kind, found in header.pop("facts").items()}
    except (InputError, FileNotFoundError):
        raise
    except (*DAMAGED, AttributeError, MemoryError, TypeError):
        found = "something else, or a damaged file"
        raise InputError(name, found, "statistics of a streamed run", "Use another copy, or run again.") from None
    return Statistics(arrays, header, notes, facts)


def _uploaded(source: Source, limits: Limits) -> dict[str, Ints]:
    """Return the arrays of a file in memory, whose sizes are known before anything is unpacked."""
    refuse_over(limits.file_bytes, len(source.data), "bytes", source.name)
    stream = io.BytesIO(source.data)
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
    refuse_over(limits.archive_members, len(members), "arrays", source.name)
    refuse_over(limits.unpacked_bytes, sum(one.file_size for one in members), "bytes", source.name, "an unpacked file")
    return _arrays(stream)


def _arrays(file: Path | io.BytesIO) -> dict[str, Ints]:
    """Return all arrays of an archive by their names; raises ValueError for other things in it."""
    found = {}
    with zipfile.ZipFile(file) as archive:
        for member in archive.namelist():
            with archive.open(member) as stream:
                array = np.lib.format.read_array(stream, allow_pickle=False)
            if array.dtype not in (np.int64, np.uint8):
                raise ValueError(member)
            found[member.removesuffix(".npy")] = array
    return found


def _facts(kind: str, found: dict[str, Any]) -> Any:
    """Return facts from their form in the file."""
    inner = {name for name, one in found.items() if isinstance(one, dict) and "names" in one}
    found = {name: _facts("ids", one) if name in inner else one for name, one in found.items()}
    if kind == "ids" or kind.startswith("compare"):
        return Ids(found["count"], tuple(found["names"]))
    if kind == "agreement":
        return AgreementFacts(**found)
    if kind == "system":
        return SystemFacts(**found)
    return Facts(**found | {"systems": {name: _facts("system", one) for name, one in found["systems"].items()}})


class Weighed:
    """Sums over documents of values under bootstrap weights and under random swaps, block of documents by block.

    resamples, trials: how many weights and swaps a document has; 0 for none
    """

    def __init__(self, into: Statistics, resamples: int, trials: int, seed: int) -> None:
        self.into, self.resamples, self.trials, self.seed = into, resamples, trials, seed
        self._seen: set[str] = set()
        self._drawn: list[tuple[str, Floats]] = []
        self._swapped: list[tuple[str, Floats]] = []

    def once(self, name: str) -> bool:
        """Tell whether a name is new in this block; measures that share sums ask for them once."""
        new = name not in self._seen
        self._seen.add(name)
        return new

    def draw(self, name: str, values: Floats, bits: int = 0) -> None:
        """Ask for the weighted sums (B, K) of the values (D, K) of this block, in units of 2^-bits."""
        if self.resamples:
            self._drawn.append((name, fixed(values, bits)))

    def swap(self, name: str, values: Floats, bits: int) -> None:
        """Ask for the sums (T, K) of the values (D, K) of this block over the documents that a trial swaps."""
        if self.trials:
            self._swapped.append((name, fixed(values, bits)))

    def close(self, keys: NDArray[np.uint64]) -> None:
        """Add the sums of this block, whose documents have these keys."""
        if self._drawn:
            _spread(self.into, self._drawn, [draws.poisson(keys, self.resamples, self.seed).T])
        if self._swapped:
            # Ones and zeros take eight times their room as numbers, so not all trials are unpacked at once.
            swaps = draws.swaps(keys, self.trials, self.seed)
            parts = (swaps[:, begin : begin + _TRIALS].T.astype(float) for begin in range(0, self.trials, _TRIALS))
            _spread(self.into, self._swapped, parts)
        self._drawn, self._swapped, self._seen = [], [], set()


def _spread(into: Statistics, columns: list[tuple[str, Floats]], weights: Iterable[Floats]) -> None:
    """Multiply all columns by the weights in one product, exact while sums stay below 2^53, and add each."""
    stacked = np.hstack([values for _, values in columns])
    product = np.vstack([part @ stacked for part in weights]).astype(np.int64)
    begin = 0
    for name, values in columns:
        into.add(name, product[:, begin : begin + values.shape[1]])
        begin += values.shape[1]


def joined(*parts: object) -> str:
    """Return the name of an array from its parts.

    >>> joined("system/1", "P@k", 5)
    'system%2F1/P@k/5'
    """
    return "/".join(str(part).replace("%", "%25").replace("/", "%2F") for part in parts)


def noted(notes: Iterable[Note]) -> dict[tuple[str, str, str], int]:
    """Return notes with their numbers apart, so that those of several parts add up."""
    found: dict[tuple[str, str, str], int] = {}
    for note in notes:
        number, *words = note.counts or (0, note.message)
        key = note.level, note.where, "\n".join(words)
        found[key] = found.get(key, 0) + number
    return found


def said(notes: Mapping[tuple[str, str, str], int]) -> list[Note]:
    """Return the notes that were taken apart.

    >>> both = [Note.counting("info", "a", n, "list was sorted", "lists were sorted") for n in (1, 2)]
    >>> [note.message for note in said(noted(both))]
    ['3 lists were sorted']
    """
    found = []
    for (level, where, text), count in notes.items():
        one, _, several = text.partition("\n")
        found.append(Note(level, where, counted(count, one, several or one) if count else text))  # type: ignore[arg-type]
    return found
