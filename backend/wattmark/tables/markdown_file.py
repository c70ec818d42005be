"""Tables as Markdown, for a report or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from wattmark.tables.people import lay_out
from wattmark.tables.table import Table

_ACTIVE = re.compile(r"[\\`*<|]|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])")
"""Characters that Markdown would act on; an underscore only at the edge of a word, a bracket only in a link."""


def write_markdown(table: Table, file: IO[bytes]) -> None:
    """Write title, table and footnotes."""
    file.writelines(f"{line}\n".encode() for line in _lines(table))


def _lines(table: Table) -> Iterator[str]:
    page = lay_out(table)
    yield from (f"# {_plain(table.title)}", "", _row(map(_plain, page.headings)))
    yield _row("---:" if numeric else "---" for numeric in page.numeric)
    for row in page.rows:
        yield _row(map(_plain, row))
    if page.footnotes:
        yield ""
        yield from (f"- {_plain(note)}" for note in page.footnotes)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", re.sub(r"[\r\n]+", " ", text))
