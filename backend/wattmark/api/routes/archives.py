"""Archives: runs with everything that they rest on, to take away and to bring in."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.permissions import may_decide
from wattmark.api.spool import Spool
from wattmark.api.spooled import SpoolDep, spooled
from wattmark.api.stored import StoredRoute
from wattmark.archives.views import ArchiveOut, RestorationOut
from wattmark.errors import InputError
from wattmark.given import Line

router = APIRouter(prefix="/api/archive", tags=["archives"], route_class=StoredRoute)
LARGEST_UPLOAD = 4 * 2**30
Name = Annotated[str, Query(min_length=1, max_length=200), Line()]
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An archive as `wattmark archive` writes it. At most 4 GiB.",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get(
    "", response_class=StreamingResponse, responses={200: {"content": {"application/zip": {}}, "description": "Zip"}}
)
def download_archive(
    appliance: ApplianceDep,
    spool: SpoolDep,
    run_id: Annotated[list[str] | None, Query(description="These runs; may be given several times")] = None,
    campaign_id: Annotated[str | None, Query(description="All runs of this campaign")] = None,
    every: Annotated[bool, Query(alias="all", description="All runs")] = False,
    notes: Annotated[bool, Query(description="Tags and notes of people too")] = False,
) -> StreamingResponse:
    """Write finished runs as one self-contained file: samples, marks, certificates, stated results, plan, hashes."""
    runs = appliance.archives.choose(run_id or (), campaign_id, every=every)

    def write(file: IO[bytes]) -> None:
        appliance.archives.write(file, runs, appliance.lab, notes=notes)

    return spooled(spool, write, name="wattmark-runs.zip", media_type="application/zip")


@router.post("/look", openapi_extra=UPLOAD)
async def look_archive(
    request: Request, appliance: ApplianceDep, spool: SpoolDep, file_name: Name = "archive"
) -> ArchiveOut:
    """Verify an archive and tell what it holds, without importing anything. The body is the file."""
    with spool.open() as file:
        await _receive(request, spool, file)
        return await run_in_threadpool(appliance.archives.look, file, file_name)


@router.post("", status_code=201, openapi_extra=UPLOAD)
async def upload_archive(
    request: Request,
    appliance: ApplianceDep,
    spool: SpoolDep,
    about: About,
    file_name: Name = "archive",
    own: Annotated[bool, Query(description="The runs are this lab's own and do not count as imported")] = False,
) -> RestorationOut:
    """Import the runs of an archive, all or nothing, and recompute their results. The body is the file.

    Only an administrator may bring in certificates and overrides that are not here yet.
    """
    about(file_name)
    with appliance.campaigns.kept_from_starting(), spool.open() as file:
        await _receive(request, spool, file)
        restore = partial(appliance.archives.restore, own=own, decides=may_decide(request))
        done = await run_in_threadpool(restore, file, file_name)
    about(f"{file_name} of {done.lab}", *(run.run_id for run in done.runs if run.state == "imported"))
    return RestorationOut.model_validate(asdict(done))


async def _receive(request: Request, spool: Spool, file: IO[bytes]) -> None:
    """Write the body to a file on the disk, up to the largest size. Raises `InputError`."""
    length = 0
    async for part in request.stream():
        length += len(part)
        if length > LARGEST_UPLOAD:
            raise InputError(
                f"The file is larger than {LARGEST_UPLOAD // 2**30} GiB.",
                "Use `wattmark restore FILE` on the appliance, or archive fewer runs.",
            )
        with spool.told():
            await run_in_threadpool(file.write, part)
