"""A Watts Up? PRO on a pseudo-terminal, with the faults of a bad cable."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Garbage, Silence, Torn, Unplug
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.serial.pty_port import PtyPort
from wattmark_drivers.speakers.serial.wattsup_dialogue import WattsUpDialogue
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

NOISE = b"\xff\x00#d,-,18,99\xfe;\r\n"


class WattsUpMeter(Speaker):
    """The speaker of one Watts Up?."""

    def __init__(self, table: WattsUpMap, path: Path) -> None:
        self._dialogue = WattsUpDialogue(table.header)
        self._port = PtyPort(path, self._answer)
        self.faults = FaultQueue(Torn, Garbage, Silence, Unplug)

    async def start(self) -> dict[str, str]:
        """Start the meter; return the address of its serial port."""
        self._port.plug()
        return {"url": f"serial://{self._port.path}"}

    async def stop(self) -> None:
        """Stop the meter and remove its serial port."""
        self._port.unplug()

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        """Show the values of another second: send a record when the host has asked for logging."""
        record = self._dialogue.second(indication) if indication else b""
        if not record:
            return
        match self.faults.take():
            case Torn():
                self._port.write(record[: len(record) // 2])
            case Garbage():
                self._port.write(NOISE + record)
            case Silence():
                pass
            case _:
                self._port.write(record)

    def inject(self, fault: Fault) -> None:
        """Disconnect at once, or schedule a fault for the next records. Raises `ConfigurationError` for another."""
        if isinstance(fault, Unplug):
            self._port.unplug(fault.seconds)
        else:
            self.faults.add(fault)

    def _answer(self, data: bytes) -> None:
        self._port.write(self._dialogue.receive(data))


def make_speaker(device: SpeakerSpec) -> WattsUpMeter:
    """Create the speaker of a Watts Up?."""
    table = device.declaration.protocol
    if not isinstance(table, WattsUpMap):
        raise TypeError(f"{device.declaration.id} is not a Watts Up?")
    return WattsUpMeter(table, device.folder)
