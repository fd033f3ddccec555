"""Turn formulas between $$ into MathML while the documentation is built, so that no script has to be fetched."""

import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r"\$\$ ?(.+?) ?\$\$", re.S)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace every formula of a page by MathML, which browsers draw by themselves."""
    return _FORMULA.sub(lambda found: convert(found[1], display="block"), markdown)
