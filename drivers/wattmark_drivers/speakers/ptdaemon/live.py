"""A power daemon with a meter of its own: the program that a harness starts, ends and starts again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed, DriverError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.meter import ClosesSlowly, Meter, MeterIdentity, RangedInput, RangeInForce, SetsRanges
from wattmark_drivers.reading import UNUSABLE, Channel, Quality, Reading, part_of
from wattmark_drivers.sampler import CLOSE_TIMEOUT_S, Sampler, SamplerState
from wattmark_drivers.speakers.face import Askers, Doorway
from wattmark_drivers.speakers.faults import FaultQueue
from wattmark_drivers.speakers.ptdaemon.daemon import Judge, PowerDaemon
from wattmark_drivers.speakers.ptdaemon.journal import Console, SampleLog, Write
from wattmark_drivers.speakers.ptdaemon.port import PowerDaemonPort
from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, Input, InputRange, RangeControl, RangeRefused
from wattmark_drivers.speakers.ptdaemon.sample_grid import Observation
from wattmark_drivers.speakers.ptdaemon.samples import QUANTITIES, Exceeded, group_of
from wattmark_drivers.speakers.ptdaemon.words import NO_CALIBRATION, DaemonIdentity

START_S = 25.0
"""Longest time until the meter answers [s]; a harness waits 30 s for the port."""
INPUTS: Mapping[Input, RangedInput] = {"V": "voltage", "A": "current"}


@dataclass(frozen=True, slots=True)
class Profile:
    """Another driver's name and version, for programs that accept no other; named wherever the daemon speaks."""

    driver: str
    version: str

    @property
    def note(self) -> str:
        """Return what console and log say of it."""
        return f"Compatibility profile: states the driver {self.driver}, version {self.version}, which it is not."


@dataclass(frozen=True, slots=True)
class DaemonOptions:
    """What the command line asks of a daemon."""

    version: str
    """Of this daemon, in the form of a real one."""
    system: str
    door: Doorway
    port: int
    phases: tuple[int, ...] = ()
    """Channels that are read, by the number of their phase; none: the total."""
    with_sum: bool = False
    """Whether samples hold the sum of these channels, and each of them."""
    profile: Profile | None = None
    period_s: float = 1.0
    judge: Callable[[Meter], Judge] | None = None
    """Makes what computes the limit of error; None: it is never known."""
    calibrated: str = NO_CALIBRATION
    """Day of the calibration, as a daemon states it."""
    certified: bool = False
    """Whether a certificate tells the uncertainty, of whatever model."""
    note: str = ""


class OwnMeter:
    """A meter whose readings and changes of range take turns."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._turn = asyncio.Lock()

    @property
    def identity(self) -> MeterIdentity:
        """Describe the meter."""
        return self.meter.identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List what it measures."""
        return self.meter.channels

    @property
    def pushes(self) -> bool:
        """Return whether it sets the pace."""
        return self.meter.pushes

    @property
    def closing_s(self) -> float:
        """Return how long `close` may take now [s]."""
        return self.meter.closing_s if isinstance(self.meter, ClosesSlowly) else CLOSE_TIMEOUT_S

    async def open(self) -> None:
        """Open it. Raises a `DriverError`."""
        async with self._turn:
            await self.meter.open()

    async def read(self) -> list[Reading]:
        """Read it. Raises a `DriverError`."""
        async with self._turn:
            return await self.meter.read()

    async def close(self) -> None:
        """Close it; never raises."""
        async with self._turn:
            await self.meter.close()

    async def set_range(self, which: RangedInput, least: float | None) -> float | None:
        """Change a range between two readings. Raises a `DriverError`."""
        if not isinstance(self.meter, SetsRanges):
            raise RangeRefused(f"the ranges of {self.identity.model} cannot be set")
        async with self._turn:
            return await self.meter.set_range(which, least)


