"""Turn a folder of shared data sets into their names, and one of them into a file; nothing outside it is read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

from kp_core.errors import InputError
from kp_core.reading.archive import is_ignored, natural_key
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.source import Source, expand
from kp_core.typeset import storable

#: The variable that names the folder.
VARIABLE = "KPSCOPE_DATA"


def shared_names(root: Path) -> list[str]:
    """Return the data sets of a folder: every folder or file in it, hidden ones and notes left out."""
    try:
        found = _paths(root)
    except OSError:
        where = f"the folder of shared data sets ({VARIABLE})"
        raise InputError(where, "none that can be read", "a folder", "Tell whoever runs this server.") from None
    return sorted(found, key=natural_key)


def _paths(root: Path) -> dict[str, Path]:
    """Return what is in the folder by the names under which it is shown."""
    return {storable(path.name): path for path in root.iterdir() if not is_ignored(path.name)}


def shared(root: Path, name: str, limits: Limits = LIMITS) -> Source:
    """Return one data set as an upload of it would be: a file as it is, a folder packed as one zip in memory.

    Raises `InputError` where there is no such data set, where a link in it leads out of `root`, or at a limit.
    """
    if name not in shared_names(root):
        raise InputError(f"“{name}”", "nothing", "a shared data set", "Choose one that is listed.")
    path = _paths(root)[name]
    _refuse_links_that_leave(root, path)
    if not path.is_dir():
        refuse_over(limits.file_bytes, path.stat().st_size, "bytes", f"“{name}”")
        return Source(name, path.read_bytes())
    return packed(name, ((one.name, one.data) for one in expand(path, limits).files))


def packed(name: str, members: Iterable[tuple[str, bytes]]) -> Source:
    """Return a folder as one zip in memory, so that it is listed, read and removed as a whole.

    >>> packed("teams", [("ana/7.key", b"tide")]).name
    'teams.zip'
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member, data in members:
            archive.writestr(member, data)
    return Source(f"{name}.zip", buffer.getvalue())


def _refuse_links_that_leave(root: Path, path: Path) -> None:
    inside = root.resolve()
    for one in (path, *path.rglob("*")):
        if one.is_symlink() and (not one.resolve().is_relative_to(inside) or one.is_dir()):
            found = f"a link that leads elsewhere (“{one.relative_to(root).as_posix()}”)"
            raise InputError(f"“{path.name}”", found, "plain files", "Tell whoever runs this server to copy the files.")
