"""Unpack zip, tar, gzip and Office files within the limits."""

from __future__ import annotations

import gzip
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from tokenize import TokenError
from typing import IO

from kp_core.errors import InputError
from kp_core.reading.limits import Limits, refuse_over
from kp_core.typeset import storable

_PIECE = 1 << 20
_MOST_FOLDERS = 100
_ENDINGS = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar")
#: Names of ignored files: notes, scripts, settings, links, papers, models.
_NO_DATA = re.compile(
    r"(\._.*|\.DS_Store|Thumbs\.db|desktop\.ini|Makefile|Dockerfile|.*~"
    r"|(README|LICEN[CS]E|COPYING|CHANGE(LOG|S)|CITATION|CONTRIBUTING|NOTICE|AUTHORS)([-_.].*)?|requirements.*\.txt"
    r"|.*\.(acm|url|lnk|webloc|cfg|conf|ini|toml|ya?ml|log|lock|py[cow]?|ipynb|sh|bat|ps1|p[lm]|rb|java|class|jar|js|css"
    r"|c|cpp|h|r|rmd|m|tex|bib|bst|sty|cls|pdf|ps|eps|docx?|pptx?|odt|odp|rtf|png|jpe?g|gif|svg|ico|bak|tmp|sw[op]|exe"
    r"|dll|so|o|pkl|pickle|npy|pt|pth|bin|model|h5|db|sqlite3?|md5|sha(1|256)|pid))",
    re.IGNORECASE,
)
#: Files with the language of LIAAD's data sets; texts with this name are longer.
_LANGUAGE = re.compile(r"lan(g|guage)?\.txt", re.IGNORECASE)
#: Errors of zipfile, tarfile and the decompressors for damaged archives.
DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(EOFError, RuntimeError, ValueError, OSError, LookupError),
)
#: The same with errors of NumPy, which parses array headers as Python and trusts their sizes.
DAMAGED_ARRAYS = (*DAMAGED, AttributeError, MemoryError, SyntaxError, TokenError, TypeError)


def is_zip(data: bytes) -> bool:
    """Return whether bytes are a zip archive, other than arrays of NumPy."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not is_arrays(data)


def is_arrays(data: bytes) -> bool:
    """Return whether bytes are arrays of NumPy (npz), by the name of the first member."""
    name = data[30 : 30 + int.from_bytes(data[26:28], "little")]
    return data[:4] == b"PK\x03\x04" and name.endswith(b".npy")


def is_gzip(data: bytes) -> bool:
    """Return whether bytes are a gzip file."""
    return data[:2] == b"\x1f\x8b"


def workbook_kind(data: bytes) -> str:
    """Return XLSX or ODS if bytes are a workbook, else nothing."""
    if not is_zip(data):
        return ""
    ods = b"application/vnd.oasis.opendocument.spreadsheet" in data[:200]
    return "ODS" if ods else "XLSX" if b"xl/workbook.xml" in data else ""


def is_folder(data: bytes) -> bool:
    """Return whether bytes are a zip or tar archive, other than a workbook."""
    return data[257:262] == b"ustar" or (is_zip(data) and not workbook_kind(data))


def is_ignored(path: str, data: bytes | None = None) -> bool:
    """Return whether the name of a file in a folder or archive (and the size of a language file) rules out data."""
    parts = PurePosixPath(path).parts
    if not parts or "__MACOSX" in parts or any(part.startswith(".") for part in parts):
        return True
    language = data is not None and len(data) <= 40 and _LANGUAGE.fullmatch(parts[-1])
    return bool(language or _NO_DATA.fullmatch(parts[-1]))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `team2` before `team10`."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(1, int(part), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts)]


@contextmanager
def refuse_damaged(name: str, what: str, errors: tuple[type[Exception], ...] = DAMAGED) -> Iterator[None]:
    """Refuse a file if reading it raises one of the errors."""
    try:
        yield
    except InputError:
        raise
    except errors:
        raise InputError(name, f"a damaged or unusual {what}", f"a whole {what}", "Pack or save it again.") from None


def gunzip(name: str, data: bytes, limits: Limits) -> bytes:
    """Return the file, or tar archive, in a gzip file."""
    with refuse_damaged(name, "gzip file"), gzip.open(io.BytesIO(data)) as packed:
        unpacked = b"".join(_within_limits(name, packed, len(data), limits))
    if is_gzip(unpacked) or is_zip(unpacked):
        raise InputError(name, "an archive inside a gzip file", "one text file", "Pack the files as a zip archive.")
    return unpacked


def unpack(name: str, data: bytes, limits: Limits, archives: bool = False) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the members of a zip or tar archive as (path inside, bytes), and the paths of ignored members.

    archives: whether to return every member unchanged, including archives.
    """
    files: list[tuple[str, bytes]] = []
    ignored: list[str] = []
    total = 0
    with refuse_damaged(name, "archive"):
        for inner, pieces in (_zipped if is_zip(data) else _tarred)(name, data, limits):
            if not archives and (is_ignored(inner) or inner.lower().endswith(_ENDINGS)):
                ignored.append(inner)
                continue
            content = b"".join(pieces)
            total += len(content)
            refuse_over(limits.unpacked_bytes, total, "bytes", name, "an unpacked archive")
            if not archives and (is_gzip(content) or is_folder(content) or is_ignored(inner, content)):
                ignored.append(inner)
            else:
                files.append((inner, content))
    return sorted(files, key=lambda file: natural_key(file[0])), ignored


