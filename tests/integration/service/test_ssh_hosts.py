"""A server over SSH is added in the browser: a signed-in administrator accepts the host key of a real sshd."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..sshd import Sshd
from .conftest import PATIENCE_S, Service, Start

PRIVATE_KEY = "-----BEGIN OPENSSH PRIVATE KEY-----"


class Browser:
    """A browser with the cookie of a session."""

    def __init__(self, service: Service, token: str) -> None:
        self._service = service
        answer, _ = self._ask("POST", "/api/session", {"token": token}, {})
        self._cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        self.said = b""
        """All that the service answered."""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        answer, content = self._ask(method, path, body, {"Cookie": self._cookie, **headers})
        self.said += content
        return answer.status, json.loads(content)

    def _ask(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self._service.netloc, timeout=PATIENCE_S)
        sent = {"Content-Type": "application/json", "Origin": f"http://{self._service.netloc}", **headers}
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content


@pytest.fixture
def signed_in(start: Start, tmp_path: Path) -> tuple[Service, Browser]:
    service = start(tmp_path / "data", "--sign-in")
    return service, Browser(service, (tmp_path / "data/first-token").read_text().strip())


def server_entry(sshd: Sshd, **files: str) -> dict[str, Any]:
    ssh = {"host": sshd.host, "port": sshd.port, "user": sshd.user, **files}
    configuration = {"id": "c", "cpu": {"model": "any"}, "os": {"name": "any", "kernel": "any"}}
    return {"id": "far", "access": {"ssh": ssh}, "configurations": [configuration]}


def test_a_server_is_added_without_a_file_edited_by_hand(
    signed_in: tuple[Service, Browser], sshd: Sshd, tmp_path: Path
) -> None:
    _, browser = signed_in
    where = {"host": sshd.host, "port": sshd.port}
    status, shown = browser.ask("POST", "/api/bench/ssh-hosts/ask", where)
    printed = subprocess.run(
        ["ssh-keygen", "-lf", str(sshd.folder / "host.pub")], check=True, capture_output=True, text=True
    ).stdout.split()[1]
    assert (status, shown["fingerprint"], shown["accepted"]) == (200, printed, False)
    assert not (tmp_path / "data/ssh").exists()
    accepting = {**where, "key": shown["key"], "fingerprint": shown["fingerprint"]}
    status, own = browser.ask("POST", "/api/bench/ssh-hosts", accepting)
    assert status == 201
    files = {name: own[name] for name in ("identity_file", "known_hosts")}

    # Nothing reaches the server before the line is there, and the form says why.
    reading = {"ssh": {**where, "user": sshd.user, "own_key": True}}
    status, refusal = browser.ask("POST", "/api/bench/read-machine", reading)
    assert (status, "authorized_keys" in refusal["remedy"]) == (422, True)
    authorized = sshd.folder / "authorized"
    before = authorized.read_text()
    try:
        authorized.write_text(f"{before}{own['authorized_keys']}\n")
        status, machine = browser.ask("POST", "/api/bench/read-machine", reading)
        assert (status, "configuration" in machine) == (200, True)
    finally:
        authorized.write_text(before)

    version = browser.ask("GET", "/api/bench")[1]["version"]
    status, edited = browser.ask("PUT", "/api/bench/servers/far", server_entry(sshd, **files), **{"If-Match": version})
    assert status == 200, edited
    assert "identity_file: ssh/id_ed25519" in (tmp_path / "data/bench.yaml").read_text()

    acts = [act for act in browser.ask("GET", "/api/audit")[1]["entries"] if act["action"] == "bench_accept_ssh_host"]
    assert [act["target"] for act in acts] == [f"/api/bench/ssh-hosts {sshd.host}:{sshd.port}, {printed}"]
    private = (tmp_path / "data/ssh/id_ed25519").read_text()
    assert private.startswith(PRIVATE_KEY)
    assert not any(line.encode() in browser.said for line in private.splitlines())


def test_a_host_that_nobody_accepted_is_refused(
    signed_in: tuple[Service, Browser], sshd: Sshd, make_sshd: Callable[[], Sshd]
) -> None:
    _, browser = signed_in
    where = {"host": sshd.host, "port": sshd.port}
    shown = browser.ask("POST", "/api/bench/ssh-hosts/ask", where)[1]
    version = browser.ask("GET", "/api/bench")[1]["version"]
    files = {"identity_file": "ssh/id_ed25519", "known_hosts": "ssh/known_hosts"}
    put = ("PUT", "/api/bench/servers/far")
    assert browser.ask(*put, server_entry(sshd, **files), **{"If-Match": version})[0] == 422
    other = browser.ask("POST", "/api/bench/ssh-hosts", {**where, "key": shown["key"], "fingerprint": "SHA256:other"})
    assert (other[0], "not that of the key" in other[1]["cause"]) == (422, True)
    accepting = {**where, "key": shown["key"], "fingerprint": shown["fingerprint"]}
    assert browser.ask("POST", "/api/bench/ssh-hosts", accepting)[0] == 201
    for entry in (
        server_entry(make_sshd(), **files),
        server_entry(sshd),
        server_entry(sshd, **{**files, "identity_file": "ssh/../ssh/id_ed25519"}),
        server_entry(sshd, **{**files, "known_hosts": "/etc/ssh/ssh_known_hosts"}),
    ):
        status, refusal = browser.ask(*put, entry, **{"If-Match": version})
        assert status == 422, refusal


def test_a_host_name_is_a_host_name_and_a_user_is_a_user(signed_in: tuple[Service, Browser]) -> None:
    _, browser = signed_in
    for name in ("-oProxyCommand=id", "far.lab\nevil ssh-rsa AAAA", "far.lab\n", "far.lab ", "a,b", "*", "|1|x", ""):
        accepting = {"host": name, "key": "ssh-ed25519 AAAA", "fingerprint": "SHA256:x"}
        user = {"ssh": {"host": "127.0.0.1", "user": name, "own_key": True}}
        assert browser.ask("POST", "/api/bench/ssh-hosts/ask", {"host": name})[0] == 422
        assert browser.ask("POST", "/api/bench/ssh-hosts", accepting)[0] == 422
        assert browser.ask("POST", "/api/bench/read-machine", user)[0] == 422


def test_without_a_sign_in_nobody_accepts(start: Start, sshd: Sshd, tmp_path: Path) -> None:
    service = start(tmp_path / "data")
    where = {"host": sshd.host, "port": sshd.port}
    status, shown = service.ask("POST", "/api/bench/ssh-hosts/ask", where)
    assert status == 200
    accepting = {**where, "key": shown["key"], "fingerprint": shown["fingerprint"]}
    status, refusal = service.ask("POST", "/api/bench/ssh-hosts", accepting)
    assert (status, "--sign-in" in refusal["remedy"]) == (403, True)
    assert not (tmp_path / "data/ssh").exists()
