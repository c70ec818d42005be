"""Requests that are too long, too large, too slow or too many."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import wattmark.service.process.server
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.http.permissions import SMALL_BODY
from wattmark.service.app import create_app
from wattmark.service.http.limits import BodyLimits
from wattmark.service.process.server import LARGEST_HEAD, Server, listen
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.web.streams import MOST

from ..service.conftest import Service, Start, wait_until


@pytest.fixture
def service(start: Start, tmp_path: Path) -> Service:
    return start(tmp_path)


def raw(service: Service, content: bytes) -> bytes:
    """Send bytes and read until the service closes."""
    host, _, port = service.netloc.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as sock:
        parts = []
        with suppress(ConnectionResetError, BrokenPipeError):
            sock.sendall(content)
        with suppress(ConnectionResetError):
            while part := sock.recv(65536):
                parts.append(part)
        return b"".join(parts)


def test_a_head_that_is_too_long_is_refused(service: Service) -> None:
    host = f"Host: {service.netloc}\r\nConnection: close\r\n".encode()
    assert raw(service, b"GET /api/live?" + b"a" * LARGEST_HEAD + b" HTTP/1.1\r\n" + host).startswith(b"HTTP/1.1 400")
    many = b"".join(b"X-%d: %s\r\n" % (n, b"v" * 100) for n in range(200))
    assert raw(service, b"GET /api/live HTTP/1.1\r\n" + host + many).startswith(b"HTTP/1.1 400")
    assert service.ask("GET", "/healthz")[0] == 200


def test_a_request_whose_length_is_said_twice_is_refused_and_what_follows_is_not_read(service: Service) -> None:
    """RFC 9112, 6.1: a proxy that goes by the other length would take what follows for somebody else's request."""
    head = f"POST /api/campaign/stop HTTP/1.1\r\nHost: {service.netloc}\r\n".encode()
    smuggled = b"0\r\n\r\nGET /healthz/live HTTP/1.1\r\nHost: %s\r\n\r\n" % service.netloc.encode()
    answer = raw(service, head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled)
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1 ") == 1
    for lengths in (
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    ):
        assert raw(service, head + lengths).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "path", ["/api/campaign", "/api/session", "/api/markers", "/api/check-standards", "/api/tokens"]
)
def test_a_body_that_is_too_large_is_refused_by_what_it_declares_and_by_what_comes(service: Service, path: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: {service.netloc}\r\nContent-Type: application/json\r\n".encode()
    declared = raw(service, head + b"Content-Length: 99999999999\r\n\r\n")
    assert declared.startswith(b"HTTP/1.1 413")
    chunk = b"%x\r\n%s\r\n" % (SMALL_BODY // 4, b" " * (SMALL_BODY // 4))
    streamed = raw(service, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 5)
    assert streamed.startswith(b"HTTP/1.1 413")
    assert b"Send less data at once" in streamed


def test_live_views_are_bounded_and_a_closed_one_makes_room(service: Service) -> None:
    with ExitStack() as stack:
        for _ in range(MOST):
            viewer = stack.enter_context(closing(http.client.HTTPConnection(service.netloc, timeout=20)))
            viewer.request("GET", "/api/live/stream")
            assert viewer.getresponse().status == 200
        status, problem = service.ask("GET", "/api/live/stream")
        assert status == 503
        assert str(MOST) in problem["cause"]
    end = time.monotonic() + 60
    while "wattmark_live_listeners 0.0\n" not in text(service, "/metrics"):
        assert time.monotonic() < end
        time.sleep(0.1)


def text(service: Service, path: str) -> str:
    with closing(http.client.HTTPConnection(service.netloc, timeout=20)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read().decode()


@pytest.fixture
def impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Serve in this process, with little patience."""
    monkeypatch.setattr(wattmark.service.process.server, "HEADERS_S", 0.3)
    monkeypatch.setattr(wattmark.service.process.server, "UNREAD_S", 1)
    service = open_service(Settings(data_dir=tmp_path))
    sock = listen("127.0.0.1", 0)
    server = Server(create_app(service, AccessPolicy.for_address("127.0.0.1")))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[sock])))
    address = sock.getsockname()
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join(10)
        service._storage.close()


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_a_head_that_does_not_come_ends_the_connection(impatient: tuple[str, int], begun: bytes) -> None:
    with socket.create_connection(impatient, timeout=20) as sock:
        sock.sendall(begun)
        assert sock.recv(100) == b""


def test_connections_beyond_the_most_are_closed_at_once_and_the_others_are_answered(
    impatient: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them is a file less for meters and programs; half of the places are open to one address."""
    monkeypatch.setattr(wattmark.service.process.server, "MOST_CONNECTIONS", 6)
    monkeypatch.setattr(wattmark.service.process.server, "HEADERS_S", 20)
    with ExitStack() as stack:
        places = [stack.enter_context(socket.create_connection(impatient, timeout=20)) for _ in range(3)]
        with socket.create_connection(impatient, timeout=20) as surplus:
            assert surplus.recv(1) == b""
        for connection in places:
            connection.sendall(b"GET /healthz/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")


def drip(address: tuple[str, int], begun: bytes) -> None:
    """Send something, then a byte at a time until the service has had enough."""
    with socket.create_connection(address, timeout=20) as sock:
        sock.sendall(begun)
        for _ in range(2000):
            sock.sendall(b"G")
            time.sleep(0.01)


def test_a_head_that_drips_ends_the_connection_too(impatient: tuple[str, int]) -> None:
    with pytest.raises(OSError, match=r"reset|Broken pipe"):
        drip(impatient, b"GET /healthz HTTP/1.1\r\nX-Slow: ")


def test_a_body_that_drips_where_no_route_reads_ends_the_connection(impatient: tuple[str, int]) -> None:
    with pytest.raises(OSError, match=r"reset|Broken pipe"):
        drip(impatient, b"POST /api/campaign/stop HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n")


def test_an_answer_that_nobody_reads_ends_the_connection(impatient: tuple[str, int]) -> None:
    """What is asked for and never read held a place for ever, and 256 of them all places of an address."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.connect(impatient)
        sock.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        wait_until(lambda: b"openapi" in sock.recv(2048, socket.MSG_PEEK), 20)
        assert is_held(sock)
        wait_until(lambda: not is_held(sock), 20)


def is_held(peer: socket.socket) -> bool:
    """Tell whether the other end of a connection still stands, by the kernel's table."""
    port = f":{peer.getsockname()[1]:04X}"
    return any(line.split()[2].endswith(port) for line in Path("/proc/net/tcp").read_text().splitlines())


def test_a_body_that_does_not_come_is_refused() -> None:
    async def reads(scope: object, receive: object, send: object) -> None:
        await receive()  # type: ignore[operator]

    async def never() -> None:
        await asyncio.Event().wait()

    async def ask() -> None:
        scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
        await BodyLimits(reads, pause_s=0.05)(scope, never, never)  # type: ignore[arg-type]

    with pytest.raises(Exception, match="did not arrive in time") as refused:
        asyncio.run(ask())
    assert refused.value.status_code == 408  # type: ignore[attr-defined]


def test_files_of_the_web_app_stay_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui/index.html").write_text("<p>app</p>")
    (tmp_path / "secret").write_text("canary-7f3")
    service = open_service(Settings(data_dir=tmp_path / "data"))
    app = create_app(service, AccessPolicy.for_address("127.0.0.1"), ui=tmp_path / "ui")
    client = TestClient(app, base_url="http://127.0.0.1")
    for path in (
        "/../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "//secret",
        "/%2e%2e%2fsecret",
        "/assets/../../secret",
    ):
        assert "canary-7f3" not in client.get(path).text
    service._storage.close()
