"""All meters of a bench, sampled side by side; their readings go to the live view and to the recorder."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.pace import random_offsets
from wattmark_drivers.reading import Reading
from wattmark_drivers.sampler import Sampler, SamplerState, staggered_phase_s

from wattmark.core.open_files import shortage
from wattmark.recording.live import BEAT_S, LiveHub
from wattmark.recording.live_channel import Role
from wattmark.recording.recorder import Recorder

_DEFECT_PAUSE_S = 30.0
_SHORTAGE_PAUSE_S = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MonitoredMeter:
    """A meter with its place on the bench: purpose, and the server that it measures (None: none, or ``shared``)."""

    meter: Meter = field(compare=False)
    role: Role
    server: str | None
    period_s: float
    made_from: object = None
    """Declaration of the meter; an equal one is not opened again when the bench changes."""

    shared: tuple[str, ...] = ()
    """Servers that it measures together."""

    @property
    def name(self) -> str:
        """Return the name in the bench file."""
        return self.meter.identity.name

    @property
    def expected_period_s(self) -> float:
        """Return the time between readings [s]: ours, or the device's own when it pushes."""
        return self.meter.identity.update_period_s if self.meter.pushes else self.period_s


@dataclass(frozen=True, slots=True)
class Replaced:
    """Effect of a change of the meters: the names started and stopped; a changed meter is in both."""

    started: list[str]
    stopped: list[str]


class Monitor:
    """Run one sampler per meter. One failing meter never stops another.

    Polls are spread over the period; ``aligned`` ones begin together at its multiples, and those at random places of it
    at the same ones. ``watch`` sees every reading; ``key`` decides on the random places.
    """

    def __init__(
        self,
        meters: Sequence[MonitoredMeter],
        hub: LiveHub,
        recorder: Recorder,
        clock: Clock,
        *,
        aligned: bool = False,
        watch: Callable[[str, Sequence[Reading]], None] = lambda _source, _readings: None,
        key: bytes | None = None,
    ) -> None:
        self._key = secrets.token_bytes(16) if key is None else key
        self._meters = list(meters)
        self._watch = watch
        self._aligned = aligned
        self._hub = hub
        self._recorder = recorder
        self._clock = clock
        self._states: dict[str, SamplerState] = {}
        self._taps: list[tuple[str, list[Reading]]] = []
        self._group: asyncio.TaskGroup | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def meters(self) -> list[MonitoredMeter]:
        """List the meters that are sampled now."""
        return self._meters

    async def run(self) -> None:
        """Sample until `stop`, or until cancelled; all meters are closed when it returns."""
        self._idle.clear()
        try:
            async with asyncio.TaskGroup() as self._group:
                for monitored in self._meters:
                    self._register(monitored)
                self._begin(self._meters)
                beat = self._group.create_task(self._beat())
                await self._stopping.wait()
                for task in (*self._tasks.values(), beat):
                    task.cancel()
        finally:
            self._group = None
            self._idle.set()

    async def replace(self, meters: Sequence[MonitoredMeter], *, aligned: bool) -> Replaced:
        """Sample these meters from now on; unchanged ones are not disturbed."""
        before = {} if aligned != self._aligned else {monitored.name: monitored for monitored in self._meters}
        unchanged = [before[monitored.name] for monitored in meters if before.get(monitored.name) == monitored]
        removed = [monitored.name for monitored in self._meters if all(monitored is not other for other in unchanged)]
        keep = {monitored.name: monitored for monitored in unchanged}
        await self._end(removed)
        self._meters = [keep.get(monitored.name, monitored) for monitored in meters]
        self._aligned = aligned
        new = [monitored for monitored in self._meters if monitored.name not in keep]
        if self._group is not None and not self._stopping.is_set():
            for monitored in new:
                self._register(monitored)
            self._begin(new)
        return Replaced([monitored.name for monitored in new], removed)

    def _register(self, monitored: MonitoredMeter) -> None:
        period_s = monitored.expected_period_s
        self._hub.register(monitored.meter, monitored.role, monitored.server, period_s, monitored.shared)

    def _begin(self, meters: Sequence[MonitoredMeter]) -> None:
        if self._group is None:
            return
        places = {monitored.name: place for place, monitored in enumerate(self._meters)}
        for monitored in meters:
            sampling = self._sample(monitored, places[monitored.name])
            self._tasks[monitored.name] = self._group.create_task(sampling, name=f"meter {monitored.name}")

    async def _end(self, names: Sequence[str]) -> None:
        """End samplers and wait until their meters are closed."""
        tasks = [self._tasks.pop(name) for name in names if name in self._tasks]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for name in names:
            self._states.pop(name, None)
            self._hub.forget(name)
            self._recorder.forget(name)

    async def stop(self) -> None:
        """End `run` and wait until all meters are closed."""
        self._stopping.set()
        await self._idle.wait()

    def meter_state(self, name: str) -> SamplerState | None:
        """Return the status of a meter; None before its sampler has started."""
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

    async def _sample(self, monitored: MonitoredMeter, index: int) -> None:
        phase_s = 0.0 if self._aligned else staggered_phase_s(index, len(self._meters), monitored.period_s)
        while True:
            try:
                await self._sampler(monitored, phase_s).run()
            except Exception as error:
                pause_s = self._failed(monitored, error)
            else:
                pause_s = _DEFECT_PAUSE_S
            await self._clock.sleep(pause_s)

    def _failed(self, monitored: MonitoredMeter, error: Exception) -> float:
        """Note what no driver explains: that files ran out, or a defect. Gives how long to wait then [s]."""
        missing = shortage()
        if missing is None:
            _log.error("The driver of %s is broken.", monitored.name, exc_info=error)
        problem = missing or f"The driver failed ({error!r}). This is a defect of wattmark: please report it."
        self._note(monitored.meter, SamplerState(monitored.name, "lost", problem, self._clock.utc_ns()))
        return _DEFECT_PAUSE_S if missing is None else _SHORTAGE_PAUSE_S

    def _sampler(self, monitored: MonitoredMeter, phase_s: float) -> Sampler:
        return Sampler(
            monitored.meter,
            period_s=monitored.period_s,
            phase_s=phase_s,
            on_readings=self._take,
            on_state=lambda state: self._note(monitored.meter, state),
            clock=self._clock,
            offsets=random_offsets(self._key if self._aligned else self._key + monitored.name.encode()),
        )

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(BEAT_S)
            self._hub.beat()

    def _take(self, meter: Meter, readings: list[Reading]) -> None:
        self._recorder.feed(meter, readings)
        self._hub.push(meter, readings)
        self._watch(meter.identity.name, readings)
        for name, taken in self._taps:
            if name == meter.identity.name:
                taken.extend(readings)

    def _note(self, meter: Meter, state: SamplerState) -> None:
        if state.state == "lost" and (missing := shortage()) is not None:
            state = replace(state, problem=missing)
        self._states[state.name] = state
        if state.state == "ok":
            self._hub.mark_answering(meter)
            self._recorder.opened(state.name)
        elif state.problem is not None:
            self._hub.lose(state.name, state.problem)
            self._recorder.lose(state.name, state.problem)
