"""One entry: what is sent, tried again, given up and counted; and that nobody waits for it."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from wattmark.core.errors import Conflict, NotFound, WattmarkError
from wattmark.notices import notifier as notifier_module
from wattmark.notices.notice import Notice
from wattmark.notices.notices import LAST_S, Notices, trial_notice
from wattmark.notices.notifier import MOST_AN_HOUR, MOST_WAITING, PAUSES_S, Notifier
from wattmark.notices.post import NotTold
from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import SystemClock

from tests.set_clock import SetClock, WaitingClock

from .conftest import AT_NS, bench, entry, notice

PHONE = '{id: phone, by: ntfy, url: "https://ntfy.lab/power"}'


class Way:
    """A way that fails as often as it is told."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.taken: list[Notice] = []
        self.attempts_ns: list[int] = []

    def __call__(self, told: Notice) -> str:
        self.attempts_ns.append(self.clock.monotonic_ns())
        if self.failures:
            self.failures -= 1
            raise NotTold("ntfy.lab cannot be reached: Connection refused.", "Check the network.")
        self.taken.append(told)
        return "ntfy.lab took the message (status 200)."

    def notifier(self, text: str = PHONE) -> Notifier:
        self.clock = SetClock(ahead_ns=AT_NS)
        return Notifier(entry(text), self, self.clock)


async def until(reached, patience_s: float = 10.0) -> None:
    end = time.monotonic() + patience_s
    while not reached():
        assert time.monotonic() < end
        await asyncio.sleep(0.001)


async def carried_out(notifier: Notifier) -> None:
    """Run until nothing waits."""
    task = asyncio.create_task(notifier.run())
    await until(lambda: not notifier.waiting)
    task.cancel()
    await asyncio.wait([task])


async def test_what_is_taken_is_sent_in_order_and_counted() -> None:
    way = Way()
    notifier = way.notifier()
    for title in ("first", "second"):
        notifier.take(notice(title=title))
    await carried_out(notifier)
    assert [told.title for told in way.taken] == ["first", "second"]
    assert (notifier.tally.sent, notifier.tally.not_sent, notifier.tally.sent_ns) == (2, 0, AT_NS)


async def test_only_what_the_entry_lists_is_sent() -> None:
    way = Way()
    notifier = way.notifier("{id: a, by: mail, to: [root], events: [meter-lost]}")
    notifier.take(notice("alarm"))
    notifier.take(notice("meter-lost"))
    await carried_out(notifier)
    assert [told.event for told in way.taken] == ["meter-lost"]


async def test_a_failure_is_tried_again_after_growing_pauses_and_the_problem_ends_with_success() -> None:
    way = Way(failures=2)
    notifier = way.notifier()
    notifier.take(notice())
    await carried_out(notifier)
    assert [round(at_ns / 1e9) for at_ns in way.attempts_ns] == [0, 10, 70]
    assert (notifier.tally.sent, notifier.tally.not_sent, notifier.tally.problem) == (1, 0, None)


async def test_after_the_last_attempt_a_notice_is_given_up_and_the_problem_stays() -> None:
    way = Way(failures=99)
    notifier = way.notifier()
    notifier.take(notice())
    await carried_out(notifier)
    assert len(way.attempts_ns) == 1 + len(PAUSES_S)
    assert way.attempts_ns[-1] == sum(PAUSES_S) * 1e9
    assert (notifier.tally.sent, notifier.tally.not_sent, notifier.tally.since_ns) == (0, 1, AT_NS)
    assert notifier.tally.problem == "ntfy.lab cannot be reached: Connection refused."


async def test_news_that_is_old_is_not_sent_any_more() -> None:
    way = Way()
    notifier = way.notifier()
    notifier.take(notice(title="old"))
    way.clock.pass_s(3601)
    notifier.take(notice(title="new"))
    await carried_out(notifier)
    assert [told.title for told in way.taken] == ["new"]
    assert (notifier.tally.sent, notifier.tally.not_sent) == (1, 1)


