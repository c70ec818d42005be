"""Health, figures and the description of the service itself."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from wattmark.api.appliance import ApplianceDep
from wattmark.api.reference import reference_page
from wattmark.api.schemas import Alive, Health, Readiness
from wattmark.errors import NotFound

router = APIRouter(tags=["system"])


@router.get("/healthz/live")
async def live() -> Alive:
    """Tell that the service answers. Open to everybody."""
    return Alive(status="alive")


@router.get("/healthz", responses={503: {"model": Readiness, "description": "Not ready, and why"}})
def healthz(response: Response, appliance: ApplianceDep) -> Readiness:
    """Tell whether the service can measure, and why not (then with status 503). Open to everybody."""
    reasons = appliance.problems()
    response.status_code = 503 if reasons else 200
    return Readiness(status="not ready" if reasons else "ready", reasons=reasons, notes=appliance.notes())


@router.get("/metrics", response_class=Response)
def metrics(appliance: ApplianceDep) -> Response:
    """Give the figures of the service in the text format of Prometheus."""
    if appliance.figures is None:
        raise NotFound("This service does not measure itself.", "`wattmark serve` does.")
    return Response(appliance.figures.text(), media_type=appliance.figures.content_type)


@router.get("/api/docs", response_class=HTMLResponse)
def docs(request: Request) -> HTMLResponse:
    """Show every route with the role that it needs, as a page without scripts."""
    return HTMLResponse(reference_page(request.app.openapi()))


@router.get("/api/health")
def health(appliance: ApplianceDep) -> Health:
    """Tell what the service works on."""
    return Health(
        status="ok",
        version=appliance.version,
        started=appliance.started,
        data_dir=str(appliance.settings.data_dir),
        bench=str(appliance.settings.bench) if appliance.settings.bench else None,
        recording=appliance.campaigns.running,
    )
