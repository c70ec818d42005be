"""Tables to take away: preview and download."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from wattmark.api.appliance import ApplianceDep
from wattmark.errors import NotFound
from wattmark.reports.formats import FORMATS, write
from wattmark.reports.preview import preview
from wattmark.reports.views import ExportPreview

router = APIRouter(prefix="/api/export", tags=["export"])
TableName = Literal["results", "compare", "memory", "run"]


class TableQuery(BaseModel):
    """Which rows a table shall hold; each table uses the parts that concern it."""

    run_id: str | None = None
    server: str | None = None
    workload: str | None = None
    level: str | None = None
    baseline: str | None = None


Query = Annotated[TableQuery, Depends()]


@router.get("/{table}.{extension}")
def download(table: TableName, extension: str, query: Query, appliance: ApplianceDep) -> Response:
    """Write a table as a file in one of the formats that the preview names."""
    if extension not in FORMATS:
        raise NotFound(f"Tables are not written as {extension[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    made = appliance.queries.table(table, **query.model_dump())
    disposition = f'attachment; filename="wattmark-{table}.{extension}"'
    return Response(write(made, extension), media_type=FORMATS[extension], headers={"Content-Disposition": disposition})


@router.get("/{table}")
def show(table: TableName, query: Query, appliance: ApplianceDep) -> ExportPreview:
    """Preview a table as it would be exported."""
    return preview(appliance.queries.table(table, **query.model_dump()))
