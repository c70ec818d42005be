"""The routes of stored runs as the reader serves them, and what the service itself asks of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Depends, FastAPI, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from wattmark.core.request_id import HEADER, set_request_id
from wattmark.results.issued.orders import EVALUATE, EvaluationOrder
from wattmark.results.result import Result
from wattmark.service.http import problems
from wattmark.service.http.on_demand import OnDemand, Sections
from wattmark.service.reader.bench import BENCH_HEADER, BenchNow, set_bench_now
from wattmark.service.reader.stored_runs import StoredRuns
from wattmark.service.sections import stored_sections
from wattmark.web.operation import operation_id
from wattmark.web.parameters import require_known_parameters
from wattmark.web.spool import Spool
from wattmark.web.stored import answered_here


def create_reader_app(stored: StoredRuns) -> FastAPI:
    """Build the application. It checks no rights: only the service can reach it, and has checked them."""
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=operation_id,
        dependencies=[Depends(require_known_parameters)],
    )
    app.state.provided = stored.provided()
    app.state.elsewhere = answered_here
    app.state.spool = Spool(stored.settings.data_dir)
    problems.install(app)
    sections = Sections(app, stored_sections(stored.wings))

    @app.post(EVALUATE)
    def evaluated(order: Annotated[EvaluationOrder, Body()]) -> Response:
        """Compute a result for the service to issue."""
        result: Result = stored.results.compute(order)
        return Response(result.model_dump_json(), media_type="application/json")

    app.add_middleware(OnDemand, sections=sections)
    app.add_middleware(problems.UnexpectedErrors)
    app.add_middleware(FromTheService)
    return app


class FromTheService:
    """Take what the service says with a request: its id, and how its bench stands."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the bench of the request for what follows."""
        headers = Headers(scope=scope)
        set_request_id(headers.get(HEADER, ""))
        if (bench := headers.get(BENCH_HEADER)) is not None:
            set_bench_now(BenchNow.model_validate_json(bench))
        await self._app(scope, receive, send)
