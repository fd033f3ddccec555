"""One file a format family; each is found by its place here and touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from typing import TYPE_CHECKING

from kp_core.errors import UsageError

if TYPE_CHECKING:
    from kp_core.reading.family import FormatFamily


@cache
def all_families() -> tuple[FormatFamily, ...]:
    """Return every module in this folder, in the order of the numbers in their names."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return tuple(sorted(modules, key=lambda module: (int(re.sub(r"\D", "", module.NAME) or 0), module.NAME)))


def family_named(name: str) -> FormatFamily:
    """Return the family of this name, such as `F3`."""
    for family in all_families():
        if name.upper() == family.NAME.upper():
            return family
    raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(f.NAME for f in all_families())}")
