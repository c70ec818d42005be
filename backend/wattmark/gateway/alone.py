"""Speak one meter without a service, until somebody ends it: sampled here, spoken by the process of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.sampler import Sampler, SamplerState

from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.bench.speak import Speak
from wattmark.gateway.gateway import Gateway
from wattmark.gateway.views import SpeakerOut
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import MonitoredMeter
from wattmark.traceability.certificates.register import CertificateRegister

LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class News:
    """What happened, for the person who watches: an address that is open, what is spoken, or what is wrong."""

    address: str | None = None
    watts: float | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    id: str


class _OneMeter:
    """What the gateway takes of a bench, for one meter without one."""

    meters: Sequence[MeterEntry] = ()

    def __init__(self, settings: Speak, name: str, folder: Path) -> None:
        self.speak = (settings,)
        self.folder = folder
        self._sources = [_Source(name)]

    def sources_of(self, _entry: Speak) -> list[_Source]:
        return self._sources


class LoneSpeaker:
    """A meter and its speaker; ``tell`` hears what a person wants to know. Paths are relative to ``folder``."""

    def __init__(
        self,
        meter: Meter,
        settings: Speak,
        folder: Path,
        tell: Callable[[News], None],
        clock: Clock,
        *,
        period_s: float,
    ) -> None:
        self._meter = meter
        self._tell = tell
        self._clock = clock
        self._period_s = period_s
        self._hub = LiveHub(clock)
        bench, monitored = (
            _OneMeter(settings, meter.identity.name, folder),
            MonitoredMeter(meter, "wall", None, period_s),
        )
        self._gateway = Gateway(lambda: bench, self._hub, lambda: [monitored], CertificateRegister, clock)
        self._address: str | None = None
        self._problem: str | None = None
        """What was wrong at the last look."""
        self._spoke: bool | None = None
        """Whether there was power at the last look."""

    async def run(self, done: asyncio.Event) -> None:
        """Speak until ``done``. Raises `ConnectionFailed` where it cannot be opened at all."""
        self._hub.register(self._meter, "wall", None, self._period_s)
        sampler = Sampler(
            self._meter, period_s=self._period_s, on_readings=self._take, on_state=self._note, clock=self._clock
        )
        sampling = asyncio.create_task(sampler.run(), name=f"meter {self._meter.identity.name}")
        self._gateway.start()
        try:
            while not done.is_set():
                for speaker in self._gateway.states():
                    self._look(speaker)
                await self._clock.sleep(LOOK_S)
        finally:
            await end_tasks(sampling)
            await self._gateway.stop()

    def _take(self, _: Meter, readings: Sequence[Reading]) -> None:
        self._hub.push(self._meter, readings)
        self._gateway.take(self._meter.identity.name, readings)

    def _note(self, state: SamplerState) -> None:
        if state.state == "ok":
            self._hub.mark_answering(self._meter)
        elif state.problem is not None:
            self._hub.lose(self._meter.identity.name, state.problem)

    def _look(self, speaker: SpeakerOut) -> None:
        """Tell when an address opens, when power begins or ends to be shown, and what is wrong."""
        if speaker.problem is not None and self._address is None:
            raise ConnectionFailed(speaker.problem, speaker.remedy or "")
        if speaker.address is not None and speaker.address != self._address:
            self._address = speaker.address
            self._tell(News(address=speaker.address))
        problem = speaker.problem or speaker.note
        if problem is not None and problem != self._problem:
            self._tell(News(problem=problem))
        self._problem = problem
        speaks = speaker.power_w is not None
        if speaker.address is not None and speaks is not self._spoke:
            self._spoke = speaks
            self._tell(News(watts=speaker.power_w) if speaks else News(problem=f"shows no power. {speaker.reason}"))
