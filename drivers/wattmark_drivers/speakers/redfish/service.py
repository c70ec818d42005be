"""A BMC that speaks Redfish: sessions and basic login, one chassis, fed with the server's own view of its power."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.faults import Fault, FaultQueue, WrongValue
from wattmark_drivers.speakers.http_server import HTTP_FAULTS, HttpAnswer, HttpRequest, HttpServer
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.redfish.tree import POWER_PLACES, ROOT, SESSIONS, build_tree, collection, put
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

USERNAME = "wattmark"
MOST_SESSIONS = 8
"""Real services allow few; a client that leaves sessions open finds out here too."""
ODATA = {"OData-Version": "4.0"}
PUBLIC = ("/redfish", f"{ROOT}/")
"""What a client may read before it logs in (DSP0266, clause 13.3.1)."""


class RedfishService(Speaker):
    """The speaker of one BMC. Faults hit the answers that carry the chassis's power."""

    def __init__(
        self,
        now: Callable[[], float],
        folder: Path,
        *,
        serial: int = 1,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._inside = Inside()
        self._now = now
        self._folder = folder
        self._serial = serial
        self._scheme = "redfish" if tls else "redfish+http"
        self._password = secrets.token_hex(8)
        self._sessions: dict[str, str] = {}
        self._made = 0
        self._tree = build_tree(None, self._inside, now(), serial)
        self.faults = FaultQueue(*HTTP_FAULTS)
        self._server = HttpServer(self._answer, self.faults, port=port, tls=tls)

    @property
    def sessions(self) -> int:
        """Count the sessions that are open."""
        return len(self._sessions)

    def forget_sessions(self) -> None:
        """Stop all sessions, as a BMC does that restarts."""
        self._sessions.clear()

    async def start(self) -> dict[str, str]:
        """Listen on loopback and return the address. Raises `ConnectionFailed` when the port is taken."""
        password_file = write_password(self._folder, self._password)
        port = await self._server.start()
        url = f"{self._scheme}://{LOOPBACK}:{port}/1"
        return {"url": url, "username": USERNAME, "password_file": str(password_file)}

    async def stop(self) -> None:
        await self._server.stop()

    def sense(self, inside: Inside) -> None:
        self._inside = inside

    def show(self, indication: Indication | None) -> None:
        """Update the view of the server."""
        self._tree = build_tree(indication, self._inside, self._now(), self._serial)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel != "power":
            raise ConfigurationError(f"Channel {fault.channel} cannot be falsified.", "It has: power.")
        self.faults.add(fault)

    def _answer(self, request: HttpRequest) -> HttpAnswer:
        path = f"{ROOT}/" if request.path == ROOT else request.path
        if request.method == "POST" and path == SESSIONS:
            return self._log_in(request)
        if path not in PUBLIC and not self._knows(request):
            return _error(401, "Authentication is required.", {"WWW-Authenticate": f'Basic realm="{SIMULATOR_MARK}"'})
        if request.method == "DELETE" and path.startswith(f"{SESSIONS}/"):
            return self._log_out(path)
        if request.method not in {"GET", "HEAD"}:
            return _error(405, "This service is for reading.", {"Allow": "GET, HEAD"})
        document = self._session_resource(path) or self._tree.get(path)
        if document is None:
            return _error(404, f"There is no resource {path[:80]}.")
        place = POWER_PLACES.get(path)
        falsified = None if place is None else lambda fault: put(document, place, fault.value)
        return HttpAnswer(document, headers=ODATA, falsified=falsified)

    def _session_resource(self, path: str) -> dict[str, Any] | None:
        """Return the collection of sessions, or a session that is open (DSP0266, clause 13.3.4)."""
        paths = {f"{SESSIONS}/{name}": name for name in self._sessions.values()}
        if path == SESSIONS:
            return {"@odata.id": SESSIONS, **collection("Sessions", list(paths))}
        if path in paths:
            return {"@odata.id": path, "Id": paths[path], "Name": "Session", "UserName": USERNAME}
        return None

    def _log_in(self, request: HttpRequest) -> HttpAnswer:
        try:
            body = json.loads(request.body)
            credentials = (body["UserName"], body["Password"])
        except (ValueError, KeyError, TypeError):
            return _error(400, "The body is not a login.")
        if not self._fits(*credentials):
            return _error(401, "The user or the password is wrong.")
        if len(self._sessions) >= MOST_SESSIONS:
            return _error(503, "There are too many sessions.")
        self._made += 1
        token, name = secrets.token_hex(16), str(self._made)
        self._sessions[token] = name
        path = f"{SESSIONS}/{name}"
        headers = {**ODATA, "X-Auth-Token": token, "Location": path}
        return HttpAnswer({"@odata.id": path, "Id": name}, 201, headers)

    def _log_out(self, path: str) -> HttpAnswer:
        name = path.removeprefix(f"{SESSIONS}/")
        before = len(self._sessions)
        self._sessions = {token: session for token, session in self._sessions.items() if session != name}
        return HttpAnswer(None, 204) if len(self._sessions) < before else _error(404, "There is no such session.")

    def _knows(self, request: HttpRequest) -> bool:
        if request.headers.get("x-auth-token") in self._sessions:
            return True
        kind, _, pair = request.headers.get("authorization", "").partition(" ")
        try:
            username, _, password = base64.b64decode(pair, validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return False
        return kind.lower() == "basic" and self._fits(username, password)

    def _fits(self, username: object, password: object) -> bool:
        return username == USERNAME and secrets.compare_digest(str(password).encode(), self._password.encode())


def make_speaker(device: SpeakerSpec) -> RedfishService:
    """Create the BMC of the server that the device measures."""
    if not isinstance(device.declaration.protocol, RedfishMap):
        raise TypeError(f"{device.declaration.id} does not speak Redfish")
    return RedfishService(device.around.now, device.folder, serial=device.serial, port=device.port)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> HttpAnswer:
    """Build an error answer as DSP0266, clause 8.6 prescribes."""
    info = [{"@odata.type": "#Message.v1_1_2.Message", "Message": message}]
    error = {"code": "Base.1.15.GeneralError", "message": message, "@Message.ExtendedInfo": info}
    return HttpAnswer({"error": error}, status, {**ODATA, **(headers or {})})
