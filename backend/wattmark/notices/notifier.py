"""One entry of the bench: what waits for it is sent one by one, tried again within bounds, and counted."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import Clock

from wattmark.bench.notify import Notify
from wattmark.core.errors import Conflict, WattmarkError
from wattmark.core.unwaited import run_unwaited
from wattmark.notices.channel import Channel
from wattmark.notices.notice import Notice
from wattmark.notices.post import NotTold

PAUSES_S = (10.0, 60.0, 300.0, 900.0)
"""Before each further attempt, unless another notice arrives meanwhile [s]; after the last one a notice is given up."""
OLDEST_S = 3600.0
"""A notice that waited longer is not sent any more: it would be read as news [s]."""
MOST_WAITING = 50
MOST_AN_HOUR = 20
"""Notices of one event that are sent within an hour: a limit that flutters fills no telephone."""
LONGEST_S = 45.0
"""How long an attempt is waited for; longer than what each way allows itself [s]."""
_HOUR_NS = 3600 * 10**9
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Tally:
    """What became of the notices since the service started, or since the bench names this entry so."""

    sent: int = 0
    not_sent: int = 0
    """Given up, too old, too many, or still waiting when the service stopped."""
    sent_ns: int | None = None
    """Time of the latest success [UTC ns]."""
    problem: str | None = None
    remedy: str = ""
    since_ns: int | None = None
    """Since when there is a problem [UTC ns]."""


@dataclass(eq=False, slots=True)
class _Queued:
    """A notice that is not sent yet, since when, and when it is tried next [ns of the monotonic clock]."""

    notice: Notice
    taken_ns: int
    due_ns: int
    attempts: int = 0


class Notifier:
    """Send notices of one entry. For the event loop's thread; ``channel`` blocks, in a thread that nobody waits for."""

    def __init__(self, entry: Notify, channel: Channel, clock: Clock) -> None:
        self.entry = entry
        self.tally = Tally()
        self._channel = channel
        self._clock = clock
        self._queue: list[_Queued] = []
        """Oldest first."""
        self._trying: _Queued | None = None
        self._news = asyncio.Event()
        self._lately: defaultdict[str, deque[int]] = defaultdict(deque)
        self._turn = asyncio.Lock()
        self._attempt: Future[str] | None = None

    @property
    def works(self) -> bool:
        """Return whether the latest attempt did not fail."""
        return self.tally.problem is None

    @property
    def waiting(self) -> int:
        """Count the notices that are not sent yet."""
        return len(self._queue)

    def successor(self, entry: Notify, channel: Channel) -> Notifier:
        """Make the notifier of the same entry after a change: it goes on with the queue and the counts of this one.

        Nothing is known of its way yet: what waits is tried at once. What it does not tell any more is not sent.
        """
        after = Notifier(entry, channel, self._clock)
        after.tally = self.tally
        after.tally.problem, after.tally.remedy, after.tally.since_ns = None, "", None
        after._lately = self._lately
        after._queue = [queued for queued in self._queue if queued.notice.event in entry.events]
        after.tally.not_sent += len(self._queue) - len(after._queue)
        after._hurry()
        return after

    def take(self, notice: Notice) -> None:
        """Queue a notice that the entry wants; costs no time. What is beyond the bounds is counted as not sent."""
        if notice.event not in self.entry.events:
            return
        now_ns, lately = self._clock.monotonic_ns(), self._lately[notice.event]
        while lately and now_ns - lately[0] > _HOUR_NS:
            lately.popleft()
        if len(lately) >= MOST_AN_HOUR:
            self.tally.not_sent += 1
            return
        lately.append(now_ns)
        if len(self._queue) >= MOST_WAITING:
            self._give_up(next(queued for queued in self._queue if queued is not self._trying))
        self._queue.append(_Queued(notice, now_ns, now_ns))
        self._news.set()

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            self._news.clear()
            now_ns = self._clock.monotonic_ns()
            for queued in [queued for queued in self._queue if now_ns - queued.taken_ns > OLDEST_S * 1e9]:
                self._give_up(queued)
            first = min(self._queue, key=lambda queued: max(queued.due_ns, now_ns), default=None)
            if first is None:
                await self._news.wait()
            elif first.due_ns > now_ns:
                await self._news_within((first.due_ns - now_ns) / 1e9)
            else:
                await self._send(first)

    async def test(self, notice: Notice) -> str:
        """Send a notice at once, and return what took it in words. Raises `WattmarkError`."""
        return await self._attempt_once(notice)

    def give_up(self) -> None:
        """Count what still waits as not sent."""
        self.tally.not_sent += len(self._queue)
        self._queue.clear()

    async def _news_within(self, pause_s: float) -> None:
        """Wait for a pause, or until something is to be sent earlier."""
        pause, news = asyncio.create_task(self._clock.sleep(pause_s)), asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait((pause, news), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_tasks(pause, news)

    async def _send(self, queued: _Queued) -> None:
        """Try a notice once; after the last attempt it is given up."""
        self._trying = queued
        try:
            await self._attempt_once(queued.notice)
        except Conflict:
            queued.due_ns = self._clock.monotonic_ns() + round(PAUSES_S[0] * 1e9)
        except WattmarkError:
            queued.attempts += 1
            if queued.attempts > len(PAUSES_S):
                self._give_up(queued)
            else:
                queued.due_ns = self._clock.monotonic_ns() + round(PAUSES_S[queued.attempts - 1] * 1e9)
        else:
            self._queue.remove(queued)
        finally:
            self._trying = None

    def _give_up(self, queued: _Queued) -> None:
        self._queue.remove(queued)
        self.tally.not_sent += 1
        _log.warning("A notice of %s was given up: %s", self.entry.id, queued.notice.title)

    def _hurry(self) -> None:
        """Let everything that waits be tried now."""
        now_ns = self._clock.monotonic_ns()
        for queued in self._queue:
            queued.due_ns = min(queued.due_ns, now_ns)
        self._news.set()

    async def _attempt_once(self, notice: Notice) -> str:
        """Try once. Raises `WattmarkError`; a success is counted, and lets what waits be tried now."""
        async with self._turn:
            if self._attempt is not None and not self._attempt.done():
                raise Conflict("An attempt before is not over yet.", "Wait a minute.")
            try:
                answer = await self._bounded(notice)
            except WattmarkError as error:
                self._note(error.cause, error.remedy)
                raise
            except Exception as error:
                _log.exception("The entry %s of notify is broken.", self.entry.id)
                self._note(f"It failed ({type(error).__name__}).", "This is a defect of wattmark: please report it.")
                raise NotTold(self.tally.problem or "", self.tally.remedy) from error
            self.tally.sent += 1
            self.tally.sent_ns = self._clock.utc_ns()
            self._note(None)
            self._hurry()
            return answer

    async def _bounded(self, notice: Notice) -> str:
        """Wait for a thread no longer than `LONGEST_S`. One that hangs is left alone, and no second one is started."""
        self._attempt = run_unwaited(partial(self._channel, notice), f"wattmark-notify-{self.entry.id}")
        try:
            async with asyncio.timeout(LONGEST_S):
                return await asyncio.wrap_future(self._attempt)
        except TimeoutError:
            raise NotTold(f"It took longer than {LONGEST_S:g} s.", "Look at the network and its name server.") from None

    def _note(self, problem: str | None, remedy: str = "") -> None:
        """Keep a problem, and log a change of it, not every attempt."""
        tally = self.tally
        if problem == tally.problem:
            return
        if problem is None:
            _log.info("The entry %s of notify works again.", self.entry.id)
        else:
            _log.warning("The entry %s of notify does not work: %s %s", self.entry.id, problem, remedy)
        if problem is None or tally.problem is None:
            tally.since_ns = None if problem is None else self._clock.utc_ns()
        tally.problem, tally.remedy = problem, remedy
