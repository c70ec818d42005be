"""The web application: routes, refusals, headers, and the built web app under one address."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Never

from fastapi import Depends, FastAPI, Request
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic.warnings import UnsupportedFieldAttributeWarning

from wattmark.access.http import routes as access
from wattmark.access.http.middleware import AccessMiddleware, AccessPolicy
from wattmark.access.http.permissions import require_role
from wattmark.access.http.request_log import AuditTrail, RequestIds
from wattmark.core.errors import NotFound
from wattmark.core.version import version
from wattmark.service import routes as system
from wattmark.service.fleet_service import FleetService
from wattmark.service.http import edit_problems, problems
from wattmark.service.http.assets import WebAppFiles
from wattmark.service.http.headers import SecurityHeadersMiddleware
from wattmark.service.http.limits import BodyLimits
from wattmark.service.http.on_demand import OnDemand, Sections
from wattmark.service.reader.client import ReaderClient
from wattmark.service.sections import bench_sections, fleet_sections, stored_sections
from wattmark.service.service import Service
from wattmark.web.operation import operation_id
from wattmark.web.parameters import require_known_parameters
from wattmark.web.problem import Problem
from wattmark.web.spool import Spool
from wattmark.web.stored import answered_here
from wattmark.web.streams import StreamSlots

UI = Path(__file__).parents[1] / "_ui"
DOCUMENTS = Path(__file__).parents[1] / "_docs"
"""The site of the documents, as `make docs` builds it."""


class Application(FastAPI):
    """An application that describes all of its sections, including those not loaded yet."""

    sections: Sections

    def openapi(self) -> dict[str, Any]:
        """Build the description once; takes seconds."""
        self.sections.load_all()
        return super().openapi()


def create_app(
    service: Service | FleetService | None, policy: AccessPolicy, ui: Path = UI, documents: Path = DOCUMENTS
) -> FastAPI:
    """Build the application around a service (None: only to describe the API)."""
    # FastAPI keeps the name of a body where pydantic has no use for it, and hides that only from models built at once.
    warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
    app = Application(
        title="wattmark",
        version=version(),
        summary="Wall power under full load, performance per watt, and its uncertainty.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=operation_id,
        dependencies=[Depends(require_role), Depends(require_known_parameters)],
        responses={422: {"model": Problem, "description": "The problem with the request, and the remedy"}},
    )
    app.state.service = service
    app.state.provided = service.provided() if service else {}
    reader = ReaderClient(service) if isinstance(service, Service) and service.reader else None
    app.state.elsewhere = reader.answer if reader else answered_here
    app.state.policy = policy
    app.state.stream_slots = StreamSlots()
    app.state.spool = Spool(service.settings.data_dir) if service else None
    problems.install(app)
    edit_problems.install(app)
    for room in (access, system):
        app.include_router(room.router)
    if isinstance(service, FleetService):
        sections = Sections(app, fleet_sections())
        app.add_route("/", _to_fleet, include_in_schema=False)
    else:
        sections = Sections(app, (*bench_sections(), *stored_sections(service.wings if service else None)))
    app.sections = sections
    app.add_api_route("/api/{path:path}", _unknown, methods=["GET", "POST", "PUT", "DELETE"], include_in_schema=False)
    app.add_route("/docs", _to_documents, include_in_schema=False)
    if (documents / "index.html").is_file():
        app.mount("/docs", StaticFiles(directory=documents, html=True))
    else:
        app.add_route("/docs/{path:path}", _no_documents, include_in_schema=False)
    app.add_middleware(OnDemand, sections=sections, described_at=app.openapi_url)
    if (ui / "index.html").is_file():
        app.frontend("/", directory=ui, fallback="index.html")
        app.add_middleware(WebAppFiles)
    gate = service.gate if service else None
    app.add_middleware(BodyLimits)
    app.add_middleware(problems.UnexpectedErrors)
    app.add_middleware(AuditTrail, gate=gate)
    app.add_middleware(AccessMiddleware, policy=policy, gate=gate)
    app.add_middleware(RequestIds)
    app.add_middleware(SecurityHeadersMiddleware)
    return app


def _to_fleet(request: Request) -> RedirectResponse:  # noqa: ARG001 - the signature of a route
    """Redirect to the pages of the fleet: this service has no others."""
    return RedirectResponse("/fleet/")


def _to_documents(request: Request) -> RedirectResponse:  # noqa: ARG001 - the signature of a route
    return RedirectResponse("/docs/")


def _no_documents(request: Request) -> Never:  # noqa: ARG001 - the signature of a route
    raise NotFound("The documents are not built.", "Run `make docs`, or read backend/docs in the source tree.")


def _unknown(path: str) -> None:
    raise NotFound(f"There is no /api/{path[:80]}.", "See /api/docs.")
