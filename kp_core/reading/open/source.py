"""Read paths, folders, archives and uploads into memory, within the limits; archives are never unpacked to disk."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path, PurePosixPath
from tokenize import TokenError
from typing import IO, Any

from kp_core.errors import InputError, input_error, pluralize
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.typeset import storable

#: Extensions that are removed from names; in `candidats.degree`, the extension is the name of the system.
KNOWN_EXTENSIONS = frozenset(
    (
        *(".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".gz", ".zip", ".tar"),
        *(".key", ".kwd", ".tags", ".contr", ".uncontr", ".phrases", ".annif", ".ref", ".qrels", ".run", ".final"),
        *(".ann", ".conll", ".pred", ".abstr", ".html", ".htm", ".xml", ".md", ".pdf"),
    )
)
_ARCHIVES = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar")
#: Number of bytes that are unpacked at a time, and maximum depth of folders.
_PIECE, _MOST_FOLDERS = 1 << 20, 100
#: Names of ignored files: languages (of LIAAD), notes, scripts, settings, links, papers, models.
_NO_DATA = re.compile(
    r"(\._.*|lan(g|guage)?\.txt|\.DS_Store|Thumbs\.db|desktop\.ini|Makefile|Dockerfile|.*~"
    r"|(README|LICEN[CS]E|COPYING|CHANGE(LOG|S)|CITATION|CONTRIBUTING|NOTICE|AUTHORS)([-_.].*)?|requirements.*\.txt"
    r"|.*\.(acm|url|lnk|webloc|cfg|conf|ini|toml|ya?ml|log|lock|py[cow]?|ipynb|sh|bat|ps1|p[lm]|rb|java|class|jar|js|css"
    r"|c|cpp|h|r|rmd|m|tex|bib|bst|sty|cls|pdf|ps|eps|docx?|pptx?|odt|odp|rtf|png|jpe?g|gif|svg|ico|bak|tmp|sw[op]|exe"
    r"|dll|so|o|pkl|pickle|npy|pt|pth|bin|model|h5|db|sqlite3?|md5|sha(1|256)|pid))",
    re.IGNORECASE,
)
#: Errors of zipfile, tarfile and the decompressors for damaged archives.
DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(EOFError, RuntimeError, ValueError, OSError, LookupError),
)
#: The same with errors of NumPy, which parses array headers as Python and trusts their sizes.
DAMAGED_ARRAYS = (*DAMAGED, AttributeError, MemoryError, SyntaxError, TokenError, TypeError)


@dataclass(frozen=True)
class Source:
    """A file in memory: its bytes, and its name (in a folder or archive, its path)."""

    name: str
    data: bytes

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", storable(self.name))


@dataclass(frozen=True)
class Bundle:
    """The files of one path or upload, and the names of ignored files.

    * `folder`: whether it is a folder or archive, whose unreadable files are ignored
    * `loose`: whether it consists of separate paths, all of which must be readable; their common folder is its name
    * `given`: the path, or the name of the upload
    """

    name: str
    files: tuple[Source, ...]
    ignored: tuple[str, ...] = ()
    folder: bool = False
    loose: bool = False
    given: str = ""
    on_disk: bool = False


def fingerprint(contents: Iterable[bytes]) -> str:
    """Return the SHA-256 of the concatenated files."""
    digest = sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def stem_of(name: str) -> str:
    """Return the last part of a path without its known extensions."""
    base = storable(PurePosixPath(name).name or name)
    for _ in range(2):
        suffix = PurePosixPath(base).suffix
        if suffix.lower() not in KNOWN_EXTENSIONS or base == suffix:
            break
        base = base[: -len(suffix)]
        if suffix.lower() != ".gz":
            break
    return base


def packed_kind(data: bytes) -> str:
    """Return the kind of packed bytes: gzip, tar, npz (arrays of NumPy), ODS, XLSX, DOCX or zip; empty for others."""
    if data[:2] == b"\x1f\x8b":
        return "gzip"
    if data[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return "tar" if data[257:262] == b"ustar" else ""
    first_name = data[30 : 30 + int.from_bytes(data[26:28], "little")]
    if first_name.endswith(b".npy"):
        return "npz"
    if b"application/vnd.oasis.opendocument.spreadsheet" in data[:200]:
        return "ODS"
    return "XLSX" if b"xl/workbook.xml" in data else "DOCX" if b"word/document.xml" in data else "zip"


def is_archive(data: bytes) -> bool:
    """Return whether bytes are a zip, tar or gzip file, but not an Office file."""
    return packed_kind(data) in ("gzip", "tar", "zip")


def _is_ignored(path: str) -> bool:
    """Return whether a file in a folder or archive is ignored because of its name."""
    parts = PurePosixPath(path).parts
    hidden = not parts or "__MACOSX" in parts or any(part.startswith(".") for part in parts)
    return hidden or bool(_NO_DATA.fullmatch(parts[-1]))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `team2` before `team10`."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(1, int(part), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts)]


def expand(item: str | Path | Source, limits: Limits = LIMITS) -> Bundle:
    """Read a file, a folder, a zip, tar or gzip file, from a path or from memory."""
    if isinstance(item, Source):
        return replace(_unpack(item, limits), given=item.name)
    path = Path(item)
    try:
        if path.is_dir():
            bundle = _folder(path, limits)
        else:
            bundle = _unpack(Source(path.name, _bytes(path, path.name, limits)), limits)
        return replace(bundle, given=str(item), on_disk=True)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "no such file" if isinstance(error, FileNotFoundError) else "a file that cannot be opened"
        raise input_error(path.name or "a path", "not opened", found=found) from None


def together(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Combine separate files into one bundle, named by their paths below their common folder."""
    single_files = [bundle for bundle in bundles if not bundle.folder]
    if len(single_files) < 2:
        return list(bundles)
    parents = [Path(bundle.given).absolute().parent for bundle in single_files]
    same_root = all(bundle.on_disk for bundle in single_files) and len({parent.anchor for parent in parents}) == 1
    root, sources = Path(os.path.commonpath(parents)) if same_root else None, list[Source]()
    for bundle, parent in zip(single_files, parents, strict=True):
        folder = parent.relative_to(root).as_posix() if root else ""
        sources += (Source(str(PurePosixPath(folder, file.name)), file.data) for file in bundle.files)
    ignored = tuple(file.name for file in sources if _is_ignored(file.name))
    files = tuple(file for file in sources if file.name not in ignored)
    name = root.name if root else pluralize(len(single_files), "file")
    return [Bundle(storable(name), files, ignored, loose=same_root), *(bundle for bundle in bundles if bundle.folder)]


