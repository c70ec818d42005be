"""A small HTTP proxy between a sink and its server, that refuses, dawdles or hangs up as a script tells it."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.web_peer import Handler, serving


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

    def __init__(self, port: int, path: str) -> None:
        self.upstream = port
        self.path = path
        self.script: list[Fault] = []
        self.standing: Fault | None = None
        self.most_bytes: int | None = None
        self.writes = 0
        self.headers: list[dict[str, str]] = []
        self.url = ""


class _Handler(Handler):
    proxy: ClassVar[Proxy]

    def do_GET(self) -> None:
        self.send(*self._forward(b""))

    def do_POST(self) -> None:
        body = self.body()
        proxy = self.proxy
        proxy.writes += 1
        proxy.headers.append(dict(self.headers))
        if proxy.most_bytes is not None and len(body) > proxy.most_bytes:
            self.send(413, b'{"error":"Request Entity Too Large"}', {})
        elif proxy.script:
            self._fail(proxy.script.pop(0), body)
        elif (standing := proxy.standing) is not None:
            self._fail(standing, body)
        else:
            self.send(*self._forward(body))

    def _fail(self, fault: Fault, body: bytes) -> None:
        if fault.forward:
            self._forward(body)
        time.sleep(fault.delay_s)
        if fault.hang_up:
            self.close_connection = True
            return
        text = fault.html or json.dumps({"code": "fault", "error": fault.message, "message": fault.message})
        self.send(fault.status or 200, text.encode(), fault.headers)

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


@contextmanager
def proxy_to(port: int, tls: tuple[Path, Path] | None = None, path: str = "") -> Iterator[Proxy]:
    """``tls``: a certificate and its key. ``path``: the base path under which the server appears."""
    proxy = Proxy(port, path)
    with serving(_Handler, tls=tls, proxy=proxy) as own_port:
        proxy.url = f"{'https' if tls else 'http'}://127.0.0.1:{own_port}"
        yield proxy
