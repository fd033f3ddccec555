"""Store files for a day, so that a reload or a second tab opens them again.

The operator chooses the folder; on a server for this machine only, it is in the user's cache.
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

#: Environment variable with the folder; if it is empty, nothing is stored.
VARIABLE = "KPSCOPE_STATE"
#: Cookie that identifies a browser, and the key of the files stored last for each browser.
BROWSER = "kpscope_browser"
_last: dict[str, str] = {}
_DAY = 86_400
_KEY = r"[\w-]{43}"
#: Names of stored files and of incomplete files that a killed process left behind.
_OURS = re.compile(rf"{_KEY}{re.escape(ENDING)}|\.[0-9a-f]{{16}}\.part", re.ASCII)
#: Limits for stored files, which KPScope packed itself and which may contain a whole session.
_LIMITS = replace(
    LIMITS, file_bytes=2 * LIMITS.session_bytes, unpacked_bytes=2 * LIMITS.session_bytes, unpacked_ratio=2_000
)


def is_loopback(host: str) -> bool:
    """Return whether a host, with or without a port, is the local machine.

    >>> is_loopback("localhost:8501"), is_loopback("127.0.0.1"), is_loopback("[::1]:80"), is_loopback("192.0.2.7")
    (True, True, True, False)
    """
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    return False


def is_personal() -> bool:
    """Return whether this server accepts connections from the local machine only, under a local name.

    A shared server behind a proxy is reached under a configured host name instead.
    """
    if st.get_option("server.allowedHosts"):
        return False
    return is_loopback(st.get_option("server.address") or "") and is_loopback(st.context.headers.get("Host", ""))


def _root() -> Path | None:
    """Return the folder of stored files, created for this account only; None if nothing is stored."""
    if VARIABLE in os.environ or not is_personal():
        return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
    with suppress(OSError, RuntimeError):  # an account without a home
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kpscope")
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)  # fails if another account owns the folder
        return root
    return None


def is_kept() -> bool:
    """Return whether uploaded files survive a reload."""
    return _root() is not None


def _place(key: str) -> Path | None:
    """Return the path of the files of a key; None if nothing is stored or the key is invalid, such as a path."""
    root = _root()
    return root / f"{key}{ENDING}" if root and re.fullmatch(_KEY, key, re.ASCII) else None


def last() -> str:
    """Return the key of the files that this browser stored last; empty if there are none or the server is shared."""
    return _last.get(st.context.cookies.get(BROWSER, ""), "") if is_personal() else ""


def keep(uploads: Uploads, key: str) -> str:
    """Write files completely, readable by this account only, and return their key (empty if nothing is stored).

    Raises `OSError` if they cannot be written; earlier files then remain.
    """
    key = key or secrets.token_urlsafe(32)
    if (place := _place(key)) is None:
        return ""
    data = workspace_file(Saved(uploads))
    if sum(size for path, size in _kept(place.parent).items() if path != place) + len(data) > LIMITS.kept_bytes:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    if place.is_symlink():  # a foreign link, whose target must not be overwritten
        place.unlink()
    write_files({place: data}, mode=0o600)
    if is_personal() and (browser := st.context.cookies.get(BROWSER)):
        _last[browser] = key
    return key


def find(key: str) -> Uploads | None:
    """Return the files of a key, or None if there are none or they have expired."""
    if (root := _root()) is None:
        return None
    try:
        if (place := root / f"{key}{ENDING}") in _kept(root):
            return read_workspace(Source(place.name, place.read_bytes()), _LIMITS).uploads
    except (OSError, InputError) as error:
        log("Kept files could not be opened", error)
    return None


def forget(key: str) -> None:
    """Delete the files of a key."""
    if last() == key:
        _last.pop(st.context.cookies.get(BROWSER, ""), None)
    if (place := _place(key)) is not None:
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            log("Kept files could not be deleted", error)


def log(what: str, error: OSError | InputError) -> None:
    """Log what failed and why, without the path, because the key gives access to the files."""
    why = error.found if isinstance(error, InputError) else error.strerror
    logging.getLogger("kpscope").error("%s: %s", what, why)


def _kept(root: Path) -> dict[Path, int]:
    """Return the stored files (without links) and their sizes; delete those older than a day."""
    sizes = {}
    for entry in os.scandir(root):
        with suppress(OSError):  # deleted by another process, or the folder is read-only
            about = entry.stat(follow_symlinks=False)
            if not (_OURS.fullmatch(entry.name) and stat.S_ISREG(about.st_mode)):
                continue
            if time.time() - about.st_mtime > _DAY:
                os.unlink(entry.path)
            else:
                sizes[Path(entry.path)] = about.st_size
    return sizes