async def test_a_success_lets_what_waits_be_tried_at_once() -> None:
    way = Way(failures=1)
    notifier = way.notifier()
    notifier._clock = way.clock = WaitingClock(ahead_ns=AT_NS)
    task = asyncio.create_task(notifier.run())
    notifier.take(notice(title="first"))
    await until(lambda: notifier.tally.problem is not None)
    assert [told.title for told in way.taken] == []
    await notifier.test(notice(title="trial"))
    await until(lambda: not notifier.waiting)
    assert [told.title for told in way.taken] == ["trial", "first"]
    assert way.clock.monotonic_ns() == 0, "nobody waited for the pause"
    await end_tasks(task)


async def test_one_that_nobody_takes_holds_up_no_other() -> None:
    way = Way()

    def choosy(told: Notice) -> str:
        if told.title == "poison":
            way.failures = 1
        return way(told)

    notifier = way.notifier()
    notifier._channel = choosy
    for title in ("poison", "good"):
        notifier.take(notice(title=title))
    await carried_out(notifier)
    assert [told.title for told in way.taken] == ["good"]
    assert way.attempts_ns[1] == 0, "right after the failure"
    assert len(way.attempts_ns) == 2 + len(PAUSES_S)
    assert notifier.tally.not_sent == 1


async def test_a_limit_that_flutters_does_not_keep_out_the_end_of_a_campaign() -> None:
    way = Way()
    notifier = way.notifier()
    for _ in range(MOST_AN_HOUR + 5):
        notifier.take(notice("alarm"))
    notifier.take(notice("campaign-ended"))
    await carried_out(notifier)
    assert [told.event for told in way.taken] == ["alarm"] * MOST_AN_HOUR + ["campaign-ended"]
    assert notifier.tally.not_sent == 5
    way.clock.pass_s(3601)
    notifier.take(notice("alarm"))
    await carried_out(notifier)
    assert len(way.taken) == MOST_AN_HOUR + 2


def test_no_more_than_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier_module, "MOST_AN_HOUR", 10**6)
    notifier = Way().notifier()
    for number in range(MOST_WAITING + 3):
        notifier.take(notice(title=f"n{number}"))
    assert (notifier.waiting, notifier.tally.not_sent) == (MOST_WAITING, 3)
    assert [queued.notice.title for queued in notifier._queue] == [
        f"n{number}" for number in range(3, MOST_WAITING + 3)
    ]


async def test_a_way_that_hangs_delays_nothing_and_gets_no_second_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier_module, "LONGEST_S", 0.1)
    released, started = threading.Event(), []

    def hang(_: Notice) -> str:
        started.append(threading.current_thread())
        released.wait(30)
        return ""

    notifier = Notifier(entry(PHONE), hang, SystemClock())
    try:
        with pytest.raises(NotTold, match="took longer"):
            await notifier.test(notice())
        with pytest.raises(Conflict):
            await notifier.test(notice())
        assert len(started) == 1
        assert started[0].daemon
    finally:
        released.set()


async def test_a_defect_of_a_way_is_a_problem_and_not_the_end_of_it() -> None:
    def broken(_: Notice) -> str:
        raise ZeroDivisionError

    notifier = Notifier(entry(PHONE), broken, SetClock())
    with pytest.raises(WattmarkError):
        await notifier.test(notice())
    assert "ZeroDivisionError" in (notifier.tally.problem or "")


