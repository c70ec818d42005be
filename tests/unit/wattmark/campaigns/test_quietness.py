"""How long a campaign waits for other programs: the limit is the one that bars a run from a ranking."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wattmark.bench.plan_rules import QUIET_OVER_S, QuietRule
from wattmark.bench.server import Access, Server
from wattmark.campaigns.watch.live_feed import LiveFeed, LiveTrace
from wattmark.campaigns.watch.quietness import UNREAD_S, others_pct, still_loud, wait_until_quiet
from wattmark.recording.live import LiveHub
from wattmark.runs.disclosure import Quiet

from tests.set_clock import SetClock


class Utilisation(LiveFeed):
    """CPU utilisation by source, a function of the seconds since the begin; a reading every second.

    The begin was ``begun_s`` ago [s].
    """

    def __init__(self, clock: SetClock, begun_s: float = 0.0, **used_pct: Callable[[float], float]) -> None:
        super().__init__(LiveHub(clock))
        self._clock = clock
        self._begin_s = clock.now_ns / 1e9 - begun_s
        self._used_pct = used_pct

    def utilisation(self, source: str) -> LiveTrace | None:
        function = self._used_pct.get(source.replace(".", "_"))
        if function is None:
            return None
        seconds = [float(k) for k in range(-60, int(self._clock.now_ns / 1e9 - self._begin_s) + 1)]
        stamps = tuple(self._begin_s + second for second in seconds)
        return LiveTrace(source, "cpu_utilisation", "utilisation", stamps, tuple(map(function, seconds)))


def server(name: str = "here") -> Server:
    access = Access(local=True) if name == "here" else Access.model_validate({"ssh": {"host": name, "user": "u"}})
    return Server.model_construct(id=name, access=access, title="")


async def waited(
    clock: SetClock,
    feed: LiveFeed,
    at_most_s: float,
    *servers: Server,
    own_s: Callable[[], float | None] = lambda: 0.0,
) -> tuple[dict[str, Quiet], list[tuple[str, float]]]:
    reports: list[tuple[str, float]] = []
    rule = QuietRule(at_most_s=at_most_s)
    rested = await wait_until_quiet(
        servers, rule, feed, clock, lambda which, pct: reports.append((which.id, pct)), own_s
    )
    return rested, reports


async def test_a_quiet_machine_is_looked_at_for_three_seconds() -> None:
    clock = SetClock(10**15)
    rested, reports = await waited(clock, Utilisation(clock, host=lambda _: 4.9), 300, server())
    assert reports == []
    quiet = rested["here"]
    # from the first reading on, which comes after a second
    assert (quiet.quiet, quiet.waited_s, quiet.limit_pct) == (True, QUIET_OVER_S + 1, 5.0)
    assert quiet.others_pct == pytest.approx(4.9)
    assert still_loud(rested, ["here"]) is None


async def test_a_run_waits_until_other_programs_have_ended() -> None:
    clock = SetClock(10**15)
    rested, reports = await waited(clock, Utilisation(clock, host=lambda t: 37.0 if t <= 20 else 1.0), 300, server())
    # The mean of the last 3 s is at rest once none of their readings is from before the end at 20 s.
    assert 22 < rested["here"].waited_s <= 23.5
    assert rested["here"].quiet is True
    assert reports[0] == ("here", 37.0)
    assert len(reports) <= 4, "a use that stays the same is told once"


async def test_after_the_time_of_the_rule_the_run_goes_on_and_says_so() -> None:
    clock = SetClock(10**15)
    rested, _ = await waited(clock, Utilisation(clock, host=lambda _: 37.0), 30, server())
    assert (rested["here"].quiet, rested["here"].waited_s) == (False, pytest.approx(30))
    assert still_loud(rested, ["here"]) == (
        "Other programs still used 37 % of the CPU after 30 s. The run was started all the same and may be disturbed."
    )
    assert still_loud(rested, ["elsewhere"]) is None


@pytest.mark.parametrize("begun_s", [0.1, 0.5, 0.9])
async def test_a_reading_that_holds_for_the_run_before_too_does_not_count(begun_s: float) -> None:
    """Both processors are busy until the wait begins, between two readings; the one behind it holds for both sides."""
    clock = SetClock(10**15)
    feed = Utilisation(clock, begun_s, host=lambda t: 100.0 if t <= 0 else 100.0 * begun_s if t <= 1 else 0.0)
    rested, reports = await waited(clock, feed, 300, server())
    assert reports == []
    assert rested["here"].others_pct == 0
    assert QUIET_OVER_S < rested["here"].waited_s < QUIET_OVER_S + 2


async def test_what_was_used_before_the_wait_does_not_count() -> None:
    clock = SetClock(10**15)
    feed = Utilisation(clock, host=lambda t: 100.0 if t <= 0 else 0.0)
    rested, reports = await waited(clock, feed, 300, server())
    assert (reports, rested["here"].waited_s) == ([], QUIET_OVER_S + 1)


async def test_servers_of_a_group_are_quiet_at_the_same_time() -> None:
    clock = SetClock(10**15)
    feed = Utilisation(
        clock, host=lambda t: 0.0 if t < 10 else 30.0 if t < 40 else 0.0, host_far=lambda t: 50.0 * (t < 15)
    )
    rested, reports = await waited(clock, feed, 300, server(), server("far"))
    assert rested["here"].waited_s == rested["far"].waited_s > 40
    assert {which for which, _ in reports} == {"here", "far"}


async def test_a_server_whose_use_is_not_read_is_not_waited_for() -> None:
    clock = SetClock(10**15)
    rested, _ = await waited(clock, Utilisation(clock), 300, server())
    assert rested["here"] == Quiet(quiet=None, waited_s=UNREAD_S, others_pct=None, limit_pct=5.0)


def test_too_short_a_look_tells_nothing() -> None:
    clock = SetClock(10**15)
    assert others_pct(Utilisation(clock, host=lambda _: 0.0), server(), 1e6, 1e6 + 1, 0.0) is None


async def test_what_wattmark_itself_takes_is_not_waited_for() -> None:
    """It takes 6 % of this machine all the time, and so of the 7 % in use others take 1 %."""
    clock = SetClock(10**15)

    def own_s() -> float:
        return 0.06 * clock.now_ns / 1e9

    both = Utilisation(clock, host=lambda _: 7.0, host_far=lambda _: 4.0)
    rested, reports = await waited(clock, both, 300, server(), server("far"), own_s=own_s)
    assert reports == []
    assert rested["here"].others_pct == pytest.approx(1.0, abs=0.01)
    assert rested["far"].others_pct == pytest.approx(4.0), "wattmark does not run there"


async def test_other_programs_beside_a_busy_wattmark_are_waited_for() -> None:
    clock = SetClock(10**15)
    feed = Utilisation(clock, host=lambda t: 30.0 if t <= 20 else 6.5)
    rested, reports = await waited(clock, feed, 300, server(), own_s=lambda: 0.06 * clock.now_ns / 1e9)
    assert reports[0] == ("here", pytest.approx(24.0, abs=0.1))
    assert rested["here"].quiet is True
    assert 22 < rested["here"].waited_s <= 23.5


async def test_where_the_kernel_tells_no_times_all_that_is_used_is_of_others() -> None:
    clock = SetClock(10**15)
    rested, _ = await waited(clock, Utilisation(clock, host=lambda _: 4.0), 300, server(), own_s=lambda: None)
    assert rested["here"].others_pct == pytest.approx(4.0)
