"""Turn files of many formats into one `Corpus` with a report on how they were read."""

from kp_core.reading.beside.named_tables import vocabulary as vocabulary
from kp_core.reading.inputs import Item as Item
from kp_core.reading.limits import LIMITS as LIMITS
from kp_core.reading.limits import Limits as Limits
from kp_core.reading.load import load as load
from kp_core.reading.meaning.mapping import Mapping as Mapping
from kp_core.reading.meaning.question import Finding as Finding
from kp_core.reading.meaning.question import Form as Form
from kp_core.reading.meaning.question import Question as Question
from kp_core.reading.meaning.question import Reply as Reply
from kp_core.reading.open.source import Source as Source
from kp_core.reading.rows.identifiers import OTHER_FIXES as OTHER_FIXES
from kp_core.reading.rows.sense import findings as findings
from kp_core.reading.uploads import form_for as form_for
from kp_core.reading.uploads import preview_file as preview_file
from kp_core.reading.uploads import renamed as renamed
