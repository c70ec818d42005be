"""The protocol side of a device, what it is made from, and which module has it for each engine."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.face import Absent, Askers, Doorway, Face
from wattmark_drivers.speakers.faults import Fault
from wattmark_drivers.speakers.indication import Indication, Inside

SPEAKERS = {
    "http": "wattmark_drivers.speakers.http.plug",
    "hwmon": "wattmark_drivers.speakers.sysfs.hwmon",
    "ipmi": "wattmark_drivers.speakers.ipmi.bmc",
    "kasa": "wattmark_drivers.speakers.kasa.plug",
    "modbus": "wattmark_drivers.speakers.modbus.meter",
    "mqtt": "wattmark_drivers.speakers.mqtt.plug",
    "powersensor": "wattmark_drivers.speakers.serial.powersensor",
    "ptdaemon": "wattmark_drivers.speakers.ptdaemon.speaker",
    "rapl": "wattmark_drivers.speakers.sysfs.rapl",
    "redfish": "wattmark_drivers.speakers.redfish.service",
    "scpi": "wattmark_drivers.speakers.scpi.port",
    "snmp": "wattmark_drivers.speakers.snmp.agent",
    "wattsup": "wattmark_drivers.speakers.serial.wattsup",
}
"""Each module offers ``make_speaker``."""


Transport = Literal["tcp", "rtu", "rtu-tcp", "serial"]


class Speaker(ABC):
    """The protocol side of a device: fed with what it shows, it answers as the real one does."""

    @cached_property
    def askers(self) -> Askers:
        """Return the record of who asks."""
        return Askers()

    @abstractmethod
    async def start(self) -> dict[str, str]:
        """Start it; return its entry of the ready message. Raises a `DriverError` with the reason."""

    @abstractmethod
    async def stop(self) -> None:
        """Stop it."""

    @abstractmethod
    def inject(self, fault: Fault) -> None:
        """Schedule a fault. Raises `ConfigurationError` for one that the device cannot have."""

    def show(  # noqa: B027 - RAPL and PowerSensor3 see no wall
        self, indication: Indication | None, absent: Absent | None = None
    ) -> None:
        """Update what a meter at the wall shows; None, as before the first, where it has no reading at present.

        The device then answers as its protocol does for a value that is missing, never with the last one or 0.
        ``absent`` says why there is none, for the protocols that can say it.
        """

    @property
    def note(self) -> str | None:
        """Say what its clients lack at present, and why, in whole sentences; None where they lack nothing."""
        return None

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        """List the tasks that go on as long as it stands: where one has ended, it must be started again."""
        return ()

    def sense(self, inside: Inside) -> None:  # noqa: B027 - a meter at the wall knows nothing of the server
        """Update what sensors inside the server see, before `show`."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the speakers of one process share: a private folder, a clock [Unix s] and lines."""

    folder: Path
    now: Callable[[], float]
    lines: dict[str, Any] = field(default_factory=dict)
    """Lines that several devices share, by name; their protocol alone knows what they are."""


@dataclass(frozen=True, slots=True)
class SpeakerSpec:
    """What a speaker is made from; ``serial`` distinguishes the units of one process."""

    name: str
    declaration: Declaration
    serial: int
    around: Surroundings
    port: int = 0
    """TCP or UDP port at the address of the door; 0: any free one."""
    transport: Transport | None = None
    line: str | None = None
    unit: int | None = None
    """Modbus unit id; None: the first free one on its line."""
    password: bool = True
    """Whether a plug asks for one, where its model can."""
    supplies: int = 2
    """Power supplies of the server that a BMC watches."""
    largest_w: float | None = 1000.0
    """Most that this server draws, or the meter shows [W], which fixes the steps of the BMC's sensors; None: nobody
    knows it."""
    face: Face | None = None
    """None: a simulated device, which says so wherever its protocol lets it."""
    door: Doorway = field(default_factory=Doorway)
    publish_s: float | None = None
    """How often an MQTT device with a face publishes by itself [s]; None: its usual pace."""

    @property
    def folder(self) -> Path:
        """Return the folder, or the file, of this device."""
        return self.around.folder / self.name


MakeSpeaker = Callable[[SpeakerSpec], Speaker]


def find_speaker(engine: str) -> MakeSpeaker:
    """Find the function that creates the speaker of an engine. Raises `ConfigurationError` where there is none."""
    if engine not in SPEAKERS:
        names = ", ".join(sorted(SPEAKERS))
        raise ConfigurationError(f"No speaker serves devices of the kind {engine}.", f"There are speakers of {names}.")
    make: MakeSpeaker = import_module(SPEAKERS[engine]).make_speaker
    return make
