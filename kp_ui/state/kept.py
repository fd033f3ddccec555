"""Keep files for a day, so that a reload or a second tab opens them again.

The folder is the operator's choice. On a server that only this machine reaches, it is in the user's cache.
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

#: The variable that names the folder; empty, nothing is kept.
VARIABLE = "KPSCOPE_STATE"
#: The cookie by which a second tab of a browser is known, and the key of the files kept last for each.
BROWSER = "kpscope_browser"
_last: dict[str, str] = {}
_DAY = 86_400
_KEY = r"[\w-]{43}"
#: What of the folder is ours: kept files, and what a killed process left half written.
_OURS = re.compile(rf"{_KEY}{re.escape(ENDING)}|\.[0-9a-f]{{16}}\.part", re.ASCII)
#: We packed these files ourselves, so they may be as large, and packed as well, as any session's.
_LIMITS = replace(
    LIMITS, file_bytes=2 * LIMITS.session_bytes, unpacked_bytes=2 * LIMITS.session_bytes, unpacked_ratio=2_000
)


def is_loopback(host: str) -> bool:
    """Return whether a name or an address, with or without a port, leads to the machine that asks.

    >>> is_loopback("localhost:8501"), is_loopback("127.0.0.1"), is_loopback("[::1]:80"), is_loopback("192.0.2.7")
    (True, True, True, False)
    """
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    return False


def is_personal() -> bool:
    """Return whether this server listens to its own machine alone, and is asked under a name of that machine.

    A server for many behind a proxy is asked under a name of its own, which its operator has listed.
    """
    if st.get_option("server.allowedHosts"):
        return False
    return is_loopback(st.get_option("server.address") or "") and is_loopback(st.context.headers.get("Host", ""))


def _root() -> Path | None:
    """Return the folder of kept files, which only this account may open if we made it; None if nothing is kept."""
    if VARIABLE in os.environ or not is_personal():
        return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
    with suppress(OSError, RuntimeError):  # an account without a home
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kpscope")
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)  # fails where the folder is of another account
        return root
    return None


def is_kept() -> bool:
    """Return whether files that are uploaded now are found again after a reload."""
    return _root() is not None


def _place(key: str) -> Path | None:
    """Return where the files of a key are; None if nothing is kept, or for what is no key, such as a path."""
    root = _root()
    return root / f"{key}{ENDING}" if root and re.fullmatch(_KEY, key, re.ASCII) else None


def last() -> str:
    """Return the key of the files that this browser kept last; empty if none, or if others use this server too."""
    return _last.get(st.context.cookies.get(BROWSER, ""), "") if is_personal() else ""


def keep(uploads: Uploads, key: str) -> str:
    """Write files whole, for the account of this process alone, and return their key; empty if none are kept.

    Raises `OSError` where they cannot be kept; what was kept before then stays.
    """
    key = key or secrets.token_urlsafe(32)
    if (place := _place(key)) is None:
        return ""
    data = workspace_file(Saved(uploads))
    if sum(size for path, size in _kept(place.parent).items() if path != place) + len(data) > LIMITS.kept_bytes:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    if place.is_symlink():  # not ours, and nothing is written where it leads
        place.unlink()
    write_files({place: data}, mode=0o600)
    if is_personal() and (browser := st.context.cookies.get(BROWSER)):
        _last[browser] = key
    return key


def find(key: str) -> Uploads | None:
    """Return the files of a key; None if they are not, or no longer, here."""
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
    """Tell the operator what failed and why, without the path: whoever has the key has the files."""
    why = error.found if isinstance(error, InputError) else error.strerror
    logging.getLogger("kpscope").error("%s: %s", what, why)


def _kept(root: Path) -> dict[Path, int]:
    """Return the files that are kept, without links, and their sizes; delete what was written more than a day ago."""
    sizes = {}
    for entry in os.scandir(root):
        with suppress(OSError):  # another copy was quicker, or the folder is read-only
            about = entry.stat(follow_symlinks=False)
            if not (_OURS.fullmatch(entry.name) and stat.S_ISREG(about.st_mode)):
                continue
            if time.time() - about.st_mtime > _DAY:
                os.unlink(entry.path)
            else:
                sizes[Path(entry.path)] = about.st_size
    return sizes
