"""Archives: runs with all their inputs, to export and import."""

from __future__ import annotations

from functools import partial
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from wattmark.access.http.about import About
from wattmark.access.http.permissions import may_decide
from wattmark.archives.data_folder import Archives
from wattmark.archives.outcome import Restoration
from wattmark.archives.views import ArchiveOut
from wattmark.campaigns.running import Campaigns
from wattmark.core.inputs import FILE_NAME
from wattmark.web.provided import provided
from wattmark.web.received import receive
from wattmark.web.spooled import SpoolDep, spooled
from wattmark.web.stored import StoredRoute
from wattmark.web.waited import run_while_wanted

router = APIRouter(prefix="/api/archive", tags=["archives"], route_class=StoredRoute)
ArchivesDep = Annotated[Archives, provided(Archives)]
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
LARGEST_UPLOAD = 4 * 2**30
_TOO_LARGE = "Use `wattmark restore FILE` on the appliance, or archive fewer runs."
Name = Annotated[str, Query(min_length=1, max_length=200), FILE_NAME]
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An archive written by `wattmark archive`. At most 4 GiB.",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get(
    "", response_class=StreamingResponse, responses={200: {"content": {"application/zip": {}}, "description": "Zip"}}
)
def download_archive(
    archives: ArchivesDep,
    spool: SpoolDep,
    run_id: Annotated[list[str] | None, Query(description="These runs; repeatable")] = None,
    campaign_id: Annotated[str | None, Query(description="All runs of this campaign")] = None,
    every: Annotated[bool, Query(alias="all", description="All runs, published figures and audits")] = False,
    notes: Annotated[bool, Query(description="Include tags and notes")] = False,
) -> StreamingResponse:
    """Write finished runs as one self-contained file: samples, marks, certificates, issued results, plan, hashes."""
    runs = archives.choose(run_id or (), campaign_id, every=every)

    def write(file: IO[bytes]) -> None:
        archives.write(file, runs, archives.lab, notes=notes, every=every)

    return spooled(spool, write, name="wattmark-runs.zip", media_type="application/zip")


@router.post("/preview", openapi_extra=UPLOAD)
async def preview_archive(
    request: Request, archives: ArchivesDep, spool: SpoolDep, file_name: Name = "archive"
) -> ArchiveOut:
    """Verify an archive and list its contents, without importing anything. The body is the file."""
    with spool.open() as file:
        await receive(request, spool, file, LARGEST_UPLOAD, _TOO_LARGE)
        return await run_while_wanted(request, partial(archives.preview, file, file_name))


@router.post("", status_code=201, openapi_extra=UPLOAD)
async def upload_archive(
    request: Request,
    campaigns: CampaignsDep,
    archives: ArchivesDep,
    spool: SpoolDep,
    about: About,
    file_name: Name = "archive",
    own: Annotated[bool, Query(description="The runs are from this lab: do not mark them as imported")] = False,
) -> Restoration:
    """Import the runs of an archive, all or nothing, and recompute their results. The body is the file.

    Only an administrator can import new certificates and overrides.
    """
    about(file_name)
    campaigns.require_rest()
    with spool.open() as file:
        await receive(request, spool, file, LARGEST_UPLOAD, _TOO_LARGE)
        alone = campaigns.kept_from_starting
        restore = partial(archives.restore, own=own, decides=may_decide(request), alone=alone)
        done = await run_while_wanted(request, partial(restore, file, file_name))
    about(f"{file_name} of {done.lab}", *(run.run_id for run in done.runs if run.state == "imported"))
    return done
