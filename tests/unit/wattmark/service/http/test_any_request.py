"""Requests as no page would make them, drawn from the API's own description: always an answer in words, never a 5xx."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.examples import WITHOUT_SHRINKING, examples

from .described import description

ODD = (
    *("", ".", "..", "../..", "a/b", "\x00", "a\x00b", "\x1b[2J", "\ud7ff", "\U0010ffff", "%", "%00", "%2f", "'--"),
    *("é" * 3000, "0", "-1", "1e999", "-inf", "nan", "9" * 400, "1e308", "5e-324", "true", "null", "[]", "{}"),
)
NAMES = ("r0", "r1", "s", "rsa", "1 process", "results", "compare", "memory", "run", "csv", "xlsx", "md", "json")
"""Words that mean something to the service: with them a request gets further."""
KNOWN = st.sampled_from(NAMES)
TEXTS = KNOWN | st.sampled_from(ODD) | st.text(max_size=40) | st.floats().map(str) | st.integers().map(str)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.just("plan"), inner, max_size=3)
    ),
    max_leaves=6,
)
BODIES = JSONS.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")) | st.binary(max_size=60)


def values(schema: dict[str, Any], method: str) -> st.SearchStrategy[str]:
    """Values that the description allows, among others; what the tests need is not deleted."""
    if method == "DELETE":
        return TEXTS.filter(lambda text: text not in NAMES)
    allowed = schema.get("enum") or [part for option in schema.get("anyOf", []) for part in option.get("enum", [])]
    if {"number", "integer"} & {schema.get("type"), *(option.get("type") for option in schema.get("anyOf", []))}:
        return st.floats(0, 3e9).map(str) | st.integers(0, 5000).map(str) | TEXTS
    return st.sampled_from(allowed) | KNOWN | TEXTS if allowed else KNOWN | TEXTS


@cache
def asked() -> list[tuple[str, str, dict[str, Any]]]:
    """Each operation's method, path and description, without what answers for ever."""
    return [
        (method.upper(), path, operation)
        for path, methods in description()["paths"].items()
        if path not in ("/api/live/stream", "/healthz")
        for method, operation in methods.items()
    ]


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str, bytes | None]:
    method, path, operation = draw(st.sampled_from(asked()))
    query: list[tuple[str, str]] = []
    for parameter in operation.get("parameters", []):
        count = 1 if parameter["in"] == "path" else draw(st.sampled_from((1, 1, 1, 0, 2)))
        drawn = [draw(values(parameter["schema"], method)) for _ in range(count)]
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(drawn[0].encode("utf-8", "surrogatepass"), safe=""))
        else:
            query += [(parameter["name"], value) for value in drawn]
    target = path + (f"?{urlencode(query, errors='surrogatepass')}" if query else "")
    return method, target, draw(BODIES) if "requestBody" in operation else None


@settings(max_examples=examples(400), phases=WITHOUT_SHRINKING)
@given(request=requests())
@example(request=("GET", "/api/runs/r1/traces?px=99999999999999999999", None))
@example(request=("GET", "/api/runs/r1/traces?begin_s=inf", None))
@example(request=("GET", "/api/runs/r1/traces?begin_s=nan&end_s=nan", None))
@example(request=("GET", "/api/runs/r1/traces?begin_s=0&end_s=9000000000", None))
@example(request=("GET", "/api/runs/a%2Fb", None))
@example(request=("GET", "/api/runs/%00", None))
@example(request=("GET", "/api/runs/%FF%FE", None))
@example(request=("DELETE", "/api/runs/%00", None))
@example(request=("GET", "/api/compare?workload=%00&level=%1B%5B2J", None))
@example(request=("GET", "/api/export/compare.xlsx?workload=%00&level=%1B%5B2J", None))
@example(request=("GET", "/api/export/compare.csv?workload=%F0%9F&level=%ED%A0%80", None))
@example(request=("GET", "/api/export/memory.md?server=%00&workload=a&level=b", None))
@example(request=("GET", "/api/export/results.%00", None))
@example(request=("POST", "/api/campaign", b""))
@example(request=("POST", "/api/campaign", b"{" * 100_000))
@example(request=("POST", "/api/campaign", b'{"plan": "\\u0000\\ud800"}'))
@example(request=("POST", "/api/campaign", b"\xff"))
@example(request=("POST", "/api/campaign", b"[" * 100_000 + b"]" * 100_000))
@example(request=("POST", "/api/campaign/plans/preview", b'{"name": ' + b"[" * 900 + b"]" * 900 + b"}"))
@example(request=("POST", "/api/campaign/plans/preview", b'{"measure_s": ' + b"9" * 5000 + b"}"))
@example(request=("POST", "/api/campaign/plans/preview", b'{"measure_s": Infinity, "hold_s": NaN}'))
@example(request=("POST", "/api/campaign/plans/preview", b'{"' + b"k" * 400 + b'": 1}'))
@example(request=("POST", "/api/meters/scan", b'{"hosts": []}'))
def test_every_request_gets_an_answer_in_words(client: TestClient, request: tuple[str, str, bytes | None]) -> None:
    method, target, body = request
    headers = {"Content-Type": "application/json"} if body is not None else {}
    answer = client.request(method, target, content=body, headers=headers, follow_redirects=False)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        problem = answer.json()
        assert set(problem) - {"mistakes"} == {"cause", "remedy", "detail", "field"}
        assert problem["cause"]
        assert problem["remedy"]
        assert len(problem["cause"]) < 1500
        assert len(answer.text) < 2000 + 1000 * len(problem.get("mistakes", []))


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "FROB"])
def test_a_method_that_no_route_has_is_refused_in_words(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/campaign")
    assert answer.status_code in {404, 405}
    assert answer.json()["cause"]
    assert answer.json()["remedy"]


def test_every_figure_of_an_answer_is_a_number(client: TestClient) -> None:
    """JSON has no NaN; Python would write one."""

    def refuse(name: str) -> float:
        raise AssertionError(name)

    for path in ("/api/runs", "/api/runs/r1", "/api/runs/r1/traces", "/api/published", "/api/compare/choices"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        json.loads(answer.text, parse_constant=refuse)
    assert math.isfinite(client.get("/api/live").json()["now_s"])


def test_a_run_that_is_recording_is_not_deleted(client: TestClient) -> None:
    answer = client.delete("/api/runs/r0")
    assert answer.status_code == 409
    assert answer.json()["remedy"] == "Stop the campaign first."
    assert client.get("/api/runs/r0").json()["result"]["status"] == "running"


def test_a_deleted_run_is_gone_with_its_traces(client: TestClient) -> None:
    assert len(client.get("/api/runs/r3/traces").json()["series"]) == 1
    assert client.delete("/api/runs/r3").status_code == 204
    assert client.get("/api/runs/r3").status_code == 404
    assert client.get("/api/runs/r3/traces").status_code == 404
    assert client.delete("/api/runs/r3").status_code == 404
    assert "r3" not in {result["run_id"] for result in client.get("/api/runs").json()["results"]}
