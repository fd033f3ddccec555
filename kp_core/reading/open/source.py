"""Read paths, folders, archives and uploads into memory; archives are never unpacked to disk."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path, PurePosixPath

from kp_core.errors import InputError, pluralize
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.open.archive import gunzip, is_folder, is_gzip, is_ignored, is_zip, natural_key, unpack
from kp_core.typeset import storable

#: Extensions that are removed from names; in `candidats.degree`, the extension is the name of the system.
KNOWN_EXTENSIONS = frozenset(
    (
        *(".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".gz", ".zip", ".tar"),
        *(".key", ".kwd", ".tags", ".contr", ".uncontr", ".phrases", ".annif", ".ref", ".qrels", ".run", ".final"),
        *(".ann", ".conll", ".pred"),
        *(".abstr", ".html", ".htm", ".xml", ".md", ".pdf"),
    )
)


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

    folder  whether it is a folder or archive, whose unreadable files are ignored
    loose   whether it is several paths, named after their common folder, which must all be readable
    given   the path, or the name of the upload
    """

    name: str
    files: tuple[Source, ...]
    ignored: tuple[str, ...] = ()
    folder: bool = False
    loose: bool = False
    given: str = ""
    on_disk: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", storable(self.name))
        object.__setattr__(self, "ignored", tuple(map(storable, self.ignored)))


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
        raise InputError(path.name or "a path", found, "a readable file or folder", "Check the path.") from None


def together(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Combine separate files into one bundle, named by their paths below their common folder."""
    loose = [bundle for bundle in bundles if not bundle.folder]
    if len(loose) < 2:
        return list(bundles)
    parents = [Path(bundle.given).absolute().parent if bundle.on_disk else None for bundle in loose]
    known = [parent for parent in parents if parent]
    root = Path(os.path.commonpath(known)) if len({parent.anchor for parent in known}) == 1 else None
    named = list[Source]()
    for bundle, parent in zip(loose, parents, strict=True):
        inside = parent.relative_to(root).as_posix() if parent and root else ""
        named += (Source(str(PurePosixPath(inside, file.name)), file.data) for file in bundle.files)
    files, ignored = _without_ignored(named)
    paths = root is not None and len(known) == len(loose)
    name = root.name if paths and root else pluralize(len(loose), "file")
    return [Bundle(name, files, ignored, loose=paths), *(bundle for bundle in bundles if bundle.folder)]


def _without_ignored(files: Iterable[Source]) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    ignored = {file.name: is_ignored(file.name, file.data) for file in files}
    return tuple(file for file in files if not ignored[file.name]), tuple(name for name in ignored if ignored[name])


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
    inside = {path.relative_to(root).as_posix(): path for path in paths}
    files, ignored, total = list[Source](), list[str](), 0
    for inner in sorted(inside, key=natural_key):
        if is_ignored(inner):
            ignored.append(inner)
            continue
        refuse_over(limits.unpacked_bytes, total + inside[inner].stat().st_size, "bytes", root.name, "a folder")
        unpacked = _unpack(Source(inner, _bytes(inside[inner], inner, limits)), limits, nested=True)
        total += sum(len(file.data) for file in unpacked.files)
        refuse_over(limits.unpacked_bytes, total, "bytes", root.name, "a folder")
        files += unpacked.files
        ignored += unpacked.ignored
    data, empty = _without_ignored(files)
    return Bundle(root.resolve().name, data, (*ignored, *empty), folder=True)


def _unpack(source: Source, limits: Limits, *, nested: bool = False) -> Bundle:
    name, data = source.name, source.data
    refuse_over(limits.file_bytes, len(data), "bytes", name)
    if is_gzip(data):
        name = re.sub(r"\.t?gz$", "", name, flags=re.IGNORECASE)
        data = gunzip(source.name, data, limits)
    if is_zip(data) and b"word/document.xml" in data:
        remedy = "Save it as text, one line per document, or as a table (CSV, XLSX), and load that."
        raise InputError(name, "a document of a word processor", "a table, or lists in text", remedy)
    if is_folder(data):
        if nested:
            return Bundle(name, (), (name,))
        files, ignored = unpack(name, data, limits)
        return Bundle(name, tuple(Source(*file) for file in files), tuple(ignored), folder=True)
    return Bundle(name, (Source(name, data),))


#: The environment variable with the folder of shared data sets.
SHARED_FOLDER = "KPSCOPE_DATA"


def shared_names(root: Path) -> list[str]:
    """Return the names of the data sets in a folder: folders and files, except hidden ones and notes."""
    return sorted(_shared_paths(root), key=natural_key)


def _shared_paths(root: Path) -> dict[str, Path]:
    try:
        return {storable(path.name): path for path in root.iterdir() if not is_ignored(path.name)}
    except OSError:
        where = f"the folder of shared data sets ({SHARED_FOLDER})"
        raise InputError(where, "none that can be read", "a folder", "Contact whoever runs this server.") from None


def shared(root: Path, name: str, limits: Limits = LIMITS) -> Source:
    """Return one data set like an upload: a file unchanged, a folder as a zip in memory.

    Raises `InputError` if there is no such data set, if a link in it leads out of `root`, or at a limit.
    """
    path = _shared_paths(root).get(name)
    if path is None:
        raise InputError(f"“{name}”", "nothing", "a shared data set", "Choose one that is listed.")
    for link in filter(Path.is_symlink, (path, *path.rglob("*"))):
        if link.is_dir() or not link.resolve().is_relative_to(root.resolve()):
            found = f"a link that leads elsewhere (“{link.relative_to(root).as_posix()}”)"
            raise InputError(f"“{path.name}”", found, "plain files", "Ask whoever runs this server to copy the files.")
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
