"""Health, figures and the description of the service itself."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from wattmark.core.errors import NotFound
from wattmark.core.schema import Schema
from wattmark.service.deps import RunningDep
from wattmark.service.http.problems import named_inside
from wattmark.service.http.reference import reference_page

router = APIRouter(tags=["system"])


class Alive(Schema):
    """The service answers."""

    status: Literal["alive"]


class Readiness(Schema):
    """Whether the service can measure; the reasons say what to do."""

    status: Literal["ready", "not ready"]
    reasons: list[str]
    notes: list[str]
    """What does not work while the service can measure, such as one meter of several."""


class Health(Schema):
    """State of the service."""

    status: Literal["ok"]
    version: str
    started: str
    data_dir: str
    bench: str | None
    recording: bool


@router.get("/healthz/live")
async def live() -> Alive:
    """Return that the service answers. Open to everyone."""
    return Alive(status="alive")


@router.get("/healthz", responses={503: {"model": Readiness, "description": "Not ready, and why"}})
def healthz(request: Request, response: Response, service: RunningDep) -> Readiness:
    """Return whether the service can measure or show its fleet; if not, why, and status 503. Open to everyone."""
    reasons, notes = (
        [named_inside(request.app, text) for text in texts] for texts in (service.problems(), service.notes())
    )
    response.status_code = 503 if reasons else 200
    return Readiness(status="not ready" if reasons else "ready", reasons=reasons, notes=notes)


@router.get("/metrics", response_class=Response)
def metrics(service: RunningDep) -> Response:
    """Return the figures of the service in the text format of Prometheus."""
    if service.figures is None:
        raise NotFound("This service has no metrics about itself.", "Start the service with `wattmark serve`.")
    return Response(service.figures.text(), media_type=service.figures.content_type)


@router.get("/api/docs", response_class=HTMLResponse)
def docs(request: Request) -> HTMLResponse:
    """Show every route with the role that it needs, as a page without scripts."""
    return HTMLResponse(reference_page(request.app.openapi()))


@router.get("/api/health")
def health(service: RunningDep) -> Health:
    """Return version, start time, data folder and bench file of the service."""
    return Health(
        status="ok",
        version=service.version,
        started=service.started,
        data_dir=str(service.settings.data_dir),
        bench=str(service.settings.bench) if service.settings.bench else None,
        recording=service.recording,
    )
