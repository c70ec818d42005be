"""A PowerSensor3 on a pseudo-terminal: two pairs of sensors in a server, 20,000 sets per second."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import numpy as np

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.powersensor.stream import RECORD, SENSORS, SET, SUPPLY_V, TOP_LEVEL
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Garbage, Silence, Torn, Unplug
from wattmark_drivers.speakers.indication import Inside
from wattmark_drivers.speakers.serial.pty_port import PtyPort
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

RATE_HZ = 20_000
TICK_S = 0.004
MOST_PER_TICK = 600
"""Sets sent at once: what a port can hold; a simulator that was held up longer loses the rest, as the firmware does."""
RAILS = ("PCIe 12V", "ATX 12V")
"""Names of the pairs."""
VOLTS = 12.0
CURRENT_VREF, CURRENT_V_PER_A = 1.65, 0.06
VOLTAGE_GAIN = 0.2
NOISE = b"\xff\x00\xff"


def setup_records() -> list[bytes]:
    """Build the set-up of the eight sensors."""
    records = []
    for name in RAILS:
        records.append(RECORD.pack(b"MLX 20A", name.encode(), CURRENT_VREF, CURRENT_V_PER_A, True))
        records.append(RECORD.pack(b"V divider", name.encode(), 0.0, VOLTAGE_GAIN, True))
    return records + [RECORD.pack(b"", b"", 0.0, 1.0, False)] * (SENSORS - len(records))


class PowerSensor(Speaker):
    """Answers the commands V, R, S and T, and streams while it is told to."""

    def __init__(self, path: Path) -> None:
        self._port = PtyPort(path, self._receive)
        self._inside = Inside()
        self._faults = FaultQueue(Torn, Garbage, Silence, Unplug)
        self._streaming: asyncio.Task[None] | None = None
        self._records: list[bytes] = []

    async def start(self) -> dict[str, str]:
        """Plug it in; return the address of its port."""
        self._port.plug()
        return {"url": f"serial://{self._port.path}"}

    async def stop(self) -> None:
        """Stop the stream and remove the port."""
        if (streaming := self._halt()) is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await streaming
        self._port.unplug()

    def sense(self, inside: Inside) -> None:
        self._inside = inside

    def inject(self, fault: Fault) -> None:
        """Disconnect at once, or disturb the next blocks of samples. Raises `ConfigurationError` for another fault."""
        if isinstance(fault, Unplug):
            self._halt()
            self._port.unplug(fault.seconds)
        else:
            self._faults.add(fault)

    def _receive(self, data: bytes) -> None:
        for command in data:
            if self._records:
                self._next_record()
                continue
            match bytes([command]):
                case b"V":
                    self._port.write(f"{SIMULATOR_MARK} F411-1.6.1\r\n".encode())
                case b"R":
                    self._records = setup_records()
                    self._port.write(self._records[0])
                case b"S":
                    self._halt()
                    self._streaming = asyncio.get_running_loop().create_task(self._stream())
                case b"T":
                    self._halt()
                case _:
                    pass

    def _next_record(self) -> None:
        del self._records[0]
        self._port.write(self._records[0] if self._records else b"D")

    def _halt(self) -> asyncio.Task[None] | None:
        streaming, self._streaming = self._streaming, None
        if streaming is not None:
            streaming.cancel()
        return streaming

    async def _stream(self) -> None:
        loop = asyncio.get_running_loop()
        before, owed = loop.time(), 0.0
        while True:
            await asyncio.sleep(TICK_S)
            now = loop.time()
            owed, before = owed + (now - before) * RATE_HZ, now
            sets = int(owed)
            owed -= sets
            block = self._block(min(sets, MOST_PER_TICK), int(now * 1e6))
            match self._faults.take():
                case Torn():
                    block = block[: len(block) // 2 - 1]
                case Garbage():
                    block = NOISE + block
                case Silence():
                    block = b""
                case _:
                    pass
            self._port.write(block)

    def _block(self, sets: int, now_us: int) -> bytes:
        """Encode sets of samples of the present load."""
        levels = np.zeros((sets, SET), np.uint16)
        levels[:, 0] = (now_us + np.arange(sets) * 1_000_000 // RATE_HZ) & TOP_LEVEL
        for pair, power_w in enumerate(self._inside.rails_w):
            amperes = power_w / VOLTS
            levels[:, 1 + 2 * pair] = _level(CURRENT_VREF + amperes * CURRENT_V_PER_A)
            levels[:, 2 + 2 * pair] = _level(VOLTS * VOLTAGE_GAIN)
        sensors = np.array([SENSORS - 1, *range(SENSORS)], np.uint16)
        octets = np.empty((sets, SET, 2), np.uint8)
        octets[:, :, 0] = 0x80 | (sensors << 4) | (levels >> 6)
        octets[:, :, 1] = levels & 63
        octets[:, 0, 1] |= 64
        return octets.tobytes()


def _level(volts: float) -> int:
    return min(TOP_LEVEL, max(0, round(volts / SUPPLY_V * TOP_LEVEL)))


def make_speaker(device: SpeakerSpec) -> PowerSensor:
    """Create the PowerSensor3 of a server."""
    return PowerSensor(device.folder)
