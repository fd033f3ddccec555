"""Store uploaded files for a day, so that a reload or a second tab opens them again.

The operator chooses the folder; on a server that serves this machine only, it is in the user's cache folder.
"""

import errno
import logging
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from kp_core.errors import InputError
from kp_core.reading import LIMITS, Source
from kp_core.reading.uploads import Uploads
from kp_core.scale.disk import write_files
from kp_core.takeaway.workspace_file import ENDING, Saved, read_workspace, workspace_file

#: Environment variable that names the folder; if its value is empty, nothing is stored.
VARIABLE = "KPSCOPE_STATE"
#: Cookie that identifies a browser; below, browser → key of the files that it stored last.
BROWSER = "kpscope_browser"
_last: dict[str, str] = {}
_DAY = 86_400
_KEY = r"[\w-]{43}"
#: Names of stored files and of incomplete files that a killed process left behind.
_STORED_NAMES = re.compile(rf"{_KEY}{re.escape(ENDING)}|\.[0-9a-f]{{16}}\.part", re.ASCII)
#: Limits for stored files, which KPScope packed itself and which may contain a whole session.
_BYTES = 2 * LIMITS.session_bytes
_LIMITS = replace(LIMITS, file_bytes=_BYTES, unpacked_bytes=_BYTES, unpacked_ratio=2_000)


def is_loopback(host: str) -> bool:
    """Return whether a host, with or without a port, is the local machine."""
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    return False


def is_personal() -> bool:
    """Return whether this server accepts connections only from the local machine, under a local name.

    A shared server behind a proxy is reached under a configured host name instead.
    """
    if st.get_option("server.allowedHosts"):
        return False
    return is_loopback(st.get_option("server.address") or "") and is_loopback(st.context.headers.get("Host", ""))


def _root() -> Path | None:
    """Return the folder of stored files, or None if nothing is stored."""
    if VARIABLE in os.environ or not is_personal():
        return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
    with suppress(OSError, RuntimeError):  # an account without a home
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kpscope")
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)  # fails if another account owns the folder
        return root
    return None


def is_kept() -> bool:
    """Return whether uploaded files are still there after a reload."""
    return _root() is not None


def _place(key: str) -> Path | None:
    root = _root()
    return root / f"{key}{ENDING}" if root and re.fullmatch(_KEY, key, re.ASCII) else None


def last() -> str:
    """Return the key of the files that this browser stored last; empty if it stored none or the server is shared."""
    return _last.get(st.context.cookies.get(BROWSER, ""), "") if is_personal() else ""


def keep(uploads: Uploads, key: str) -> str:
    """Store files so that only this account can read them, and return their key (empty if nothing is stored).

    Raise `OSError` if they cannot be written; the files stored before then remain.
    """
    key = key or secrets.token_urlsafe(32)
    if (path := _place(key)) is None:
        return ""
    data = workspace_file(Saved(uploads))
    if sum(size for other, size in _stored_files(path.parent).items() if other != path) + len(data) > LIMITS.kept_bytes:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    if path.is_symlink():  # a foreign link, whose target must not be overwritten
        path.unlink()
    write_files({path: data}, mode=0o600)
    if is_personal() and (browser := st.context.cookies.get(BROWSER)):
        _last[browser] = key
    return key


def find(key: str) -> Uploads | None:
    """Return the files stored under a key; None if there are none or they have expired."""
    if (root := _root()) is None:
        return None
    try:
        if (path := root / f"{key}{ENDING}") in _stored_files(root):
            return read_workspace(Source(path.name, path.read_bytes()), _LIMITS).uploads
    except (OSError, InputError) as error:
        log("Kept files could not be opened", error)
    return None


def forget(key: str) -> None:
    """Delete the files stored under a key."""
    if last() == key:
        _last.pop(st.context.cookies.get(BROWSER, ""), None)
    if (path := _place(key)) is not None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            log("Kept files could not be deleted", error)


def log(failure: str, error: OSError | InputError) -> None:
    """Log a failure and its reason without the path, which contains the key to the files."""
    reason = error.found if isinstance(error, InputError) else error.strerror
    logging.getLogger("kpscope").error("%s: %s", failure, reason)


def _stored_files(root: Path) -> dict[Path, int]:
    """Return the stored files (without links) and their sizes, and delete files older than a day."""
    sizes = {}
    for entry in os.scandir(root):
        with suppress(OSError):  # deleted by another process, or the folder is read-only
            status = entry.stat(follow_symlinks=False)
            if not (_STORED_NAMES.fullmatch(entry.name) and stat.S_ISREG(status.st_mode)):
                continue
            if time.time() - status.st_mtime > _DAY:
                os.unlink(entry.path)
            else:
                sizes[Path(entry.path)] = status.st_size
    return sizes
