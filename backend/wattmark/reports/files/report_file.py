"""A report as one HTML file: inline SVG, no script, nothing from outside, ready to print."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO

import jinja2
from markupsafe import Markup

from wattmark.core.errors import InputError
from wattmark.reports.figures.plot import Plot
from wattmark.reports.files.figure_file import write_figure
from wattmark.reports.report import Report
from wattmark.reports.tables.people import lay_out

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ report.title }}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #111; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.5rem; border-bottom: 2px solid #111; } h3 { margin-top: 1.75rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5rem 0; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { border-bottom: 1px solid #bbb; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
td { overflow-wrap: break-word; max-width: 28rem; white-space: nowrap; } .number { text-align: right; }
td.long { min-width: 18rem; white-space: normal; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; } figcaption, .notes { color: #333; }
@media print {
  body { margin: 0; max-width: none; font-size: 9pt; } .wide { overflow: visible; }
  td, td.long { overflow-wrap: anywhere; white-space: normal; min-width: 0; padding: 0.1rem 0.25rem; }
  h2, h3, caption { break-after: avoid; } tr, figure { break-inside: avoid; } thead { display: table-header-group; }
}
</style>
</head>
<body>
<h1>{{ report.title }}</h1>
<p>{{ report.about }}</p>
<nav aria-label="Contents"><ul>
{%- for chapter in report.chapters %}
<li><a href="#{{ chapter.id }}">{{ chapter.title }}</a></li>
{%- endfor %}
</ul></nav>
{% for section, pages, drawn in parts -%}
<section id="{{ section.id }}">
<h{{ section.level }}>{{ section.title }}</h{{ section.level }}>
{% for words in section.words %}<p>{{ words }}</p>
{% endfor -%}
{% for caption, svg in drawn %}<figure>{{ svg }}<figcaption>{{ caption }}</figcaption></figure>
{% endfor -%}
{% for table, page in pages %}<div class="wide"><table>
<caption>{{ table.title }}</caption>
<thead><tr>{% for heading in page.headings %}<th scope="col">{{ heading }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in page.rows -%}
<tr>{% for cell in row %}
<td{% if page.numeric[loop.index0] %} class="number"{% elif cell|length > 40 %} class="long"{% endif %}>{{ cell }}</td>
{%- endfor %}</tr>
{% endfor -%}
</tbody>
</table></div>
{% if page.footnotes %}<ul class="notes">{% for note in page.footnotes %}<li>{{ note }}</li>{% endfor %}</ul>
{% endif -%}
{% endfor -%}
</section>
{% endfor -%}
</body>
</html>
"""
_PROLOG = re.compile(r"\A.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ID = re.compile(r'(\bid="|href="#|url\(#)')


def write_report(report: Report, file: IO[bytes]) -> None:
    """Write the report as HTML, section by section; the same report always gives the same bytes.

    Without the extra "figures", a sentence in place of each figure says how to install it.
    """
    template = jinja2.Environment(autoescape=True).from_string(_TEMPLATE)
    parts = (
        (
            section,
            [(table, lay_out(table)) for table in section.tables],
            [_drawn(f"{section.id}-{number}", plot) for number, plot in enumerate(section.plots)],
        )
        for chapter in report.chapters
        for section in chapter.sections()
    )
    stream = template.stream(report=report, parts=parts, policy=_POLICY)
    stream.enable_buffering()
    stream.dump(file, encoding="utf-8", errors="replace")


def _drawn(identity: str, plot: Plot) -> tuple[str, Markup]:
    """Draw a figure with unique ids, so that several fit into one document."""
    try:
        svg = write_figure(replace(plot, id=identity), "svg").decode()
    except InputError as missing:
        return f"{plot.caption} (The figure is omitted. {missing.cause} {missing.remedy})", Markup()
    for pattern in (_PROLOG, _METADATA, _COMMENT):
        svg = pattern.sub("", svg)
    inner = _ID.sub(rf"\g<1>{identity}-", svg)
    label = f"<title>{Markup.escape(plot.title)}</title>"
    # The words of a figure are outlines in it, and matplotlib escapes what else it takes from labels.
    return plot.caption, Markup(inner.replace(">", f' role="img">{label}', 1))  # noqa: S704
