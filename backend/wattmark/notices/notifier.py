"""One entry of the bench: what waits for it is sent one after the other, tried again within bounds, and counted."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.clock import Clock

from wattmark.bench.notify import Notify
from wattmark.core.errors import Conflict, WattmarkError
from wattmark.core.unwaited import run_unwaited
from wattmark.notices.channel import Channel
from wattmark.notices.notice import Notice
from wattmark.notices.post import NotTold

PAUSES_S = (10.0, 60.0, 300.0, 900.0)
"""Before each further attempt [s]; after the last one a notice is given up."""
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


class Notifier:
    """Send notices of one entry. For the event loop's thread; ``channel`` blocks, in a thread that nobody waits for."""

    def __init__(self, entry: Notify, channel: Channel, clock: Clock) -> None:
        self.entry = entry
        self.tally = Tally()
        self._channel = channel
        self._clock = clock
        self._waiting: deque[tuple[int, Notice]] = deque()
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
        return len(self._waiting)

    def take(self, notice: Notice) -> None:
        """Queue a notice that the entry wants; costs no time. Those beyond the bounds are counted as not sent."""
        if notice.event not in self.entry.events:
            return
        now_ns, lately = self._clock.monotonic_ns(), self._lately[notice.event]
        while lately and now_ns - lately[0] > _HOUR_NS:
            lately.popleft()
        if len(lately) >= MOST_AN_HOUR or len(self._waiting) >= MOST_WAITING:
            self.tally.not_sent += 1
            return
        lately.append(now_ns)
        self._waiting.append((now_ns, notice))
        self._news.set()

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            while self._waiting:
                await self._send_first()
            self._news.clear()
            await self._news.wait()

    async def test(self, notice: Notice) -> str:
        """Send a notice at once, and return what took it in words. Raises `WattmarkError`."""
        return await self._attempt_once(notice)

    def give_up(self) -> None:
        """Count what still waits as not sent."""
        self.tally.not_sent += len(self._waiting)
        self._waiting.clear()

    async def _send_first(self) -> None:
        """Send the oldest notice, or give it up after the last attempt."""
        taken_ns, notice = self._waiting[0]
        for pause_s in (*PAUSES_S, None):
            if self._clock.monotonic_ns() - taken_ns > OLDEST_S * 1e9:
                break
            try:
                await self._attempt_once(notice)
            except WattmarkError:
                if pause_s is None:
                    break
                await self._clock.sleep(pause_s)
            else:
                self._waiting.popleft()
                return
        self._waiting.popleft()
        self.tally.not_sent += 1
        _log.warning("A notice of %s was given up: %s", self.entry.id, notice.title)

    async def _attempt_once(self, notice: Notice) -> str:
        """Try once. Raises `WattmarkError`, and counts a success."""
        try:
            async with self._turn:
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
        return answer

    async def _bounded(self, notice: Notice) -> str:
        """Wait for a thread no longer than `LONGEST_S`. One that hangs is left alone, and no second one is started."""
        if self._attempt is not None and not self._attempt.done():
            raise Conflict("An attempt before is not over yet.", "Wait a minute.")
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
