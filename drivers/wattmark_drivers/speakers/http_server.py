"""A small HTTP/1.1 server for devices, with the faults of a bad network and a tired device."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from wattmark_drivers.speakers.face import Askers, Doorway
from wattmark_drivers.speakers.faults import Delay, Disconnect, Drop, FaultQueue, Garbage, HttpStatus, WrongValue
from wattmark_drivers.speakers.tcp_server import TcpServer

HTTP_FAULTS = (Delay, Drop, HttpStatus, Garbage, Disconnect, WrongValue)
NOISE = b'\x00\xff{"apower": 99'
LONGEST_BODY = 65536


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A client's request; header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """Return the path without the query."""
        return urlsplit(self.target).path

    @property
    def login(self) -> bytes:
        """Return everything in which a request can hold a login."""
        headers = (self.headers.get(name, "") for name in ("authorization", "x-auth-token"))
        return b"\n".join((*(value.encode() for value in headers), self.body))

    @property
    def query(self) -> dict[str, str]:
        """Return the query, decoded; the last of several equal keys counts."""
        return {key: values[-1] for key, values in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The device's reply: bytes, nothing, or a document as JSON."""

    document: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    falsified: Callable[[WrongValue], Any] | None = None
    """Builds the document with a wrong value; only readings have it, and only they are hit by faults."""
    wrong_login: bool = False
    """Whether the client gave a password, or a token, that is none."""


Handler = Callable[[HttpRequest], HttpAnswer]


class HttpServer:
    """Serves a handler until stopped; ``port`` 0 takes any free one."""

    def __init__(
        self,
        handler: Handler,
        faults: FaultQueue,
        *,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        door: Doorway | None = None,
        askers: Askers | None = None,
    ) -> None:
        self._handler = handler
        self._faults = faults
        self._tcp = TcpServer(self._converse, port=port, tls=tls, door=door, askers=askers)

    async def start(self) -> int:
        """Listen and return the port. Raises `ConnectionFailed` when the port is taken."""
        return await self._tcp.start()

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        """List the tasks that go on as long as it listens."""
        return self._tcp.upkeep

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._tcp.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await self._serve(reader, writer):
            pass

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handle one request; return False to end the connection."""
        try:
            request = await _read_request(reader)
        except _UnreadableRequestError as error:
            writer.write(_encode(HttpAnswer(None, error.status, {"Connection": "close"}), with_body=True))
            await writer.drain()
            return False
        await self._tcp.asked(writer)
        answer = self._handler(request)
        if answer.wrong_login:
            await self._tcp.refuse(writer, request.login)
        fault = self._faults.take() if answer.falsified else None
        match fault:
            case Drop():
                return True
            case Disconnect():
                return False
            case Delay():
                await asyncio.sleep(fault.seconds)
            case HttpStatus():
                answer = HttpAnswer({}, fault.code)
            case WrongValue() if answer.falsified:
                answer = HttpAnswer(answer.falsified(fault), answer.status, answer.headers)
        if isinstance(fault, Garbage):
            writer.write(NOISE)
        writer.write(_encode(answer, with_body=request.method != "HEAD"))
        await writer.drain()
        return request.headers.get("connection", "").lower() != "close"


class _UnreadableRequestError(Exception):
    """A request that HTTP does not allow, or that is too long; the connection cannot go on."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


async def _read_request(reader: asyncio.StreamReader) -> HttpRequest:
    """Read a request (RFC 9112, 3 and 6). Raises `_UnreadableRequestError`, and `IncompleteReadError` at the end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.LimitOverrunError:
        raise _UnreadableRequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    words = head[0].split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    length = headers.get("content-length", "0")
    if len(words) != 3 or not (length.isascii() and length.isdigit()):
        raise _UnreadableRequestError(HTTPStatus.BAD_REQUEST)
    if "transfer-encoding" in headers:
        raise _UnreadableRequestError(HTTPStatus.LENGTH_REQUIRED)
    if int(length) > LONGEST_BODY:
        raise _UnreadableRequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return HttpRequest(words[0], words[1], headers, await reader.readexactly(int(length)))


def _encode(answer: HttpAnswer, *, with_body: bool) -> bytes:
    body = _body(answer.document)
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase if answer.status in _STATUSES else 'Status'}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
    ]
    if answer.status != HTTPStatus.NO_CONTENT:  # which has no length either (RFC 9110, 8.6)
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body if with_body else b"")


def _body(document: Any) -> bytes:
    if isinstance(document, bytes):
        return document
    return b"" if document is None else json.dumps(document, allow_nan=False).encode("utf-8")


_STATUSES = frozenset(HTTPStatus)
