"""Turn charts and tables into SVG, PDF and PNG images as wide as a column, drawn by an installed Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable, Sequence
from html import escape, unescape
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from xml.etree import ElementTree

from plotly.io import templates, to_json
from plotly.offline import get_plotlyjs

from kp_core.charts.pieces import merged
from kp_core.charts.style import MARK, TEXT, Chart, Part
from kp_core.errors import UsageError, usage_error
from kp_core.typeset import escape_html, say

_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
WIDTHS = {1: 85, 2: 178}
#: Height in mm of a chart with a numeric axis in one column; pixels per mm, so that 12 px are printed as 7.5 pt.
_HEIGHT, _PIXELS = 60, 4.5
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_OPTIONS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    "--virtual-time-budget=20000",  # wait until the scripts of the page have finished
)


def browser() -> str:
    """Return the path of Chromium or Chrome, or an empty string."""
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, _BROWSERS)), "")


def forms() -> tuple[str, ...]:
    """Return the available formats of images."""
    return ("SVG", "PDF", "PNG") if browser() else ()


def file_name(caption: str) -> str:
    """Turn a caption into a file name without extension."""
    return re.sub(r"\W+", "_", caption.replace("@", " at ").lower()).strip("_") or "chart"


def as_json(figure: Part) -> str:
    """Return a figure as JSON for a script, on a white background and with room for labels and legend."""
    traces, layout = figure["data"], figure["layout"]
    extra: Part = {name: {"automargin": True} for name in layout if "axis" in name}
    extra["template"] = templates["plotly_white"].to_plotly_json()
    if sum(trace.get("showlegend") is not False for trace in traces) > 1:
        extra |= {"height": layout["height"] + 40, "margin": {"b": 90}}
    drawn = to_json({"data": traces, "layout": merged(layout, extra)}, validate=False)  # validating takes .1 s
    return str(drawn).replace("<", "\\u003c")


def charts_svg(charts: Sequence[Chart], columns: int = 2) -> list[str]:
    """Return charts as SVG, one or two columns wide; raises UsageError if Chromium is not installed."""
    drawn = ",".join(as_json(_for_paper(chart.figure, columns)).replace(TEXT, "black") for chart in charts)
    drawings: list[str] = json.loads(_text_written_by(f"{get_plotlyjs()};{say('script of SVG', figures=drawn)}"))
    return drawings


def _for_paper(figure: Part, columns: int) -> Part:
    """Return a figure for paper, without cutoff marks and without traces that only serve interaction."""
    layout, font = figure["layout"], {"family": "Helvetica, Arial", "color": "black"}
    parts = {name: layout.get(name, ()) for name in ("shapes", "annotations")}
    unmarked = {name: [item for item in items if item.get("name") != MARK] for name, items in parts.items()}
    extra: Part = {"width": WIDTHS[columns] * _PIXELS, "font": font, **unmarked}
    if any(len(unmarked[name]) < len(items) for name, items in parts.items()):
        extra["margin"] = {"t": 10}
    y = layout.get("yaxis", {})
    if columns == 1 and y.get("type") != "category" and "ticktext" not in y and "yaxis2" not in layout:
        extra["height"] = min(layout["height"], round(_HEIGHT * _PIXELS))
    visible = [trace for trace in figure["data"] if trace.get("marker", {}).get("opacity") != 0.0]
    drawn = [trace for trace in visible if trace.get("visible") != "legendonly"]
    return {"data": drawn, "layout": merged(layout, extra)}


def chart_html(draw: Callable[[], Chart], signature: str) -> str:
    """Draw a chart as a self-contained HTML page with its signature as description."""
    chart = draw()
    head = f'<!doctype html><meta charset="utf-8"><meta name="description" content="{escape(signature)}">'
    head += f'<title>{escape_html(chart.alt)}</title><div id="chart"></div>'
    return f'{head}<script>{get_plotlyjs()};Plotly.newPlot("chart", {as_json(chart.figure)})</script>'


def table_svg(html: str) -> str:
    """Return a table and its note, from `PaperTable.html`, as SVG."""
    table = ElementTree.fromstring(f"<div>{_NO_XML.sub('', html)}</div>")
    rows = [[("".join(cell.itertext()), cell.find("b") is not None) for cell in row] for row in table.iter("tr")]
    widths = [14 + 7 * max(len(text) for text, _ in column) for column in zip(*rows, strict=True)]
    width = sum(widths) + 7
    note = wrap(table.findtext("p", ""), width // 6)
    return say("table as SVG", rows=rows, ends=[*accumulate(widths)], width=width, note=note)


def image(svg: str, form: str, signature: str) -> bytes:
    """Return an SVG drawing as a file: svg or pdf with its signature in the metadata, or png."""
    opening, _, rest = svg.partition(">")
    width, height = (float(size) / _PIXELS for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening)[0])
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    size, metadata = f'width="{width:.2f}mm" height="{height:.2f}mm"', f"<metadata>{escape(signature)}</metadata>"
    svg = f"{opening} {size}>{metadata}{rest}"
    if form == "svg":
        return svg.encode()
    if form == "png":
        script = say("script of PNG", svg=json.dumps(svg).replace("<", "\\u003c"))
        return b64decode(_text_written_by(script))
    style = f"@page {{ size: {width:.2f}mm {height:.2f}mm; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}"
    return _chromium_output(f"<title>{escape(signature)}</title><style>{style}</style><body>{svg}", "--print-to-pdf")


def _text_written_by(script: str) -> str:
    page = f"<body><script>{script}</script>"
    text = unescape(_chromium_output(page, "--dump-dom").decode().partition("<body>")[2].partition("</body>")[0])
    if script in text:  # the script has not yet replaced itself by its result
        raise UsageError(f"{browser()} did not finish the image; try again")
    return text


def _chromium_output(page: str, option: str) -> bytes:
    if not (executable := browser()):
        raise usage_error("no browser")
    # As root, Chromium starts only without its sandbox.
    root = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "print.pdf")
        source.write_text(f"<!doctype html><meta charset='utf-8'>{page}", encoding="utf-8")
        argument = f"{option}={target}" if option == "--print-to-pdf" else option
        command = [executable, *_OPTIONS, *root, f"--user-data-dir={folder}/profile", argument, source.as_uri()]
        try:
            process = subprocess.run(command, capture_output=True, timeout=120, check=True)
            return target.read_bytes() if option == "--print-to-pdf" else process.stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{executable} could not draw the image: {error}") from None
