"""Evaluate tables that are larger than memory by adding up parts of the documents."""

from kp_core.scale.engine import ProgressLine as ProgressLine
from kp_core.scale.engine import StreamOptions as StreamOptions
from kp_core.scale.engine import agreement as agreement
from kp_core.scale.engine import compare as compare
from kp_core.scale.engine import evaluate as evaluate
from kp_core.scale.engine import stream as stream
from kp_core.scale.tally import Opened as Opened
from kp_core.scale.tally import Streamed as Streamed
from kp_core.scale.tally import is_statistics_file as is_statistics_file
from kp_core.scale.tally import open_statistics as open_statistics
from kp_core.scoring.paired import Family as Family
