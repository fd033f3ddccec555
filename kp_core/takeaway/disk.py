"""Turn bytes into files on disk, each whole or not there at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from kp_core.errors import UsageError
from kp_core.reading.rows.tidy import Written


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files into folders that are there; where writing fails or is cut short, the old files stay as they were.

    Each is written under another name in its own folder, and takes the place of the old file in one step; that begins
    when all are written. What a killed process leaves behind is named `.….part`.
    """
    waiting: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target = path.resolve()  # a link stays one
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a pipe or a terminal has no old content to keep
                continue
            part = target.with_name(f".{os.getpid()}-{len(waiting)}.part")
            waiting[part] = target
            part.write_bytes(data)
            if target.exists():
                shutil.copymode(target, part)
        for part, target in waiting.items():
            part.replace(target)
    finally:
        for part in waiting:
            part.unlink(missing_ok=True)


def write_folder(written: Written, folder: str | Path, force: bool = False) -> str:
    """Write the files, all or none of them; return one line a file: its path and its size."""
    paths = {Path(folder) / name: data for name, data in written.files.items()}
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is there already; choose another folder, or add --force to overwrite")
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(paths)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return "".join(f"{path} ({len(data):,} bytes)\n" for path, data in paths.items())
