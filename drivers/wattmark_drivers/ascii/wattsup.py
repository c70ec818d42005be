"""Watts Up? PRO, ES and .Net: the meter pushes one record per interval."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.ascii.address import SerialAddress
from wattmark_drivers.ascii.packets import Packet, PacketBuffer, TornPacket
from wattmark_drivers.ascii.serial_port import Chunk, SerialPort
from wattmark_drivers.ascii.wattsup_record import UNLOGGED, FieldValue, decode_record
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed, DriverError
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Reading
from wattmark_drivers.settings import MeterSettings

ABORT = b"\x18"
STOP = b"#L,R,0;"
CLEAR = b"#R,W,0;"
VERSION = b"#V,R,0;"
HEADER = b"#H,R,0;"
RECORD = "d"
"""Command letter of a packet with measured values."""
BITS_PER_BYTE = 10


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet, when its last byte arrived [UTC ns], and by how much that may be wrong [ns]."""

    packet: Packet | TornPacket
    t_ns: int
    u_t_ns: int


def arrivals_of(packets: Sequence[Packet | TornPacket], chunk: Chunk, interval_s: float) -> list[Arrival]:
    """Return when the packets arrived that a chunk completes: since the port was read before.

    Where a busy machine let several records pile up, they came an interval apart.
    """
    records = sum(map(_is_record, packets))
    apart_ns = int(interval_s * 1e9) if (records - 1) * interval_s * 1e9 <= chunk.t_ns - chunk.since_ns else 0
    arrivals: list[Arrival] = []
    before = 0
    for packet in packets:
        before += _is_record(packet)
        place = max(0, before - 1)
        first_ns = chunk.since_ns + place * apart_ns
        last_ns = chunk.t_ns - max(0, records - 1 - place) * apart_ns
        arrivals.append(Arrival(packet, (first_ns + last_ns) // 2, (last_ns - first_ns) // 2))
    return arrivals


def _is_record(packet: Packet | TornPacket) -> bool:
    return isinstance(packet, Packet) and packet.command == RECORD


class WattsUpMeter:
    """Starts external logging and waits for records; when none come, stops, clears and starts once more."""

    pushes = True

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: WattsUpMap,
        address: SerialAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._kind = declaration.rhythm.kind
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None
        self._identity = identify(settings, declaration)
        self._port: SerialPort | None = None
        self._buffer = PacketBuffer()
        self._arrivals: deque[Arrival] = deque()
        self._header: tuple[str, ...] = ()

    @property
    def identity(self) -> MeterIdentity:
        """Describe the meter; a real one reports no serial number, a simulated one has its mark in its version."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        return [
            Channel(item.channel, item.quantity, item.unit, item.kind or self._kind, item.label, item.resolution)
            for item in self._table.fields
        ]

    async def open(self) -> None:
        """Stop what is running, ask for the names of the fields and start logging. Raises a `DriverError`."""
        await self.close()
        self._port = SerialPort(self._address, self._clock)
        self._buffer, self._arrivals = PacketBuffer(), deque()
        try:
            await self._port.open()
            await self._send(ABORT, STOP, VERSION, HEADER)
            self._header = await self._await_header()
            await self._start()
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Wait for the next record. Raises `BadReply` for a torn one, `ConnectionFailed` when the meter is gone."""
        patience_s = self._table.interval_s + self._timeout_s
        arrival = await self._await_packet(RECORD, patience_s)
        if arrival is None:
            await self._restart()
            arrival = await self._await_packet(RECORD, patience_s)
        if arrival is None:
            raise self._mute("stopped sending")
        if isinstance(arrival.packet, TornPacket):
            raise BadReply(
                f"{self._address.path}: an incomplete record was dropped.", "Check the cable if this repeats."
            )
        return self._readings(arrival, decode_record(self._table.fields, self._header, arrival.packet.arguments))

    async def close(self) -> None:
        """Stop logging and release the port."""
        port, self._port = self._port, None
        if port is not None:
            try:
                await port.write(STOP)
            except DriverError:
                pass
            finally:
                await port.close()

    async def _start(self) -> None:
        """Start logging; select the fields if the meter is set to exclude some that are needed."""
        await self._send(self._start_command)
        first = await self._await_packet(RECORD, self._table.interval_s + self._timeout_s)
        if first is None:
            await self._restart()
        elif self._leaves_out(first.packet):
            await self._send(STOP, self._choose_command, HEADER)
            self._header = await self._await_header()
            await self._send(self._start_command)
        else:
            self._arrivals.appendleft(first)

    async def _restart(self) -> None:
        await self._send(STOP, CLEAR, self._start_command)

    @property
    def _start_command(self) -> bytes:
        return b"#L,W,3,E,0,%d;" % self._table.interval_s

    @property
    def _choose_command(self) -> bytes:
        names = len(self._table.header)
        return b"#C,W,%d,%s;" % (names, b",".join([b"1"] * names))

    def _leaves_out(self, packet: Packet | TornPacket) -> bool:
        needed = {item.field.upper() for item in self._table.fields}
        if isinstance(packet, TornPacket):
            return False
        return bool(needed - {n.upper() for n, t in zip(self._header, packet.arguments, strict=False) if t != UNLOGGED})

    async def _await_header(self) -> tuple[str, ...]:
        for _ in range(2):
            arrival = await self._await_packet("h", self._timeout_s)
            if arrival is not None and isinstance(arrival.packet, Packet):
                return arrival.packet.arguments
            await self._send(HEADER)
        raise self._mute("does not answer")

    async def _await_packet(self, command: str, patience_s: float) -> Arrival | None:
        """Wait for a packet of a kind, or for a torn one; others are skipped. None after ``patience_s`` [s]."""
        deadline_ns = self._clock.monotonic_ns() + int(patience_s * 1e9)
        while True:
            while self._arrivals:
                arrival = self._arrivals.popleft()
                if isinstance(arrival.packet, TornPacket) or arrival.packet.command == command:
                    return arrival
                self._note_version(arrival.packet)
            if self._clock.monotonic_ns() >= deadline_ns:
                return None
            chunk = await self._opened().read()
            self._arrivals.extend(arrivals_of(self._buffer.feed(chunk.data), chunk, self._table.interval_s))

    def _note_version(self, packet: Packet) -> None:
        """Learn from an answer to `#V` whether a simulator speaks; the last argument of a real one is a checksum."""
        if packet.command == "v" and packet.arguments[-1:] == (SIMULATOR_MARK,):
            self._identity = identify(self._settings, self._declaration, SIMULATOR_MARK)

    async def _send(self, *commands: bytes) -> None:
        for command in commands:
            await self._opened().write(command)

    def _opened(self) -> SerialPort:
        if self._port is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return self._port

    def _readings(self, arrival: Arrival, values: Sequence[FieldValue]) -> list[Reading]:
        """Stamp with the arrival; the value was complete before the record was sent, so its air time is the doubt."""
        length = sum(len(name) + 1 for name in self._header)
        air_ns = length * BITS_PER_BYTE * 1_000_000_000 // self._address.baud
        return [
            Reading(
                channel=item.field.channel,
                value=item.value,
                unit=item.field.unit,
                t_ns=arrival.t_ns,
                u_t_ns=air_ns + arrival.u_t_ns,
                kind=item.field.kind or self._kind,
                range=self._range,
                quality=item.quality,
            )
            for item in values
        ]

    def _mute(self, what: str) -> ConnectionFailed:
        return ConnectionFailed(
            f"{self._address.path}: the meter {what}.",
            "Check that it is a Watts Up? meter, that it is switched on, and the baud rate.",
        )
