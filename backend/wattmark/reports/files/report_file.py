"""A report as one HTML file: inline SVG, no script, nothing from outside, ready to print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from markupsafe import Markup

from wattmark.core.errors import InputError
from wattmark.reports.facts import MINUS, Facts, iso_text
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.slot_board import Board, draw_board
from wattmark.reports.files.figure_file import figure_pages, write_figure
from wattmark.reports.report import Report, Section
from wattmark.tables.people import Page, WrittenCell, cell_text, lay_out
from wattmark.tables.table import Table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_TEMPLATE = Path(__file__).with_name("report.html.in")
_PROLOG = re.compile(r"\A.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ID = re.compile(r'(\bid="|href="#|url\(#)')


def write_report(report: Report, file: IO[bytes]) -> None:
    """Write the report as HTML, section by section; the same report always gives the same bytes.

    Without the extra "figures", a sentence in place of each figure says how to install it.
    """
    import jinja2

    template = jinja2.Environment(autoescape=True).from_string(_TEMPLATE.read_text("utf-8"))
    parts = (_part(section) for chapter in report.chapters for section in chapter.sections())
    stream = template.stream(report=report, parts=parts, policy=_POLICY)
    stream.enable_buffering()
    stream.dump(file, encoding="utf-8", errors="replace")


@dataclass(frozen=True, slots=True)
class _Part:
    """A section with the parts that the template cannot build."""

    section: Section
    pages: tuple[tuple[Table, Page], ...]
    drawn: tuple[tuple[str, Markup], ...]
    boards: tuple[tuple[Board, Markup], ...]
    folded: tuple[tuple[str, Facts | None, Table | None, Page | None], ...]


def _part(section: Section) -> _Part:
    return _Part(
        section,
        tuple((table, lay_out(table, _cell)) for table in section.tables),
        tuple(_drawn(f"{section.id}-{n}", *each) for n, each in enumerate(_pages(section.plots))),
        tuple((board, draw_board(board)) for board in section.boards),
        tuple(_folded(folded) for folded in section.folded),
    )


def _folded(folded: Table | Facts) -> tuple[str, Facts | None, Table | None, Page | None]:
    if isinstance(folded, Facts):
        return folded.title, replace(folded, title=""), None, None
    return folded.title, None, folded, lay_out(folded, _cell)


def _cell(entry: WrittenCell) -> str:
    """Write a cell with a true minus sign and instants as people write them."""
    if entry.column.kind == "time" and isinstance(entry.value, str) and entry.value:
        return iso_text(entry.value)
    text = cell_text(entry)
    return text.replace("-", MINUS) if entry.column.kind in ("number", "integer") else text


def _pages(plots: Iterable[Plot]) -> Iterator[tuple[Plot, int]]:
    """Yield each figure with each of its pages; the caption stands below the last."""
    for plot in plots:
        last = len(figure_pages(plot, "two-columns"))
        yield from ((replace(plot, caption=""), page) for page in range(1, last))
        yield plot, last


def _drawn(identity: str, plot: Plot, page: int) -> tuple[str, Markup]:
    """Draw a figure with unique ids, so that several fit into one document."""
    try:
        svg = write_figure(replace(plot, id=identity), "svg", page=page).decode()
    except InputError as missing:
        return f"{plot.caption} (The figure is omitted. {missing.cause} {missing.remedy})", Markup()
    for pattern in (_PROLOG, _METADATA, _COMMENT):
        svg = pattern.sub("", svg)
    inner = _ID.sub(rf"\g<1>{identity}-", svg)
    label = f"<title>{Markup.escape(plot.title)}</title>"
    # The words of a figure are outlines in it, and matplotlib escapes what else it takes from labels.
    return plot.caption, Markup(inner.replace(">", f' role="img">{label}', 1))  # noqa: S704