class Room:
    """All entries of a bench that a test changes; the ways are those of the entries' ids."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *entries: str) -> None:
        self.bench = bench(*entries)
        self.failing: set[str] = set()
        self.taken: list[tuple[str, str, str]] = []
        self.problems: dict[str, str | None] = {}
        monkeypatch.setattr(
            "wattmark.notices.notices.channel_of", lambda entry, lab, *_: lambda told: self._take(entry.id, lab, told)
        )
        self.notices = Notices(lambda: self.bench, lambda: self.problems, lambda _: True, SystemClock())

    def _take(self, name: str, lab: str, told: Notice) -> str:
        if name in self.failing:
            raise NotTold(f"{name} is closed.", "Open it.")
        self.taken.append((name, lab, told.event))
        return f"{name} has it."


MAIL = "{id: post, by: mail, to: [root]}"


async def test_a_change_of_the_bench_is_followed_and_an_unchanged_entry_keeps_its_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = Room(monkeypatch, PHONE)
    assert await room.notices.test("phone") == "phone has it."
    room.bench = bench(PHONE, MAIL)
    assert await room.notices.test("post") == "post has it."
    assert [(state.name, state.sent) for state in room.notices.states()] == [("phone", 1), ("post", 1)]
    room.bench = bench(MAIL)
    with pytest.raises(NotFound, match="no entry 'phone'"):
        await room.notices.test("phone")
    room.bench = bench(MAIL, lab="Another lab")
    await room.notices.test("post")
    assert room.taken == [
        ("phone", "Power lab", "test"),
        ("post", "Power lab", "test"),
        ("post", "Another lab", "test"),
    ]
    await room.notices.stop()


async def test_nothing_is_told_where_the_bench_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(monkeypatch)
    room.notices.start()
    assert room.notices.states() == []
    await room.notices.stop()
    assert room.taken == []


async def test_a_stop_waits_for_a_way_that_works_and_not_for_one_that_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = Room(monkeypatch, MAIL, PHONE)
    room.failing = {"phone"}
    room.notices.start()
    room.notices.states()
    room.notices._queue(notice())
    await until(lambda: [state.state for state in room.notices.states()] == ["on", "failing"])
    room.notices._queue(notice())  # the stop comes before anything is sent
    begin = time.monotonic()
    await room.notices.stop()
    assert room.taken == [("post", "Power lab", "alarm")] * 2
    assert time.monotonic() - begin < LAST_S


async def test_a_stop_gives_up_on_a_way_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wattmark.notices.notices.LAST_S", 0.2)
    room, released = Room(monkeypatch, MAIL), threading.Event()
    monkeypatch.setattr(room, "_take", lambda *_: str(released.wait(20)))
    room.notices.start()
    room.notices.states()
    room.notices._queue(notice())
    begin = time.monotonic()
    await room.notices.stop()
    assert 0.2 <= time.monotonic() - begin < 5
    released.set()


async def test_a_changed_entry_keeps_what_waits_and_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(monkeypatch, PHONE)
    await room.notices.test("phone")
    room.failing = {"phone"}
    for event in ("alarm", "meter-lost"):
        room.notices._queue(notice(event))
    await until(lambda: room.notices.states()[0].problem is not None)
    room.failing = set()
    room.bench = bench('{id: phone, by: ntfy, url: "https://ntfy.lab/other", events: [alarm]}')
    await until(lambda: room.notices.states()[0].waiting == 0)
    (state,) = room.notices.states()
    assert [event for _, _, event in room.taken] == ["test", "alarm"]
    assert (state.sent, state.not_sent, state.state, state.problem) == (2, 1, "on", None)
    await room.notices.stop()


async def test_an_entry_with_a_bad_file_of_certificates_silences_no_other() -> None:
    taken = []
    bad = '{id: bad, by: ntfy, url: "https://127.0.0.1:1/power", ca_file: "~nobody-of-this-name/ca.pem"}'
    in_force = bench(bad, MAIL)
    notices = Notices(lambda: in_force, dict, lambda _: False, SystemClock())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wattmark.notices.channel.send_mail", lambda message, *_: taken.append(message))
        notices._tell(lambda: notice())
        await until(lambda: notices.states()[1].sent == 1 and notices.states()[0].problem is not None)
    assert len(taken) == 1
    assert "ca_file of the entry bad" in (notices.states()[0].problem or "")
    await notices.stop()


async def test_a_lost_meter_of_a_simulator_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wattmark.notices.happenings.LOST_S", 0.0)
    room, told = Room(monkeypatch, MAIL), []
    monkeypatch.setattr(room, "_take", lambda _name, _lab, notice: told.append(notice) or "")
    room.problems = {"wall": "no answer"}
    room.notices.start()
    await until(lambda: told)
    assert (told[0].event, told[0].simulated) == ("meter-lost", True)
    await room.notices.stop()


async def test_a_defect_here_disturbs_nobody(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    room = Room(monkeypatch, MAIL)
    room.notices.campaign(None)  # type: ignore[arg-type]
    assert "The notices are broken." in caplog.text
    await room.notices.stop()


def test_the_message_of_a_test_says_whose_it_is() -> None:
    assert trial_notice("phone", AT_NS).title == "Test of phone"
