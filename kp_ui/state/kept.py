"""Keep files for a day in a folder that the operator names, so that the link of a lost session opens them again."""

import errno
import logging
import os
import re
import secrets
import stat
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kp_core.errors import InputError
from kp_core.reading import LIMITS, Source
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.workspace_file import ENDING, Saved, read_workspace, workspace_file

#: The variable that names the folder; without it nothing is kept.
VARIABLE = "KPSCOPE_STATE"
_DAY = 86_400
_KEY = r"[\w-]{43}"
_HALF = "kept-"
#: What of the folder is ours: kept files, and what a killed process left half written.
_OURS = re.compile(rf"{_KEY}{re.escape(ENDING)}|{_HALF}\w+", re.ASCII)
#: We packed these files ourselves, so they may be as large, and packed as well, as any session's.
_LIMITS = replace(
    LIMITS, file_bytes=2 * LIMITS.session_bytes, unpacked_bytes=2 * LIMITS.session_bytes, unpacked_ratio=2_000
)


def _place(key: str) -> Path | None:
    """Return where the files of a key are; None where nothing is kept, or for what is no key, such as a path."""
    root = os.environ.get(VARIABLE, "")
    return Path(root) / f"{key}{ENDING}" if root and re.fullmatch(_KEY, key, re.ASCII) else None


def keep(uploads: Uploads, key: str) -> str:
    """Write files whole, for the account of this process alone, and return their key; empty where none are kept.

    Raises `OSError` where they cannot be kept; what was kept before then stays.
    """
    key = key or secrets.token_urlsafe(32)
    if (place := _place(key)) is None:
        return ""
    data = workspace_file(Saved(uploads))
    if sum(size for path, size in _kept(place.parent).items() if path != place) + len(data) > LIMITS.kept_bytes:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    handle, part = tempfile.mkstemp(prefix=_HALF, dir=place.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            os.fsync(handle)  # a disk may say only here that it is full
        os.replace(part, place)
    finally:
        Path(part).unlink(missing_ok=True)
    return key


def find(key: str) -> Uploads | None:
    """Return the files of a key; None where they are not, or no longer, here."""
    if (place := _place(key)) is None:
        return None
    try:
        if place in _kept(place.parent):
            return read_workspace(Source(place.name, place.read_bytes()), _LIMITS).uploads
    except (OSError, InputError) as error:
        log("Kept files could not be opened", error)
    return None


def forget(key: str) -> None:
    """Delete the files of a key."""
    if (place := _place(key)) is not None:
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            log("Kept files could not be deleted", error)


def log(what: str, error: OSError | InputError) -> None:
    """Tell the operator what failed and why, without the path: whoever has the key has the files."""
    why = error.found if isinstance(error, InputError) else error.strerror
    logging.getLogger("kpscope").error("%s: %s", what, why)


def _kept(root: Path) -> dict[Path, int]:
    """Return the files that are kept, without links, and their sizes; delete what was written more than a day ago."""
    found = {}
    for entry in os.scandir(root):
        with suppress(OSError):  # another copy was quicker, or the folder is read-only
            about = entry.stat(follow_symlinks=False)
            if not (_OURS.fullmatch(entry.name) and stat.S_ISREG(about.st_mode)):
                continue
            if time.time() - about.st_mtime > _DAY:
                os.unlink(entry.path)
            else:
                found[Path(entry.path)] = about.st_size
    return found
