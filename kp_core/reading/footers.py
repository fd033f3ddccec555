"""Look at the footer of a Parquet file in a process that may die of it, before this one does.

Where the sizes in a footer contradict each other, Arrow (26) ends the process that asks for a column's figures, instead
of raising. One upload would end a whole server.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from threading import Lock

from kp_core.errors import InputError

_LOOK = """
import io, sys
import pyarrow.parquet as pq
came, went = sys.stdin.buffer, sys.stdout.buffer
while len(size := came.read(8)) == 8:
    footer = came.read(int.from_bytes(size, "little"))
    try:
        found = pq.read_metadata(io.BytesIO(footer))
        for group in range(found.num_row_groups):
            for column in range(found.num_columns):
                found.row_group(group).column(column)
    except Exception:
        pass  # what raises is found again, and refused, where the file is read
    went.write(b".")
    went.flush()
"""


class _Scout:
    """The process that looks; it keeps nothing of what it saw, and is started again where it died."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def survives(self, footer: bytes) -> bool:
        """Tell whether a process can look at a footer and live."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-c", _LOOK],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            came, went = self._process.stdout, self._process.stdin
            assert came is not None
            assert went is not None
            try:
                went.write(len(footer).to_bytes(8, "little") + footer)
                went.flush()
                lived = came.read(1) == b"."
            except BrokenPipeError:
                lived = False
            if not lived:
                self.end()
            return lived

    def end(self) -> None:
        """Let the process end."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_scout = _Scout()
atexit.register(_scout.end)


def refuse_contradictions(name: str, data: bytes) -> None:
    """Refuse a Parquet file whose footer contradicts itself; anything else wrong with it is left to the reader."""
    size = int.from_bytes(data[-8:-4], "little") + 8
    if data[-4:] == b"PAR1" and size <= len(data) and not _scout.survives(b"PAR1" + data[-size:]):
        found = "a Parquet file whose footer contradicts itself"
        raise InputError(name, found, "a Parquet table of text and numbers", "Write it again.")
