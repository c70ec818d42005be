"""A server that misbehaves costs neither memory nor time, and sends what it got to nobody else."""

from __future__ import annotations

import gzip
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import lz4.frame
import pytest
from urllib3 import PoolManager
from wattmark import client
from wattmark.core.bounded_http import BadAnswer, bound
from wattmark.core.errors import StoreError, WattmarkError
from wattmark.fleet.clickhouse.connection import Connection as ClickHouse
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.influx.connection import Connection as Influx
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.reading import http_service
from wattmark.reading.http_service import ask_service, file_of_service

from tests.web_peer import Handler, serving

MIB = 2**20
ZEROS = bytes(8 * MIB)


@dataclass
class Peer:
    """A server whose answer the test sets; ``heard`` are the requests that came."""

    answer: Callable[[BaseHTTPRequestHandler], None] = lambda handler: send(handler, b"ok")
    heard: list[str] = field(default_factory=list)
    url: str = ""
    connections: int = 0


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"content_length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


class Answering(Handler):
    peer: Peer

    def setup(self) -> None:
        super().setup()
        self.peer.connections += 1

    def do_GET(self) -> None:
        self.body()
        self.peer.heard.append(f"{self.command} {self.path}")
        try:
            self.peer.answer(self)
        except OSError:
            self.close_connection = True

    do_POST = do_DELETE = do_GET


@pytest.fixture
def peers() -> Iterator[list[Peer]]:
    """Two servers."""
    made = [Peer(), Peer()]
    with ExitStack() as stack:
        for peer in made:
            peer.url = f"http://127.0.0.1:{stack.enter_context(serving(Answering, peer=peer))}"
        yield made


def pool(most_bytes: int = MIB, longest_s: float = 30.0) -> PoolManager:
    manager = PoolManager(retries=1)
    bound(manager, most_bytes, longest_s)
    return manager


def chunked(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for _ in range(64):
        handler.wfile.write(b"%x\r\n" % 2**18 + bytes(2**18) + b"\r\n")
    handler.wfile.write(b"0\r\n\r\n")


@pytest.mark.parametrize("preload", [True, False])
@pytest.mark.parametrize(
    ("body", "headers"),
    [(b"words", {}), (lz4.frame.compress(b"words"), {"content_encoding": "lz4"}), (b"", {})],
    ids=["plain", "lz4", "empty"],
)
def test_an_answer_within_the_limits_is_the_same_and_keeps_its_connection(
    peers: list[Peer], preload: bool, body: bytes, headers: dict[str, str]
) -> None:
    peer, manager = peers[0], pool()
    peer.answer = lambda handler: send(handler, body, **headers)
    for _ in range(3):
        answer = manager.request("GET", peer.url, preload_content=preload)
        read = answer.data if preload else b"".join(answer.stream(2))
        assert (answer.status, read) == (200, b"words" if body else b"")
    assert peer.connections == 1


def test_frames_of_lz4_follow_each_other(peers: list[Peer]) -> None:
    body = b"".join(lz4.frame.compress(part) for part in (b"a" * 200_000, b"b"))
    peers[0].answer = lambda handler: send(handler, body, content_encoding="lz4")
    assert pool().request("GET", peers[0].url).data == b"a" * 200_000 + b"b"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda handler: send(handler, ZEROS), "more than 1 MiB"),
        (chunked, "more than 1 MiB"),
        (lambda handler: send(handler, lz4.frame.compress(ZEROS), content_encoding="lz4"), "more than 1 MiB"),
        (lambda handler: send(handler, gzip.compress(ZEROS), content_encoding="gzip"), "packed as 'gzip'"),
        (lambda handler: send(handler, b"x", content_encoding="zstd"), "packed as 'zstd'"),
        (lambda handler: send(handler, b"none", content_encoding="lz4"), "damaged"),
        (lambda handler: send(handler, ZEROS, status=500), "more than 1 MiB"),
    ],
    ids=["long", "chunked", "lz4 bomb", "gzip bomb", "zstd", "no lz4", "long error"],
)
@pytest.mark.parametrize("preload", [True, False])
def test_an_answer_beyond_them_is_refused_once(
    peers: list[Peer], preload: bool, answer: Callable[[Any], None], said: str
) -> None:
    peers[0].answer = answer
    with pytest.raises(BadAnswer, match=said):
        pool().request("GET", peers[0].url, preload_content=preload)
    assert len(peers[0].heard) == 1


