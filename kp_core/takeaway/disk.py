"""Turn bytes into files on disk, each whole or not there at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files into folders that are there; where writing fails or is cut short, the old files stay as they were.

    Each goes to a temporary name in its own folder, is forced onto the disk, and then takes the place of the old file
    in one step; that begins when all are written. What a killed process leaves behind is named `.….part`.
    """
    waiting: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            target = Path(os.path.realpath(path))  # a link stays one
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a pipe or a terminal has no old content to keep
                continue
            part = target.with_name(f".{secrets.token_hex(8)}.part")
            waiting.append((part, target))
            _write_through(part, data, target)
        for part, target in waiting:
            part.replace(target)
            _sync_folder(target.parent)
    finally:
        for part, _ in waiting:
            part.unlink(missing_ok=True)


def _write_through(part: Path, data: bytes, target: Path) -> None:
    with part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        part.chmod(target.stat().st_mode & 0o777)


def _sync_folder(folder: Path) -> None:
    """Force the new name onto the disk too, where the system knows how."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
