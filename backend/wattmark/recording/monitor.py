"""All meters of a bench, sampled side by side; their readings go to the live view and to the recorder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.sampler import Sampler, SamplerState, staggered_phase_s

from wattmark.recording.live import BEAT_S, LiveHub
from wattmark.recording.live_channel import Role
from wattmark.recording.recorder import Recorder

_DEFECT_PAUSE_S = 30.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MonitoredMeter:
    """A meter with its place on the bench: what it is for, whose power it measures (None: several servers')."""

    meter: Meter
    role: Role
    server: str | None
    period_s: float

    @property
    def name(self) -> str:
        """Give the name in the bench file."""
        return self.meter.identity.name

    @property
    def expected_period_s(self) -> float:
        """Give the time between readings [s]: ours, or the device's own when it pushes."""
        return max(self.period_s, self.meter.identity.update_period_s) if self.meter.pushes else self.period_s


class Monitor:
    """Run one sampler per meter. One failing meter never stops another.

    Polls are spread over the period; ``aligned`` ones begin together at its multiples.
    """

    def __init__(
        self,
        meters: Sequence[MonitoredMeter],
        hub: LiveHub,
        recorder: Recorder,
        clock: Clock,
        *,
        aligned: bool = False,
    ) -> None:
        self._meters = meters
        self._aligned = aligned
        self._hub = hub
        self._recorder = recorder
        self._clock = clock
        self._states: dict[str, SamplerState] = {}
        self._taps: list[tuple[str, list[Reading]]] = []
        self._stopping = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self) -> None:
        """Sample until `stop`, or until cancelled; all meters are closed when it returns."""
        self._idle.clear()
        for one in self._meters:
            self._hub.register(one.meter, one.role, one.server, one.expected_period_s)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._sample(one, index)) for index, one in enumerate(self._meters)]
                tasks.append(group.create_task(self._beat()))
                await self._stopping.wait()
                for task in tasks:
                    task.cancel()
        finally:
            self._idle.set()

    async def stop(self) -> None:
        """End `run` and wait until all meters are closed."""
        self._stopping.set()
        await self._idle.wait()

    def meter_state(self, name: str) -> SamplerState | None:
        """Tell how a meter is doing; None before its sampler has begun."""
        return self._states.get(name)

    @contextmanager
    def tap(self, name: str) -> Iterator[list[Reading]]:
        """Collect every reading of one meter, as it comes, while the block lasts."""
        tap: tuple[str, list[Reading]] = (name, [])
        self._taps.append(tap)
        try:
            yield tap[1]
        finally:
            self._taps = [other for other in self._taps if other is not tap]

    async def _sample(self, one: MonitoredMeter, index: int) -> None:
        phase_s = 0.0 if self._aligned else staggered_phase_s(index, len(self._meters), one.period_s)
        while True:
            try:
                await self._sampler(one, phase_s).run()
            except Exception as error:
                _log.exception("The driver of %s is broken.", one.name)
                problem = f"The driver failed ({error!r}). This is a defect of wattmark: please report it."
                self._note(one.meter, SamplerState(one.name, "lost", problem, self._clock.utc_ns()))
            await self._clock.sleep(_DEFECT_PAUSE_S)

    def _sampler(self, one: MonitoredMeter, phase_s: float) -> Sampler:
        return Sampler(
            one.meter,
            period_s=one.period_s,
            phase_s=phase_s,
            on_readings=self._take,
            on_state=lambda state: self._note(one.meter, state),
            clock=self._clock,
        )

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(BEAT_S)
            self._hub.beat()

    def _take(self, meter: Meter, readings: list[Reading]) -> None:
        self._recorder.feed(meter, readings)
        self._hub.push(meter, readings)
        for name, taken in self._taps:
            if name == meter.identity.name:
                taken.extend(readings)

    def _note(self, meter: Meter, state: SamplerState) -> None:
        self._states[state.name] = state
        if state.state == "ok":
            self._hub.found(meter)
        elif state.problem is not None:
            self._hub.lose(state.name, state.problem)
            self._recorder.lose(state.name, state.problem)
