"""Requests that must not reach a route: foreign names, foreign pages, missing tokens."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from httpx2 import Response
from starlette.testclient import TestClient
from wattmark.api.access import COOKIE, AccessMiddleware, AccessPolicy, is_loopback
from wattmark.api.headers import SecurityHeadersMiddleware

TOKEN = "t0ken-for-this-test"


def client(policy: AccessPolicy, base: str = "http://127.0.0.1:8400") -> TestClient:
    app = FastAPI()
    started: list[str] = []

    @app.get("/api/health")
    @app.get("/api/bench")
    def read() -> list[str]:
        return started

    @app.post("/api/campaign")
    def start() -> list[str]:
        started.append("load")
        return started

    app.add_middleware(AccessMiddleware, policy=policy)
    app.add_middleware(SecurityHeadersMiddleware)
    return TestClient(app, base_url=base, follow_redirects=False)


LOCAL = AccessPolicy.for_address("127.0.0.1", None)


@pytest.mark.parametrize("host", ["127.0.0.1:8400", "localhost:8400", "LOCALHOST", "[::1]:8400", "192.0.2.7:8400"])
def test_own_names_are_answered(host: str) -> None:
    assert client(LOCAL).get("/api/bench", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8400", "127.0.0.1.evil.example", "", "[::1", "a b"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rebound_name_is_refused(host: str, method: str) -> None:
    answer = client(LOCAL).request(method, "/api/campaign", headers={"Host": host})
    assert answer.status_code in {400, 421}
    assert "traceback" not in answer.text.lower()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://localhost:8400"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_foreign_page_starts_nothing(headers: dict[str, str]) -> None:
    caller = client(LOCAL)
    refused = caller.post("/api/campaign", headers=headers)
    assert refused.status_code == 403
    assert refused.json()["remedy"]
    assert caller.get("/api/bench").json() == []


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://127.0.0.1:8400", "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]
)
def test_the_own_page_and_scripts_may_start(headers: dict[str, str]) -> None:
    assert client(LOCAL).post("/api/campaign", headers=headers).json() == ["load"]


def remote() -> TestClient:
    return client(AccessPolicy.for_address("192.0.2.7", TOKEN), "http://192.0.2.7:8400")


def test_off_loopback_a_token_is_needed() -> None:
    answer = remote().get("/api/bench")
    assert answer.status_code == 401
    assert remote().get("/api/health").status_code == 200


def test_a_bearer_token_is_taken() -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert remote().post("/api/campaign", headers=headers).status_code == 200
    assert remote().post("/api/campaign", headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_the_printed_address_becomes_a_cookie_that_scripts_cannot_read() -> None:
    caller = remote()
    answer: Response = caller.get("/", params={"token": TOKEN})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    caller.cookies.set(COOKIE, TOKEN)
    assert caller.get("/api/bench").status_code == 200


def test_the_redirect_stays_on_this_service() -> None:
    answer = remote().get("http://192.0.2.7:8400//evil.example/", params={"token": TOKEN})
    assert answer.headers["location"] == "/evil.example/"


def test_every_answer_carries_the_security_headers() -> None:
    for answer in (client(LOCAL).get("/api/bench"), client(LOCAL).get("/api/bench", headers={"Host": "evil.example"})):
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("lab", False)]
)
def test_is_loopback(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected
