"""Tables, figures and reports to take away: preview and download."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from wattmark.api.appliance import ApplianceDep
from wattmark.appliance.product_tables import TableName, TableQuery, product_table
from wattmark.errors import NotFound
from wattmark.reports.formats import FORMATS, write
from wattmark.reports.preview import preview
from wattmark.reports.views import ExportPreview

router = APIRouter(prefix="/api/export", tags=["export"])
Query = Annotated[TableQuery, Depends()]


@router.get("/{table}.{extension}")
def download(table: TableName, extension: str, query: Query, appliance: ApplianceDep) -> Response:
    """Write a table as a file in one of the formats that the preview names."""
    if extension not in FORMATS:
        raise NotFound(f"Tables are not written as {extension[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    made = product_table(appliance.queries, table, query)
    disposition = f'attachment; filename="wattmark-{table}.{extension}"'
    return Response(write(made, extension), media_type=FORMATS[extension], headers={"Content-Disposition": disposition})


@router.get("/{table}")
def show(table: TableName, query: Query, appliance: ApplianceDep) -> ExportPreview:
    """Preview a table as it would be exported."""
    return preview(product_table(appliance.queries, table, query))
