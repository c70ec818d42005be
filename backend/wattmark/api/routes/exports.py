"""Tables, figures and reports to take away: preview and download."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from fastapi import Query as QueryParameter

from wattmark.api.appliance import ApplianceDep
from wattmark.api.spooled import SpoolDep, sent
from wattmark.api.stored import StoredRoute
from wattmark.appliance.appliance import Appliance
from wattmark.appliance.product_figures import FigureName, product_figure
from wattmark.appliance.product_tables import TableName, product_table
from wattmark.appliance.report_data import report_of
from wattmark.appliance.table_query import TableQuery
from wattmark.errors import NotFound
from wattmark.reports.certificate_tables import certificates_table, meters_table
from wattmark.reports.figure_file import FIGURE_FORMATS, write_figure
from wattmark.reports.formats import FORMATS, write_to
from wattmark.reports.preview import preview
from wattmark.reports.report_file import write_report
from wattmark.reports.table import Table
from wattmark.reports.views import ExportPreview

router = APIRouter(prefix="/api/export", tags=["export"], route_class=StoredRoute)
Query = Annotated[TableQuery, Depends()]
SMALL = 500
"""Runs, or rows, of a file that is made in memory: a few megabytes."""
AnyTable = TableName | Literal["certificates", "meters"]
RunIds = Annotated[tuple[str, ...], QueryParameter(description="These runs; may be given several times.")]


@router.get("/report.html")
def report(appliance: ApplianceDep, spool: SpoolDep, campaign_id: str | None = None, run_id: RunIds = ()) -> Response:
    """Write the full disclosure of a campaign, of some runs, or of all, as one HTML file.

    Of more than 1000 runs that are not named one by one, verdicts, budgets and disclosure are those of the newest 1000.
    """
    made = report_of(appliance.queries, campaign_id, run_id)
    write = partial(write_report, made)
    media_type, small = "text/html; charset=utf-8", made.runs <= SMALL
    return sent(spool, write, name="wattmark-report.html", media_type=media_type, small=small)


@router.get("/figure/{name}.{extension}")
def figure(name: FigureName, extension: str, query: Query, appliance: ApplianceDep) -> Response:
    """Draw a figure as SVG, PDF or PNG with the data of the table of that name."""
    if extension not in FIGURE_FORMATS:
        known = ", ".join(FIGURE_FORMATS)
        raise NotFound(f"Figures are not written as {extension[:20]!r}.", f"Formats: {known}.")
    drawn = write_figure(product_figure(appliance.queries, name, query), extension)
    headers = {"Content-Disposition": f'attachment; filename="wattmark-{name}.{extension}"'}
    return Response(drawn, media_type=FIGURE_FORMATS[extension], headers=headers)


@router.get("/{table}.{extension}")
def download(table: AnyTable, extension: str, query: Query, appliance: ApplianceDep, spool: SpoolDep) -> Response:
    """Write a table as a file in one of the formats that the preview names."""
    if extension not in FORMATS:
        raise NotFound(f"Tables are not written as {extension[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    made = _table(appliance, table, query)
    write = partial(write_to, table=made, format=extension)
    name, small = f"wattmark-{table}.{extension}", len(made.rows) <= SMALL
    return sent(spool, write, name=name, media_type=FORMATS[extension], small=small)


@router.get("/{table}")
def show(table: AnyTable, query: Query, appliance: ApplianceDep) -> ExportPreview:
    """Preview a table as it would be exported."""
    return preview(_table(appliance, table, query))


def _table(appliance: Appliance, name: AnyTable, query: TableQuery) -> Table:
    if name == "certificates":
        return certificates_table(appliance.calibration.certificates.list())
    if name == "meters":
        return meters_table(appliance.calibration.certificates.meters())
    return product_table(appliance.queries, name, query)
