"""Keep files for a day in a folder that the operator names, so that the link of a lost session opens them again."""

import logging
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from kp_core.errors import InputError
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.workspace_file import ENDING, Saved, read_workspace, workspace_file

#: The variable that names the folder; without it nothing is kept.
VARIABLE = "KPSCOPE_STATE"
_DAY = 86_400


def _place(key: str) -> Path | None:
    """Return where the files of a key are; None where nothing is kept, or for what is no key, such as a path."""
    root = os.environ.get(VARIABLE, "")
    return Path(root) / f"{key}{ENDING}" if root and re.fullmatch(r"[\w-]{43}", key, re.ASCII) else None


def keep(uploads: Uploads, key: str) -> str:
    """Write files, for the account of this process alone, and return their key; empty where they cannot be kept."""
    key = key or secrets.token_urlsafe(32)
    if (place := _place(key)) is None:
        return ""
    try:
        _drop_old(place.parent)
        with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(workspace_file(Saved(uploads)))
    except OSError:
        logging.getLogger("kpscope").exception("Files could not be kept")
        return ""
    return key


def find(key: str) -> Uploads | None:
    """Return the files of a key; None where they are not, or no longer, here."""
    if (place := _place(key)) is None:
        return None
    try:
        _drop_old(place.parent)
        return read_workspace(place).uploads
    except (OSError, InputError):
        return None


def forget(key: str) -> None:
    """Delete the files of a key."""
    if (place := _place(key)) is not None:
        place.unlink(missing_ok=True)


def _drop_old(root: Path) -> None:
    """Delete what was written more than a day ago."""
    for path in root.glob(f"*{ENDING}"):
        with suppress(FileNotFoundError):  # another copy was quicker
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()
