"""A PDU, or a meter that is asked as one: any SNMP model of the catalogue, for version 2c and protected version 3."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.entity import config
from pysnmp.entity.engine import SnmpEngine
from pysnmp.entity.rfc3413 import cmdrsp, context
from pysnmp.proto import rfc1902, rfc1905
from pysnmp.proto.api import v2c

from wattmark_drivers.catalogue.snmp_map import SnmpMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.face import Absent, Credentials, Doorway, Face
from wattmark_drivers.speakers.faults import Delay, Drop, Fault, FaultQueue, Garbage, WrongValue
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused
from wattmark_drivers.speakers.pace import Pace
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.snmp import message
from wattmark_drivers.speakers.snmp.answers import NOT_WRITABLE, answers
from wattmark_drivers.speakers.snmp.message import GET, GET_BULK, GET_NEXT, Mark, Name, Oid, Request, Ticks, Value
from wattmark_drivers.speakers.snmp.objects import FIRST, UP_TIME, face_objects, objects_of, parse, raw_of
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

LOG = logging.getLogger(__name__)
USERNAME = "wattmark"
PUBLIC = "public"
"""The community where no password is configured."""
SHORTEST_PASSPHRASE = 8
"""Of version 3 (RFC 3414, 11.2)."""
LONGEST_DATAGRAM = 2048
"""64 objects with their names take about 1,400 bytes."""
LARGEST_ANSWER = 8192
PEER_PER_S, PEER_AT_ONCE = 100.0, 200.0
PROTECTED_PER_S, PROTECTED_AT_ONCE = 50.0, 300.0
ALL_PROTECTED_PER_S, ALL_PROTECTED_AT_ONCE = 100.0, 600.0
"""Messages of version 3 with the right digest, which cost milliseconds each: of one peer, and of all together. Others
count for nobody, so that no stranger takes the share of who knows the password."""
TOO_BIG = 1
AUTHENTICATED_AND_PRIVATE = 3
VERSION_3_MODEL = 3
NOISE = b"\x30\x82\xff\xff\x02\x01\x01\x04garbage"
KINDS = {
    rfc1905.GetRequestPDU.tagSet: GET,
    rfc1905.GetNextRequestPDU.tagSet: GET_NEXT,
    rfc1905.GetBulkRequestPDU.tagSet: GET_BULK,
    rfc1905.SetRequestPDU.tagSet: message.SET,
}


class SnmpAgent(Speaker):
    """The speaker of one PDU. Faults hit the answers that carry power."""

    def __init__(
        self,
        table: SnmpMap,
        folder: Path,
        now: Callable[[], float],
        *,
        serial: int = 1,
        port: int = 0,
        face: Face | None = None,
        door: Doorway | None = None,
    ) -> None:
        self._table = table
        self._folder = folder
        self._now = now
        self._started_s = now()
        self._serial = serial
        self._port = port
        self._face = face
        self._door = door or Doorway()
        made = secrets.token_hex(8)
        self._login = self._door.credentials if face else Credentials(USERNAME, lambda: made)
        self._power_oid = parse(next(value.oid for value in table.values if value.channel == "power"))
        self._objects: dict[Oid, Value] = {}
        self._ordered: list[Oid] = []
        self.show(None, "waiting")
        self._engine: SnmpEngine | None = None
        self.faults = FaultQueue(Delay, Drop, Garbage, WrongValue)

    async def start(self) -> dict[str, str]:
        """Start to listen; return the address. The community and both passphrases are one secret.

        Raises `ConnectionFailed` when the port is taken, `ConfigurationError` for a passphrase that is too short.
        """
        secret = self._login.password() if self._login else PUBLIC
        if self._login is not None and len(secret) < SHORTEST_PASSPHRASE:
            raise ConfigurationError(
                f"A passphrase of SNMP has at least {SHORTEST_PASSPHRASE} characters.", "Choose a longer password."
            )
        # It reads its tables of objects for a second, while others measure.
        engine = await asyncio.to_thread(SnmpEngine)
        if self._face is None:
            transport = _Transport()
        else:
            key = message.authentication_key(secret, bytes(engine.snmpEngineID))
            transport = _StrictTransport(self, secret, key)
        port = await self._listen(transport)
        config.add_transport(engine, udp.DOMAIN_NAME, transport)
        entry = {"url": f"snmp://{self._door.host}:{port}/{FIRST}"}
        if self._face is None:
            config.add_v1_system(engine, "area", secret)
            entry["password_file"] = str(write_password(self._folder, secret))
        if self._login is not None:
            user = self._login.username
            auth, privacy = config.USM_AUTH_HMAC96_SHA, config.USM_PRIV_CFB128_AES
            config.add_v3_user(engine, user, auth, secret, privacy, secret)
            entry["username"] = user
        _Responder(engine, context.SnmpContext(engine)).agent = self
        engine.transport_dispatcher.job_started(1)
        self._engine = engine
        return entry

    async def stop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close_dispatcher()

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        now_s = self._now()
        if self._face is None:
            self._objects = {**objects_of(self._table, indication, self._serial, now_s)}
        else:
            self._objects = face_objects(self._table, self._face, indication, absent, now_s, self._started_s)
        self._ordered = sorted(self._objects)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        channels = {value.channel for value in self._table.values}
        if isinstance(fault, WrongValue) and fault.channel not in channels:
            names = ", ".join(sorted(channels))
            raise ConfigurationError(f"The device has no channel {fault.channel}.", f"It has: {names}.")
        self.faults.add(fault)

    def take_fault(self, names: list[Oid]) -> Fault | None:
        """Remove and return the next fault if the answer contains power."""
        return self.faults.take() if self._power_oid in names else None

    def answer(self, request: Request, wrong: WrongValue | None = None) -> list[message.Binding]:
        """Answer a request that reads; ``wrong`` is what a fault shows."""
        return answers(request, self._ordered, lambda name: self._look_up(name, wrong))

    def _look_up(self, name: Oid, wrong: WrongValue | None) -> Value | None:
        """Find the value of an object; None where there is none."""
        answer = self._objects.get(name)
        if isinstance(answer, Ticks) and name == UP_TIME:
            return Ticks(int((self._now() - self._started_s) * 100) % 2**32)
        if wrong is not None:
            value = next(item for item in self._table.values if item.channel == wrong.channel)
            if parse(value.oid) == name:
                missing = value.absent[0] if value.absent else None
                answer = missing if wrong.value is None else raw_of(value, wrong.value)
        return answer

    @property
    def has_stopped(self) -> bool:
        """Return whether it answers nobody any more."""
        return self._engine is None

    @property
    def engine_id(self) -> bytes:
        """Return the identifier of the engine, by which version 3 makes its keys; empty before it starts."""
        return bytes(self._engine.snmpEngineID) if self._engine is not None else b""

    def engine_clock(self) -> tuple[int, int]:
        """Return how often the engine started, and how long ago [s]."""
        if self._engine is None:
            return 0, 0
        symbols = ("snmpEngineBoots", "snmpEngineTime")
        boots, time_s = self._engine.get_mib_builder().import_symbols("__SNMP-FRAMEWORK-MIB", *symbols)
        return int(boots.syntax), int(time_s.syntax.clone())

    @property
    def user(self) -> bytes:
        """Return the user of version 3; empty where there is none."""
        return self._login.username.encode() if self._login is not None else b""

    async def _listen(self, transport: udp.UdpAsyncioTransport) -> int:
        address = self._door.address if self._face else LOOPBACK
        transport.open_server_mode((address, self._port))
        try:
            await transport._lport  # noqa: SLF001 - the library tells by nothing else that the port is bound
        except OSError as error:
            raise port_refused("UDP", self._port, error, address) from None
        return int(transport.transport.get_extra_info("sockname")[1])


class _Transport(udp.UdpAsyncioTransport):  # type: ignore[misc]
    """Hands datagrams over at once: what the library delivers later, it cannot place after the agent has stopped."""

    def datagram_received(self, datagram: bytes, address: tuple[str, int]) -> None:
        """Let the library answer a datagram."""
        self._callback_function(self, address, datagram)


class _StrictTransport(udp.UdpAsyncioTransport):  # type: ignore[misc]
    """Takes datagrams of strangers: answers version 2c by itself, and lets the library see only messages of version 3.

    The library takes milliseconds for a message, and trusts its structure.
    """

    def __init__(self, agent: SnmpAgent, community: str, key: bytes) -> None:
        super().__init__()
        self._agent = agent
        self._community = community.encode()
        self._key = key
        self._pace = Pace(PEER_PER_S, PEER_AT_ONCE)
        self._discoveries = 0
        self._protected = Pace(PROTECTED_PER_S, PROTECTED_AT_ONCE)
        self._all_protected = Pace(ALL_PROTECTED_PER_S, ALL_PROTECTED_AT_ONCE)

    def datagram_received(self, datagram: bytes, address: tuple[str, int]) -> None:
        """Answer a datagram, or drop and count it: what is no request, comes too fast, or the library fails on."""
        peer = str(address[0])
        if len(datagram) > LONGEST_DATAGRAM or self._pace.spend(peer) > 0:
            self._agent.askers.refuse(peer)
            return
        try:
            answered = self._answer(datagram, address)
        except Exception as error:  # the library raises whatever a stranger's bytes lead it to
            LOG.debug("A datagram of %s was dropped: %s", peer, error)
            answered = False
        if answered:
            self._agent.askers.asked(peer)
        else:
            self._agent.askers.refuse(peer)

    def _meet(self, datagram: bytes, address: tuple[str, int]) -> bool:
        """Tell a client the engine, or let the library see what is of our user, protected and authentic.

        Of other messages of version 3 the library keeps what it never forgets, or takes long before it looks at the
        digest.
        """
        secured = message.secured(datagram)
        if secured.discovers:
            self._discoveries += 1
            boots, time_s = self._agent.engine_clock()
            report = message.discovery_report(secured.number, self._agent.engine_id, boots, time_s, self._discoveries)
            self.transport.sendto(report, address)
            return True
        ours = (secured.engine_id, secured.user) == (self._agent.engine_id, self._agent.user)
        if not ours or not secured.is_protected or not message.is_authentic(datagram, secured.digest, self._key):
            return False
        if self._protected.spend(str(address[0])) > 0 or self._all_protected.spend("") > 0:
            return False
        self._callback_function(self, address, datagram)
        return True

    def _answer(self, datagram: bytes, address: tuple[str, int]) -> bool:
        version = message.version_of(datagram)
        if version == message.VERSION_3:
            return self._meet(datagram, address)
        if version != message.VERSION_2C:
            return False
        request = message.parse(datagram, self._community)
        if request is None:
            return False
        if request.kind == message.SET:
            answer = message.response(self._community, request.request_id, request.bound, NOT_WRITABLE, 1)
        else:
            bound = message.bound(self._agent.answer(request))
            answer = message.response(self._community, request.request_id, bound)
        if len(answer) > LARGEST_ANSWER:
            answer = message.response(self._community, request.request_id, b"", TOO_BIG)
        self.transport.sendto(answer, address)
        return True


class _Responder(cmdrsp.CommandResponderBase):  # type: ignore[misc]
    """Answers GET, GETNEXT and GETBULK from the agent's objects, unless a fault is due; refuses SET."""

    SUPPORTED_PDU_TYPES = tuple(KINDS)
    agent: SnmpAgent

    def process_pdu(self, engine: SnmpEngine, *request: Any) -> None:
        """Handle a request; its last part is the state, and the PDU is the third from the end.

        Of version 3 only what is authenticated and encrypted is answered: the library itself lets an empty user in.
        """
        model, level = request[0], request[3]
        if model == VERSION_3_MODEL and level != AUTHENTICATED_AND_PRIVATE:
            return
        pdu, state = request[-3], request[-1]
        names = [tuple(name) for name, _ in v2c.apiPDU.get_varbinds(pdu)]
        fault = self.agent.take_fault(names)
        match fault:
            case Drop():
                return
            case Delay():
                asyncio.get_running_loop().call_later(fault.seconds, self._process, engine, request, fault)
                return
            case Garbage():
                domain, address = engine.message_dispatcher.get_transport_info(state)
                engine.transport_dispatcher.send_message(NOISE, domain, address)
        self._process(engine, request, fault)

    def _process(self, engine: SnmpEngine, request: tuple[Any, ...], fault: Fault | None) -> None:
        if self.agent.has_stopped:
            return
        # The library calls `handle_management_operation` before this returns.
        self._wrong = fault if isinstance(fault, WrongValue) else None
        super().process_pdu(engine, *request)

    def handle_management_operation(self, engine: SnmpEngine, state: Any, _context_name: Any, pdu: Any) -> None:
        """Return the objects; an authenticated client may read them all (RFC 3416, 4.2)."""
        kind = KINDS[pdu.tagSet]
        if kind == message.SET:
            self.send_varbinds(engine, state, NOT_WRITABLE, 1, v2c.apiPDU.get_varbinds(pdu))
        else:
            bindings = self.agent.answer(_request_of(kind, pdu), self._wrong)
            converted = [(rfc1902.ObjectName(name), _of_library(value)) for name, value in bindings]
            self.send_varbinds(engine, state, 0, 0, converted)
        self.release_state_information(state)


