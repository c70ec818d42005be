"""Export of tables, figures and reports: preview and download."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from fastapi import Query as QueryParameter

from wattmark.comparison.choices import MOST_ROWS
from wattmark.core.errors import NotFound
from wattmark.core.schema import Schema
from wattmark.reports.figures.product_figures import FigureName, product_figure
from wattmark.reports.files.figure_file import FIGURE_FORMATS, FigureWidth, figure_pages, write_figure
from wattmark.reports.files.overlay_figure import MOST_OVERLAID, overlaid, write_overlay
from wattmark.reports.files.report_file import write_report
from wattmark.reports.files.trace_figure import write_traces
from wattmark.reports.product_tables import TableName, chosen_suite, product_table
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.reports.suite_document import suite_document
from wattmark.reports.table_query import TableQuery, require_used
from wattmark.results.issued.calibration import Calibration
from wattmark.results.tables.certificate_tables import certificates_table, meters_table
from wattmark.tables.formats import FORMATS, available_formats, write_to
from wattmark.tables.layouts import LayoutName, arranged, names_in, shown_keys
from wattmark.tables.people import lay_out
from wattmark.tables.table import Table
from wattmark.web.attachment import attachment
from wattmark.web.provided import provided
from wattmark.web.spooled import SpoolDep, sent
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api/export", tags=["export"], route_class=StoredRoute)
CalibrationDep = Annotated[Calibration, provided(Calibration)]
SourcesDep = Annotated[Sources, provided(Sources)]
Query = Annotated[TableQuery, Depends()]
SMALL = 500
"""Runs, or rows, of a file that is made in memory: a few megabytes."""
AnyTable = TableName | Literal["certificates", "meters"]
RunIds = Annotated[tuple[str, ...], QueryParameter(description="These runs; repeatable.")]
Page = Annotated[
    int | None,
    QueryParameter(ge=1, le=MOST_ROWS, description="Of a figure; without it PDF has all, SVG and PNG the first"),
]
PAGES = "Wattmark-Pages"
"""Header with the number of pages of a figure."""
TRACE_PX = 1200
"""Columns of a printed trace: 0.15 mm at the width of a page."""
Instant = Annotated[float | None, QueryParameter(ge=0, le=9e9)]
SinceBegin = Annotated[
    float | None, QueryParameter(ge=-1e8, le=1e8, description="Seconds after the start of each run's window")
]
OverlaidIds = Annotated[list[str], QueryParameter(min_length=1, max_length=MOST_OVERLAID)]
MOST_SHOWN = 50
"""Rows of a preview; a longer table is cut, and a footnote says so."""


class ExportColumn(Schema):
    """A column that a table can show, by the key that `columns` takes."""

    key: str
    title: str
    unit: str
    shown: bool


class ExportPreview(Schema):
    """A table as it would be exported."""

    table: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    total: int
    """Rows of an exported file."""
    footnotes: list[str]
    formats: list[str]
    choices: list[ExportColumn]
    """All columns of the table, the shown ones first and in their order."""
    layouts: list[LayoutName]


@router.get("/report.html")
def report(sources: SourcesDep, spool: SpoolDep, campaign_id: str | None = None, run_id: RunIds = ()) -> Response:
    """Write the full disclosure of a campaign, of some runs, or of all, as one HTML file.

    If more than 1000 runs are selected without naming them, verdicts, budgets and disclosure cover the newest 1000.
    """
    document = report_of(sources, campaign_id, run_id)
    write = partial(write_report, document)
    media_type, small = "text/html; charset=utf-8", document.runs <= SMALL
    return sent(spool, write, name="wattmark-report.html", media_type=media_type, small=small)


@router.get("/suite-report.html")
def suite_html(
    sources: SourcesDep,
    spool: SpoolDep,
    suite: Annotated[str | None, QueryParameter(max_length=64)] = None,
    configuration: Annotated[str | None, QueryParameter(max_length=300)] = None,
) -> Response:
    """Write what a suite says of a configuration as one HTML file; default: what ran most of one."""
    chosen = chosen_suite(sources, TableQuery(suite=suite, configuration=configuration))
    write = partial(write_report, suite_document(chosen))
    return sent(
        spool, write, name=f"wattmark-{chosen.suite.id}.html", media_type="text/html; charset=utf-8", small=True
    )


@router.get("/figure/{name}.{extension}")
def figure(
    name: FigureName,
    extension: str,
    query: Query,
    sources: SourcesDep,
    width: FigureWidth = "two-columns",
    page: Page = None,
) -> Response:
    """Draw a figure as SVG, PDF or PNG from the table of the same name, one or two columns of a journal wide.

    One of many rows has several pages, none taller than that of a journal; the header Wattmark-Pages says how many.
    """
    if extension not in FIGURE_FORMATS:
        formats = ", ".join(FIGURE_FORMATS)
        raise NotFound(f"Figures are not available as {extension[:20]!r}.", f"Formats: {formats}.")
    require_used(name, query)
    plot = product_figure(sources, name, query)
    drawn = write_figure(plot, extension, width, page)
    pages = {PAGES: str(len(figure_pages(plot, width)))}
    headers = attachment(f"wattmark-{name}{f'-{page}' if page else ''}.{extension}") | pages
    return Response(drawn, media_type=FIGURE_FORMATS[extension], headers=headers)


@router.get("/traces/{run_id}.{extension}")
def traces(
    run_id: str, extension: str, sources: SourcesDep, begin_s: Instant = None, end_s: Instant = None
) -> Response:
    """Draw the traces of a run as SVG, PDF or PNG, whole or between two instants [Unix s]."""
    if extension not in FIGURE_FORMATS:
        formats = ", ".join(FIGURE_FORMATS)
        raise NotFound(f"Figures are not available as {extension[:20]!r}.", f"Formats: {formats}.")
    drawn = write_traces(sources.pages.run(run_id), sources.pages.traces(run_id, TRACE_PX, begin_s, end_s), extension)
    headers = attachment(f"wattmark-traces-{run_id}.{extension}")
    return Response(drawn, media_type=FIGURE_FORMATS[extension], headers=headers)


@router.get("/overlay.{extension}")
def overlay(
    extension: str, run_id: OverlaidIds, sources: SourcesDep, from_s: SinceBegin = None, to_s: SinceBegin = None
) -> Response:
    """Draw runs over one another, aligned at the starts of their windows, as SVG, PDF or PNG."""
    if extension not in FIGURE_FORMATS:
        formats = ", ".join(FIGURE_FORMATS)
        raise NotFound(f"Figures are not available as {extension[:20]!r}.", f"Formats: {formats}.")
    drawn = write_overlay([overlaid(sources.pages, run, TRACE_PX, from_s, to_s) for run in run_id], extension)
    headers = attachment(f"wattmark-overlay.{extension}")
    return Response(drawn, media_type=FIGURE_FORMATS[extension], headers=headers)


@router.get("/{table}.{extension}")
def download(
    table: AnyTable, extension: str, query: Query, calibration: CalibrationDep, sources: SourcesDep, spool: SpoolDep
) -> Response:
    """Write a table as a file in one of the formats listed by the preview."""
    if extension not in FORMATS:
        raise NotFound(f"Tables are not available as {extension[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    content = _arranged(_table(calibration, sources, table, query), query)
    write = partial(write_to, table=content, format=extension)
    name, small = f"wattmark-{table}.{extension}", len(content.rows) <= SMALL
    return sent(spool, write, name=name, media_type=FORMATS[extension], small=small)


@router.get("/{table}")
def show(table: AnyTable, query: Query, calibration: CalibrationDep, sources: SourcesDep) -> ExportPreview:
    """Return a preview of a table export."""
    whole = _table(calibration, sources, table, query)
    return preview(_arranged(whole, query), whole)


def _table(calibration: Calibration, sources: Sources, name: AnyTable, query: TableQuery) -> Table:
    require_used(name, query)
    if name == "certificates":
        return certificates_table(calibration.certificates.list())
    if name == "meters":
        return meters_table(calibration.certificates.meters())
    return product_table(sources, name, query)


def _arranged(table: Table, query: TableQuery) -> Table:
    return arranged(table, query.layout, names_in(query.columns))


def preview(table: Table, whole: Table | None = None) -> ExportPreview:
    """Return a table, or its first rows, as text, with the available file formats and the columns of the whole."""
    page, n, whole = lay_out(table), len(table.rows), whole or table
    shown = shown_keys(table)
    ordered = sorted(whole.columns, key=lambda c: shown.index(c.key) if c.key in shown else len(shown))
    cut = (f"The first {MOST_SHOWN} of {n} rows are shown; an exported file has all rows.",) if n > MOST_SHOWN else ()
    return ExportPreview(
        table=table.id,
        title=table.title,
        columns=list(page.headings),
        rows=[list(row) for row in islice(page.rows, MOST_SHOWN)],
        total=n,
        footnotes=[*cut, *page.footnotes],
        formats=available_formats(),
        choices=[ExportColumn(key=c.key, title=c.title or c.key, unit=c.unit, shown=c.key in shown) for c in ordered],
        layouts=["paper", "full"] if whole.layout else ["full"],
    )
