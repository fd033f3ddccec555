"""Write files atomically."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from kp_core.errors import UsageError


def write_files(files: Mapping[Path, bytes], mode: int = 0o666) -> None:
    """Write files into existing folders; on failure or interruption old files remain. mode: of new files."""
    waiting: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target = path.resolve()  # keep links
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a pipe or a terminal
                continue
            part = target.with_name(f".{secrets.token_hex(8)}.part")
            waiting[part] = target
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # reports a full disk
            if target.exists():
                shutil.copymode(target, part)
        for part, target in waiting.items():
            part.replace(target)
    finally:
        for part in waiting:
            part.unlink(missing_ok=True)


def write_folder(files: Mapping[str, bytes], folder: str | Path, force: bool = False) -> str:
    """Write all files or none; return one line per file: path and size."""
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
