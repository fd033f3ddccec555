"""Turn paths, folders, archives and uploads into named bytes in memory; nothing from an archive touches the disk."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from kp_core.errors import InputError
from kp_core.reading.archive import gunzip, is_gzip, is_ignored, is_workbook, is_zip, natural_key, unzip
from kp_core.reading.limits import LIMITS, Limits, refuse_over

#: Only these endings are taken off a name; in `candidats.degree` the ending is the name of the system.
KNOWN_EXTENSIONS = frozenset(
    (
        *(".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".gz", ".zip"),
        *(".key", ".kwd", ".tags", ".contr", ".uncontr", ".annif", ".ref", ".qrels", ".run", ".ann", ".conll", ".pred"),
        *(".abstr", ".html", ".htm", ".xml", ".md", ".pdf"),
    )
)


@dataclass(frozen=True)
class Source:
    """A file in memory: its name (for a member of a folder or archive, the path inside) and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Bundle:
    """What stands behind one path or upload: its name, its files, and the members that were left out."""

    name: str
    files: tuple[Source, ...]
    ignored: tuple[str, ...] = ()
    folder: bool = False


def stem_of(name: str) -> str:
    """Return the last part of a path without its known extensions.

    >>> stem_of("out/yake.jsonl.gz"), stem_of("candidats.degree"), stem_of("C-7.txt")
    ('yake', 'candidats.degree', 'C-7')
    """
    base = PurePosixPath(name).name or name
    for _ in range(2):
        suffix = PurePosixPath(base).suffix
        if suffix.lower() not in KNOWN_EXTENSIONS or base == suffix:
            break
        base = base[: -len(suffix)]
        if suffix.lower() != ".gz":
            break
    return base


def expand(item: str | Path | Source, limits: Limits = LIMITS) -> Bundle:
    """Read a file, a folder, a zip or a gzip file, from a path or from memory."""
    if isinstance(item, Source):
        return _unpack(item, limits)
    path = Path(item)
    try:
        if path.is_dir():
            return _folder(path, limits)
        return _unpack(Source(path.name, _bytes(path, path.name, limits)), limits)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "no such file" if isinstance(error, FileNotFoundError) else "a file that cannot be opened"
        raise InputError(path.name or "a path", found, "a readable file or folder", "Check the path.") from None


def _bytes(path: Path, name: str, limits: Limits) -> bytes:
    """Read a file up to the limit: the size that a pipe or a device gives beforehand is not its size."""
    refuse_over(limits.file_bytes, path.stat().st_size, "bytes", name)
    with path.open("rb") as stream:
        data = stream.read(limits.file_bytes + 1)
    refuse_over(limits.file_bytes, len(data), "bytes or more", name)
    return data


def _folder(root: Path, limits: Limits) -> Bundle:
    found = list(islice((p for p in root.rglob("*") if p.is_file()), limits.archive_members + 1))
    refuse_over(limits.archive_members, len(found), "files or more", root.name, "a folder")
    paths = sorted(found, key=lambda p: natural_key(p.relative_to(root).as_posix()))
    files: list[Source] = []
    ignored: list[str] = []
    total = 0
    for path in paths:
        inner = path.relative_to(root).as_posix()
        if is_ignored(inner):
            ignored.append(inner)
            continue
        refuse_over(limits.unpacked_bytes, total + path.stat().st_size, "bytes", root.name, "a folder")
        unpacked = _unpack(Source(inner, _bytes(path, inner, limits)), limits, nested=True)
        total += sum(len(source.data) for source in unpacked.files)
        refuse_over(limits.unpacked_bytes, total, "bytes", root.name, "a folder")
        files.extend(unpacked.files)
        ignored.extend(unpacked.ignored)
    return Bundle(root.resolve().name, tuple(files), tuple(ignored), folder=True)


def _unpack(source: Source, limits: Limits, *, nested: bool = False) -> Bundle:
    name, data = source.name, source.data
    refuse_over(limits.file_bytes, len(data), "bytes", name)
    if is_gzip(data):
        name = name[:-3] if name.lower().endswith(".gz") else name
        data = gunzip(source.name, data, limits)
    if is_zip(data) and not is_workbook(data):
        if nested:
            return Bundle(name, (), (name,))
        files, ignored = unzip(name, data, limits)
        return Bundle(name, tuple(Source(*file) for file in files), tuple(ignored), folder=True)
    return Bundle(name, (Source(name, data),))
