"""Mappings of CSV files: a proposal for an unknown file, what a mapping makes of it, and those kept for reuse."""

from __future__ import annotations

import io
from typing import Annotated

from fastapi import APIRouter, Body
from fastapi import Path as InPath

from wattmark.core.errors import InputError
from wattmark.core.inputs import FILLED_LINE
from wattmark.importers.csv_mapping.csv_import import csv_importer
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.proposal import propose
from wattmark.importers.csv_mapping.trial import Trial, try_mapping
from wattmark.importers.csv_mapping.views import (
    CsvProposalIn,
    CsvTrialIn,
    ProposalOut,
    head_of,
    proposal_out,
)
from wattmark.importers.opened import opened_upload
from wattmark.importers.published_imports import PublishedImports
from wattmark.web.provided import provided
from wattmark.web.spooled import SpoolDep
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api/imports", tags=["imports"], route_class=StoredRoute)
ImportsDep = Annotated[PublishedImports, provided(PublishedImports)]
Name = Annotated[str, InPath(min_length=1, max_length=60), FILLED_LINE]


@router.get("/mappings")
def list_mappings(imports: ImportsDep) -> list[CsvMapping]:
    """List the mappings that are kept for reuse, by name."""
    return imports.mappings.all()


@router.put("/mappings/{name}")
def keep_mapping(imports: ImportsDep, name: Name, mapping: Annotated[CsvMapping, Body()]) -> CsvMapping:
    """Keep a mapping, in place of one of the same name."""
    if mapping.name != name:
        raise InputError(f"The mapping is named {mapping.name!r}, not {name!r}.", "Give it the name of the address.")
    imports.mappings.keep(mapping)
    return mapping


@router.delete("/mappings/{name}", status_code=204)
def delete_mapping(imports: ImportsDep, name: Name) -> None:
    """Delete a mapping; what was imported with it stays."""
    imports.mappings.delete(name)


@router.post("/csv/proposal")
def propose_mapping(imports: ImportsDep, spool: SpoolDep, order: Annotated[CsvProposalIn, Body()]) -> ProposalOut:
    """Propose what the columns of a CSV file are, from its first lines, and name the kept mappings that fit it."""
    head = head_of(order)
    with opened_upload(io.BytesIO(head), order.file_name, spool.folder) as file:
        fitting = [mapping.name for mapping in imports.mappings.all() if csv_importer(mapping).recognises(file)]
    return proposal_out(propose(head, order.written), fitting)


@router.post("/csv/trial")
def try_csv_mapping(spool: SpoolDep, order: Annotated[CsvTrialIn, Body()]) -> Trial:
    """Show what a mapping makes of the first lines of a CSV file, without storing anything."""
    with opened_upload(io.BytesIO(head_of(order)), order.file_name, spool.folder) as file:
        return try_mapping(file, order.mapping, None)