def _bytes(path: Path, name: str, limits: Limits) -> bytes:
    """Read a file up to the limit, since pipes and devices have no known size."""
    refuse_over(limits.file_bytes, path.stat().st_size, "bytes", name)
    with path.open("rb") as stream:
        data = stream.read(limits.file_bytes + 1)
    refuse_over(limits.file_bytes, len(data), "bytes or more", name)
    return data


def _folder(root: Path, limits: Limits) -> Bundle:
    paths = list(islice((path for path in root.rglob("*") if path.is_file()), limits.archive_members + 1))
    refuse_over(limits.archive_members, len(paths), "files or more", root.name, "a folder")
    paths_by_name = {path.relative_to(root).as_posix(): path for path in paths}
    files, ignored, total = list[Source](), [name for name in paths_by_name if _is_ignored(name)], 0
    for inner in sorted(paths_by_name.keys() - set(ignored), key=_natural):
        refuse_over(limits.unpacked_bytes, total + paths_by_name[inner].stat().st_size, "bytes", root.name, "a folder")
        unpacked = _unpack(Source(inner, _bytes(paths_by_name[inner], inner, limits)), limits, nested=True)
        total += sum(len(file.data) for file in unpacked.files)
        refuse_over(limits.unpacked_bytes, total, "bytes", root.name, "a folder")
        files += unpacked.files
        ignored += unpacked.ignored
    names = tuple(map(storable, sorted(ignored, key=_natural)))
    return Bundle(storable(root.resolve().name), tuple(files), names, folder=True)


