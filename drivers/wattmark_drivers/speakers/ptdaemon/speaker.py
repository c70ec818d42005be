"""A power daemon as a speaker: fed with what a meter shows, whether a simulated or a live one.

Behind a gateway it reports the ranges and the limit of error of the meter, as far as its driver knows them. It sets no
range, has one channel, and writes neither console nor log.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from wattmark_drivers.catalogue.ptdaemon_map import PtdaemonMap
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.faults import Fault, FaultQueue
from wattmark_drivers.speakers.indication import Behind, Indication
from wattmark_drivers.speakers.ptdaemon.daemon import Judge, PowerDaemon
from wattmark_drivers.speakers.ptdaemon.journal import Console
from wattmark_drivers.speakers.ptdaemon.port import FAULTS, PowerDaemonPort
from wattmark_drivers.speakers.ptdaemon.ranges import (
    ChannelRanges,
    FixedRanges,
    Input,
    InputRange,
    RangeControl,
    SelectableRanges,
)
from wattmark_drivers.speakers.ptdaemon.sample_grid import Observation, Trouble
from wattmark_drivers.speakers.ptdaemon.samples import Group, group_of
from wattmark_drivers.speakers.ptdaemon.version import daemon_version
from wattmark_drivers.speakers.ptdaemon.words import DaemonIdentity
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

TROUBLES: Mapping[Absent, Trouble] = {"over-range": "over-range", "not-accepted": "error"}
"""What a daemon has words for; where nothing comes for another reason, its samples are missed."""
SYSTEM = "Linux"
SPACINGS = 5
"""Readings from which it is learnt how often they come."""


class PtdaemonSpeaker(Speaker):
    """One device behind a daemon; all its phases together are one channel."""

    def __init__(self, daemon: PowerDaemon, spec: SpeakerSpec, meter: MeterBehind | None = None) -> None:
        self.daemon = daemon
        self._meter = meter
        self._door = spec.door
        self._faults = FaultQueue(*FAULTS)
        self._port = PowerDaemonPort(daemon, spec.door, spec.port, self.askers, self._faults)
        self._clock = SystemClock()
        self._seen_stamps: tuple[int, ...] = ()
        """Of the reading that was shown last [UTC ns]."""
        self._spacings: deque[int] = deque(maxlen=SPACINGS)

    async def start(self) -> dict[str, str]:
        """Start to listen; return the address. Raises `ConnectionFailed` when the port is taken."""
        return {"url": f"ptd://{self._door.address}:{await self._port.start()}"}

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return self._port.upkeep

    async def stop(self) -> None:
        """Close the port and all connections, and end the measurement."""
        await self._port.stop()
        self.daemon.close()

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next replies with values. Raises `ConfigurationError` for another kind."""
        self._faults.add(fault)

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Take a reading; what is absent for a reason that the daemon can say is an error, all else is missed."""
        stamps = indication.stamps if indication is not None else ()
        if stamps and stamps == self._seen_stamps:
            return
        self._note(stamps, indication.behind if indication is not None else None)
        self.daemon.standing = TROUBLES.get(absent) if indication is None and absent is not None else None
        observation = observe(indication, self.daemon.standing, self._clock.utc_ns())
        if observation is not None:
            self.daemon.take(observation)

    def _note(self, stamps: tuple[int, ...], behind: Behind | None) -> None:
        """Take over what is known of the meter now; how often readings come, from their stamps where nobody says.

        Those of a sum do not tell it: they are apart by how long one meter is read after another.
        """
        before, self._seen_stamps = self._seen_stamps, stamps
        if len(before) == len(stamps) == 1 and stamps > before:
            self._spacings.append(stamps[0] - before[0])
        update_s = None if behind is None else behind.update_s
        if update_s is None and len(self._spacings) == SPACINGS:
            update_s = median(self._spacings) / 1e9
        identity = self.daemon.identity
        if self._meter is not None and behind is not None:
            self._meter.behind = behind
            if behind.power_limit is not None:
                identity = replace(identity, tells_uncertainty=True)
        self.daemon.describe(identity, update_s)


class MeterBehind:
    """The meter behind a gateway as it was described last: its ranges, which no client sets, and its limit of error."""

    def __init__(self, model: str) -> None:
        self.behind = Behind()
        self._model = model

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the ranges in force, as far as they are known."""
        return self._fixed.in_use()

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:
        """Accept what is so already."""
        return await self._fixed.choose(which, least, channel)

    def judge(self, _channel: int, values: Group) -> float | None:
        """Return the limit of error of power [fraction]; None where it is not known."""
        return self.behind.power_limit if values[0] > 0 else None

    @property
    def _fixed(self) -> FixedRanges:
        of = self.behind
        amps, volts = (InputRange(of.automatic, nominal) for nominal in (of.current_range_a, of.voltage_range_v))
        return FixedRanges(ChannelRanges(amps, volts), model=self._model)


