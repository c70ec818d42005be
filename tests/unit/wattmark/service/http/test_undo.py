"""Taking a change of the bench back: an administrator any, an operator one of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

LAB = "http://192.0.2.7:8400"
BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
"""
PLAN = {"name": "p", "configurations": ["s/c"], "workloads": ["openssl.rsa512-sign"]}
Act = Callable[..., tuple[int, Any]]


@pytest.fixture
def act(tmp_path: Path) -> Iterator[Act]:
    """Ask for a change as an operator ("kim", "sam") or an administrator ("admin"), in view of the bench as it is."""
    (tmp_path / "bench.yaml").write_text(BENCH)
    service = open_service(Settings(data_dir=tmp_path))
    roles = {"kim": Role.OPERATOR, "sam": Role.OPERATOR, "admin": Role.ADMIN, "guest": Role.VIEWER}
    tokens = {name: service.gate.tokens.create(name, role) for name, role in roles.items()}
    client = TestClient(create_app(service, AccessPolicy.for_address("192.0.2.7")), base_url=LAB)

    def ask(name: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        version = client.get("/api/bench", headers=headers).json()["version"]
        answer = client.request(method, f"/api/bench{path}", json=body, headers={**headers, "If-Match": version})
        return answer.status_code, answer.json()

    yield ask
    service._storage.close()


def plans(act: Act) -> list[str]:
    return [plan["name"] for plan in act("guest", "GET", "/entries")[1]["bench"]["plans"]]


def test_an_operator_takes_a_deleted_plan_back(act: Act) -> None:
    assert act("kim", "PUT", "/plans/p", PLAN)[0] == 200
    assert act("kim", "DELETE", "/plans/p")[0] == 200
    assert plans(act) == []
    assert act("kim", "POST", "/undo")[0] == 200
    assert plans(act) == ["p"]
    rows = act("guest", "GET", "/changes")[1]["changes"]
    assert {row["by"] for row in rows} == {"kim"}


def test_nobody_takes_back_what_is_not_theirs_but_an_administrator(act: Act) -> None:
    assert act("kim", "PUT", "/plans/p", PLAN)[0] == 200
    status, problem = act("sam", "POST", "/undo")
    assert (status, problem["cause"]) == (409, "The latest change is not yours: Added the plan p.")
    assert act("guest", "POST", "/undo")[0] == 403
    assert act("admin", "PATCH", "", {"lab": "Another"})[0] == 200
    assert act("kim", "POST", "/undo")[0] == 409, "a newer change of somebody else lies over it"
    assert act("admin", "POST", "/undo")[0] == 200
    assert act("kim", "POST", "/undo")[0] == 200, "theirs is the newest again"
    assert plans(act) == []
