"""A TP-Link plug or strip on loopback, with its own protocol: XOR frames on TCP, or KLAP over HTTP."""

from __future__ import annotations

import asyncio
import json
import secrets
from pathlib import Path

from wattmark_drivers.catalogue.kasa_map import Cipher, KasaMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.kasa import xor
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.faults import (
    Delay,
    Disconnect,
    Drop,
    Fault,
    FaultQueue,
    Garbage,
    WrongValue,
)
from wattmark_drivers.speakers.http_server import HTTP_FAULTS, HttpAnswer, HttpRequest, HttpServer
from wattmark_drivers.speakers.indication import Indication, values_of
from wattmark_drivers.speakers.kasa.documents import KasaDocuments
from wattmark_drivers.speakers.kasa.klap import KlapSession, KlapVersion
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec
from wattmark_drivers.speakers.tcp_server import TcpServer

USERNAME = "simulated@example.com"
COOKIE = "TP_SESSIONID"
MOST_SESSIONS = 8


class _Plug(Speaker):
    """What both ways of speaking share: the documents, the faults, the indication."""

    def __init__(self, table: KasaMap, serial: int, *kinds: type[Fault]) -> None:
        self._table = table
        self._documents = KasaDocuments(table, serial)
        self.faults = FaultQueue(*kinds)

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        self._documents.values = values_of(self._table.values, indication)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel not in self._documents.values:
            names = ", ".join(sorted(self._documents.values))
            raise ConfigurationError(f"The plug has no channel {fault.channel}.", f"It has: {names}.")
        self.faults.add(fault)


class XorPlug(_Plug):
    """A plug that speaks the old protocol; it knows no login."""

    def __init__(self, table: KasaMap, *, serial: int = 1, port: int = 0) -> None:
        super().__init__(table, serial, Delay, Drop, Garbage, Disconnect, WrongValue)
        self._server = TcpServer(self._converse, port=port)

    async def start(self) -> dict[str, str]:
        """Listen on loopback and return the address. Raises `ConnectionFailed` when the port is taken."""
        return {"url": f"kasa://{LOOPBACK}:{await self._server.start()}/1"}

    async def stop(self) -> None:
        await self._server.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await self._serve(reader, writer):
            pass

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handle one request; return False to end the connection."""
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > xor.MOST_BYTES:
            return False
        request = self._documents.parse(xor.decode(await reader.readexactly(length)))
        fault = self.faults.take() if self._documents.measures(request) else None
        wrong = (fault.channel, fault.value) if isinstance(fault, WrongValue) else None
        frame = xor.encode(json.dumps(self._documents.answer(request, wrong)).encode())
        match fault:
            case Drop():
                return True
            case Disconnect():
                return False
            case Delay():
                await asyncio.sleep(fault.seconds)
            case Garbage():
                frame = frame[:4] + frame[:3:-1]
        writer.write(frame)
        await writer.drain()
        return True


class KlapPlug(_Plug):
    """A plug that speaks KLAP, with its own login."""

    def __init__(
        self, table: KasaMap, folder: Path, *, cipher: Cipher = "klap2", serial: int = 1, port: int = 0
    ) -> None:
        super().__init__(table, serial, *HTTP_FAULTS)
        self._folder = folder
        self._version: KlapVersion = "klap1" if cipher == "klap1" else "klap2"
        self._password = secrets.token_hex(8)
        self._sessions: dict[str, KlapSession] = {}
        self._server = HttpServer(self._answer, self.faults, port=port)

    async def start(self) -> dict[str, str]:
        """Listen on loopback and return the address. Raises `ConnectionFailed` when the port is taken."""
        url = f"kasa://{LOOPBACK}:{await self._server.start()}/1?protocol={self._version}"
        password_file = write_password(self._folder, self._password)
        return {"url": url, "username": USERNAME, "password_file": str(password_file)}

    async def stop(self) -> None:
        await self._server.stop()

    def _answer(self, request: HttpRequest) -> HttpAnswer:
        if request.method != "POST":
            return HttpAnswer(None, 404)
        if request.path == "/app/handshake1":
            return self._begin(request.body)
        session = self._sessions.get(_cookie(request))
        if session is None:
            return HttpAnswer(None, 403)
        if request.path == "/app/handshake2":
            session.proven = request.body == session.proof
            return HttpAnswer(None, 200 if session.proven else 403)
        return self._read(session, request) if session.proven else HttpAnswer(None, 403)

    def _begin(self, seed: bytes) -> HttpAnswer:
        session = KlapSession(self._version, USERNAME, self._password, seed)
        name = secrets.token_hex(16).upper()
        self._sessions[name] = session
        if len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return HttpAnswer(session.hello, headers={"Set-Cookie": f"{COOKIE}={name};TIMEOUT=86400"})

    def _read(self, session: KlapSession, request: HttpRequest) -> HttpAnswer:
        try:
            number = int(request.query.get("seq", ""))
            question = self._documents.parse(session.decrypt(request.body, number))
        except ValueError:
            return HttpAnswer(None, 403)

        def encrypted(fault: WrongValue | None = None) -> bytes:
            wrong = (fault.channel, fault.value) if fault else None
            return session.encrypt(json.dumps(self._documents.answer(question, wrong)).encode(), number)

        return HttpAnswer(encrypted(), falsified=encrypted if self._documents.measures(question) else None)


def make_speaker(device: SpeakerSpec) -> XorPlug | KlapPlug:
    """Create the speaker of any TP-Link model of the catalogue, by the first protocol of its declaration."""
    table = device.declaration.protocol
    if not isinstance(table, KasaMap):
        raise TypeError(f"{device.declaration.id} is not a TP-Link plug")
    if table.ciphers[0] == "xor":
        return XorPlug(table, serial=device.serial, port=device.port)
    return KlapPlug(table, device.folder, cipher=table.ciphers[0], serial=device.serial, port=device.port)


def _cookie(request: HttpRequest) -> str:
    pairs = (part.strip().partition("=") for part in request.headers.get("cookie", "").split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")
