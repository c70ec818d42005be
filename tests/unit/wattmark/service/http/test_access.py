"""Requests that must not reach a route: foreign names, foreign pages, nobody, ended sessions, too small a role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.gate import Gate
from wattmark.access.http.middleware import COOKIE, AccessPolicy
from wattmark.access.roles import Role
from wattmark.core.loopback import is_loopback
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings
from wattmark_drivers.clock import SystemClock

HERE = "http://127.0.0.1:8400"
FOREIGN_HOSTS = (
    *("evil.example", "evil.example:8400", "127.0.0.1.evil.example", "", "[::1", "a b"),
    *("evil.example@127.0.0.1:8400", "127.0.0.1:8400/evil.example", "127.0.0.1#.evil.example"),
)
LAB = "http://192.0.2.7:8400"


class MovableClock(SystemClock):
    """The machine's clock, which a test may put forward."""

    ahead_ns = 0

    def monotonic_ns(self) -> int:
        return super().monotonic_ns() + self.ahead_ns


class RunningService:
    """The application of one data folder, asked from loopback or from the lab."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovableClock()
        self.service: Service = open_service(Settings(data_dir=folder), clock=self.clock)

    @property
    def gate(self) -> Gate:
        return self.service.gate

    def client(self, base: str = HERE, *, sign_in: bool | None = None) -> TestClient:
        host = base.split("/")[2].rpartition(":")[0]
        app = create_app(self.service, AccessPolicy.for_address(host, sign_in))
        return TestClient(app, base_url=base, follow_redirects=False)

    def token(self, role: Role, name: str | None = None) -> str:
        return self.gate.tokens.create(name or role.value, role)

    def acts(self) -> list[tuple[str, str, str, int]]:
        entries = [entry.act for entry in reversed(self.gate.audit.before(None, 100))]
        return [(act.who, act.action, act.target, act.status) for act in entries]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    running = RunningService(tmp_path)
    yield running
    running.service._storage.close()


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("host", ["127.0.0.1:8400", "localhost:8400", "LOCALHOST", "[::1]:8400", "192.0.2.7:8400"])
def test_own_names_are_answered(service: RunningService, host: str) -> None:
    assert service.client().get("/api/bench", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rebound_name_is_refused(service: RunningService, host: str, method: str) -> None:
    answer = service.client().request(method, "/api/campaign", headers={"Host": host})
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
def test_a_foreign_page_changes_nothing(service: RunningService, headers: dict[str, str]) -> None:
    refused = service.client().post("/api/tokens", json={"name": "n", "role": "viewer"}, headers=headers)
    assert refused.status_code == 403
    assert refused.json()["remedy"]
    assert service.gate.tokens.all() == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "websocket"])
def test_a_foreign_page_loads_nothing_that_costs_work(service: RunningService, site: str, mode: str) -> None:
    for path in ("/api/archive?all=true", "/api/live", "/metrics"):
        refused = service.client().get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})
        assert refused.status_code == 403
        assert refused.json()["cause"] == "Pages of other sites must not load anything from this service."


def test_a_link_on_a_foreign_page_leads_here(service: RunningService) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert service.client().get("/api/bench", headers=followed).status_code == 200
    assert service.client().get("/healthz/live", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}])
def test_the_own_page_and_scripts_may_change(service: RunningService, headers: dict[str, str]) -> None:
    made = service.client().post("/api/tokens", json={"name": "n", "role": "viewer"}, headers=headers)
    assert made.status_code == 201


@pytest.mark.parametrize("path", ["/api/bench", "/api/docs", "/api/openapi.json", "/api/nothing", "/metrics"])
def test_off_loopback_nobody_is_told_anything(service: RunningService, path: str) -> None:
    answer = service.client(LAB).get(path)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert service.client(LAB).get(path, headers=bearer("wm_wrong")).status_code == 401
    assert service.client(LAB).get(path, headers={"Cookie": f"{COOKIE}=wrong"}).status_code == 401


def test_the_web_app_is_shown_to_everybody_since_it_has_the_way_in(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>app</p>")
    app = create_app(service.service, AccessPolicy.for_address("192.0.2.7"), ui=tmp_path)
    assert TestClient(app, base_url=LAB).get("/login", headers={"Accept": "text/html"}).text == "<p>app</p>"


def test_what_is_not_there_is_not_there_for_a_viewer_too(service: RunningService) -> None:
    headers = bearer(service.token(Role.VIEWER))
    assert service.client(LAB).get("/api/nothing", headers=headers).status_code == 404


def test_on_loopback_a_sign_in_is_asked_for_where_the_settings_say_so(service: RunningService) -> None:
    assert service.client(sign_in=True).get("/api/bench").status_code == 401
    assert service.client(sign_in=True).get("/api/session").json()["sign_in"] is True
    assert service.client().get("/api/session").json() == {
        "sign_in": False,
        "name": "local",
        "role": "admin",
        "lasts_s": None,
        "elsewhere": None,
    }


def test_a_bearer_token_is_taken_with_its_role(service: RunningService) -> None:
    secret = service.token(Role.VIEWER)
    answer = service.client(LAB).get("/api/session", headers=bearer(secret))
    assert (answer.json()["name"], answer.json()["role"]) == ("viewer", "viewer")
    assert service.client(LAB).get("/metrics", headers=bearer(secret)).status_code == 404


def test_a_token_becomes_a_cookie_that_scripts_cannot_read_and_that_is_not_the_token(service: RunningService) -> None:
    secret, caller = service.token(Role.OPERATOR), service.client(LAB)
    answer = caller.post("/api/session", json={"token": secret})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert secret not in cookie
    assert answer.headers["cache-control"] == "no-store"
    assert caller.get("/api/session").json()["role"] == "operator"
    assert caller.delete("/api/session").status_code == 204
    caller.cookies.set(COOKIE, cookie.partition("=")[2].partition(";")[0])
    assert caller.get("/api/bench").status_code == 401, "a session that was ended is known to nobody"


def test_a_session_ends_when_its_time_is_over(service: RunningService) -> None:
    caller = service.client(LAB)
    caller.post("/api/session", json={"token": service.token(Role.VIEWER)})
    service.clock.ahead_ns = int(11.9 * 3600e9)
    assert caller.get("/api/bench").status_code == 200
    service.clock.ahead_ns = int(12.1 * 3600e9)
    assert caller.get("/api/bench").status_code == 401


def test_a_revoked_token_and_its_sessions_are_refused_at_once(service: RunningService) -> None:
    admin, secret = service.token(Role.ADMIN), service.token(Role.VIEWER)
    browser, script = service.client(LAB), service.client(LAB)
    assert browser.post("/api/session", json={"token": secret}).status_code == 200
    assert script.get("/api/bench", headers=bearer(secret)).status_code == 200
    assert script.delete("/api/tokens/viewer", headers=bearer(admin)).status_code == 200
    assert script.get("/api/bench", headers=bearer(secret)).status_code == 401
    assert browser.get("/api/bench").status_code == 401
    listed = {token["name"]: token for token in script.get("/api/tokens", headers=bearer(admin)).json()}
    assert listed["viewer"]["revoked"]
    assert listed["viewer"]["used"]
    last = script.delete("/api/tokens/admin", headers=bearer(admin))
    assert last.status_code == 409, "the last administrator stays"
    again = script.post("/api/tokens", json={"name": "viewer", "role": "admin"}, headers=bearer(admin))
    assert again.status_code == 409, "a name is given once"


def test_who_guesses_has_to_wait_and_who_knows_a_token_of_ours_has_not(service: RunningService) -> None:
    """Behind a proxy all have one address: somebody who tries must not lock out the others."""
    secret, caller, chosen = service.token(Role.VIEWER), service.client(LAB), "chosen-by-people"
    service.gate.tokens.accept("given", Role.ADMIN, chosen)
    for _ in range(10):
        assert caller.post("/api/session", json={"token": "wm_guess"}).status_code == 401
    for tried in ("wm_guess", chosen):
        limited = caller.post("/api/session", json={"token": tried})
        assert limited.status_code == 429
        assert 0 < int(limited.headers["retry-after"]) <= 60
        assert caller.get("/api/bench", headers=bearer(tried)).status_code == 429
    assert caller.get("/api/bench", headers=bearer(secret)).status_code == 200
    assert caller.post("/api/session", json={"token": secret}).status_code == 200
    service.clock.ahead_ns = 61 * 10**9
    assert caller.post("/api/session", json={"token": chosen}).status_code == 200


def test_the_cookie_of_a_page_that_came_by_tls_stays_with_tls(service: RunningService) -> None:
    """A proxy ends TLS; what it says is not believed, but a browser names the scheme of its page in Origin."""
    token = {"token": service.token(Role.VIEWER)}
    for scheme, secure in (("https", True), ("http", False)):
        origin = {"Origin": f"{scheme}://192.0.2.7:8400"}
        cookie = service.client(LAB).post("/api/session", json=token, headers=origin).headers["set-cookie"]
        assert ("Secure" in cookie, "HttpOnly" in cookie, "SameSite=strict" in cookie) == (secure, True, True)


def test_a_refusal_says_which_role_is_needed(service: RunningService) -> None:
    answer = service.client(LAB).post("/api/campaign/stop", headers=bearer(service.token(Role.VIEWER)))
    assert answer.status_code == 403
    assert answer.json()["cause"] == "This requires the role operator; the token 'viewer' has the role a viewer."
    assert "administrator" in answer.json()["remedy"]


def test_a_token_is_kept_nowhere_in_clear(service: RunningService, tmp_path: Path) -> None:
    secret = service.client().post("/api/tokens", json={"name": "n", "role": "viewer"}).json()["secret"]
    assert len(secret) == len("wm_") + 32
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"audit_stays" in stored
    assert secret.encode() not in stored
    assert secret not in service.client().get("/api/tokens").text


def test_what_somebody_changes_is_in_the_audit_log_and_what_nobody_tries_is_not(service: RunningService) -> None:
    caller, viewer = service.client(LAB), service.token(Role.VIEWER)
    assert caller.post("/api/campaign/stop").status_code == 401
    assert caller.post("/api/session", json={"token": "wm_guess"}).status_code == 401
    caller.post("/api/campaign/stop", headers=bearer(viewer))
    caller.get("/api/bench", headers=bearer(viewer))
    caller.delete("/api/runs/r%0A1", headers=bearer(service.token(Role.ADMIN)))
    caller.post("/api/session", json={"token": viewer})
    assert service.acts() == [
        ("viewer", "campaign_stop", "/api/campaign/stop", 403),
        ("admin", "runs_delete_run", "/api/runs/r%0A1", 404),
        ("viewer", "access_sign_in", "/api/session", 200),
    ]


def test_every_answer_carries_the_security_headers_and_the_id_of_its_request(service: RunningService) -> None:
    caller = service.client()
    answers = [caller.get("/api/bench"), caller.get("/api/bench", headers={"Host": "evil.example"}), caller.get("/x")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "camera=()" in answer.headers["permissions-policy"]
        assert len(answer.headers["x-request-id"]) == 16
    echoed = caller.get("/api/bench", headers={"X-Request-ID": "proxy-1"})
    assert echoed.headers["x-request-id"] == "proxy-1"
    assert caller.get("/api/bench", headers={"X-Request-ID": "a b{}"}).headers["x-request-id"] != "a b{}"


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("lab", False)]
)
def test_is_loopback(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected
    assert AccessPolicy.for_address(host).sign_in is not expected
