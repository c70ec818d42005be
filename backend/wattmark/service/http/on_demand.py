"""Routes that are imported and built at the first request to one of their addresses: a start needs few of them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the API."""

    addresses: tuple[str, ...]
    """Where its routes are: these paths and everything below."""
    routers: Callable[[], tuple[APIRouter, ...]]
    """Imports them."""
    parts: Callable[[], tuple[object, ...]] = tuple
    """Imports and builds what they need and the start did not build."""

    def holds(self, path: str) -> bool:
        """Return whether a path is one of its addresses, or below one."""
        return any(path == address or path.startswith(f"{address}/") for address in self.addresses)


class Sections:
    """The sections of an application that are not loaded yet."""

    def __init__(self, app: FastAPI, sections: Sequence[Section]) -> None:
        # FastAPI silences this one where a route is made, but the model of a body may be built with its first request.
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        self._app = app
        self._missing = list(sections)
        self._loading = threading.Lock()
        self._end = len(app.router.routes)

    def missing_for(self, path: str) -> list[Section]:
        """List the sections that may hold a path and are not there."""
        return [section for section in self._missing if section.holds(path)]

    def load(self, sections: Sequence[Section]) -> None:
        """Import and build sections. They appear in the application whole, so that no other request waits for them."""
        with self._loading:
            for section in sections:
                if section in self._missing:
                    self._load(section)

    def load_all(self) -> None:
        """Import and build what is left, as the description of the API needs it."""
        self.load(list(self._missing))

    def _load(self, section: Section) -> None:
        routes = self._app.router
        aside = APIRouter(
            dependencies=routes.dependencies,
            responses=routes.responses,
            generate_unique_id_function=routes.generate_unique_id_function,
            dependency_overrides_provider=self._app,
        )
        for router in section.routers():
            aside.include_router(router)
        for _ in iter_route_contexts(aside.routes):
            """FastAPI would build them with the first request, in the event loop."""
        self._app.state.provided |= {type(part): part for part in section.parts()}
        routes.routes[self._end : self._end] = aside.routes
        self._missing.remove(section)


class OnDemand:
    """Load the sections that a request may reach before it is routed, in a thread: the event loop polls the meters."""

    def __init__(self, app: ASGIApp, sections: Sections, described_at: str | None = None) -> None:
        self._app = app
        self._sections = sections
        self._described_at = described_at

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on when its section is there."""
        path = scope.get("path", "")
        if missing := self._sections.missing_for(path):
            await run_in_threadpool(self._sections.load, missing)
        elif path == self._described_at:
            await run_in_threadpool(scope["app"].openapi)  # FastAPI keeps it; to build it takes seconds
        await self._app(scope, receive, send)
