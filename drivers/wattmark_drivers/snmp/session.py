"""One conversation with an SNMP agent: one GET at a time, never retried by the library, and no datagram raises."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pysnmp.carrier.asyncio.dispatch import AsyncioDispatcher
from pysnmp.error import PySnmpError
from pysnmp.hlapi.v3arch import asyncio as hlapi
from pysnmp.proto import errind, rfc1902

from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import (
    AuthenticationFailed,
    BadReply,
    ConfigurationError,
    ConnectionFailed,
    DriverError,
)
from wattmark_drivers.snmp.address import SnmpAddress
from wattmark_drivers.traffic import tell

Number = int | str | None
"""An agent's value: a number, a text, or "no such object"."""
GRACE_S = 1.0
"""The library's own timeout counts in coarse ticks; ours ends the wait so much later at the latest [s]."""
REFUSED = (
    errind.UnknownUserName,
    errind.UnknownSecurityName,
    errind.WrongDigest,
    errind.AuthenticationError,
    errind.AuthenticationFailure,
    errind.DecryptionError,
    errind.UnsupportedSecurityLevel,
    errind.NotInTimeWindow,
)
_STATUS = {
    1: "tooBig",
    2: "noSuchName",
    5: "genErr",
    6: "noAccess",
    13: "resourceUnavailable",
    16: "authorizationError",
}


class TolerantDispatcher(AsyncioDispatcher):  # type: ignore[misc]
    """Drop what cannot be decoded, and what comes after the end: the library's decoder raises errors of many kinds.

    A request whose answer was dropped ends with its time, like one that nobody answered.
    """

    def _callback_function(self, incomingTransport: Any, transportAddress: Any, incomingMessage: bytes) -> None:  # noqa: N803 - the library's names
        try:
            super()._callback_function(incomingTransport, transportAddress, incomingMessage)
        except Exception as error:  # the sender decides which
            tell("received", f"{len(incomingMessage)} bytes that cannot be decoded ({type(error).__name__})")


class NoAnswer(ConnectionFailed):
    """No answer came in time; one that comes later bears another request's number and is dropped."""


@dataclass(frozen=True, slots=True)
class SnmpAnswer:
    """Objects by their identifiers, and when they were asked for; ``retried`` for the answer to a repeated request."""

    objects: Mapping[str, Number]
    stamp: Stamp
    retried: bool = False


class SnmpSession:
    """An SNMP engine of its own for one agent, so that users of the same name on two agents never meet."""

    def __init__(
        self,
        address: SnmpAddress,
        security: hlapi.CommunityData | hlapi.UsmUserData,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._address = address
        self._security = security
        self._timeout_s = timeout_s
        self._clock = clock
        self._engine: hlapi.SnmpEngine | None = None
        # The library looks an identifier up in its tree for 0.4 ms, once per object.
        self._asked: dict[str, hlapi.ObjectType] = {}
        self._target: hlapi.UdpTransportTarget | hlapi.Udp6TransportTarget | None = None

    @property
    def label(self) -> str:
        """Return the agent's address for messages."""
        return f"{self._address.host}:{self._address.port}"

    async def open(self) -> None:
        """Open the session; nothing is sent. Raises `ConnectionFailed` for a host that has no address."""
        family = hlapi.Udp6TransportTarget if ":" in self._address.host else hlapi.UdpTransportTarget
        try:
            self._target = await family.create(
                (self._address.host, self._address.port), timeout=self._timeout_s, retries=0
            )
        except (PySnmpError, OSError, UnicodeError) as error:
            raise ConnectionFailed(f"The host {self._address.host} is not known.", "Check the address.") from error
        # It compiles management information for a tenth of a second; other meters go on meanwhile.
        engine = await asyncio.to_thread(hlapi.SnmpEngine)
        engine.register_transport_dispatcher(TolerantDispatcher())
        self._engine = engine

    async def get(self, oids: Sequence[str]) -> SnmpAnswer:
        """Read objects in one request, once more where no answer came. Raises a `DriverError`."""
        try:
            return await self._ask(oids)
        except NoAnswer:
            answer = await self._ask(oids)
            return SnmpAnswer(answer.objects, answer.stamp, retried=True)

    def close(self) -> None:
        """Close the socket. Never raises."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close_dispatcher()

    async def _ask(self, oids: Sequence[str]) -> SnmpAnswer:
        if self._engine is None or self._target is None:
            raise ConnectionFailed(f"The session with {self.label} is closed.")
        asked_ns = self._clock.monotonic_ns()
        tell("sent", f"get {' '.join(oids)}")
        try:
            async with asyncio.timeout(self._timeout_s + GRACE_S):
                problem, status, _, bindings = await hlapi.get_cmd(
                    self._engine,
                    self._security,
                    self._target,
                    hlapi.ContextData(contextName=rfc1902.OctetString(self._address.context)),
                    *(self._object(oid) for oid in oids),
                    lookupMib=False,
                )
        except TimeoutError:
            raise self._silent() from None
        except PySnmpError as error:
            raise self._explain(type(error).__name__) from None
        if problem:
            raise self._silent() if isinstance(problem, errind.RequestTimedOut) else self._refusal(problem)
        if status:
            raise self._explain(_STATUS.get(int(status), f"error {int(status)}"))
        objects = {str(name): plain(value) for name, value in bindings}
        tell("received", " ".join(f"{name}={value!r}" for name, value in objects.items()))
        if set(objects) != set(oids):
            raise BadReply(
                f"{self.label} answered with other objects than requested.", "wattmark retries automatically."
            )
        return SnmpAnswer(objects, stamp_since(self._clock, asked_ns))

    def _object(self, oid: str) -> hlapi.ObjectType:
        if oid not in self._asked:
            self._asked[oid] = hlapi.ObjectType(hlapi.ObjectIdentity(oid))
        return self._asked[oid]

    def _silent(self) -> NoAnswer:
        return NoAnswer(
            f"{self.label} does not answer SNMP within {self._timeout_s:g} s.",
            "Check the address, the SNMP version and the community (a wrong one is not answered), and that SNMP is "
            "enabled and allows this machine.",
        )

    def _refusal(self, problem: errind.ErrorIndication) -> DriverError:
        if isinstance(problem, REFUSED):
            return AuthenticationFailed(
                f"{self.label} rejects the SNMP user ({type(problem).__name__}).",
                "Check the user, both passphrases, and auth and privacy in the address.",
            )
        if isinstance(problem, (errind.EncryptionError, errind.UnsupportedPrivProtocol)):
            return ConfigurationError("SNMP encryption is not available here.", "pip install 'wattmark[snmp]'.")
        return self._explain(type(problem).__name__)

    def _explain(self, what: str) -> BadReply:
        remedy = {
            "noAccess": "Let the user or the community read these objects.",
            "authorizationError": "Let the user or the community read these objects.",
            "tooBig": "The agent cannot answer so many objects at once; update its firmware.",
        }.get(what, "wattmark retries automatically.")
        return BadReply(f"{self.label} answers with {what}.", remedy)


def plain(value: object) -> Number:
    """Convert a value of the library to a number or a text; None for anything else (noSuchObject, noSuchInstance)."""
    if isinstance(value, (rfc1902.Integer32, rfc1902.Unsigned32, rfc1902.Gauge32, rfc1902.Counter32)):
        return int(value)
    if isinstance(value, (rfc1902.Counter64, rfc1902.TimeTicks)):
        return int(value)
    if isinstance(value, rfc1902.OctetString):
        return bytes(value).decode("utf-8", "replace").strip("\0 ")
    return None
