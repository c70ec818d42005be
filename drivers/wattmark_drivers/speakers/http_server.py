"""A small HTTP/1.1 server on loopback for simulated devices, with the faults of a bad network and a tired device."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

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
    def query(self) -> dict[str, str]:
        """Return the query, decoded; the last of several equal keys counts."""
        return {key: values[-1] for key, values in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The device's reply: bytes, nothing, or a document as JSON; ``measured`` for readings, which faults hit."""

    document: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    measured: bool = False


Handler = Callable[[HttpRequest], HttpAnswer]
Falsify = Callable[[Any, WrongValue], Any]
"""Puts a wrong value into a document of readings."""


class HttpServer:
    """Serves a handler until stopped; ``port`` 0 takes any free one."""

    def __init__(
        self,
        handler: Handler,
        falsify: Falsify,
        faults: FaultQueue,
        *,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._handler = handler
        self._falsify = falsify
        self._faults = faults
        self._tcp = TcpServer(self._converse, port=port, tls=tls)

    async def start(self) -> int:
        """Listen on loopback and return the port. Raises `ConnectionFailed` when the port is taken."""
        return await self._tcp.start()

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._tcp.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await self._serve(reader, writer):
            pass

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handle one request; return False to end the connection."""
        request = await _read_request(reader)
        answer = self._handler(request)
        fault = self._faults.take() if answer.measured else None
        match fault:
            case Drop():
                return True
            case Disconnect():
                return False
            case Delay():
                await asyncio.sleep(fault.seconds)
            case HttpStatus():
                answer = HttpAnswer({}, fault.code)
            case WrongValue():
                answer = HttpAnswer(self._falsify(answer.document, fault), answer.status, answer.headers)
        writer.write(NOISE if isinstance(fault, Garbage) else b"")
        writer.write(_encode(answer, with_body=request.method != "HEAD"))
        await writer.drain()
        return request.headers.get("connection", "").lower() != "close"


async def _read_request(reader: asyncio.StreamReader) -> HttpRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= LONGEST_BODY:
        raise ValueError("the body of the request is too long")
    return HttpRequest(method, target, headers, await reader.readexactly(length))


def _encode(answer: HttpAnswer, *, with_body: bool) -> bytes:
    body = _body(answer.document)
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase if answer.status in _STATUSES else 'Status'}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body if with_body else b"")


def _body(document: Any) -> bytes:
    if isinstance(document, bytes):
        return document
    return b"" if document is None else json.dumps(document).encode("utf-8")


_STATUSES = frozenset(HTTPStatus)