def _unpack(source: Source, limits: Limits, *, nested: bool = False) -> Bundle:
    name, data = source.name, source.data
    refuse_over(limits.file_bytes, len(data), "bytes", name)
    if packed_kind(data) == "gzip":
        name = re.sub(r"\.t?gz$", "", name, flags=re.IGNORECASE)
        with refuse_damaged(source.name, "gzip file"), gzip.open(io.BytesIO(data)) as packed:
            data = b"".join(_within_limits(source.name, packed, len(data), limits))
        if packed_kind(data) not in ("", "tar"):
            raise input_error(source.name, "packed twice")
    if (kind := packed_kind(data)) == "DOCX":
        raise input_error(name, "word processor")
    if kind not in ("tar", "zip"):
        return Bundle(name, (Source(name, data),))
    if nested:
        return Bundle(name, (), (name,))
    files, ignored = unpack(name, data, limits)
    return Bundle(name, tuple(Source(*file) for file in files), tuple(ignored), folder=True)


def unpack(name: str, data: bytes, limits: Limits, archives: bool = False) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the members of a zip or tar archive as (path inside, bytes), and the paths of ignored members.

    * `archives`: whether to return every member unchanged, including archives.
    """
    with refuse_damaged(name, "archive"):
        members = dict(_members(name, data, limits, all_members=archives))
    files = {inner: content for inner, content in members.items() if content is not None}
    if not archives:
        files = {inner: content for inner, content in files.items() if not is_archive(content)}
    return sorted(files.items(), key=lambda file: _natural(file[0])), [inner for inner in members if inner not in files]


def check_workbook(name: str, data: bytes, limits: Limits) -> None:
    """Refuse a workbook that is too large or declares entities, before its XML is parsed."""
    marks = 0
    with refuse_damaged(name, "workbook"):
        for inner, content in _members(name, data, limits, all_members=True):
            content = content or b""
            marks += content.count(b"<")  # a cell has two or three elements
            refuse_over(8 * limits.table_cells, marks, "marks of XML", name, "a workbook")
            if re.search(rb"<!(?:DOCTYPE|ENTITY)", content.replace(b"\0", b"")):  # without NUL, UTF-16 is like ASCII
                raise input_error(name, "entities", member=inner[:100])


@contextmanager
def refuse_damaged(name: str, noun: str, errors: tuple[type[Exception], ...] = DAMAGED) -> Iterator[None]:
    """Refuse a file if reading it raises one of the errors."""
    try:
        yield
    except InputError:
        raise
    except errors:
        raise InputError(name, f"a damaged or unusual {noun}", f"a whole {noun}", "Pack or save it again.") from None


#: A member of an archive: its path, a reason to refuse it, its packed size, and the function that opens it.
_Member = tuple[str, str, int, Callable[[], Any]]


def _members(name: str, data: bytes, limits: Limits, *, all_members: bool) -> Iterator[tuple[str, bytes | None]]:
    """Yield path and content of the files in a zip or tar archive; refuse anything but plain files.

    Without `all_members`, the content of archives and of files that are ignored is None.
    """
    seen, total, members = set[str](), 0, _tarred if packed_kind(data) == "tar" else _zipped
    for inner, problem, size, opened in members(name, data, limits):
        leaves = inner.startswith("/") or re.match(r"[A-Za-z]:", inner) or ".." in inner.split("/")
        problems = {
            f"a member in more than {_MOST_FOLDERS} folders": inner.count("/") > _MOST_FOLDERS,
            "a member that leaves the archive": leaves,
            "a member with a backslash or NUL in its name": "\\" in inner or "\0" in inner,
            "two members with the same name": inner in seen,
            problem: problem,
        }
        if found := next((description for description, applies in problems.items() if applies), ""):
            raise input_error(name, "no plain file", found=found, member=storable(inner.replace("\0", "\\0"))[:100])
        seen.add(inner)
        if not all_members and (_is_ignored(inner) or inner.lower().endswith(_ARCHIVES)):
            yield storable(inner), None
            continue
        with opened() as member:
            content = b"".join(_within_limits(f"{name}: {storable(inner)[:200]}", member, size, limits))
        total += len(content)
        refuse_over(limits.unpacked_bytes, total, "bytes", name, "an unpacked archive")
        yield storable(inner), content


def _zipped(name: str, data: bytes, limits: Limits) -> Iterator[_Member]:
    refuse_over(limits.archive_members, data.count(b"PK\x01\x02"), "members", name, "an archive")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            problem = "a link" if stat.S_ISLNK(info.external_attr >> 16) else ""
            problem = problem or ("an encrypted member" if info.flag_bits & 1 else "")
            # bzip2 and LZMA may unpack gigabytes in one step, before any limit applies
            if not problem and info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                problem = "a member packed by another method than Deflate"
            if not info.is_dir():  # the packed size in the header may be wrong
                yield info.orig_filename, problem, min(info.compress_size, len(data)), partial(archive.open, info)


def _tarred(name: str, data: bytes, limits: Limits) -> Iterator[_Member]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for n_members, info in enumerate(archive, 1):
            refuse_over(limits.archive_members, n_members, "members or more", name, "an archive")
            problem = "" if info.isreg() and not info.issparse() else "a link, device or file with holes"
            if not info.isdir():
                yield info.name.removeprefix("./"), problem, info.size, partial(archive.extractfile, info)
        if data[archive.offset :].strip(b"\0"):
            raise tarfile.ReadError


def _within_limits(where: str, packed: IO[bytes] | gzip.GzipFile, size: int, limits: Limits) -> Iterator[bytes]:
    """Yield the unpacked pieces of a member, given its packed size, until they exceed a limit."""
    total = 0
    while piece := packed.read(_PIECE):
        total += len(piece)
        refuse_over(min(limits.file_bytes, limits.unpacked_bytes), total, "bytes", where, "an unpacked file")
        if total > limits.ratio_from_bytes and total > limits.unpacked_ratio * max(size, 1):
            raise input_error(where, "ratio", ratio=limits.unpacked_ratio)
        yield piece


#: The environment variable with the folder of shared data sets.
SHARED_FOLDER = "KPSCOPE_DATA"


def shared_names(root: Path) -> list[str]:
    """Return the names of the data sets in a folder: folders and files, except hidden ones and notes."""
    return sorted(_shared_paths(root), key=_natural)


def _shared_paths(root: Path) -> dict[str, Path]:
    try:
        return {storable(path.name): path for path in root.iterdir() if not _is_ignored(path.name)}
    except OSError:
        raise input_error(f"the folder of shared data sets ({SHARED_FOLDER})", "no shared folder") from None


def shared(root: Path, name: str, limits: Limits = LIMITS) -> Source:
    """Return one data set like an upload: a file unchanged, a folder as a zip in memory.

    Raises `InputError` if there is no such data set, if a link in it leads out of `root`, or at a limit.
    """
    path = _shared_paths(root).get(name)
    if path is None:
        raise InputError(f"“{name}”", "nothing", "a shared data set", "Choose one that is listed.")
    for link in filter(Path.is_symlink, (path, *path.rglob("*"))):
        if link.is_dir() or not link.resolve().is_relative_to(root.resolve()):
            raise input_error(f"“{path.name}”", "link out", link=link.relative_to(root).as_posix())
    if not path.is_dir():
        refuse_over(limits.file_bytes, path.stat().st_size, "bytes", f"“{name}”")
        return Source(name, path.read_bytes())
    return packed(name, ((file.name, file.data) for file in expand(path, limits).files))


def packed(name: str, members: Iterable[tuple[str, bytes]]) -> Source:
    """Return the files of a folder as one zip in memory."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member, data in members:
            archive.writestr(member, data)
    return Source(f"{name}.zip", buffer.getvalue())