def test_an_answer_that_drips_ends(peers: list[Peer]) -> None:
    gone = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not gone.wait(0.01):
            handler.wfile.write(b"x")

    peers[0].answer = drip
    with pytest.raises(BadAnswer, match=r"longer than 0\.1 s"):
        pool(longest_s=0.1).request("GET", peers[0].url)
    gone.set()


def redirect(target: Peer, status: int) -> Callable[[BaseHTTPRequestHandler], None]:
    there = f"{target.url.replace('//', '//me:secret@')}/elsewhere?secret=1"
    return lambda handler: send(handler, b"", status=status, location=there)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_client_follows_a_redirect(peers: list[Peer], status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTMARK_TOKEN", "wm_secret")
    here, there = peers
    here.answer = redirect(there, status)
    netloc = there.url.removeprefix("http://")
    with pytest.raises(StoreError, match=f"redirects to {netloc} .status {status}.") as refused:
        ClickHouse(ClickHouseSettings(url=here.url, password=None)).rows("SELECT 1")
    assert "WATTMARK_CLICKHOUSE_URL" in refused.value.remedy
    influx = Influx(InfluxSettings(url=here.url))
    assert f"redirects to {netloc}" in influx.write(b"m f=1 1", 1).cause
    with pytest.raises(StoreError, match=f"redirects to {netloc}"):
        influx.groups("SHOW DATABASES")
    for method in ("GET", "POST"):
        with pytest.raises(WattmarkError, match="redirects to another address"):
            ask_service(here.url, method, "/api/tokens", {"name": "x"} if method == "POST" else None)
    assert there.heard == []
    assert here.heard


def test_bombs_and_endless_answers_do_not_fill_the_memory(peers: list[Peer], monkeypatch: pytest.MonkeyPatch) -> None:
    peer = peers[0]
    peer.answer = lambda handler: send(handler, gzip.compress(bytes(64 * MIB)), content_encoding="gzip")
    with pytest.raises(StoreError, match="packed as 'gzip', which was not asked for"):
        ClickHouse(ClickHouseSettings(url=peer.url)).rows("SELECT 1")
    assert "packed as 'gzip'" in Influx(InfluxSettings(url=peer.url)).write(b"m f=1 1", 1).cause
    monkeypatch.setattr(http_service, "MOST_BYTES", MIB)
    peer.answer = lambda handler: send(handler, ZEROS)
    with pytest.raises(WattmarkError, match="more than 1 MiB"):
        ask_service(peer.url, "GET", "/api/tokens")
    peer.answer = lambda handler: send(handler, b"<html>Please log in")
    with pytest.raises(WattmarkError, match="is not a wattmark service"):
        ask_service(peer.url, "GET", "/api/tokens")
    peer.answer = lambda handler: send(handler, ZEROS)
    assert urllib.request.urlopen(peer.url).read(1) == b"\0", "the server itself would send all of it"


@pytest.mark.parametrize(
    ("header", "value", "sent"),
    [
        ("Transfer-Encoding", "chunked", b"10\r\nhalf of"),
        ("Content-Length", "1000", b"{}"),
        ("Content-Length", "9", b""),
    ],
)
def test_an_answer_that_is_cut_is_told_in_words(peers: list[Peer], header: str, value: str, sent: bytes) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header(header, value)
        handler.end_headers()
        handler.wfile.write(sent)
        handler.close_connection = True

    peers[0].answer = cut
    with pytest.raises(WattmarkError, match="broke off"):
        ask_service(peers[0].url, "GET", "/api/bench")
    with pytest.raises(WattmarkError, match="broke off"):
        list(file_of_service(peers[0].url, "/api/runs/r/samples.parquet"))


def test_a_file_of_a_service_has_a_limit(peers: list[Peer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_service, "MOST_FILE_BYTES", 2 * MIB)
    peers[0].answer = lambda handler: send(handler, ZEROS)
    pieces = file_of_service(peers[0].url, "/api/runs/r/samples.parquet", "secret")
    with pytest.raises(WattmarkError, match="a file of more than"):
        list(pieces)


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("http://viewer:s3cret@127.0.0.1:1", None),
        ("http://127.0.0.1:1?token=s3cret", None),
        ("ftp://viewer:s3cret@127.0.0.1:1", None),
        ("http://127.0.0.1:1", "s3cret\n"),
        ("http://127.0.0.1:1", "s3crét"),
    ],
)
def test_no_message_repeats_a_secret(url: str, token: str | None) -> None:
    for ask in (ask_service, client.ask):
        with pytest.raises((WattmarkError, client.ClientError)) as refused:
            ask(url, "GET", "/api/bench", token=token)
        assert "s3cr" not in str(refused.value)
        assert "token" in str(refused.value)
