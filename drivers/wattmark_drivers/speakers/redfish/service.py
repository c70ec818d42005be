"""A BMC that speaks Redfish: sessions and basic login, one chassis, fed with the server's own view of its power."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import secrets
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent, Credentials, Doorway, Face
from wattmark_drivers.speakers.faults import Fault, FaultQueue, WrongValue
from wattmark_drivers.speakers.http_server import HTTP_FAULTS, HttpAnswer, HttpRequest, HttpServer
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.redfish.face_tree import SERVICE_DOCUMENT, Measurand, build_face_tree, measurands
from wattmark_drivers.speakers.redfish.tree import POWER_PLACES, ROOT, SESSIONS, Tree, build_tree, collection, put
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

USERNAME = "wattmark"
MOST_SESSIONS = 8
"""Real services allow few; a client that leaves sessions open finds out here too. With a face, there are as many as
clients, and the one that was not used for longest makes room."""
ODATA = {"OData-Version": "4.0"}
SESSION_S = 600.0
"""A session that was not used for so long is closed, where the service has a face."""
MESSAGE_IDS = {
    400: "MalformedJSON",
    401: "NoValidSession",
    404: "ResourceMissingAtURI",
    405: "OperationNotAllowed",
    503: "CreateLimitReachedForResource",
}
"""Of the Base registry of messages (DSP8011)."""
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
        face: Face | None = None,
        door: Doorway | None = None,
    ) -> None:
        self._inside = Inside()
        self._now = now
        self._folder = folder
        self._serial = serial
        self._face = face
        self._measured: set[Measurand] = set()
        self._public = PUBLIC if face is None else (*PUBLIC, SERVICE_DOCUMENT)
        self._tree: Tree = {}
        self._written: dict[str, bytes] = {}
        """Resources of the tree as they are sent, from the first time that one is asked for."""
        self._door = door or Doorway()
        self._scheme = "redfish" if tls else "redfish+http"
        made = secrets.token_hex(8)
        self._login = self._door.credentials or Credentials(USERNAME, lambda: made)
        self._sessions: dict[str, _Session] = {}
        self._made = 0
        self.show(None, "waiting")
        self.faults = FaultQueue(*HTTP_FAULTS)
        self._server = HttpServer(self._answer, self.faults, port=port, tls=tls, door=door, askers=self.askers)

    @property
    def sessions(self) -> int:
        """Count the sessions that are open."""
        return len(self._sessions)

    def forget_sessions(self) -> None:
        """Stop all sessions, as a BMC does that restarts."""
        self._sessions.clear()

    async def start(self) -> dict[str, str]:
        """Listen and return the address. Raises `ConnectionFailed` when the port is taken.

        Raises `ConfigurationError` for a service with a face and without a login, which DSP0266, 13.3.1 does not allow.
        """
        if self._face is not None and self._door.credentials is None:
            raise ConfigurationError("Redfish has no service without a login.", "Configure a user and a password.")
        port = await self._server.start()
        entry = {"url": f"{self._scheme}://{self._door.host}:{port}/1", "username": self._login.username}
        if self._face is not None:
            return entry
        return entry | {"password_file": str(write_password(self._folder, self._login.password()))}

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return self._server.upkeep

    async def stop(self) -> None:
        await self._server.stop()

    def sense(self, inside: Inside) -> None:
        self._inside = inside

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Update the view of the server, or of the meter that the service stands for."""
        if self._face is None:
            self._tree = build_tree(indication, self._inside, self._now(), self._serial)
            return
        if indication is not None:
            self._measured |= measurands(indication)
        self._tree = build_face_tree(self._face, indication, absent, self._now(), self._measured)
        self._written.clear()

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel != "power":
            raise ConfigurationError(f"Channel {fault.channel} cannot be falsified.", "It has: power.")
        self.faults.add(fault)

    def _answer(self, request: HttpRequest) -> HttpAnswer:
        path = f"{ROOT}/" if request.path == ROOT else request.path
        if request.method == "POST" and path == SESSIONS:
            return self._log_in(request)
        if path not in self._public and not self._knows(request):
            return self._refusal(
                401,
                "Authentication is required.",
                {"WWW-Authenticate": f'Basic realm="{self._realm}"'},
                wrong_login="authorization" in request.headers or "x-auth-token" in request.headers,
            )
        if request.method == "DELETE" and path.startswith(f"{SESSIONS}/"):
            return self._log_out(path)
        if request.method not in {"GET", "HEAD"}:
            return self._refusal(405, "This service is for reading.", {"Allow": "GET, HEAD"})
        document = self._session_resource(path) if path.startswith(SESSIONS) else self._tree.get(path)
        if document is None:
            return self._refusal(404, f"There is no resource {path[:80]}.")
        if self._face is not None and path in self._tree:
            return HttpAnswer(self._as_sent(path, document), headers=ODATA)
        place = POWER_PLACES.get(path)
        falsified = None if place is None else lambda fault: put(document, place, fault.value)
        return HttpAnswer(document, headers=ODATA, falsified=falsified)

    def _as_sent(self, path: str, document: dict[str, Any]) -> bytes:
        """Write a resource once for all who ask until the next reading."""
        if path not in self._written:
            self._written[path] = json.dumps(document, allow_nan=False).encode()
        return self._written[path]

    def _session_resource(self, path: str) -> dict[str, Any] | None:
        """Return the collection of sessions, or a session that is open (DSP0266, clause 13.3.4)."""
        paths = {f"{SESSIONS}/{session.name}": session.name for session in self._open().values()}
        typed = self._face is not None
        if path == SESSIONS:
            kind = {"@odata.type": "#SessionCollection.SessionCollection"} if typed else {}
            return {"@odata.id": SESSIONS, **kind, **collection("Sessions", list(paths))}
        if path in paths:
            kind = {"@odata.type": "#Session.v1_5_0.Session"} if typed else {}
            user = self._login.username
            return {"@odata.id": path, **kind, "Id": paths[path], "Name": "Session", "UserName": user}
        return None

    def _open(self) -> dict[str, _Session]:
        """Return the sessions by token, after closing those that their clients left open, where there is a face."""
        if self._face is not None:
            oldest_s = self._now() - SESSION_S
            self._sessions = {key: item for key, item in self._sessions.items() if item.used_s >= oldest_s}
        return self._sessions

    def _log_in(self, request: HttpRequest) -> HttpAnswer:
        try:
            body = json.loads(request.body)
            credentials = (body["UserName"], body["Password"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return self._refusal(400, "The body is not a login.")
        if not self._fits(*credentials):
            return self._refusal(401, "The user or the password is wrong.", wrong_login=True)
        sessions = self._open()
        if self._face is not None and len(sessions) >= self._door.most_clients:
            del sessions[min(sessions, key=lambda token: sessions[token].used_s)]
        elif self._face is None and len(sessions) >= MOST_SESSIONS:
            return self._refusal(503, "There are too many sessions.")
        self._made += 1
        token, name = secrets.token_hex(16), str(self._made)
        self._sessions[token] = _Session(name, self._now())
        path = f"{SESSIONS}/{name}"
        headers = {**ODATA, "X-Auth-Token": token, "Location": path}
        return HttpAnswer(self._session_resource(path) if self._face else {"@odata.id": path, "Id": name}, 201, headers)

    def _log_out(self, path: str) -> HttpAnswer:
        name = path.removeprefix(f"{SESSIONS}/")
        before = len(self._sessions)
        self._sessions = {token: session for token, session in self._sessions.items() if session.name != name}
        return (
            HttpAnswer(None, 204) if len(self._sessions) < before else self._refusal(404, "There is no such session.")
        )

    def _knows(self, request: HttpRequest) -> bool:
        session = self._open().get(request.headers.get("x-auth-token", ""))
        if session is not None:
            session.used_s = self._now()
            return True
        kind, _, pair = request.headers.get("authorization", "").partition(" ")
        try:
            username, _, password = base64.b64decode(pair, validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return False
        return kind.lower() == "basic" and self._fits(username, password)

    def _refusal(
        self, status: int, message: str, headers: dict[str, str] | None = None, *, wrong_login: bool = False
    ) -> HttpAnswer:
        """Build an error answer as DSP0266, clause 8.6 prescribes."""
        info = {"@odata.type": "#Message.v1_1_2.Message", "Message": message}
        if self._face is not None:
            info["MessageId"] = f"Base.1.15.{MESSAGE_IDS[status]}"
        error = {"code": "Base.1.15.GeneralError", "message": message, "@Message.ExtendedInfo": [info]}
        return HttpAnswer({"error": error}, status, {**ODATA, **(headers or {})}, wrong_login=wrong_login)

    @property
    def _realm(self) -> str:
        return SIMULATOR_MARK if self._face is None else self._face.marked(self._face.maker)

    def _fits(self, username: object, password: object) -> bool:
        """Return whether a login is right, in the same time whatever is wrong with it."""
        name_fits = secrets.compare_digest(str(username).encode(errors="replace"), self._login.username.encode())
        password_fits = secrets.compare_digest(str(password).encode(errors="replace"), self._login.password().encode())
        return name_fits and password_fits


@dataclass(slots=True)
class _Session:
    name: str
    used_s: float


def make_speaker(device: SpeakerSpec) -> RedfishService:
    """Create the BMC of the server that the device measures."""
    if not isinstance(device.declaration.protocol, RedfishMap):
        raise TypeError(f"{device.declaration.id} does not speak Redfish")
    door = device.door if device.face else None
    return RedfishService(
        device.around.now,
        device.folder,
        serial=device.serial,
        port=device.port,
        tls=door.tls if door else None,
        face=device.face,
        door=door,
    )
