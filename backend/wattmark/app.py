"""The web application: routes, refusals, headers, and the built web app under one address."""

from __future__ import annotations

from pathlib import Path

from fastapi import Depends, FastAPI

from wattmark.api import edit_problems, problems
from wattmark.api.access import AccessMiddleware, AccessPolicy
from wattmark.api.assets import WebAppFiles
from wattmark.api.headers import SecurityHeadersMiddleware
from wattmark.api.limits import BodyLimits
from wattmark.api.permissions import operation_id, require_role
from wattmark.api.request_log import AuditTrail, RequestIds
from wattmark.api.routes import (
    access,
    alarms,
    archives,
    bench,
    bench_edit,
    bench_entries,
    campaign,
    certificates,
    check_loads,
    compare,
    exports,
    live,
    markers,
    meters,
    models,
    notebook,
    plans,
    runs,
    store,
    system,
    trash,
)
from wattmark.api.schemas import Problem
from wattmark.api.spool import Spool
from wattmark.api.stored import StoredRunsDesk
from wattmark.api.streams import StreamSlots
from wattmark.appliance.appliance import Appliance
from wattmark.errors import NotFound
from wattmark.version import version

UI = Path(__file__).parent / "_ui"


def create_app(appliance: Appliance | None, policy: AccessPolicy, ui: Path = UI) -> FastAPI:
    """Build the application around an appliance (None: only to describe the API)."""
    app = FastAPI(
        title="wattmark",
        version=version(),
        summary="Wall power under full load, performance per watt, and its uncertainty.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=operation_id,
        dependencies=[Depends(require_role)],
        responses={422: {"model": Problem, "description": "What is wrong with the request, and what to do"}},
    )
    app.state.appliance = appliance
    app.state.reader = StoredRunsDesk(appliance) if appliance and appliance.reader else None
    app.state.policy = policy
    app.state.stream_slots = StreamSlots()
    app.state.spool = Spool(appliance.settings.data_dir) if appliance else None
    problems.install(app)
    edit_problems.install(app)
    rooms = (
        access,
        system,
        bench,
        bench_edit,
        bench_entries,
        live,
        alarms,
        meters,
        models,
        plans,
        campaign,
        runs,
        compare,
        exports,
        check_loads,
        certificates,
        archives,
        notebook,
        trash,
        store,
        markers,
    )
    for room in rooms:
        app.include_router(room.router)
    app.add_api_route("/api/{path:path}", _unknown, methods=["GET", "POST", "PUT", "DELETE"], include_in_schema=False)
    if (ui / "index.html").is_file():
        app.frontend("/", directory=ui, fallback="index.html")
        app.add_middleware(WebAppFiles)
    gate = appliance.gate if appliance else None
    app.add_middleware(BodyLimits)
    app.add_middleware(problems.UnexpectedErrors)
    app.add_middleware(AuditTrail, gate=gate)
    app.add_middleware(AccessMiddleware, policy=policy, gate=gate)
    app.add_middleware(RequestIds)
    app.add_middleware(SecurityHeadersMiddleware)
    return app


def _unknown(path: str) -> None:
    raise NotFound(f"There is no /api/{path[:80]}.", "See /api/docs.")
