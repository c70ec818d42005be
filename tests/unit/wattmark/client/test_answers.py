"""A server that misbehaves costs the client no memory, and gets its token no further."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest
from wattmark.client import ClientError, ask

from tests.web_peer import Handler, serving

MIB = 2**20


class Peer(Handler):
    body = b""
    status = 200
    location = ""
    heard: list[str] = []

    def do_GET(self: BaseHTTPRequestHandler) -> None:
        self.heard.append(self.headers["Authorization"])
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write(self.body)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (bytes(2 * MIB), "sends more than 1 MiB"),
        (b"<html>Please log in", "is not a wattmark service"),
        (b"[" * 100_000, "is not a wattmark service"),
    ],
)
def test_an_answer_is_bounded_and_json(body: bytes, said: str) -> None:
    with serving(Peer, body=body) as port, pytest.raises(ClientError, match=said):
        ask(f"http://127.0.0.1:{port}", "GET", "/api/measurements", most_bytes=MIB)


def test_a_redirect_is_not_followed() -> None:
    there: list[str] = []
    with (
        serving(Peer, heard=there) as second,
        serving(Peer, status=307, location=f"http://127.0.0.1:{second}/") as first,
        pytest.raises(ClientError, match="redirects to another address") as refused,
    ):
        ask(f"http://127.0.0.1:{first}", "GET", "/", token="wm_secret")
    assert refused.value.status == 307
    assert there == []


@pytest.mark.parametrize("url", ["appliance:8400", "ftp://appliance", "file:///etc/passwd"])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(ClientError, match="is not the address of a service"):
        ask(url, "GET", "/")
