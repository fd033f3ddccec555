"""Turn the bytes of zip, gzip and Office files into their members, counted while they are unpacked."""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from kp_core.errors import InputError
from kp_core.reading.limits import Limits, refuse_over

_PIECE = 1 << 20
_ENDINGS = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_IGNORED_NAMES = re.compile(
    r"^(\._.*|\.DS_Store|Thumbs\.db|\.gitkeep|\.gitignore|(README|LICEN[CS]E|COPYING)(\.\w+)?)$", re.I
)
#: What zipfile and the decompressors raise on damaged archives.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    LookupError,
)


def is_zip(data: bytes) -> bool:
    """Tell whether bytes begin like a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def is_gzip(data: bytes) -> bool:
    """Tell whether bytes begin like a gzip file."""
    return data[:2] == b"\x1f\x8b"


def workbook_kind(data: bytes) -> str:
    """Return XLSX or ODS for bytes of a workbook, which is a zip archive too, else nothing."""
    if not is_zip(data):
        return ""
    ods = b"application/vnd.oasis.opendocument.spreadsheet" in data[:200]
    return "ODS" if ods else "XLSX" if b"xl/workbook.xml" in data else ""


def is_workbook(data: bytes) -> bool:
    """Tell whether bytes are a workbook."""
    return bool(workbook_kind(data))


def is_ignored(path: str) -> bool:
    """Tell whether a member of a folder or archive is packing material and no data."""
    parts = PurePosixPath(path).parts
    hidden = not parts or "__MACOSX" in parts or any(part.startswith(".") for part in parts)
    return hidden or bool(_IGNORED_NAMES.match(parts[-1]))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `team2` before `team10`.

    >>> sorted(["team10", "team2"], key=natural_key)
    ['team2', 'team10']
    """
    parts = re.split(r"([0-9]{1,18})", name)
    return [(1, int(part), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts)]


def gunzip(name: str, data: bytes, limits: Limits) -> bytes:
    """Return the one file that a gzip file holds."""
    try:
        unpacked = b"".join(_counted(name, _inflated(name, data), len(data), limits))
    except zlib.error:
        raise InputError(name, "damaged packed data", "a whole gzip file", "Copy or pack the file again.") from None
    if is_gzip(unpacked) or is_zip(unpacked) or unpacked[257:262] == b"ustar":
        raise InputError(name, "an archive inside a gzip file", "one text file", "Pack the files as a zip archive.")
    return unpacked


def _inflated(name: str, data: bytes) -> Iterator[bytes]:
    """Give the unpacked bytes piece by piece; packed bytes go in by pieces too, else each step would copy the rest."""
    unzip = zlib.decompressobj(wbits=31)
    for start in range(0, len(data), _PIECE):
        pending = data[start : start + _PIECE]
        while not unzip.eof:
            piece = unzip.decompress(pending, _PIECE)
            pending = unzip.unconsumed_tail
            if not piece and not pending:
                break
            yield piece
        if unzip.eof:
            rest = (unzip.unused_data + data[start + _PIECE :]).lstrip(b"\0")
            if is_gzip(rest):
                raise InputError(name, "several files in one gzip file", "one", "Pack them as a zip archive.")
            if rest:
                found = f"{len(rest):,} bytes after the end of the packed file"
                raise InputError(name, found, "nothing after it", "Copy or pack the file again.")
            return
    raise InputError(name, "a gzip file that ends early", "a whole gzip file", "Copy or pack the file again.")


