"""Every operation of the API's own description, asked by nobody and by each role that is too small for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import SAFE_METHODS, AccessPolicy
from wattmark.access.http.permissions import needed_role
from wattmark.access.roles import Role
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from .described import operations

LAB = AccessPolicy.for_address("192.0.2.7")
TOO_SMALL = {Role.VIEWER: (), Role.OPERATOR: (Role.VIEWER,), Role.ADMIN: (Role.VIEWER, Role.OPERATOR)}


def routes() -> list[tuple[str, str, str]]:
    """Each operation with its method and a path."""
    return [(operation, method, re.sub(r"\{\w+\}", "csv", path)) for operation, (method, path) in operations().items()]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("data")
    running = open_service(Settings(data_dir=folder))
    yield running
    running._storage.close()


@pytest.fixture(scope="module")
def client(service: Service) -> TestClient:
    return TestClient(create_app(service, LAB), base_url="http://192.0.2.7:8400")


@pytest.fixture(scope="module")
def secrets(service: Service) -> dict[Role, str]:
    return {role: service.gate.tokens.create(role.value, role) for role in Role}


def test_nobody_reaches_what_needs_a_role(client: TestClient) -> None:
    for operation, method, path in routes():
        if needed_role(operation) is not None:
            assert client.request(method, path, content=b"{}").status_code == 401, operation


def test_a_role_that_is_too_small_is_refused_before_anything_is_read(
    client: TestClient, secrets: dict[Role, str]
) -> None:
    asked = 0
    for operation, method, path in routes():
        for role in TOO_SMALL[needed_role(operation) or Role.VIEWER]:
            headers = {"Authorization": f"Bearer {secrets[role]}", "Content-Type": "application/json"}
            answer = client.request(method, path, content=b"{}", headers=headers)
            assert answer.status_code == 403, (operation, role, answer.text)
            asked += 1
    assert asked > 40


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "FROB"])
def test_another_method_reaches_no_operation(client: TestClient, secrets: dict[Role, str], method: str) -> None:
    headers = {"Authorization": f"Bearer {secrets[Role.ADMIN]}", "X-HTTP-Method-Override": "POST"}
    for operation, own, path in routes():
        if own not in SAFE_METHODS and not path.endswith("/csv"):
            answer = client.request(method, f"{path}?_method=POST", headers=headers)
            assert answer.status_code in {404, 405}, operation
