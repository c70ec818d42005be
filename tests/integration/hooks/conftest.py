from __future__ import annotations

import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.clock import SystemClock


class Peer:
    """Another system that begins and ends a load when it is called; a test says how it misbehaves."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        """What it heard: method, path, body, authorization."""
        self.running = False
        self.answers: dict[str, list[Any]] = {}
        """For a path, the answers to come instead of the ordinary one: (status, body[, headers]), or "drop"."""
        self.release = threading.Event()
        peer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_call(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                peer.hear(self, {"method": self.command, "path": self.path, "body": body})

            do_GET = do_POST = do_PUT = do_DELETE = handle_one_call

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def events(self) -> list[str]:
        return [call["body"]["event"] for call in self.calls if call["body"]]

    def hear(self, handler: BaseHTTPRequestHandler, call: dict[str, Any]) -> None:
        self.calls.append({**call, "authorization": handler.headers.get("Authorization")})
        event = (call["body"] or {}).get("event")
        if event:
            self.running = event == "begin"
        waiting = self.answers.get(call["path"], [])
        answer = waiting.pop(0) if waiting else (200, {"done": 10 * len(self.calls)}, {})
        if answer == "hang":
            self.release.wait(10)
        if answer in ("drop", "hang"):
            handler.close_connection = True
            return
        status, body, headers = (*answer, {})[:3]
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def peer() -> Iterator[Peer]:
    one = Peer()
    one.thread.start()
    yield one
    one.close()


@pytest.fixture
def secured(peer: Peer, tmp_path: Path) -> Path:
    """Let the peer speak TLS; gives the file with its authority."""
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=peer"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    peer.server.socket = context.wrap_socket(peer.server.socket, server_side=True)
    return certificate
