"""Devices of a lab: a speaker of their protocol, fed with what they measure of the simulated servers."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.simulators.mains import MainsPhase
from wattmark_drivers.simulators.meter_model import MeterErrors, MeterModel
from wattmark_drivers.simulators.server import SimulatedServer, phases
from wattmark_drivers.simulators.spec import DeviceSpec, Feed
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec, Surroundings, find_speaker

ASSUMED_LIMIT_PCT = 1.0
"""Limit of error [% of reading] of meters that declare none."""
BMC_ERRORS = MeterErrors(power_gain=1.03, noise=0.002)
"""A BMC has no class; this one reads 3 % high."""

ENERGY_START_WH = (100e3, 2000e3)
"""Between these lies the energy register of a meter that has been in use."""


Servers = Mapping[str, SimulatedServer]


class Device:
    """A speaker, the meter that it shows, and the server and phases that it measures."""

    def __init__(
        self,
        speaker: Speaker,
        meter: MeterModel,
        measure: Callable[[], Sequence[MainsPhase]],
        inside: Callable[[], Inside],
        latency_s: float = 0.0,
    ) -> None:
        self.speaker = speaker
        self._inside = inside
        self._meter = meter
        self._measure = measure
        self._latency_s = latency_s
        self._passed_s = 0.0
        self._waiting: deque[tuple[float, Indication]] = deque()

    def step(self, dt_s: float) -> None:
        """Simulate ``dt_s`` [s] at the present state of the servers."""
        self._passed_s += dt_s
        self.speaker.sense(self._inside())
        if self._meter.add(self._measure(), dt_s) and self._meter.indication is not None:
            self._waiting.append((self._passed_s + self._latency_s, self._meter.indication))
        while self._waiting and self._waiting[0][0] <= self._passed_s + dt_s / 2:
            self.speaker.show(self._waiting.popleft()[1])

    def show_at_once(self) -> None:
        """Show what the meter has, however late it is, as if it had been running before."""
        for _, indication in self._waiting:
            self.speaker.show(indication)
        self._waiting.clear()


def build_device(
    name: str, spec: DeviceSpec, serial: int, servers: Servers, around: Surroundings, seed: int = 1
) -> Device:
    """Build one device with a first indication, as if it had been running before.

    ``serial`` distinguishes the units of one lab; the name and the seed fix a unit's hidden errors.
    """
    declaration = spec.declaration()
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    feeds, phase_total = _inputs(spec, declaration, servers)
    meter = MeterModel(
        BMC_ERRORS if declaration.indicative else MeterErrors.inside_class(limit_pct(declaration), rng),
        declaration.rhythm.update_period_s,
        rng,
        phase_count=phase_total,
        resolution=_resolution(declaration),
        energy_start_wh=float(rng.uniform(*ENERGY_START_WH)),
    )
    measure: Callable[[], Sequence[MainsPhase]] = partial(phases, servers, feeds, separate=phase_total > 1)
    if declaration.direct_current:
        measure = _direct(measure)
    server = servers[spec.measures[0].server]
    make_speaker = find_speaker(declaration.protocol.engine)
    speaker = make_speaker(
        SpeakerSpec(
            name,
            declaration,
            serial,
            around,
            port=spec.port,
            transport=spec.transport,
            line=spec.line,
            unit=spec.unit,
            password=spec.password,
            supplies=server.spec.psu.powered,
            largest_w=server.model.wall_power_w(1.0, server.spec.dimm_slots),
        )
    )
    device = Device(speaker, meter, measure, server.inside, spec.latency_s)
    device.step(declaration.rhythm.update_period_s)
    device.show_at_once()
    return device


def limit_pct(declaration: Declaration) -> float:
    """Choose a limit of error [% of reading] that respects the declared class of power and of energy."""
    terms = [term for term in declaration.accuracy if term.quantity in {"power", "energy"}]
    limits = [limit for term in terms for limit in (term.reading_pct, term.range_pct) if limit > 0]
    return min(limits, default=ASSUMED_LIMIT_PCT)


def _inputs(spec: DeviceSpec, declaration: Declaration, servers: Servers) -> tuple[tuple[Feed, ...], int]:
    """Return the feeds and how many phases they lie on; a BMC senses each supply of its server by itself."""
    if declaration.protocol.whole_server:
        server = spec.measures[0].server
        supplies = tuple(Feed(server, n) for n in range(1, servers[server].spec.psu.powered + 1))
        return supplies, len(supplies)
    return spec.measures, declaration.protocol.phase_count


def _resolution(declaration: Declaration) -> dict[str, float]:
    """Collect the steps by quantity; a device that lists its channels by itself shows whole watts."""
    measured = declaration.protocol.measured
    if not measured:
        return {"power": 1.0}
    return {item.quantity: item.step for item in measured if item.step is not None}


def _direct(measure: Callable[[], Sequence[MainsPhase]]) -> Callable[[], Sequence[MainsPhase]]:
    """Feed the same watts by direct current: nothing reactive, no frequency."""
    return lambda: [MainsPhase(phase.voltage_v, phase.power_w, 0.0, 0.0) for phase in measure()]
