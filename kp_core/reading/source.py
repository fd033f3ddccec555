"""Turn paths, folders, archives and uploads into named bytes in memory; nothing from an archive touches the disk."""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kp_core.errors import InputError
from kp_core.reading.limits import LIMITS, Limits

#: Only these endings are taken off a name; in `candidats.degree` the ending is the name of the system.
KNOWN_EXTENSIONS = frozenset(
    (
        *(".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".gz", ".zip"),
        *(".key", ".kwd", ".tags", ".contr", ".uncontr", ".annif", ".ref", ".qrels", ".run"),
        *(".abstr", ".html", ".htm", ".xml", ".md", ".pdf"),
    )
)
_IGNORED_NAMES = re.compile(
    r"^(\._.*|\.DS_Store|Thumbs\.db|\.gitkeep|\.gitignore|(README|LICEN[CS]E|COPYING)(\.\w+)?)$", re.I
)
_ARCHIVES = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar")


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


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `team2` before `team10`.

    >>> sorted(["team10", "team2"], key=natural_key)
    ['team2', 'team10']
    """
    parts = re.split(r"([0-9]{1,18})", name)
    return [(1, int(part), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts)]


def is_ignored(path: str) -> bool:
    """Tell whether a member of a folder or archive is packing material and no data."""
    parts = PurePosixPath(path).parts
    return "__MACOSX" in parts or any(part.startswith(".") for part in parts) or bool(_IGNORED_NAMES.match(parts[-1]))


def expand(item: str | Path | Source, limits: Limits = LIMITS) -> Bundle:
    """Read a file, a folder, a zip or a gzip file, from a path or from memory."""
    if isinstance(item, Source):
        return _unpack(item, limits)
    path = Path(item)
    try:
        if path.is_dir():
            return _folder(path, limits)
        size = path.stat().st_size
        _limit(path.name, size, limits.file_bytes, "a file")
        return _unpack(Source(path.name, path.read_bytes()), limits)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "no such file" if isinstance(error, FileNotFoundError) else "a file that cannot be opened"
        raise InputError(path.name or "a path", found, "a readable file or folder", "Check the path.") from None


def _folder(root: Path, limits: Limits) -> Bundle:
    paths = sorted(
        (p for p in root.rglob("*") if p.is_file()), key=lambda p: natural_key(p.relative_to(root).as_posix())
    )
    _limit(root.name, len(paths), limits.archive_members, "a folder", unit="files")
    files: list[Source] = []
    ignored: list[str] = []
    total = 0
    for path in paths:
        inner = path.relative_to(root).as_posix()
        if is_ignored(inner):
            ignored.append(inner)
            continue
        total += path.stat().st_size
        _limit(root.name, total, limits.unpacked_bytes, "a folder")
        unpacked = _unpack(Source(inner, path.read_bytes()), limits, nested=True)
        files.extend(unpacked.files)
        ignored.extend(unpacked.ignored)
    return Bundle(root.resolve().name, tuple(files), tuple(ignored), folder=True)


def _unpack(source: Source, limits: Limits, *, nested: bool = False) -> Bundle:
    _limit(source.name, len(source.data), limits.file_bytes, "a file")
    if source.data[:2] == b"\x1f\x8b":
        source = _gunzip(source, limits)
    if not is_zip(source.data) or is_workbook(source.data):
        return Bundle(source.name, (source,))
    if nested:
        return Bundle(source.name, (), (source.name,))
    return _unzip(source, limits)


def is_zip(data: bytes) -> bool:
    """Tell whether bytes begin like a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def is_workbook(data: bytes) -> bool:
    """Tell whether bytes are an Excel workbook, which is a zip archive too."""
    return is_zip(data) and b"xl/workbook.xml" in data


def _gunzip(source: Source, limits: Limits) -> Source:
    name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
    unzip = zlib.decompressobj(wbits=31)
    data = _counted(source.name, _inflated(unzip, source.data), len(source.data), limits)
    if not unzip.eof:
        raise InputError(
            source.name, "a gzip file that ends early", "a whole gzip file", "Copy or pack the file again."
        )
    if unzip.unused_data[:2] == b"\x1f\x8b":
        raise InputError(source.name, "several files in one gzip file", "one", "Pack them as a zip archive.")
    if data[:2] == b"\x1f\x8b" or is_zip(data) or data[257:262] == b"ustar":
        raise InputError(
            source.name, "an archive inside a gzip file", "one text file", "Pack the files as a zip archive."
        )
    return Source(name, data)


def _inflated(unzip: zlib._Decompress, pending: bytes) -> Iterator[bytes]:
    while not unzip.eof:
        piece = unzip.decompress(pending, 1 << 20)
        if not piece and not unzip.unconsumed_tail:
            return
        pending = unzip.unconsumed_tail
        yield piece


def _unzip(source: Source, limits: Limits) -> Bundle:
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            return _members(source.name, archive, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            source.name, "a damaged or unusual zip archive", "a zip archive", "Pack the files again."
        ) from None


def _members(name: str, archive: zipfile.ZipFile, limits: Limits) -> Bundle:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    _limit(name, len(infos), limits.archive_members, "an archive", unit="members")
    seen: set[str] = set()
    files: list[Source] = []
    ignored: list[str] = []
    total = 0
    for info in sorted(infos, key=lambda i: natural_key(i.filename)):
        inner = info.orig_filename
        _check_member(name, info, seen)
        seen.add(inner)
        if is_ignored(inner) or inner.lower().endswith(_ARCHIVES):
            ignored.append(inner)
            continue
        data = _member(f"{name}: {inner}", archive, info, limits)
        total += len(data)
        _limit(name, total, limits.unpacked_bytes, "an unpacked archive")
        if is_zip(data) and not is_workbook(data):
            ignored.append(inner)
        else:
            files.append(Source(inner, data))
    return Bundle(name, tuple(files), tuple(ignored), folder=True)


def _member(where: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> bytes:
    with archive.open(info) as member:
        return _counted(where, iter(lambda: member.read(1 << 20), b""), info.compress_size, limits)


def _check_member(archive: str, info: zipfile.ZipInfo, seen: set[str]) -> None:
    inner = info.orig_filename
    parts = PurePosixPath(inner).parts
    linked = stat.S_ISLNK(info.external_attr >> 16)
    problem = (
        "a member that leaves the archive"
        if ".." in parts or inner.startswith("/") or re.match(r"^[A-Za-z]:", inner)
        else "a member with a backslash or NUL in its name"
        if "\\" in inner or "\0" in inner
        else "a link"
        if linked
        else "an encrypted member"
        if info.flag_bits & 1
        else "two members of one name"
        if inner in seen
        else ""
    )
    if problem:
        shown = inner.replace("\0", "\\0")[:100]
        raise InputError(archive, f"{problem} (“{shown}”)", "plain files", "Pack the files again, without it.")


def _counted(where: str, pieces: Iterator[bytes], packed: int, limits: Limits) -> bytes:
    """Unpack while counting: sizes in a header may lie."""
    kept, total = [], 0
    try:
        for piece in pieces:
            total += len(piece)
            _limit(where, total, min(limits.file_bytes, limits.unpacked_bytes), "an unpacked file")
            if total > limits.ratio_from_bytes and total > limits.unpacked_ratio * max(packed, 1):
                found = f"a member packed more than {limits.unpacked_ratio} : 1"
                raise InputError(where, found, "ordinary text", "Unpack it and load the file itself.")
            kept.append(piece)
    except zlib.error:
        raise InputError(where, "damaged packed data", "a whole archive", "Copy or pack the file again.") from None
    return b"".join(kept)


def _limit(where: str, size: int, limit: int, what: str, unit: str = "bytes") -> None:
    if size > limit:
        found = f"{what} of {size:,} {unit}"
        raise InputError(where, found, f"at most {limit:,} {unit}", "Split it, or raise the limit.")
