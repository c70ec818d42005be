"""One output that sends to another machine: kept going, its failures named and counted, never waited for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import DriverError

from wattmark.bench.bench import Bench
from wattmark.core.errors import Conflict, NotFound, WattmarkError
from wattmark.live_out.live_meters import MeterNow
from wattmark.recording.live_channel import Role

IDLE_S = 1.0
"""How soon an output does what the bench asks for [s]."""
TESTED_FIRST: tuple[Role, ...] = ("wall", "bmc", "secondary", "host")
_log = logging.getLogger(__name__)


class Settings(Protocol):
    """What the bench says about an output."""

    @property
    def period_s(self) -> float:
        """Return the time between two sendings [s]."""
        ...


S = TypeVar("S", bound=Settings)


class Sender(Protocol):
    """Sends to one machine."""

    async def send(self, meters: Sequence[MeterNow]) -> int:
        """Send what all meters show; return how many were sent. Raises `WattmarkError` or `DriverError`."""
        ...

    async def send_one(self, meter: MeterNow) -> str:
        """Send what one meter shows; return the answer in words. Raises as `send` does."""
        ...

    async def close(self) -> None:
        """Leave the machine. Never raises."""
        ...


@dataclass(slots=True)
class Tally:
    """What became of the readings since the service started."""

    sent: int = 0
    not_sent: int = 0
    sent_ns: int | None = None
    """Time of the latest success [UTC ns]."""
    problem: str | None = None
    remedy: str = ""
    since_ns: int | None = None
    """Since when there is a problem [UTC ns]."""


class Output(Generic[S]):
    """Send what the meters show each period while the bench has settings for it; readings that fail are not kept.

    ``settings`` chooses them from a bench; ``make`` opens nothing.
    """

    def __init__(
        self,
        name: str,
        bench: Callable[[], Bench],
        settings: Callable[[Bench], S | None],
        make: Callable[[S, Bench], Sender],
        meters: Callable[[], list[MeterNow]],
        clock: Clock,
    ) -> None:
        self.name = name
        self._tally = Tally()
        self._bench = bench
        self._settings = settings
        self._make = make
        self._meters = meters
        self._clock = clock
        self._sender: Sender | None = None
        self._made_for: tuple[S | None, str] = None, ""
        self._lock = asyncio.Lock()

    @property
    def on(self) -> bool:
        """Return whether the bench asks for it."""
        return self._settings(self._bench()) is not None

    @property
    def tally(self) -> Tally:
        """Return what became of the readings by the settings in force; of others it says nothing."""
        return self._tally if self._made_for == self._wanted() else Tally()

    async def run(self) -> None:
        """Send until cancelled."""
        try:
            while True:
                await self._wait(await self.step())
        finally:
            await self._close()

    async def _wait(self, seconds: float) -> None:
        """Wait until the next sending, or until the bench asks for something else."""
        end_ns = self._clock.monotonic_ns() + int(seconds * 1e9)
        while (left_s := (end_ns - self._clock.monotonic_ns()) * 1e-9) > 0 and self._made_for == self._wanted():
            await self._clock.sleep(min(left_s, IDLE_S))

    async def step(self) -> float:
        """Send once, if the bench asks for it; return how long to wait then [s]."""
        async with self._lock:
            settings = await self._follow()
            if settings is None:
                return IDLE_S
            meters = self._meters()
            try:
                async with self._failures(len(meters)):
                    sent = await (await self._open(settings)).send(meters)
                self._count(sent)
            except (WattmarkError, DriverError):
                return settings.period_s
            except Exception as error:
                _log.exception("The output %s is broken.", self.name)
                self._note(f"The output failed ({error!r}).", "This is a defect of wattmark: please report it.")
            return settings.period_s

    async def test(self) -> str:
        """Send one reading and return the answer in words. Raises `NotFound`, `Conflict`, or why it failed."""
        async with self._lock:
            settings = await self._follow()
            if settings is None:
                raise output_is_off(self.name)
            meter = fresh_meter(self._meters())
            async with self._failures(1):
                answer = await (await self._open(settings)).send_one(meter)
            self._count(1)
            return answer

    async def _follow(self) -> S | None:
        """Return what the bench says now, and leave the machine that another one named."""
        wanted = self._wanted()
        if wanted != self._made_for:
            await self._close()
            self._tally = Tally()
            self._made_for = wanted
        return wanted[0]

    def _wanted(self) -> tuple[S | None, str]:
        bench = self._bench()
        return self._settings(bench), bench.lab

    async def _open(self, settings: S) -> Sender:
        if self._sender is None:  # in a thread, because it loads the client library
            self._sender = await asyncio.to_thread(self._make, settings, self._bench())
        return self._sender

    @asynccontextmanager
    async def _failures(self, readings: int) -> AsyncIterator[None]:
        """Count readings that are not sent, name the problem, and leave the machine."""
        try:
            yield
        except Exception as error:
            self._tally.not_sent += readings
            if isinstance(error, WattmarkError | DriverError):
                self._note(error.cause, error.remedy)
            await self._close()
            raise

    def _count(self, sent: int) -> None:
        """Count readings that were sent: none where no meter shows any yet, which says nothing of the machine."""
        if sent:
            self._tally.sent += sent
            self._tally.sent_ns = self._clock.utc_ns()
            self._note(None)

    def _note(self, problem: str | None, remedy: str = "") -> None:
        """Keep a problem, and log a change of it, not every attempt."""
        tally = self._tally
        if problem == tally.problem:
            return
        if problem is None:
            _log.info("The output %s goes on.", self.name)
        else:
            _log.warning("The output %s waits: %s %s", self.name, problem, remedy)
        if problem is None or tally.problem is None:
            tally.since_ns = None if problem is None else self._clock.utc_ns()
        tally.problem, tally.remedy = problem, remedy

    async def _close(self) -> None:
        sender, self._sender = self._sender, None
        if sender is not None:
            await sender.close()


def output_is_off(name: str) -> NotFound:
    """Make the error for an output that the bench does not ask for."""
    return NotFound(f"The output {name} is off.", "Add it under outputs in the bench file.")


def fresh_meter(meters: Sequence[MeterNow]) -> MeterNow:
    """Choose a meter that shows watts now, a wall meter if there is one. Raises `Conflict` where none does."""
    fresh = [meter for meter in meters if meter.power_w is not None]
    if not fresh:
        raise Conflict("No meter has a reading now.", "Test again when Live shows watts.")
    return min(fresh, key=lambda meter: TESTED_FIRST.index(meter.role))