def unzip(name: str, data: bytes, limits: Limits, archives: bool = False) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the members of a zip archive as (path inside, bytes), and the paths of those that were left out.

    archives: keep every member, archives within the archive too, as they are.
    """
    files: list[tuple[str, bytes]] = []
    ignored: list[str] = []
    total = 0
    try:
        with _opened(name, data, limits) as archive:
            for info in _members(name, archive, limits):
                inner = info.orig_filename
                if not archives and (is_ignored(inner) or inner.lower().endswith(_ENDINGS)):
                    ignored.append(inner)
                    continue
                content = b"".join(_pieces(name, archive, info, limits))
                total += len(content)
                refuse_over(limits.unpacked_bytes, total, "bytes", name, "an unpacked archive")
                if not archives and (is_gzip(content) or (is_zip(content) and not is_workbook(content))):
                    ignored.append(inner)
                else:
                    files.append((inner, content))
    except DAMAGED as error:
        raise _refused(name, error, "zip archive") from None
    return files, ignored


def check_workbook(name: str, data: bytes, limits: Limits) -> None:
    """Refuse a workbook whose parts are over the limits of archives, or declare entities, before anything reads it."""
    total = marks = 0
    try:
        with _opened(name, data, limits) as archive:
            for info in _members(name, archive, limits):
                before = b""
                for piece in _pieces(name, archive, info, limits):
                    total += len(piece)
                    refuse_over(limits.unpacked_bytes, total, "bytes", name, "an unpacked workbook")
                    # Reading takes as long as there are elements; a cell has two or three.
                    marks += piece.count(b"<")
                    refuse_over(8 * limits.table_cells, marks, "marks of XML", name, "a workbook")
                    # Without NUL bytes UTF-16 reads like ASCII; a word may be cut between two pieces.
                    start = (before + piece).replace(b"\0", b"")
                    if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
                        found = f"entities declared in {info.orig_filename[:100]}"
                        raise InputError(name, found, "an ordinary workbook", "Save it again as XLSX, or as CSV.")
                    before = piece[-32:]
    except DAMAGED as error:
        raise _refused(name, error, "workbook") from None


def _refused(name: str, error: Exception, what: str) -> InputError:
    if isinstance(error, InputError):
        return error
    return InputError(name, f"a damaged or unusual {what}", f"a {what}", "Pack or save it again.")


def _opened(name: str, data: bytes, limits: Limits) -> zipfile.ZipFile:
    """Open an archive; its entries are counted first, since opening it makes an object of each."""
    refuse_over(limits.archive_members, data.count(b"PK\x01\x02"), "members", name, "an archive")
    return zipfile.ZipFile(io.BytesIO(data))


def _members(name: str, archive: zipfile.ZipFile, limits: Limits) -> Iterator[zipfile.ZipInfo]:
    """Give the files of an archive in natural order, each looked at before it is unpacked."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    seen: set[str] = set()
    for info in sorted(infos, key=lambda one: natural_key(one.filename)):
        _check_member(name, info, seen)
        seen.add(info.orig_filename)
        yield info


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
        # bzip2 and LZMA unpack a megabyte into gigabytes in one step, so that nothing could count along
        else "a member packed by another method than Deflate"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        else ""
    )
    if problem:
        shown = inner.replace("\0", "\\0")[:100]
        raise InputError(archive, f"{problem} (“{shown}”)", "plain files", "Pack the files again, without it.")


def _pieces(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> Iterator[bytes]:
    with archive.open(info) as member:
        pieces = iter(lambda: member.read(_PIECE), b"")
        # The packed size stands in a header too, but no member can be packed into more than the archive.
        packed = min(info.compress_size, len(archive.fp.getbuffer()))  # type: ignore[union-attr]
        yield from _counted(f"{name}: {info.orig_filename[:200]}", pieces, packed, limits)


def _counted(where: str, pieces: Iterator[bytes], packed: int, limits: Limits) -> Iterator[bytes]:
    """Give the pieces while counting them: sizes in a header may lie."""
    total = 0
    for piece in pieces:
        total += len(piece)
        refuse_over(min(limits.file_bytes, limits.unpacked_bytes), total, "bytes", where, "an unpacked file")
        if total > limits.ratio_from_bytes and total > limits.unpacked_ratio * max(packed, 1):
            found = f"a member packed more than {limits.unpacked_ratio} : 1"
            raise InputError(where, found, "ordinary text", "Unpack it and load the file itself.")
        yield piece
