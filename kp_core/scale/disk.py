"""Write files atomically."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from kp_core.errors import UsageError


def write_files(files: Mapping[Path, bytes], mode: int = 0o666) -> None:
    """Write files into existing folders; old files survive a failure or interruption; `mode`: that of new files."""
    target_of: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target = path.resolve()  # a link stays a link
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a pipe or a terminal
                continue
            part = target.with_name(f".{secrets.token_hex(8)}.part")
            target_of[part] = target
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # reports a full disk
            if target.exists():
                shutil.copymode(target, part)
        for part, target in target_of.items():
            part.replace(target)
    finally:
        for part in target_of:
            part.unlink(missing_ok=True)


def write_folder(files: Mapping[str, bytes], folder: str | Path, force: bool = False) -> str:
    """Write all files or none; return path and size of each file, one per line."""
    paths = {Path(folder) / name: data for name, data in files.items()}
    existing = [path for path in paths if path.exists()]
    if existing and not force:
        raise UsageError(f"{existing[0]} already exists; choose another folder, or add --force to overwrite")
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(paths)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return "".join(f"{path} ({len(data):,} bytes)\n" for path, data in paths.items())
