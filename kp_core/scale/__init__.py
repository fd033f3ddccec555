"""Evaluate tables that are larger than memory: the same sums as in memory, part by part of the documents."""

from kp_core.scale.engine import Engine, agreement, compare, evaluate, stream
from kp_core.scale.plan import Plan
from kp_core.scale.score import Opened, Streamed, open_statistics
from kp_core.scale.tally import is_statistics_file
from kp_core.studies.compare import Family

__all__ = [
    "Engine",
    "Family",
    "Opened",
    "Plan",
    "Streamed",
    "agreement",
    "compare",
    "evaluate",
    "is_statistics_file",
    "open_statistics",
    "stream",
]
