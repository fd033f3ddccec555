"""Let a disk be full, for as long as a block lasts, without filling one."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

#: What the machine then says; of a disk that is really full it is “No space left on device”.
SAID = "File too large"


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
