"""Queries to PowerSensor3 before it streams: its version and the set-up of its sensors."""

from __future__ import annotations

from wattmark_drivers.ascii.serial_port import SerialPort
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.powersensor.stream import RECORD, SENSORS, SensorSetup, parse_setup

VERSION, SETUP, NEXT, START, STOP = b"V", b"R", b"s", b"S", b"T"
DONE = b"D"
MOST_DRAINED_S = 3.0
LONGEST_VERSION = 64


class PowerSensorDialogue:
    """Questions and answers on an open port that does not stream."""

    def __init__(self, port: SerialPort, clock: Clock, timeout_s: float) -> None:
        self._port = port
        self._clock = clock
        self._timeout_s = timeout_s
        self._received = b""

    async def stop_stream(self) -> None:
        """Stop a stream that may still run, and forget what it sent. Raises `ConnectionFailed`."""
        await self._port.write(STOP)
        deadline_ns = self._clock.monotonic_ns() + int(MOST_DRAINED_S * 1e9)
        while (await self._port.read()).data:
            if self._clock.monotonic_ns() > deadline_ns:
                raise ConnectionFailed("The device does not stop sending.", "Check that it is a PowerSensor3.")
        self._received = b""

    async def version(self) -> str:
        """Ask for the firmware version. Raises `BadReply`."""
        await self._port.write(VERSION)
        while b"\n" not in self._received:
            if len(self._received) > LONGEST_VERSION:
                raise BadReply("The answer is not a version.", "Check that the device is a PowerSensor3.")
            await self._more()
        line, _, self._received = self._received.partition(b"\n")
        return line.decode("ascii", "replace").strip()

    async def setup(self) -> list[SensorSetup]:
        """Read the set-up of all sensors. Raises `BadReply`."""
        await self._port.write(SETUP)
        records = []
        for _ in range(SENSORS):
            records.append(await self._take(RECORD.size))
            await self._port.write(NEXT)
        if await self._take(1) != DONE:
            raise BadReply("The set-up of the sensors does not end as it should.", "It is asked for again.")
        return [parse_setup(record) for record in records]

    async def _take(self, size: int) -> bytes:
        while len(self._received) < size:
            await self._more()
        taken, self._received = self._received[:size], self._received[size:]
        return taken

    async def _more(self) -> None:
        deadline_ns = self._clock.monotonic_ns() + int(self._timeout_s * 1e9)
        while not (chunk := await self._port.read()).data:
            if self._clock.monotonic_ns() > deadline_ns:
                raise ConnectionFailed("The device does not answer.", "Check that it is a PowerSensor3.")
        self._received += chunk.data