def _request_of(kind: int, pdu: Any) -> Request:
    names = tuple(tuple(name) for name, _ in v2c.apiPDU.get_varbinds(pdu))
    if kind != GET_BULK:
        return Request(kind, 0, names)
    once, rounds = v2c.apiBulkPDU.get_non_repeaters(pdu), v2c.apiBulkPDU.get_max_repetitions(pdu)
    return Request(kind, 0, names, non_repeaters=max(0, int(once)), max_repetitions=max(0, int(rounds)))


def _of_library(value: Value) -> Any:
    """Convert a value to the library's."""
    match value:
        case Mark():
            return rfc1905.endOfMibView if value.tag == message.END_OF_MIB_VIEW else rfc1905.noSuchInstance
        case Ticks():
            return rfc1902.TimeTicks(value.value)
        case Name():
            return rfc1902.ObjectIdentifier(value.oid)
        case str() | bytes():
            return rfc1902.OctetString(value)
    return rfc1902.Integer32(value) if value < 1 << 31 else rfc1902.Unsigned32(value)


def make_speaker(device: SpeakerSpec) -> SnmpAgent:
    """Create the speaker of any SNMP model of the catalogue."""
    table = device.declaration.protocol
    if not isinstance(table, SnmpMap):
        raise TypeError(f"{device.declaration.id} is not read by SNMP")
    return SnmpAgent(
        table,
        device.folder,
        device.around.now,
        serial=device.serial,
        port=device.port,
        face=device.face,
        door=device.door if device.face else None,
    )
