"""Servers that live through the session, a data folder with samples of every sort, and a sink between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from wattmark.fleet.influx.settings import InfluxSettings

from .servers import ORG, TOKEN, Server, running

EVERY_RUN = ("1.6.7", "1.8.3")
ALSO = tuple(filter(None, os.environ.get("WATTMARK_TEST_INFLUX", "").split(",")))
"""Further versions, by `make test-influx2`."""


@pytest.fixture(scope="session", params=[*EVERY_RUN, *ALSO])
def influx(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(request.param, tmp_path_factory.mktemp("influx")) as server:
        yield server


@pytest.fixture(scope="session")
def influx_18(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("1.8.3", tmp_path_factory.mktemp("influx18")) as server:
        yield server


@pytest.fixture(scope="session")
def victoria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("victoria-metrics", tmp_path_factory.mktemp("victoria")) as server:
        yield server


@pytest.fixture
def settings_for() -> Callable[..., InfluxSettings]:
    def make(server: Server, **other: object) -> InfluxSettings:
        if server.second:
            other = {"token": TOKEN, "org": ORG, **other}
        return InfluxSettings(url=server.url, database=server.database, **other)

    return make
