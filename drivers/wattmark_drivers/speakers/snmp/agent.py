"""A PDU on loopback: any SNMP model of the catalogue, for version 2c and for version 3 with its protection."""

from __future__ import annotations

import asyncio
import bisect
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
from wattmark_drivers.speakers.faults import Delay, Drop, Fault, FaultQueue, Garbage, WrongValue
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused
from wattmark_drivers.speakers.private_files import write_password
from wattmark_drivers.speakers.snmp.objects import FIRST, Oid, objects_of, parse, raw_of
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

USERNAME = "wattmark"
NOT_WRITABLE = 17
"""Error status (RFC 3416, 3)."""
MOST_ROUNDS = 50
NOISE = b"\x30\x82\xff\xff\x02\x01\x01\x04garbage"


class SnmpAgent(Speaker):
    """The speaker of one PDU. Faults hit the answers that carry power."""

    def __init__(
        self, table: SnmpMap, folder: Path, now: Callable[[], float], *, serial: int = 1, port: int = 0
    ) -> None:
        self._table = table
        self._folder = folder
        self._now = now
        self._serial = serial
        self._port = port
        self._secret = secrets.token_hex(8)
        self._power_oid = parse(next(value.oid for value in table.values if value.channel == "power"))
        self._objects: dict[Oid, int | str] = objects_of(table, None, serial, now())
        self._engine: SnmpEngine | None = None
        self.faults = FaultQueue(Delay, Drop, Garbage, WrongValue)

    async def start(self) -> dict[str, str]:
        """Start to listen on loopback; return the address. The community and both passphrases are one secret.

        Raises `ConnectionFailed` when the port is taken.
        """
        password_file = write_password(self._folder, self._secret)
        engine, transport = SnmpEngine(), udp.UdpAsyncioTransport()
        port = await self._listen(transport)
        config.add_transport(engine, udp.DOMAIN_NAME, transport)
        config.add_v1_system(engine, "area", self._secret)
        config.add_v3_user(
            engine,
            USERNAME,
            config.USM_AUTH_HMAC96_SHA,
            self._secret,
            config.USM_PRIV_CFB128_AES,
            self._secret,
        )
        _Responder(engine, context.SnmpContext(engine)).agent = self
        engine.transport_dispatcher.job_started(1)
        self._engine = engine
        url = f"snmp://{LOOPBACK}:{port}/{FIRST}"
        return {"url": url, "username": USERNAME, "password_file": str(password_file)}

    async def stop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close_dispatcher()

    def show(self, indication: Indication | None) -> None:
        self._objects = objects_of(self._table, indication, self._serial, self._now())

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

    def look_up(self, name: Oid, wrong: WrongValue | None) -> Any:
        """Find the value of an object, or the mark that there is none."""
        answer = self._objects.get(name)
        if wrong is not None:
            value = next(item for item in self._table.values if item.channel == wrong.channel)
            if parse(value.oid) == name:
                missing = value.absent[0] if value.absent else None
                answer = missing if wrong.value is None else raw_of(value, wrong.value)
        if answer is None:
            return rfc1905.noSuchInstance
        if isinstance(answer, str):
            return rfc1902.OctetString(answer)
        return rfc1902.Integer32(answer) if answer < 1 << 31 else rfc1902.Unsigned32(answer)

    def following(self, name: Oid) -> Oid | None:
        """Find the identifier after one."""
        ordered = sorted(self._objects)
        place = bisect.bisect_right(ordered, name)
        return ordered[place] if place < len(ordered) else None

    async def _listen(self, transport: udp.UdpAsyncioTransport) -> int:
        transport.open_server_mode((LOOPBACK, self._port))
        try:
            await transport._lport  # noqa: SLF001 - the library tells by nothing else that the port is bound
        except OSError as error:
            raise port_refused("UDP", self._port, error) from None
        return int(transport.transport.get_extra_info("sockname")[1])


class _Responder(cmdrsp.CommandResponderBase):  # type: ignore[misc]
    """Answers GET, GETNEXT and GETBULK from the agent's objects, unless a fault is due; refuses SET."""

    SUPPORTED_PDU_TYPES = (
        rfc1905.GetRequestPDU.tagSet,
        rfc1905.GetNextRequestPDU.tagSet,
        rfc1905.GetBulkRequestPDU.tagSet,
        rfc1905.SetRequestPDU.tagSet,
    )
    agent: SnmpAgent

    def process_pdu(self, engine: SnmpEngine, *request: Any) -> None:
        """Handle a request; its last part is the state, and the PDU is the third from the end."""
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
        # The library calls `handle_management_operation` before this returns.
        self._wrong = fault if isinstance(fault, WrongValue) else None
        super().process_pdu(engine, *request)

    def handle_management_operation(self, engine: SnmpEngine, state: Any, _context_name: Any, pdu: Any) -> None:
        """Return the objects; an authenticated client may read them all (RFC 3416, 4.2)."""
        names: list[Oid] = [tuple(name) for name, _ in v2c.apiPDU.get_varbinds(pdu)]
        status, index = 0, 0
        if pdu.tagSet == rfc1905.SetRequestPDU.tagSet:
            status, index = NOT_WRITABLE, 1
            answers = v2c.apiPDU.get_varbinds(pdu)
        elif pdu.tagSet == rfc1905.GetBulkRequestPDU.tagSet:
            once = min(int(v2c.apiBulkPDU.get_non_repeaters(pdu)), len(names))
            rounds = min(int(v2c.apiBulkPDU.get_max_repetitions(pdu)), MOST_ROUNDS)
            answers = [self._next(name) for name in names[:once]]
            row = names[once:]
            for _ in range(rounds if row else 0):
                following = [self._next(name) for name in row]
                answers += following
                row = [tuple(name) for name, _ in following]
        elif pdu.tagSet == rfc1905.GetNextRequestPDU.tagSet:
            answers = [self._next(name) for name in names]
        else:
            answers = [self._give(name) for name in names]
        self.send_varbinds(engine, state, status, index, answers)
        self.release_state_information(state)

    def _next(self, name: Oid) -> tuple[Any, Any]:
        following = self.agent.following(name)
        return (rfc1902.ObjectName(name), rfc1905.endOfMibView) if following is None else self._give(following)

    def _give(self, name: Oid) -> tuple[Any, Any]:
        return rfc1902.ObjectName(name), self.agent.look_up(name, self._wrong)


def make_speaker(device: SpeakerSpec) -> SnmpAgent:
    """Create the speaker of any SNMP model of the catalogue."""
    table = device.declaration.protocol
    if not isinstance(table, SnmpMap):
        raise TypeError(f"{device.declaration.id} is not read by SNMP")
    return SnmpAgent(table, device.folder, device.around.now, serial=device.serial, port=device.port)
