"""Tell those whom the bench in force names what happens, without anything ever waiting for them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping

from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import Clock

from wattmark.bench.bench import Bench
from wattmark.bench.notify import Notify
from wattmark.campaigns.status import CampaignOut
from wattmark.core.errors import NotFound
from wattmark.core.likely import meant_or_listed
from wattmark.notices.channel import channel_of
from wattmark.notices.happenings import CampaignWatch, MeterWatch, alarm_notice
from wattmark.notices.notice import Notice, make_notice
from wattmark.notices.notifier import Notifier
from wattmark.notices.views import NotifierOut, notifier_out
from wattmark.runs.alarms import Alarm

LOOK_S = 1.0
"""How soon a change of the bench is followed, and a lost meter seen [s]."""
LAST_S = 1.5
"""How long a stop waits for what was told last, such as the end of a campaign that the stop caused [s]."""
_log = logging.getLogger(__name__)


class Notices:
    """Notify the entries of the bench. For the event loop's thread; `campaign` and `alarm` only queue, and never raise.

    ``problems`` says why each meter does not answer (None: it does), ``is_simulated`` of a meter whether it is one.
    """

    def __init__(
        self,
        bench: Callable[[], Bench],
        problems: Callable[[], Mapping[str, str | None]],
        is_simulated: Callable[[str], bool],
        clock: Clock,
        *,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._bench = bench
        self._problems = problems
        self._is_simulated = is_simulated
        self._clock = clock
        self._environment = environment
        self._followed: Bench | None = None
        self._notifiers: dict[str, tuple[Notifier, asyncio.Task[None]]] = {}
        self._campaigns = CampaignWatch()
        self._meters = MeterWatch()
        self._watching: asyncio.Task[None] | None = None

    def campaign(self, status: CampaignOut) -> None:
        """Take a new state of the campaign."""
        self._tell(lambda: self._campaigns.take(status, self._clock.utc_ns(), self._measures_by_simulators))

    def alarm(self, alarm: Alarm) -> None:
        """Take an alarm that has begun."""
        self._tell(lambda: alarm_notice(alarm, self._clock.utc_ns()))

    def states(self) -> list[NotifierOut]:
        """Describe every entry of the bench, in its order."""
        self._follow()
        return [notifier_out(notifier) for notifier, _ in self._notifiers.values()]

    def notes(self) -> list[str]:
        """List the entries that do not work; the reason is for those with access."""
        return [
            f"The entry {name} of notify does not work: who waits for its messages is not told."
            for name, (notifier, _) in self._notifiers.items()
            if notifier.tally.problem is not None
        ]

    async def test(self, name: str) -> str:
        """Send a message by one entry now; return what took it. Raises `NotFound`, or why it failed."""
        self._follow()
        if name not in self._notifiers:
            remedy = meant_or_listed(name, list(self._notifiers), "Entries")
            raise NotFound(f"The bench has no entry {name[:80]!r} of notify.", remedy)
        return await self._notifiers[name][0].test(trial_notice(name, self._clock.utc_ns()))

    def start(self) -> None:
        """Begin to follow the bench and its meters."""
        self._watching = asyncio.create_task(self._watch(), name="notices")

    async def stop(self) -> None:
        """Send what waits within `LAST_S` where the way works, and give the rest up."""
        if self._watching is not None:
            await end_tasks(self._watching)
        end_ns = self._clock.monotonic_ns() + round(LAST_S * 1e9)
        working = [notifier for notifier, _ in self._notifiers.values()]
        while self._clock.monotonic_ns() < end_ns and any(of.works and of.waiting for of in working):
            await self._clock.sleep(0.02)
        for notifier, task in self._notifiers.values():
            await end_tasks(task)
            notifier.give_up()
        self._notifiers = {}

    async def _watch(self) -> None:
        while True:
            try:
                self._follow()
                if self._notifiers:
                    now_ns, utc_ns = self._clock.monotonic_ns(), self._clock.utc_ns()
                    for notice in self._meters.take(self._problems(), now_ns, utc_ns, self._is_simulated):
                        self._queue(notice)
            except Exception:
                _log.exception("The notices are broken.")
            await self._clock.sleep(LOOK_S)

    def _tell(self, happened: Callable[[], Notice | None]) -> None:
        """Queue what happened. A defect here is logged, and disturbs neither a campaign nor a meter."""
        try:
            self._follow()
            notice = happened()
            if notice is not None:
                self._queue(notice)
        except Exception:
            _log.exception("The notices are broken.")

    def _measures_by_simulators(self, server: str) -> bool:
        return any(self._is_simulated(meter.id) for meter in self._bench().meters_of(server))

    def _queue(self, notice: Notice) -> None:
        for notifier, _ in self._notifiers.values():
            notifier.take(notice)

    def _follow(self) -> None:
        """Have a notifier for each entry of the bench in force; a changed one keeps what waits and its counts."""
        bench = self._bench()
        if bench is self._followed:
            return
        same_lab = self._followed is not None and self._followed.lab == bench.lab
        before, self._followed, self._notifiers = self._notifiers, bench, {}
        for entry in bench.notify:
            kept = before.pop(entry.id, None)
            if kept is not None and same_lab and kept[0].entry == entry:
                self._notifiers[entry.id] = kept
            else:
                self._notifiers[entry.id] = self._begun(entry, bench, kept)
        for _, task in before.values():
            task.cancel()

    def _begun(
        self, entry: Notify, bench: Bench, before: tuple[Notifier, asyncio.Task[None]] | None
    ) -> tuple[Notifier, asyncio.Task[None]]:
        channel = channel_of(entry, bench.lab, bench.folder, self._environment)
        if before is None:
            notifier = Notifier(entry, channel, self._clock)
        else:
            before[1].cancel()
            notifier = before[0].successor(entry, channel)
        return notifier, asyncio.create_task(notifier.run(), name=f"notify {entry.id}")


def trial_notice(name: str, now_ns: int) -> Notice:
    """Make the notice by which somebody tries an entry out."""
    return make_notice("test", f"Test of {name}", "wattmark can tell you here what happens.", now_ns)
