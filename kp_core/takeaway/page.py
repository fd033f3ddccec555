"""Turn sections into one HTML file that holds everything it needs: charts stay interactive with the network off."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as escape_html
from itertools import count

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from kp_core.charts import Chart
from kp_core.settings import __version__
from kp_core.tables import as_text, digits_of, visible
from kp_core.takeaway.sections import Section, Table

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; } td.n, th.n { text-align: right; }
thead th { border-bottom: 2px solid #777; }
p, code { overflow-wrap: anywhere; } details { margin: .4rem 0; } code { font-size: .8rem; color: #444; }
figure { margin: 1rem 0; } nav li { margin: .2rem 0; }
@media print { body { max-width: none; margin: 0; font-size: 11pt; } nav { display: none; }
  h2 { break-after: avoid; } figure, tr { break-inside: avoid; } .scroll { overflow: visible; }
  .modebar { display: none; } }
"""


def html(title: str, sections: Sequence[Section], signature: str) -> str:
    """Return the file; every word of a user is escaped, and nothing is fetched from anywhere."""
    number = count(1)
    parts = [_section(section, place, number) for place, section in enumerate(sections, 1)]
    contents = "".join(f'<li><a href="#s{i}">{escape(one.title)}</a></li>' for i, one in enumerate(sections, 1))
    drawn = any(section.charts for section in sections)
    script = f"<script>{get_plotlyjs()}</script>" if drawn else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>{script}</head><body>"
        f"<header><h1>{escape(title)}</h1><p>Made with KPScope {__version__}.</p>"
        f"<p><code>{escape(signature)}</code></p></header><nav><ol>{contents}</ol></nav><main>{''.join(parts)}</main>"
        "</body></html>\n"
    )


def escape(text: str, quote: bool = True) -> str:
    """Return text that a page shows as it stands, marks of direction spelled out."""
    return escape_html(visible(text), quote)


def _section(section: Section, place: int, number: count[int]) -> str:
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in section.text)
    drawn = "".join(_chart(chart, next(number)) for chart in section.charts)
    tables = "".join(_table(table) for table in section.tables)
    return f'<section id="s{place}"><h2>{escape(section.title)}</h2>{text}{drawn}{tables}</section>'


def _chart(chart: Chart, number: int) -> str:
    drawn = go.Figure(chart.figure)
    drawn.update_layout(template="plotly_white", height=drawn.layout.height + 40, margin_b=90)
    drawn.update_xaxes(automargin=True).update_yaxes(automargin=True)
    # In a script, only “<” could end the script; as an escape it is the same JSON.
    data = str(drawn.to_json()).replace("<", "\\u003c")
    alt = escape(chart.alt, quote=True)
    options = '{"displaylogo": false, "responsive": true, "toImageButtonOptions": {"format": "svg"}}'
    return (
        f'<figure><div id="c{number}" role="img" aria-label="{alt}"></div></figure>'
        f'<script>(function () {{ const f = {data}; Plotly.newPlot("c{number}", f.data, f.layout, {options}); }})();'
        "</script>"
    )


def _table(table: Table) -> str:
    frame = table.frame
    right = [pd.api.types.is_numeric_dtype(frame[column]) for column in frame]
    mark = [' class="n"' if one else "" for one in right]
    head = "".join(f'<th scope="col"{m}>{escape(str(column))}</th>' for column, m in zip(frame, mark, strict=True))
    digits = [digits_of(str(column)) for column in frame]
    rows = "".join(
        f"<tr>{''.join(f'<td{m}>{escape(as_text(c, d))}</td>' for c, m, d in zip(row, mark, digits, strict=True))}</tr>"
        for row in frame.astype(object).itertuples(index=False, name=None)
    )
    recipe = f"<details><summary>Recipe</summary><code>{escape(table.signature)}</code></details>"
    return (
        f'<div class="scroll"><table><caption>{escape(table.caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{recipe if table.signature else ''}"
    )
