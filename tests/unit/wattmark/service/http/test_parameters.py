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


def test_known_parameters_pass(client: TestClient) -> None:
    assert client.get("/api/runs?workload=nope&limit=5").status_code == 200
    answer = client.get("/api/run-rows?limit=5")
    assert answer.status_code == 200, answer.text
