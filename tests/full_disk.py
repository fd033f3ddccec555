"""Simulate a full disk within a block."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

#: What the machine then says; of a disk that is really full it is “No space left on device”.
SAID = "File too large"


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Limit the size of files that this process writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