def observe(indication: Indication | None, trouble: Trouble | None, now_ns: int) -> Observation | None:
    """Translate what a meter shows into a reading of the daemon's one channel; None: there is nothing new."""
    if indication is None:
        return None if trouble is None else Observation(now_ns, trouble=trouble)
    group = group_of(indication.total)
    t_ns = now_ns if indication.t_ns is None else indication.t_ns
    if math.isnan(group[0]):
        return Observation(t_ns, trouble="error")
    return Observation(t_ns, (group,))


@dataclass(frozen=True, slots=True)
class _Simulated:
    """The analyser that a simulated daemon has behind it: its limits of error depend on the ranges in use."""

    reading_pct: float
    range_pct: float
    ranges: RangeControl

    def __call__(self, channel: int, values: Group) -> float | None:
        in_use = self.ranges.in_use()[channel]
        if in_use.volts.nominal is None or in_use.amps.nominal is None or not values[0] > 0:
            return None
        range_w = in_use.volts.nominal * in_use.amps.nominal
        return (self.reading_pct + self.range_pct * range_w / values[0]) / 100


def make_speaker(device: SpeakerSpec) -> PtdaemonSpeaker:
    """Create a daemon for a device: a simulated analyser with ranges, or the meter behind a gateway."""
    table = device.declaration.protocol
    if not isinstance(table, PtdaemonMap):
        raise TypeError(f"{device.declaration.id} is no power daemon")
    clock = SystemClock()
    update_s = device.declaration.rhythm.update_period_s
    meter = None
    if device.face is None:
        of = table.simulated
        ranges: RangeControl = SelectableRanges(of.voltage_v, of.current_a)
        judge: Judge = _Simulated(of.reading_pct, of.range_pct, ranges)
        identity = DaemonIdentity(
            driver=f"wattmark-{SIMULATOR_MARK.lower()}",
            version=daemon_version("0"),
            system=SYSTEM,
            maker="wattmark",
            model="simulated analyser",
            serial=f"{SIMULATOR_MARK}{device.serial}",
            firmware="0",
            averaging_ms=round(update_s * 1000),
            tells_uncertainty=True,
            sets_ranges=True,
        )
        daemon = PowerDaemon(identity, ranges, clock, _silent(clock), update_s=update_s, judge=judge)
    else:
        meter = MeterBehind(device.face.model)
        identity = identity_of(device.face, update_s)
        daemon = PowerDaemon(identity, meter, clock, _silent(clock), update_s=update_s, judge=meter.judge)
    return PtdaemonSpeaker(daemon, device, meter)


def identity_of(face: Face, update_s: float) -> DaemonIdentity:
    """Describe the meter behind a gateway, under our own name."""
    serial = face.serial
    if face.simulated and not serial.startswith(SIMULATOR_MARK):
        serial = f"{SIMULATOR_MARK}{serial}"
    return DaemonIdentity(
        driver=f"wattmark-{face.model.rpartition(' ')[2]}",
        version=daemon_version(face.firmware),
        system=SYSTEM,
        maker=face.maker,
        model=face.model,
        serial=serial,
        firmware=face.firmware,
        averaging_ms=round(update_s * 1000),
    )


def _silent(clock: SystemClock) -> Console:
    return Console(lambda _line: None, clock.utc_ns)
