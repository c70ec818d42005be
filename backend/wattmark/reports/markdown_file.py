"""Tables as Markdown, for a report or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wattmark.reports.people import lay_out
from wattmark.reports.table import Table

_ACTIVE = re.compile(r"[\\`*<|]|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])")
"""Characters that Markdown would act on; an underscore only at the edge of a word, a bracket only in a link."""


def write_markdown(table: Table) -> bytes:
    """Write title, table and footnotes."""
    page = lay_out(table)
    rule = ["---:" if numeric else "---" for numeric in page.numeric]
    lines = [f"# {_plain(table.title)}", "", _row(map(_plain, page.headings)), _row(rule)]
    lines += [_row(map(_plain, row)) for row in page.rows]
    if table.footnotes:
        lines += ["", *(f"- {_plain(note)}" for note in table.footnotes)]
    return ("\n".join(lines) + "\n").encode()


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", re.sub(r"[\r\n]+", " ", text))
