"""Speak one meter without a service: sampled and spoken in one event loop, until somebody ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.sampler import Sampler, SamplerState
from wattmark_drivers.speakers.face import Face

from wattmark.bench.speak import ENGINES, Speak
from wattmark.gateway.feed import OTHER_DEVICE, MeterFeed, Shown
from wattmark.gateway.messages import Said
from wattmark.gateway.speaking import Speaking
from wattmark.gateway.spoken import SpokenEntry, face_of, for_speaker, order_of
from wattmark.recording.live import LiveHub

LOOK_S = 0.5
FIRST_ANSWER_S = 10.0
"""How long the port waits for the meter to say who it is [s]; then it is opened all the same."""


@dataclass(frozen=True, slots=True)
class Told:
    """What happened, for the person who watches: an address that is open, or what is spoken from now on."""

    address: str | None = None
    watts: float | None = None
    problem: str | None = None


class LoneSpeaker:
    """A meter and its speaker; ``tell`` hears what a person wants to know."""

    def __init__(
        self,
        meter: Meter,
        settings: Speak,
        password: Callable[[], str] | None,
        folder: Path,
        tell: Callable[[Told], None],
        clock: Clock,
        *,
        period_s: float,
    ) -> None:
        self._meter = meter
        self._settings = settings
        self._password = password
        self._folder = folder
        self._tell = tell
        self._clock = clock
        self._period_s = period_s
        self._hub, self._feed = LiveHub(clock), MeterFeed()
        self._name = meter.identity.name
        self._entry = SpokenEntry(settings, (self._name,), clock.monotonic_ns())
        self._speaking = Speaking(self._hear)
        self._failed: Said | None = None
        self._done = asyncio.Event()

    async def run(self, done: asyncio.Event) -> None:
        """Speak until ``done``. Raises a `DriverError` where the speaker fails, `InputError` without its password."""
        self._done = done
        self._hub.register(self._meter, "wall", None, self._period_s)
        sampler = Sampler(
            self._meter, period_s=self._period_s, on_readings=self._take, on_state=self._note, clock=self._clock
        )
        sampling = asyncio.create_task(sampler.run(), name=f"meter {self._name}")
        try:
            await self._first_answer()
            while not done.is_set():
                if self._face() != self._entry.face:
                    await self._open()
                self._look()
                await self._clock.sleep(LOOK_S)
        finally:
            sampling.cancel()
            await asyncio.gather(sampling, return_exceptions=True)
            await self._speaking.close_all()
        if self._failed is not None:
            raise ConnectionFailed(self._failed.cause, self._failed.remedy)

    async def _first_answer(self) -> None:
        """Wait until the meter has said who it is, but not for ever."""
        end_ns = self._clock.monotonic_ns() + round(FIRST_ANSWER_S * 1e9)
        while not self._feed.heard(self._hub.source(self._name)):
            if self._done.is_set() or self._clock.monotonic_ns() > end_ns:
                return
            await self._clock.sleep(0.1)

    def _face(self) -> Face:
        return face_of(self._settings, [self._meter.identity])

    async def _open(self) -> None:
        """Open the speaker for the device that answers now."""
        entry, face = self._entry, self._face()
        entry.face, entry.number = face, entry.number + 1
        password = None if self._password is None else self._password()
        engine = ENGINES[self._settings.as_]
        await self._speaking.open(order_of(entry, face, [self._meter.identity], engine, password, self._folder))

    def _take(self, _: Meter, readings: Sequence[Reading]) -> None:
        self._hub.push(self._meter, readings)
        source = self._hub.source(self._name)
        if source is not None:
            self._feed.take(source, readings, self._clock.monotonic_ns())
        self._look()

    def _note(self, state: SamplerState) -> None:
        if state.state == "ok":
            self._hub.mark_answering(self._meter)
        elif state.problem is not None:
            self._hub.lose(self._name, state.problem)
        self._look()

    def _hear(self, said: Said) -> None:
        if said.kind == "open":
            self._tell(Told(address=said.address))
        elif said.kind == "failed":
            self._failed = said
            self._done.set()

    def _look(self) -> None:
        """Show what the meter shows now, and tell when that begins or ends."""
        traces = {trace.channel.id: trace for trace in self._hub.recent(self._name)}
        source, totals = self._hub.source(self._name), self._hub.totals(self._name)
        shown = self._feed.look(source, traces, totals, self._clock.monotonic_ns())
        if self._entry.face is not None and self._entry.face != self._face():
            shown = OTHER_DEVICE
        before, self._entry.shown = self._entry.shown, shown
        if before.withheld != shown.withheld:
            self._tell(_told(shown))
        self._speaking.show(self._settings.name, for_speaker(self._settings, shown, 1), shown.absent, shown.until_ns)


def _told(shown: Shown) -> Told:
    if shown.indication is not None:
        return Told(watts=shown.indication.total["power"])
    return Told(problem=None if shown.withheld is None else shown.withheld.problem)
