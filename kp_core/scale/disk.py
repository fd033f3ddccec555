"""Turn bytes into files on disk, each whole or not there at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from kp_core.errors import UsageError


def write_files(files: Mapping[Path, bytes], mode: int = 0o666) -> None:
    """Write files into existing folders; if writing fails or is interrupted, the old files remain unchanged.

    Each is written under another name in its own folder, and takes the place of the old file in one step; that begins
    when all are written. What a killed process leaves behind is named `.….part`. mode: the permissions of a new file.
    """
    waiting: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target = path.resolve()  # a link stays one
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a pipe or a terminal has no old content to keep
                continue
            part = target.with_name(f".{secrets.token_hex(8)}.part")
            waiting[part] = target
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # a disk may say only here that it is full
            if target.exists():
                shutil.copymode(target, part)
        for part, target in waiting.items():
            part.replace(target)
    finally:
        for part in waiting:
            part.unlink(missing_ok=True)


def write_folder(files: Mapping[str, bytes], folder: str | Path, force: bool = False) -> str:
    """Write the files, all or none of them; return one line per file: its path and its size."""
    paths = {Path(folder) / name: data for name, data in files.items()}
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} already exists; choose another folder, or add --force to overwrite")
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(paths)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return "".join(f"{path} ({len(data):,} bytes)\n" for path, data in paths.items())
