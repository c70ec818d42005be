"""Routes come with the first request that may reach them: whole, once, and not in the event loop."""

from __future__ import annotations

import asyncio
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import pytest
from fastapi import APIRouter, Body, FastAPI
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, ConfigDict
from starlette.testclient import TestClient
from wattmark.service.http.on_demand import OnDemand, Section, Sections
from wattmark.service.sections import bench_sections, stored_sections

ALL = [*bench_sections(), *stored_sections(None)]


@pytest.mark.parametrize("section", ALL, ids=lambda section: section.routers.__name__.strip("_"))
def test_each_route_is_below_an_address_of_its_section(section: Section) -> None:
    for router in section.routers():
        paths = [route.path or "" for route in iter_route_contexts(router.routes)]
        assert paths != []
        assert all(map(section.holds, paths)), paths


@pytest.mark.parametrize(
    ("path", "held"),
    [("/api/thing", True), ("/api/thing/a/b", True), ("/api/things", False), ("/api/thing.csv", False), ("/", False)],
)
def test_a_section_holds_its_addresses_and_what_is_below(path: str, held: bool) -> None:
    assert Section(("/api/thing",), tuple).holds(path) is held


class Late(BaseModel):
    model_config = ConfigDict(defer_build=True)

    name: str


def app_of(*sections: Section) -> FastAPI:
    app = FastAPI()
    app.state.provided = {}
    app.add_middleware(OnDemand, sections=Sections(app, sections), described_at="/openapi.json")
    return app


def test_a_section_is_loaded_once_and_in_no_event_loop() -> None:
    loads = []

    def routers() -> tuple[APIRouter, ...]:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        loads.append(threading.current_thread())
        router = APIRouter()
        router.add_api_route("/api/thing/{name}", lambda name: name)
        return (router,)

    client = TestClient(app_of(Section(("/api/thing",), routers)))
    assert client.get("/api/other").status_code == 404
    assert loads == []
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(client.get, ["/api/thing/a"] * 8))
    assert [answer.json() for answer in answers] == ["a"] * 8
    assert len(loads) == 1


def test_a_section_that_fails_to_load_fails_each_request_and_shows_nothing() -> None:
    router, tries = APIRouter(), []
    router.add_api_route("/api/thing", lambda: "there")

    def parts() -> tuple[object, ...]:
        tries.append(1)
        if len(tries) < 3:
            raise OSError("too many open files")
        return ("a part",)

    app = app_of(Section(("/api/thing",), lambda: (router,), parts))
    client = TestClient(app, raise_server_exceptions=False)
    assert [client.get("/api/thing").status_code for _ in range(3)] == [500, 500, 200]
    assert app.state.provided == {str: "a part"}


def test_the_model_of_a_body_that_is_built_with_its_request_warns_of_nothing() -> None:
    router = APIRouter()

    @router.post("/thing")
    def take(order: Annotated[Late, Body()]) -> str:
        return order.name

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        client = TestClient(app_of(Section(("/thing",), lambda: (router,))))
        assert client.post("/thing", json={"name": "late"}).json() == "late"
    assert warned == []
