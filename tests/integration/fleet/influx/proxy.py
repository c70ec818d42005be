"""A small HTTP proxy between a sink and its server, that refuses, dawdles or hangs up as a script tells it."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar


@dataclass
class Fault:
    """What happens to a write: it is answered by ``status``; ``forward`` True: after the server took it."""

    status: int | None = None
    message: str = "no reason"
    headers: dict[str, str] = field(default_factory=dict)
    forward: bool = False
    delay_s: float = 0.0
    hang_up: bool = False
    html: str | None = None


class Proxy:
    """Forward to a port; the faults in ``script`` meet the next writes, ``standing`` and ``most_bytes`` every write."""

    def __init__(self, port: int, tls: tuple[Path, Path] | None, path: str) -> None:
        self.upstream = port
        self.path = path
        self.script: list[Fault] = []
        self.standing: Fault | None = None
        self.most_bytes: int | None = None
        self.writes = 0
        self.headers: list[dict[str, str]] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"proxy": self}))
        self.server.daemon_threads = True
        self.scheme = "http" if tls is None else "https"
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: ClassVar[Proxy]

    def do_GET(self) -> None:
        self._answer(*self._forward(b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        proxy = self.proxy
        proxy.writes += 1
        proxy.headers.append(dict(self.headers))
        if proxy.most_bytes is not None and len(body) > proxy.most_bytes:
            self._answer(413, b'{"error":"Request Entity Too Large"}', {})
        elif proxy.script:
            self._fail(proxy.script.pop(0), body)
        elif (standing := proxy.standing) is not None:
            self._fail(standing, body)
        else:
            self._answer(*self._forward(body))

    def _fail(self, fault: Fault, body: bytes) -> None:
        if fault.forward:
            self._forward(body)
        time.sleep(fault.delay_s)
        if fault.hang_up:
            self.close_connection = True
            return
        text = fault.html or json.dumps({"code": "fault", "error": fault.message, "message": fault.message})
        self._answer(fault.status or 200, text.encode(), fault.headers)

    def _forward(self, body: bytes) -> tuple[int, bytes, dict[str, str]]:
        if not self.path.startswith(f"{self.proxy.path}/"):
            return 404, b"<html>Not here</html>", {}
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream, timeout=10)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            upstream.request(self.command, self.path.removeprefix(self.proxy.path), body, headers)
            answer = upstream.getresponse()
            return answer.status, answer.read(), {}
        except OSError:
            return 502, b"<html>Bad gateway</html>", {}
        finally:
            upstream.close()

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def proxy_to(port: int, tls: tuple[Path, Path] | None = None, path: str = "") -> Iterator[Proxy]:
    """``tls``: a certificate and its key. ``path``: the base path under which the server appears."""
    proxy = Proxy(port, tls, path)
    thread = threading.Thread(target=proxy.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        thread.join()
        proxy.server.server_close()
