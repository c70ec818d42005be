"""Tables as a separate page: no scripts, no outside resources."""

from __future__ import annotations

from typing import IO

from wattmark.tables.people import lay_out
from wattmark.tables.table import Table

_TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ table.title }}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.75rem; text-align: left; }
td { vertical-align: top; white-space: nowrap; } .number { text-align: right; }
td.long { min-width: 18rem; white-space: normal; }
</style>
<h1>{{ table.title }}</h1>
<table>
<thead><tr>{% for heading in page.headings %}<th scope="col">{{ heading }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in page.rows -%}
<tr>{% for cell in row %}
<td{% if page.numeric[loop.index0] %} class="number"{% elif cell|length > 40 %} class="long"{% endif %}>{{ cell }}</td>
{%- endfor %}</tr>
{% endfor -%}
</tbody>
</table>
{% if page.footnotes -%}
<h2>Notes</h2>
<ul>{% for note in page.footnotes %}<li>{{ note }}</li>{% endfor %}</ul>
{% endif -%}
{% if table.methods -%}
<h2>Methods</h2>
<dl>{% for term, text in table.methods %}<dt>{{ term }}</dt><dd>{{ text }}</dd>{% endfor %}</dl>
{% endif -%}
</html>
"""


def write_html(table: Table, file: IO[bytes]) -> None:
    """Write title, table, footnotes and methods."""
    import jinja2

    template = jinja2.Environment(autoescape=True).from_string(_TEMPLATE)
    stream = template.stream(table=table, page=lay_out(table))
    stream.enable_buffering()
    stream.dump(file, encoding="utf-8")
