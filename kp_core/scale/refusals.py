"""Say what a streamed run refuses, and why, in the words of `refusals.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from kp_core.errors import InputError, UsageError

_WORDS = tomllib.loads((files("kp_core.scale") / "refusals.toml").read_text(encoding="utf-8"))


def unfit(where: str, why: str, **facts: Any) -> InputError:
    """Return why data cannot be streamed.

    >>> print(unfit("gold.csv", "no row"))
    gold.csv: expected one row a keyphrase, found no row. Name another file.
    """
    words = _WORDS["data"][why]
    return InputError(where, *(words[part].format(**facts) for part in ("found", "expected", "remedy")))


def unavailable(why: str, **facts: Any) -> UsageError:
    """Return why a choice is not available in a streamed run.

    >>> print(unavailable("no gold"))
    no gold standard is named
    """
    return UsageError(_WORDS["choices"][why].format(**facts))
