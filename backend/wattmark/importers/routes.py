"""Published results from others: the kinds, a preview, and the import. The body is a zip file or a single file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import IO, Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi import Path as PathParameter

from wattmark.access.http.about import About
from wattmark.campaigns.running import Campaigns
from wattmark.core.inputs import FILE_NAME
from wattmark.importers.choices import read_choices, read_part
from wattmark.importers.importer import Choices, Precision, SourceKind
from wattmark.importers.kinds import DETECT, IMPORTERS
from wattmark.importers.opened import LARGEST_UPLOAD, opened_upload
from wattmark.importers.published_imports import PublishedImports
from wattmark.importers.views import (
    DeletedImport,
    ImportedResult,
    ImportOut,
    PreviewOut,
    import_out,
    imported_result,
    preview_out,
)
from wattmark.web.provided import provided
from wattmark.web.received import receive
from wattmark.web.spool import Spool
from wattmark.web.spooled import SpoolDep
from wattmark.web.stored import StoredRoute
from wattmark.web.waited import run_while_wanted

router = APIRouter(prefix="/api/imports", tags=["imports"], route_class=StoredRoute)
ImportsDep = Annotated[PublishedImports, provided(PublishedImports)]
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
T = TypeVar("T")
Name = Annotated[str, Query(min_length=1, max_length=200), FILE_NAME]
Kind = Annotated[str, Query(max_length=40, description="A kind of GET /api/imports/kinds, or auto")]
Zone = Annotated[str | None, Query(max_length=60, description="Time zone of stamps that name none")]
Mapping = Annotated[
    str | None, Query(max_length=60, description="A mapping of GET /api/imports/mappings, for a CSV file")
]
Power = Annotated[str | None, Query(max_length=400, description="Series of a log that is the power of the server")]
Unit = Annotated[Precision | None, Query(description="Unit of Unix stamps that do not prove theirs")]
ImportId = Annotated[str, PathParameter(max_length=200)]
Begin = Annotated[str | None, Query(max_length=40, description="Wall clock at the first line of a log without dates")]


From = Annotated[
    str | None,
    Query(
        alias="from",
        max_length=40,
        description="Begin of the part of a log that counts: seconds from its start, or a date and time",
    ),
]
Round = Annotated[
    str | None,
    Query(alias="round", max_length=40, description='Round of results whose path names none, as "v1.1"'),
]
To = Annotated[str | None, Query(max_length=40, description="End of that part")]


def _said(
    request: Request,
    zone: Zone = None,
    power: Power = None,
    precision: Unit = None,
    begin: Begin = None,
    start: From = None,
    to: To = None,
    round_name: Round = None,
) -> Choices:
    identity = request.scope.get("identity")  # the process for stored runs, where previews are read, has none
    return read_choices(zone, power, precision, begin, read_part(start, to), identity and identity.name, round_name)


Said = Annotated[Choices, Depends(_said)]
_TOO_LARGE = "Use `wattmark import` on the appliance, or send one submission at a time."
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A zip file with the published results, or a single file. At most 2 GiB.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("/kinds")
def list_kinds() -> list[SourceKind]:
    """List the kinds of published results that can be imported."""
    return list(IMPORTERS)


@router.post("/preview", openapi_extra=UPLOAD)
async def preview_import(
    request: Request,
    imports: ImportsDep,
    spool: SpoolDep,
    choices: Said,
    file_name: Name = "results.zip",
    kind: Kind = DETECT,
    mapping: Mapping = None,
) -> PreviewOut:
    """Read published results to their end and say what they would bring, without storing anything."""
    chosen = mapping and imports.mappings.get(mapping)

    def read(file: IO[bytes]) -> PreviewOut:
        with opened_upload(file, file_name, spool.folder) as source:
            return preview_out(*imports.preview(kind, source, choices, chosen or None))

    return await _with_body(request, spool, read)


@router.post("", status_code=201, openapi_extra=UPLOAD)
async def import_published(
    request: Request,
    campaigns: CampaignsDep,
    imports: ImportsDep,
    spool: SpoolDep,
    about: About,
    choices: Said,
    file_name: Name = "results.zip",
    kind: Kind = DETECT,
    mapping: Mapping = None,
) -> ImportOut:
    """Import published results: runs where there are samples, figures where there are none, and their audits."""
    about(file_name)
    chosen = mapping and imports.mappings.get(mapping)

    def store(file: IO[bytes]) -> ImportOut:
        with opened_upload(file, file_name, spool.folder) as source:
            alone = campaigns.kept_from_starting
            return import_out(imports.bring_in(kind, source, choices, chosen or None, alone=alone))

    campaigns.require_rest()
    done = await _with_body(request, spool, store)
    about(file_name, *(result.run_id for result in done.results if result.run_id))
    return done


@router.get("")
def list_imports(imports: ImportsDep) -> list[ImportedResult]:
    """List the results that were imported as figures: what they are, where they come from, and their overall figure."""
    return [imported_result(result, has_audit=has_audit) for result, has_audit in imports.figures()]


@router.get("/deleted")
def list_deleted(imports: ImportsDep) -> list[DeletedImport]:
    """List the imported results that were deleted last and can be brought back, the last one first."""
    return [DeletedImport(id=import_id, title=title) for import_id, title in imports.deleted()]


@router.delete("/{import_id}", status_code=204)
def delete_import(import_id: ImportId, imports: ImportsDep) -> None:
    """Delete the figures and the audit of an imported result; imported runs stay.

    The 20 that were deleted last can be brought back.
    """
    imports.delete(import_id)


@router.post("/{import_id}/restore", status_code=204)
def restore_import(import_id: ImportId, imports: ImportsDep) -> None:
    """Bring back an imported result that was deleted, with its audit."""
    imports.restore(import_id)


async def _with_body(request: Request, spool: Spool, work: Callable[[IO[bytes]], T]) -> T:
    """Write the body to a file on the disk and work on it. Raises `InputError` above the largest size."""
    with spool.open() as file:
        await receive(request, spool, file, LARGEST_UPLOAD, _TOO_LARGE)
        with spool.explaining_errors():
            return await run_while_wanted(request, partial(work, file))
