"""A Watts Up? PRO on a pseudo-terminal, with the faults of a bad cable."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.faults import Fault, FaultQueue, Garbage, ModbusFault, Silence, Torn, Unplug
from wattmark_drivers.simulators.meter_model import Indication
from wattmark_drivers.simulators.pty_port import PtyPort
from wattmark_drivers.simulators.wattsup import WattsUpDialogue

NOISE = b"\xff\x00#d,-,18,99\xfe;\r\n"


class WattsUpMeter:
    """The wire side of one simulated Watts Up?."""

    def __init__(self, table: WattsUpMap, path: Path) -> None:
        self._dialogue = WattsUpDialogue(table.header)
        self._port = PtyPort(path, self._answer)
        self.faults = FaultQueue()

    async def start(self) -> dict[str, str]:
        """Plug it in and tell the address of its serial port."""
        self._port.plug()
        return {"url": f"serial://{self._port.path}"}

    async def stop(self) -> None:
        """Unplug it for good."""
        self._port.unplug()

    def show(self, indication: Indication) -> None:
        """Let one second pass: push a record when the host has asked for logging."""
        record = self._dialogue.second(indication)
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
        """Unplug at once, or let a fault hit the next records. Raises `ConfigurationError` for a Modbus fault."""
        if isinstance(fault, ModbusFault):
            raise ConfigurationError(f"A serial meter cannot have the fault {fault.kind}.", "Choose a serial fault.")
        if isinstance(fault, Unplug):
            self._port.unplug(fault.seconds)
        else:
            self.faults.add(fault)

    def _answer(self, data: bytes) -> None:
        self._port.write(self._dialogue.receive(data))
