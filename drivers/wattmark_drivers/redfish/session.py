"""A login to a Redfish service (DSP0266, clause 13.3) and reading its resources."""

from __future__ import annotations

import asyncio
import logging
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

from wattmark_drivers.clock import Stamp
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConnectionFailed
from wattmark_drivers.http_client.client import HttpClient, HttpReply
from wattmark_drivers.http_client.json_body import Json, point, text_at
from wattmark_drivers.http_client.status import Unauthorised, refusal
from wattmark_drivers.redfish.address import Login

LOGOUT_TIMEOUT_S = 1.5
NO_SESSIONS = (404, 405, 501)
"""Statuses of a service without sessions."""
SESSION_LIMITS = ("RAC0218", "SessionLimitExceeded", "CreateLimitReachedForResource")
"""Last parts of the message ids by which services refuse one more session (Dell, and the Base registry of DMTF)."""
GENERAL_ERROR = "GeneralError"
LOG = logging.getLogger(__name__)
_LOCAL_PATH = re.compile(r"/(?!/)[!-~]{0,511}")


@dataclass(frozen=True, slots=True)
class Resource:
    """A document of the service, its path and the time of reading."""

    path: str
    document: Json
    stamp: Stamp
    retried: bool


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user's login; without a name there is none. ``password`` is called at each login and never kept."""

    username: str | None
    password: Callable[[], str]
    login: Login | None


class RedfishSession:
    """Reads resources, logs in when it must and out when it ends. A service allows few sessions."""

    def __init__(self, client: HttpClient, credentials: Credentials, root: str) -> None:
        self._client = client
        self._credentials = credentials
        self._root = root
        self._headers: dict[str, str] = {}
        self._session: str | None = None
        self._sessions: str | None = None
        self._logins = 0
        self.bytes_read = 0
        """Length of all bodies that were read."""

    @property
    def connection(self) -> int:
        """Number the way to the service: another number after each new connection or login."""
        return self._client.connections + self._logins

    async def start(self) -> Resource:
        """Read the service root, which needs no login, and log in. Raises a `DriverError`."""
        root = await self._read(self._root)
        if not isinstance(root.document, dict) or text_at(root.document, "/RedfishVersion") is None:
            raise BadReply(
                f"{self._client.label} is not a Redfish service.", "Check the address, and that Redfish is enabled."
            )
        self._sessions = local_path(point(root.document, "/Links/Sessions/@odata.id"))
        await self._log_in()
        return root

    async def get(self, path: str) -> Resource:
        """Read a resource; an expired session is opened again. Raises a `DriverError`."""
        try:
            return await self._read(path)
        except Unauthorised:
            # Without a session the login itself was refused, and would be again.
            if self._session is None:
                raise
        self._session, self._headers = None, {}
        self._logins += 1
        await self._log_in()
        return await self._read(path)

    async def stop(self) -> None:
        """Log out and close the connection. Never raises."""
        session, self._session = self._session, None
        try:
            if session is not None:
                async with asyncio.timeout(LOGOUT_TIMEOUT_S):
                    await self._client.send("DELETE", session, headers=self._headers)
        except (TimeoutError, ConnectionFailed, BadReply):
            pass
        finally:
            self._headers = {}
            await self._client.close()

    async def _read(self, path: str) -> Resource:
        """Read a resource: at once again where the service has only a general error, or wants a slash at the end."""
        reply = await self._client.get(path, self._headers)
        retried = reply.retried
        if _wants_slash(reply, path):
            reply = await self._client.get(f"{path}/", self._headers)
        elif _is_passing(reply):
            reply, retried = await self._client.get(path, self._headers), True
        self.bytes_read += len(reply.body)
        self._judge(reply, path)
        return Resource(path, reply.json(self._client.label), reply.stamp, retried or reply.retried)

    async def _log_in(self) -> None:
        username = self._credentials.username
        if username is None:
            return
        if self._credentials.login != "basic" and self._sessions is not None and await self._open_session(username):
            return
        if self._credentials.login == "session":
            raise AuthenticationFailed(f"{self._client.label} has no sessions.", "Add login=basic to the address.")
        pair = b64encode(f"{username}:{self._credentials.password()}".encode()).decode("ascii")
        self._headers = {"Authorization": f"Basic {pair}"}

    async def _open_session(self, username: str) -> bool:
        """Open a session; False where the service has none."""
        path = self._sessions or ""
        body: Json = {"UserName": username, "Password": self._credentials.password()}
        reply = await self._client.send("POST", path, json=body)
        if reply.status in NO_SESSIONS:
            return False
        if any(_last(message) in SESSION_LIMITS for message in _messages(reply)):
            if self._credentials.login == "session":
                raise AuthenticationFailed(
                    f"{self._client.label} has no free session.",
                    "Close sessions on the BMC, or add login=basic to the address.",
                )
            LOG.warning("%s has no free session; it is read with basic login.", self._client.label)
            return False
        self._judge(reply, path)
        token = reply.headers.get("X-Auth-Token", "")
        if not token.isascii() or not token.isprintable() or not token:
            raise BadReply(f"{self._client.label} opened a session without a token.", "Add login=basic to the address.")
        self._headers = {"X-Auth-Token": token}
        self._session = self._location(reply)
        return True

    def _location(self, reply: HttpReply) -> str | None:
        """Find where the session can be closed: the Location, of which only the path counts, or the body's own name."""
        path = re.sub(r"^https?://[^/]*", "", reply.headers.get("Location", ""), count=1)
        if (path_here := local_path(path)) is not None:
            return path_here
        try:
            return local_path(point(reply.json(self._client.label), "/@odata.id"))
        except BadReply:
            return None

    def _judge(self, reply: HttpReply, path: str) -> None:
        if not 200 <= reply.status < 300:
            raise refusal(reply.status, f"The Redfish service at {self._client.label}", path, _said(reply))


def local_path(value: object) -> str | None:
    """Return the path of a link that stays on this service, without its fragment; None for any other."""
    if not isinstance(value, str) or not _LOCAL_PATH.fullmatch(value):
        return None
    return value.partition("#")[0]


def _wants_slash(reply: HttpReply, path: str) -> bool:
    """Return whether the service redirects to the same path with a trailing slash (iLO 5 before 1.40)."""
    place = re.sub(r"^https?://[^/]*", "", reply.headers.get("Location", ""), count=1)
    return 300 <= reply.status < 400 and place == f"{path}/"


def _is_passing(reply: HttpReply) -> bool:
    """Return whether a service failed without a reason (iDRAC 9 does now and then): the next answer may be good."""
    messages = _messages(reply)
    return reply.status >= 400 and bool(messages) and all(_last(message) == GENERAL_ERROR for message in messages)


def _messages(reply: HttpReply) -> list[str]:
    """List the ids of the messages of an error (DSP0266, clause 8.6), such as Base.1.8.GeneralError."""
    try:
        document = reply.json("")
    except BadReply:
        return []
    info = point(document, "/error/@Message.ExtendedInfo")
    ids = [text_at(message, "/MessageId") for message in info] if isinstance(info, list) else []
    return [message for message in ids if message]


def _last(message: str) -> str:
    return message.rpartition(".")[2]


def _said(reply: HttpReply) -> str | None:
    """Find the service's own explanation (DSP0266, clause 8.6)."""
    try:
        return text_at(reply.json(""), "/error/@Message.ExtendedInfo/0/Message", "/error/message")
    except BadReply:
        return None
