"""An NVIDIA GPU as a meter: its energy counter, power, temperature, clocks and load. Indicative only."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.nvml_map import NvmlChannel, NvmlMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.energy_counter import EnergyCounter, EnergyStep
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.nvml.address import NvmlAddress
from wattmark_drivers.nvml.clock_limits import IDLE, name_clock_limits
from wattmark_drivers.nvml.device import Gpu, NvmlAnswer
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.worker import Worker

LOG = logging.getLogger(__name__)
POWER = "power"
ENERGY = "energy"
FALLBACKS = ("power_average", "power_usage", "power_instant")
"""Which power of the driver becomes the channel ``power`` of a GPU without an energy counter."""
MICROJOULE_PER_MILLIJOULE = 1000
BEYOND_LIMIT = 2.0
"""Transients pass the card's power limit for moments; no power is this many times as high."""
_T = TypeVar("_T")


class NvmlMeter:
    """Asks everything at each poll; ``power`` is the mean since the poll before, from the energy counter."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: NvmlMap,
        address: NvmlAddress,
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
        self._identity = identify(settings, declaration)
        self._worker: Worker | None = None
        self._gpu: Gpu | None = None
        self._asked: list[NvmlChannel] = []
        self._counter = self._new_counter()
        self._limits = 0
        self._most_w: float | None = None
        """Power that this card cannot take [W]; None where it reports no limit."""
        self._opened_ns = 0

    @property
    def identity(self) -> MeterIdentity:
        """Describe the GPU; UUID and driver version are known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List what this GPU knows, its power first; complete after `open`."""
        listed = [
            Channel(self._name(item), item.quantity, item.unit, self._kind(item), item.label, item.step)
            for item in self._asked
        ]
        if self._counts:
            listed.append(Channel(POWER, "power", "W", Kind.AVERAGED, "Mean power, from the energy counter"))
        return sorted(listed, key=lambda channel: channel.id != POWER)

    async def open(self) -> None:
        """Open the library, find the GPU and what it knows. Raises a `DriverError`."""
        await self.close()
        self._worker = Worker("nvml")
        try:
            self._gpu = gpu = await self._run(lambda: Gpu(self._address, self._clock))
            self._identity = identify(
                self._settings, self._declaration, gpu.uuid, gpu.driver and f"driver {gpu.driver}"
            )
            self._most_w = None if gpu.limit_w is None else BEYOND_LIMIT * gpu.limit_w
            self._asked = await self._run(lambda: gpu.supported(self._table.measured))
            self._counter = self._new_counter()
            for answer in await self._run(lambda: gpu.ask(self._asked)):
                self._follow(answer)
            self._opened_ns = self._clock.monotonic_ns()
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all channels once; the first time wait until a mean is available.

        Raises `ConnectionFailed` when the GPU is lost.
        """
        gpu = self._gpu
        if gpu is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        ready_ns = self._opened_ns + int(self._table.shortest_mean_s * 1e9)
        if self._counts and (early_ns := ready_ns - self._clock.monotonic_ns()) > 0:
            await self._clock.sleep(early_ns / 1e9)
        answers = await self._run(lambda: gpu.ask(self._asked))
        return [reading for answer in answers for reading in self._readings(answer)]

    async def close(self) -> None:
        """Release the library. Never raises."""
        worker, self._worker = self._worker, None
        gpu, self._gpu = self._gpu, None
        if worker is None:
            return
        try:
            if gpu is not None:
                await worker.run(gpu.close, self._timeout_s, "NVML")
        except ConnectionFailed:
            LOG.warning("Meter %s: the NVIDIA library could not be closed.", self._identity.name)
        finally:
            worker.close()

    async def _run(self, call: Callable[[], _T]) -> _T:
        if self._worker is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return await self._worker.run(call, self._timeout_s, str(self._address))

    def _new_counter(self) -> EnergyCounter:
        """Create a counter; it counts from the load of the driver, so each session has a new start."""
        return EnergyCounter(
            modulus_uj=None,
            largest_power_w=self._table.largest_power_w,
            shortest_s=self._table.shortest_mean_s,
        )

    @property
    def _counts(self) -> bool:
        return any(item.query == ENERGY for item in self._asked)

    def _name(self, item: NvmlChannel) -> str:
        """Return the name of a channel; without an energy counter the best power of the driver is the power."""
        queries = {channel.query for channel in self._asked}
        chosen = next((query for query in FALLBACKS if query in queries), None)
        return POWER if not self._counts and item.query == chosen else item.channel

    def _kind(self, item: NvmlChannel) -> Kind:
        return item.kind or self._declaration.rhythm.kind

    def _follow(self, answer: NvmlAnswer) -> EnergyStep | None:
        if answer.channel.query != ENERGY or answer.number is None:
            return None
        return self._counter.add(answer.number * MICROJOULE_PER_MILLIJOULE, answer.t_ns)

    def _readings(self, answer: NvmlAnswer) -> list[Reading]:
        item, number = answer.channel, answer.number
        if item.query == "clock_limits" and number is not None:
            self._tell(number)
        if item.query != ENERGY:
            return [self._reading(answer, self._name(item), math.nan if number is None else number * item.scale)]
        step = self._follow(answer)
        if step is None:
            return [
                self._reading(answer, item.channel, math.nan),
                self._reading(answer, POWER, math.nan, unit="W", kind=Kind.AVERAGED),
            ]
        doubt = Quality.STALE if step.stalled else Quality.GOOD
        total = step.total_uj / MICROJOULE_PER_MILLIJOULE * item.scale
        energy = self._reading(answer, item.channel, total, doubt)
        if step.mean_w is None:
            return [energy]
        unmoved = doubt | Quality.INVALID if step.stalled else doubt
        return [self._reading(answer, POWER, step.mean_w, unmoved, unit="W", kind=Kind.AVERAGED), energy]

    def _reading(
        self,
        answer: NvmlAnswer,
        name: str,
        value: float,
        doubt: Quality = Quality.GOOD,
        *,
        unit: str | None = None,
        kind: Kind | None = None,
    ) -> Reading:
        item, stamp = answer.channel, answer.stamp
        if math.isnan(value):
            doubt = Quality.INVALID
        elif unit is None and item.limits and not item.limits[0] <= value <= item.limits[1]:
            doubt |= Quality.IMPLAUSIBLE
        if (unit or item.unit) == "W" and self._most_w is not None and value > self._most_w:
            doubt |= Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE
        return Reading(
            name, value, unit or item.unit, stamp.t_ns, stamp.u_t_ns, kind or self._kind(item), quality=doubt
        )

    def _tell(self, limits: int) -> None:
        """Log once when the reasons that limit the clocks change."""
        if limits & ~IDLE != self._limits:
            self._limits = limits & ~IDLE
            LOG.info("Meter %s: the clocks are limited by %s.", self._identity.name, name_clock_limits(self._limits))
