"""A query parameter that a request does not have is refused: a misspelled filter would filter nothing."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("/api/runs?workloads=nope", "workload"),
        ("/api/compare/choices?server=x", "without parameters"),
        ("/api/export/compare.csv?workload=w&basline=x", "baseline"),
    ],
)
def test_a_parameter_that_a_request_does_not_have_is_refused(client: TestClient, address: str, known: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 422, answer.text
    assert "has no parameter" in answer.json()["cause"]
    assert known in answer.json()["remedy"]


@pytest.mark.parametrize(
    "address",
    [
        "/api/runs?workload=rsa&workload=nope",
        "/api/export/results.csv?server=a&server=b",
        "/api/compare?workload=rsa&level=1 process&smallest_pct=1&smallest_pct=50",
    ],
)
def test_a_parameter_that_a_request_has_once_is_refused_twice(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 422, "only the last of them would count"
    assert "takes one" in answer.json()["cause"]


def test_a_report_is_of_runs_or_of_a_campaign(client: TestClient) -> None:
    answer = client.get("/api/export/report.html?run_id=r0&campaign_id=none")
    assert answer.status_code == 422
    assert "campaign" in answer.json()["cause"]


def test_known_parameters_pass(client: TestClient) -> None:
    assert client.get("/api/runs?workload=nope&limit=5").status_code == 200
    assert client.get("/api/export/report.html?run_id=r0&run_id=r1").status_code == 200
    assert client.get("/api/archive?run_id=r0&run_id=r1").status_code != 422
    answer = client.get("/api/run-rows?limit=5")
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("address", ["/healthz?cache=1718000000", "/metrics?target=lab&target=rack"])
def test_monitors_may_append_parameters_where_nothing_is_computed_from_them(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == client.get(address.partition("?")[0]).status_code != 422


@pytest.mark.parametrize("address", ["/api/health?x=1", "/api/live?x=1"])
def test_no_other_request_of_the_service_itself_takes_any_parameter(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 422