class MeterRanges:
    """The ranges of a meter: set where its driver can, otherwise those that are declared for it."""

    def __init__(self, own: OwnMeter, channels: int, declared: RangeControl) -> None:
        self._own = own
        self._channels = channels
        self._declared = declared

    @property
    def settable(self) -> bool:
        """Return whether the driver sets ranges."""
        return bool(self._in_force)

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the ranges as the driver read them last."""
        in_force = self._in_force
        if not in_force:
            return self._declared.in_use()
        return (ChannelRanges(_input(in_force["current"]), _input(in_force["voltage"])),) * self._channels

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:
        """Set a range of all channels: an analyser's driver has one for them together."""
        if not self._in_force:
            return await self._declared.choose(which, least, channel)
        if channel is not None and self._channels > 1:
            raise RangeRefused("the ranges of single channels cannot be set")
        try:
            return await self._own.set_range(INPUTS[which], least)
        except DriverError as error:
            raise RangeRefused(error.cause) from None

    @property
    def _in_force(self) -> Mapping[RangedInput, RangeInForce]:
        meter = self._own.meter
        return meter.ranges_in_force if isinstance(meter, SetsRanges) else {}


def _input(of: RangeInForce) -> InputRange:
    return InputRange(of.auto, of.nominal)


@dataclass
class LiveDaemon:
    """A meter, its sampler, a daemon and a port."""

    meter: Meter
    options: DaemonOptions
    declared: RangeControl
    clock: Clock
    write: Write
    log: SampleLog | None = None
    daemon: PowerDaemon = field(init=False)
    _own: OwnMeter = field(init=False)
    _ranges: MeterRanges = field(init=False)
    _connected: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _problem: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Build the daemon; nothing is opened."""
        self._own = OwnMeter(self.meter)
        self._ranges = MeterRanges(self._own, max(1, len(self.options.phases)), self.declared)
        self.daemon = PowerDaemon(
            self._identity(),
            self._ranges,
            self.clock,
            Console(self.write, self.clock.utc_ns),
            update_s=self._update_s,
            numbers=self.options.phases if self.options.with_sum else (),
            judge=None if self.options.judge is None else self.options.judge(self.meter),
            log=self.log,
            note=" ".join(part for part in (self._profile_note, self.options.note) if part),
        )

    async def run(self, end: asyncio.Event) -> None:
        """Connect to the meter, then listen until ``end``. Raises a `DriverError` where one of both fails."""
        sampler = Sampler(
            self._own,
            period_s=self.options.period_s,
            on_readings=self._take,
            on_state=self._follow,
            clock=self.clock,
            offsets=lambda _tick: 0.0,
        )
        sampling = asyncio.create_task(sampler.run())
        port = PowerDaemonPort(self.daemon, self.options.door, self.options.port, Askers(), FaultQueue())
        try:
            await self._await_meter(end)
            if not end.is_set():
                self.daemon.announce()
                await port.start()
                await end.wait()
        finally:
            await port.stop()
            self.daemon.close()
            sampling.cancel()
            await asyncio.gather(sampling, return_exceptions=True)

    async def _await_meter(self, end: asyncio.Event) -> None:
        """Wait until the meter answers, or the end comes. Raises `ConnectionFailed` with what the driver says."""
        ended = asyncio.create_task(end.wait())
        connected = asyncio.create_task(self._connected.wait())
        await asyncio.wait((ended, connected), timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        answered = connected.done()
        for waiting in (ended, connected):
            waiting.cancel()
        if self._problem is not None:
            raise ConnectionFailed(self._problem)
        if not answered and not end.is_set():
            raise ConnectionFailed(
                f"{self.meter.identity.name} did not answer within {START_S:g} s.", "Check that it is on."
            )

    def _follow(self, state: SamplerState) -> None:
        console = self.daemon.console
        if state.state == "ok":
            self._problem = None
            self.daemon.describe(self._identity(), self._update_s)
            if self._connected.is_set():
                console.say(f"Connected to {self.daemon.identity.driver} successfully")
            self._connected.set()
        elif state.state == "lost":
            self._problem = state.problem
            self._connected.set()
            console.say(f"ERROR: {state.problem}")

    def _take(self, meter: Meter, readings: Sequence[Reading]) -> None:
        observation = observe(meter.channels, readings, self.options.phases)
        if observation is not None:
            self.daemon.take(observation)

    @property
    def _update_s(self) -> float:
        """Return how often the meter has new values [s]: as it updates, or as it is polled."""
        update_s = self.meter.identity.update_period_s
        return update_s if self.meter.pushes else max(update_s, self.options.period_s)

    @property
    def _profile_note(self) -> str:
        return "" if self.options.profile is None else self.options.profile.note

    def _identity(self) -> DaemonIdentity:
        of, profile = self.meter.identity, self.options.profile
        serial = of.serial or ""
        if of.simulated and not serial.startswith(SIMULATOR_MARK):
            serial = f"{SIMULATOR_MARK}{serial}"
        quantities = {channel.quantity for channel in self.meter.channels}
        watts, volts, amps, factor = (quantity in quantities for quantity in QUANTITIES.values())
        return DaemonIdentity(
            driver=profile.driver if profile else f"wattmark-{of.model}",
            version=profile.version if profile else self.options.version,
            system=self.options.system,
            maker=of.maker,
            model=of.title if profile is None else of.model,
            serial=serial,
            firmware=of.firmware or "",
            averaging_ms=round((of.averaging_s or self._update_s) * 1000),
            quantities=(watts, volts, amps, factor),
            accepted=profile is not None,
            tells_uncertainty=of.power_accuracy is not None or self._ranges.settable or self.options.certified,
            sets_ranges=self._ranges.settable,
            calibrated=self.options.calibrated,
        )


def observe(channels: Sequence[Channel], readings: Sequence[Reading], phases: Sequence[int]) -> Observation | None:
    """Arrange the readings of one poll as the channels of a daemon; None where they hold nothing that it samples."""
    quantities = {channel.id: channel.quantity for channel in channels}
    sampled: list[dict[str, Reading]] = [{} for _ in phases or (None,)]
    for reading in readings:
        quantity, part = quantities.get(reading.channel), part_of(reading.channel)
        if quantity is None or quantity not in QUANTITIES.values():
            continue
        if not phases and reading.channel == quantity:
            sampled[0][quantity] = reading
        elif part is not None and part in phases and reading.channel.startswith(f"{quantity}_"):
            sampled[phases.index(part)][quantity] = reading
    powers = [values["power"] for values in sampled if "power" in values]
    if not powers:
        return None
    t_ns = powers[0].t_ns
    over = [(place, name) for place, values in enumerate(sampled) for name in values if _is_over(values[name])]
    if over:
        return Observation(t_ns, trouble="over-range", exceeded=_exceeded(over))
    if all(reading.quality & Quality.STALE for reading in powers):
        return None
    usable = [{name: reading.value for name, reading in values.items() if _is_usable(reading)} for values in sampled]
    if not any("power" in values for values in usable):
        return Observation(t_ns, trouble="error")
    return Observation(t_ns, tuple(map(group_of, usable)))


def _is_over(reading: Reading) -> bool:
    return bool(reading.quality & Quality.OVER_RANGE)


def _is_usable(reading: Reading) -> bool:
    return not reading.quality & (UNUSABLE | Quality.STALE)


def _exceeded(over: Sequence[tuple[int, str]]) -> Exceeded:
    """Name the input of the first channel that is over its range, where the device flags one of both alone."""
    channel = over[0][0]
    flagged = {quantity for place, quantity in over if place == channel}
    inputs = [which for which, quantity in INPUTS.items() if quantity in flagged]
    return Exceeded(channel, inputs[0] if len(inputs) == 1 else None)
