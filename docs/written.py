"""Write the pages that come from the program itself: `make pages`; the tests hold them against it."""

from pathlib import Path

from kp_core import reference
from kp_core.reading.page import formats_page
from kp_core.words import glossary, methods

PAGES = {
    "methods.md": methods.markdown,
    "glossary.md": glossary.markdown,
    "command_line.md": reference.markdown,
    "formats.md": formats_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (Path(__file__).parent / name).write_text(page(), encoding="utf-8")
