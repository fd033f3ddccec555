"""Turn charts and tables into images for a paper: SVG, PDF and PNG in column width, drawn by the Chromium at hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import zlib
from base64 import b64decode
from collections.abc import Sequence
from html import escape, unescape
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from xml.etree import ElementTree

from plotly.io import to_json
from plotly.offline import get_plotlyjs

from kp_core.charts.pieces import MARK, merged
from kp_core.charts.style import TEXT, Chart, Part
from kp_core.errors import UsageError
from kp_core.typeset import say, visible

#: What no XML may hold.
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
#: Columns of a paper → width of a chart in millimetres.
WIDTHS = {1: 85, 2: 178}
#: Height in millimetres of a chart over numbers in one column.
_HEIGHT = 60
#: Pixels of a drawing on a millimetre of paper: letters of 12 pixels are printed in 7.5 points.
_PIXELS = 4.5
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_OPTIONS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    "--virtual-time-budget=20000",  # what a page shows is taken when its scripts have come to rest
)
WITHOUT = (
    "an image is drawn by Chromium or Chrome, and none was found; install one, or name its program in BROWSER_PATH. "
    "Without it, the camera above a chart of the dashboard and of the HTML report saves SVG"
)


def browser() -> str:
    """Return the program that draws images, or nothing if there is none."""
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, _BROWSERS)), "")


def forms() -> tuple[str, ...]:
    """Return the forms of images that can be drawn here."""
    return ("SVG", "PDF", "PNG") if browser() else ()


def file_name(caption: str) -> str:
    """Return the name of a file that says what is in it.

    >>> file_name("F1@k over k"), file_name("P_pos by length")
    ('f1_at_k_over_k', 'p_pos_by_length')
    """
    return re.sub(r"\W+", "_", caption.replace("@", " at ").lower()).strip("_") or "chart"


def as_json(figure: Part) -> str:
    """Return a figure on white, with room for its labels and its legend, as JSON that may occur in a script."""
    traces, layout = figure["data"], figure["layout"]
    more: Part = {name: {"automargin": True} for name in layout if "axis" in name} | {"template": "plotly_white"}
    if sum(trace.get("showlegend") is not False for trace in traces) > 1:
        more |= {"height": layout["height"] + 40, "margin": {"b": 90}}
    # In a script, only “<” could end the script; as an escape it is the same JSON.
    return str(to_json({"data": traces, "layout": merged(layout, more)})).replace("<", "\\u003c")


def chart_svg(chart: Chart, columns: int = 1) -> str:
    """Return a chart as SVG whose letters are readable in so many columns; raises UsageError without a Chromium."""
    return charts_svg([chart], columns)[0]


def charts_svg(charts: Sequence[Chart], columns: int = 2) -> list[str]:
    """Return charts as SVG as wide as so many columns, drawn together; raises UsageError without a Chromium."""
    drawn = ",".join(as_json(_for_paper(chart.figure, columns)).replace(TEXT, "black") for chart in charts)
    drawings: list[str] = json.loads(_text_of(f"{get_plotlyjs()};{say('script of SVG', figures=drawn)}"))
    return drawings


def _for_paper(figure: Part, columns: int) -> Part:
    """Return a figure as wide as columns of a paper, without what marks the cutoff of a screen or waits for a click."""
    layout, look = figure["layout"], {"width": WIDTHS[columns] * _PIXELS, "font": {"family": "Helvetica, Arial"}}
    marks = [one for part in ("shapes", "annotations") for one in layout.get(part, ()) if one.get("name") == MARK]
    more: Part = merged(look, {"font": {"color": "black"}})
    more |= {part: [one for one in layout.get(part, ()) if one not in marks] for part in ("shapes", "annotations")}
    if marks:
        more["margin"] = {"t": 10}
    y = layout.get("yaxis", {})
    if columns == 1 and y.get("type") != "category" and "ticktext" not in y and "yaxis2" not in layout:
        more["height"] = min(layout["height"], round(_HEIGHT * _PIXELS))
    # A trace that nobody sees only takes clicks.
    seen = [one for one in figure["data"] if one.get("marker", {}).get("opacity") != 0.0]
    return {"data": [one for one in seen if one.get("visible") != "legendonly"], "layout": merged(layout, more)}


def chart_html(chart: Chart, signature: str) -> str:
    """Return a chart as a page that needs nothing else; its signature is the description of the page."""
    head = f'<meta charset="utf-8"><meta name="description" content="{escape(signature)}">'
    head += f"<title>{escape(visible(chart.alt))}</title>"
    drawn = f'Plotly.newPlot("chart", {as_json(chart.figure)})'
    return f'<!doctype html>{head}<div id="chart"></div><script>{get_plotlyjs()};{drawn}</script>'


def table_svg(html: str) -> str:
    """Return a table and its note, as `PaperTable.html` writes them, as SVG with the rules of booktabs."""
    whole = ElementTree.fromstring(f"<div>{_NO_XML.sub('', html)}</div>")
    rows = [[("".join(cell.itertext()), cell.find("b") is not None) for cell in row] for row in whole.iter("tr")]
    widths = [14 + 7 * max(len(text) for text, _ in column) for column in zip(*rows, strict=True)]
    width = sum(widths) + 7
    note = wrap(whole.findtext("p", ""), width // 6)
    return say("table as SVG", rows=rows, ends=[*accumulate(widths)], width=width, note=note)


def image(svg: str, form: str, signature: str) -> bytes:
    """Return a drawing as svg, pdf or png; its signature is the metadata of SVG, the title of PDF, a text of PNG."""
    opening, _, rest = svg.partition(">")
    width, height = (float(size) / _PIXELS for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening)[0])
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    size, metadata = f'width="{width:.2f}mm" height="{height:.2f}mm"', f"<metadata>{escape(signature)}</metadata>"
    svg = f"{opening} {size}>{metadata}{rest}"
    if form == "svg":
        return svg.encode()
    if form == "png":
        script = say("script of PNG", svg=json.dumps(svg).replace("<", "\\u003c"))
        return _with_text(b64decode(_text_of(script)), signature)
    look = f"@page {{ size: {width:.2f}mm {height:.2f}mm; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}"
    return _taken(f"<title>{escape(signature)}</title><style>{look}</style><body>{svg}", "--print-to-pdf")


def _text_of(script: str) -> str:
    """Return the text that a script puts into a page."""
    page = f"<body><script>{script}</script>"
    text = unescape(_taken(page, "--dump-dom").decode().partition("<body>")[2].partition("</body>")[0])
    if script in text:  # it stands there until it has put its text in its own place
        raise UsageError(f"{browser()} did not finish the image; try again")
    return text


def _taken(page: str, what: str) -> bytes:
    """Return what Chromium takes of a page: its document as text, or its print."""
    if not (executable := browser()):
        raise UsageError(WITHOUT)
    # As root, in a container, Chromium starts only without its own walls; the page is ours alone.
    root = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "print.pdf")
        source.write_text(f"<!doctype html><meta charset='utf-8'>{page}", encoding="utf-8")
        asked = f"{what}={target}" if what == "--print-to-pdf" else what
        command = [executable, *_OPTIONS, *root, f"--user-data-dir={folder}/profile", asked, source.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=120, check=True)
            return target.read_bytes() if what == "--print-to-pdf" else done.stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{executable} could not draw the image: {error}") from None


def _with_text(png: bytes, text: str) -> bytes:
    """Return a PNG with a text after its head, which ends at byte 33."""
    chunk = b"tEXtDescription\0" + text.encode("latin-1", "replace")
    packed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:33] + packed + png[33:]
