"""A meter that brings its own simulator: ``simulated://`` starts one on loopback when it is opened."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qsl

from wattmark_drivers.catalogue.declaration import Declaration, Transport
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.meter import Meter, MeterIdentity, RangedInput, RangeInForce, SetsRanges
from wattmark_drivers.reading import Channel, Reading
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

SCHEME = "simulated"
FORM = "simulated://?idle_w=120&dynamic_w=160&seed=1"
CARRIERS = {"modbus": "modbus-tcp", "scpi": "scpi-tcp"}
"""Engines whose models need neither a login nor another program to be simulated, and how those are reached."""
NOWHERE = {"modbus-tcp": "modbus-tcp://127.0.0.1:1/1", "scpi-tcp": "scpi-tcp://127.0.0.1:1"}
"""Placeholder addresses until the simulator reports its own; nothing opens them."""
SERVER, DEVICE = "server", "meter"
DIMMS = 4
SPARE_W = 500.0


@dataclass(frozen=True)
class LoadModel:
    """The server that a simulated meter measures; its load is that of this machine."""

    idle_w: float = 120.0
    """Power at idle without memory [W]."""
    dynamic_w: float = 160.0
    """Additional power at full load [W]."""
    seed: int = 1
    """Fixes the hidden errors of the meter."""


LIMITS = {"idle_w": (1, 5000), "dynamic_w": (0, 5000), "seed": (0, 999_999)}


def simulated_transport(declaration: Declaration) -> Transport | None:
    """Return the way that leads to a simulator of the model; None where it has none that needs nothing else."""
    carrier = declaration.transport(CARRIERS.get(declaration.protocol.engine, ""))
    return carrier and carrier.model_copy(update={"scheme": SCHEME, "port": None})


def parse_load_model(parts: SplitResult) -> LoadModel:
    """Read the load model from an address. Raises ValueError that continues "The address of the meter ..."."""
    if parts.netloc or parts.path.strip("/"):
        raise ValueError("names a place, but the simulator always runs on this machine")
    texts = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name in texts.keys() - LIMITS.keys():
        raise ValueError(f"has {name[:40]}, which a simulated meter does not know")
    values = {name: _number(name, text) for name, text in texts.items()}
    return LoadModel(
        values.get("idle_w", LoadModel.idle_w),
        values.get("dynamic_w", LoadModel.dynamic_w),
        int(values.get("seed", LoadModel.seed)),
    )


def _number(name: str, text: str) -> float:
    low, high = LIMITS[name]
    try:
        value = float(int(text)) if name == "seed" else float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        kind = "a whole number" if name == "seed" else "a number"
        raise ValueError(f"has {name}={text[:40]}, which is not {kind} from {low} to {high}")
    return value


def lab_spec(model: str, load: LoadModel, *, device: dict[str, Any] | None = None) -> dict[str, Any]:
    """Specify a lab with one server and one meter of a model; ``device`` adds to the meter's own part."""
    rated_w = 2 * (load.idle_w + load.dynamic_w) + SPARE_W
    server = {"idle_w": load.idle_w, "dynamic_w": load.dynamic_w, "dimms": DIMMS, "psu": {"rated_w": rated_w}}
    meter = {"model": model, "measures": [SERVER], **(device or {})}
    return {"seed": load.seed, "servers": {SERVER: server}, "devices": {DEVICE: meter}}


class SimulatorMeter:
    """A driver of the model that talks to a simulator of its own, started by `open` and ended by `close`.

    The dialogue is the true one over a loopback socket, so what is read carries the mark of a simulated device.
    """

    def __init__(self, declaration: Declaration, load: LoadModel, make: Callable[[str], Meter]) -> None:
        self._spec = lab_spec(declaration.id, load)
        self._make = make
        self._meter = make(NOWHERE[CARRIERS[declaration.protocol.engine]])
        self._lab: SimulatedLab | None = None
        self._starting: asyncio.Future[None] | None = None

    @property
    def pid(self) -> int | None:
        """Return the process id of the simulator while there is one."""
        return self._lab.pid if self._lab else None

    @property
    def identity(self) -> MeterIdentity:
        """Describe the device; complete only after `open`."""
        return self._meter.identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List what it measures."""
        return self._meter.channels

    @property
    def pushes(self) -> bool:
        """Return whether `read` waits for the device's own updates."""
        return self._meter.pushes

    @property
    def ranges_in_force(self) -> Mapping[RangedInput, RangeInForce]:
        """Return the ranges of the simulated device; empty where its driver sets none."""
        return self._meter.ranges_in_force if isinstance(self._meter, SetsRanges) else {}

    async def set_range(self, which: RangedInput, least: float | None) -> float | None:
        """Set a range of the simulated device; see `SetsRanges`. Raises a `DriverError`."""
        if not isinstance(self._meter, SetsRanges):
            raise ConfigurationError(f"The ranges of {self.identity.model} cannot be set.", "Choose another model.")
        return await self._meter.set_range(which, least)

    async def open(self) -> None:
        """Start the simulator and connect to it. Raises a `DriverError`."""
        await self.close()
        self._lab = SimulatedLab(self._spec)
        # Shielded: a start that is cancelled half way would leave a process that `close` does not know.
        self._starting = asyncio.ensure_future(asyncio.to_thread(self._lab.start))
        await asyncio.shield(self._starting)
        device = self._lab.devices[DEVICE]
        if device.url is None:
            raise ConnectionFailed(f"The simulator did not start: {device.problem}", "wattmark retries automatically.")
        self._meter = self._make(device.url)
        await self._meter.open()

    async def read(self) -> list[Reading]:
        """Read all channels once. Raises `BadReply` or `ConnectionFailed`."""
        return await self._meter.read()

    async def close(self) -> None:
        """End the connection, then the simulator; never raises."""
        await self._meter.close()
        lab, self._lab = self._lab, None
        starting, self._starting = self._starting, None
        if lab is None or starting is None:
            return
        await asyncio.wait([starting])
        starting.exception()
        await asyncio.to_thread(lab.stop)
