"""A plug on loopback: any HTTP model of the catalogue, with the login that its declaration names."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.request import parse_http_list, parse_keqv_list

from wattmark_drivers.catalogue.http_map import HttpMap, HttpRequest
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers import http_server
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.faults import Fault, FaultQueue, WrongValue
from wattmark_drivers.speakers.http.documents import answer_of, identities
from wattmark_drivers.speakers.http_server import HTTP_FAULTS, HttpAnswer, HttpServer
from wattmark_drivers.speakers.indication import Indication, Inside, values_of
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

REALM = SIMULATOR_MARK


class HttpPlug(Speaker):
    """The speaker of one plug; its first output carries the load, the others none. Faults hit readings."""

    def __init__(self, table: HttpMap, folder: Path, *, serial: int = 1, port: int = 0, password: bool = True) -> None:
        self._table = table
        self._folder = folder
        self._inlet_c = Inside().inlet_c
        self._password = secrets.token_hex(8) if password and table.login != "none" else ""
        self._nonce = secrets.token_hex(8)
        self._identity = {_normal(path): body for path, body in identities(table, serial).items()}
        self._paths = self._find_paths()
        self._values = values_of(table.measured, None)
        self.faults = FaultQueue(*HTTP_FAULTS)
        self._server = HttpServer(self._answer, self.faults, port=port)

    async def start(self) -> dict[str, str]:
        """Listen on loopback and return the address. Raises `ConnectionFailed` when the port is taken."""
        url = f"http://{LOOPBACK}:{await self._server.start()}/{self._table.first_output}"
        if not self._password:
            return {"url": url}
        password_file = write_password(self._folder, self._password)
        return {"url": url, "username": self._table.username, "password_file": str(password_file)}

    async def stop(self) -> None:
        await self._server.stop()

    def sense(self, inside: Inside) -> None:
        self._inlet_c = inside.inlet_c

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        self._values = values_of(self._table.measured, indication, self._inlet_c)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel not in self._values:
            names = ", ".join(sorted(self._values))
            raise ConfigurationError(f"The plug has no channel {fault.channel}.", f"It has: {names}.")
        self.faults.add(fault)

    def _find_paths(self) -> dict[str, tuple[HttpRequest, int]]:
        first = self._table.first_output
        return {
            _normal(request.path.replace("{output}", str(output))): (request, output)
            for request in self._table.requests
            for output in reversed(range(first, first + self._table.outputs))
        }

    def _answer(self, request: http_server.HttpRequest) -> HttpAnswer:
        target = _normal(request.target)
        refused = self._refuse(request)
        # Shelly's second generation tells everybody who it is.
        if refused is not None and not (self._table.login == "digest" and target in self._identity):
            return refused
        if target in self._identity:
            return HttpAnswer(self._identity[target])
        if request.method != "GET" or target not in self._paths:
            return HttpAnswer({"code": 404, "message": "No handler for this request"}, 404)
        declared, output = self._paths[target]
        loaded = output == self._table.first_output
        values = self._values if loaded else dict.fromkeys(self._values, 0.0)

        def falsified(fault: WrongValue) -> Any:
            return answer_of(declared, output, {**values, fault.channel: fault.value})

        return HttpAnswer(answer_of(declared, output, values), headers={"Server": REALM}, falsified=falsified)

    def _refuse(self, request: http_server.HttpRequest) -> HttpAnswer | None:
        """Return the device's own refusal of a client without the password; None for one that may read."""
        if not self._password:
            return None
        kind, _, rest = request.headers.get("authorization", "").partition(" ")
        match self._table.login:
            case "basic" if kind.lower() != "basic" or not self._fits_basic(rest):
                return HttpAnswer({}, 401, {"WWW-Authenticate": f'Basic realm="{REALM}"'})
            case "digest" if kind.lower() != "digest" or not self._fits_digest(request, rest):
                challenge = f'Digest qop="auth", realm="{REALM}", nonce="{self._nonce}", algorithm=SHA-256'
                return HttpAnswer({}, 401, {"WWW-Authenticate": challenge})
            case "arguments" if (request.query.get("user"), request.query.get("password")) != self._login:
                return HttpAnswer({"WARNING": "Need user=<username>&password=<password>"})
        return None

    @property
    def _login(self) -> tuple[str, str]:
        return self._table.username, self._password

    def _fits_basic(self, pair: str) -> bool:
        try:
            name, _, password = base64.b64decode(pair, validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return False
        return (name, password) == self._login

    def _fits_digest(self, request: http_server.HttpRequest, rest: str) -> bool:
        """Check the answer to a challenge (RFC 7616, clause 3.4) with SHA-256, as Shelly's second generation wants."""
        try:
            fields = parse_keqv_list(parse_http_list(rest))
        except ValueError:
            return False
        if fields.get("nonce") != self._nonce or fields.get("uri") != request.target:
            return False
        name, password = self._login
        secret = _sha256(f"{name}:{REALM}:{password}")
        subject = _sha256(f"{request.method}:{request.target}")
        middle = ":".join(fields.get(key, "") for key in ("nonce", "nc", "cnonce", "qop"))
        return fields.get("username") == name and fields.get("response") == _sha256(f"{secret}:{middle}:{subject}")


def make_speaker(device: SpeakerSpec) -> HttpPlug:
    """Create the speaker of any HTTP model of the catalogue."""
    table = device.declaration.protocol
    if not isinstance(table, HttpMap):
        raise TypeError(f"{device.declaration.id} is not read over HTTP")
    return HttpPlug(table, device.folder, serial=device.serial, port=device.port, password=device.password)


def _normal(target: str) -> str:
    """Write a target in one way, without the arguments of a login."""
    parts = urlsplit(target)
    arguments = [f"{key}={value}" for key, value in parse_qsl(parts.query) if key not in {"user", "password"}]
    return f"{unquote(parts.path)}?{'&'.join(sorted(arguments))}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
