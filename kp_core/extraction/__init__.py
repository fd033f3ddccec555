"""Turn texts into ranked phrases."""

from kp_core.extraction.collection import External as External
from kp_core.extraction.extract import Extracted as Extracted
from kp_core.extraction.extract import extract as extract
from kp_core.extraction.lecture_systems import PARAMETERS as PARAMETERS
from kp_core.extraction.lecture_systems import RECONSTRUCTED as RECONSTRUCTED
from kp_core.extraction.lecture_systems import SYSTEMS as SYSTEMS