def check_workbook(name: str, data: bytes, limits: Limits) -> None:
    """Refuse a workbook that is too large or declares entities, before its XML is parsed."""
    total = marks = 0
    with refuse_damaged(name, "workbook"):
        for inner, pieces in _zipped(name, data, limits):
            content = b"".join(pieces)
            total += len(content)
            refuse_over(limits.unpacked_bytes, total, "bytes", name, "an unpacked workbook")
            marks += content.count(b"<")  # a cell has two or three elements
            refuse_over(8 * limits.table_cells, marks, "marks of XML", name, "a workbook")
            if re.search(rb"<!(?:DOCTYPE|ENTITY)", content.replace(b"\0", b"")):  # without NUL, UTF-16 is like ASCII
                found = f"entities declared in {inner[:100]}"
                raise InputError(name, found, "an ordinary workbook", "Save it again as XLSX, or as CSV.")


def _zipped(name: str, data: bytes, limits: Limits) -> Iterator[tuple[str, Iterator[bytes]]]:
    refuse_over(limits.archive_members, data.count(b"PK\x01\x02"), "members", name, "an archive")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        seen: set[str] = set()
        for info in archive.infolist():
            if info.is_dir():
                continue
            inner = info.orig_filename
            _check_path(name, inner, seen)
            if stat.S_ISLNK(info.external_attr >> 16):
                raise _archive_error(name, inner, "a link")
            if info.flag_bits & 1:
                raise _archive_error(name, inner, "an encrypted member")
            # bzip2 and LZMA may unpack gigabytes in one step, before any limit applies
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _archive_error(name, inner, "a member packed by another method than Deflate")
            with archive.open(info) as member:
                packed = min(info.compress_size, len(data))  # the header may be wrong
                yield inner, _within_limits(f"{name}: {inner[:200]}", member, packed, limits)


def _tarred(name: str, data: bytes, limits: Limits) -> Iterator[tuple[str, Iterator[bytes]]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        seen: set[str] = set()
        for number, info in enumerate(archive, 1):
            refuse_over(limits.archive_members, number, "members or more", name, "an archive")
            inner = info.name.removeprefix("./")
            if info.isdir():
                continue
            _check_path(name, inner, seen)
            inner = storable(inner)
            if not info.isreg() or info.issparse():
                raise _archive_error(name, inner, "a link, device or file with holes")
            refuse_over(limits.file_bytes, info.size, "bytes", f"{name}: {inner[:200]}", "an unpacked file")
            yield inner, iter([archive.extractfile(info).read()])  # type: ignore[union-attr]
        if data[archive.offset :].strip(b"\0"):
            raise tarfile.ReadError


def _check_path(archive: str, inner: str, seen: set[str]) -> None:
    if inner.count("/") > _MOST_FOLDERS:
        raise _archive_error(archive, inner, f"a member in more than {_MOST_FOLDERS} folders")
    if ".." in PurePosixPath(inner).parts or inner.startswith("/") or re.match(r"[A-Za-z]:", inner):
        raise _archive_error(archive, inner, "a member that leaves the archive")
    if "\\" in inner or "\0" in inner:
        raise _archive_error(archive, inner, "a member with a backslash or NUL in its name")
    if inner in seen:
        raise _archive_error(archive, inner, "two members of one name")
    seen.add(inner)


def _archive_error(archive: str, inner: str, problem: str) -> InputError:
    shown = storable(inner.replace("\0", "\\0"))[:100]
    return InputError(archive, f"{problem} (“{shown}”)", "plain files", "Pack the files again, without it.")


def _within_limits(where: str, packed: IO[bytes] | gzip.GzipFile, size: int, limits: Limits) -> Iterator[bytes]:
    """Yield the unpacked pieces of a member, given its packed size, until they exceed a limit."""
    total = 0
    while piece := packed.read(_PIECE):
        total += len(piece)
        refuse_over(min(limits.file_bytes, limits.unpacked_bytes), total, "bytes", where, "an unpacked file")
        if total > limits.ratio_from_bytes and total > limits.unpacked_ratio * max(size, 1):
            found = f"a member packed more than {limits.unpacked_ratio} : 1"
            raise InputError(where, found, "ordinary text", "Unpack it and load the file itself.")
        yield piece
