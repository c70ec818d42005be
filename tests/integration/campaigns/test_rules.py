"""The rules of a plan at work: precision, saturation, time, graduated levels, limits, settling, cooling, pulses."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from wattmark.bench.plan_rules import CoolDownRule, Graduated, LoadLimits, QuietRule, RepeatRule, SettleRule, StopRule
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import find_campaign, latest_unfinished
from wattmark.campaigns.watch.live_feed import LiveFeed, LiveTrace
from wattmark.core.errors import InputError, NotFound
from wattmark.recording.live import LiveHub
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.disclosure import CooledDown
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunStatus
from wattmark_drivers.clock import SystemClock

RATED = "import time; time.sleep(0.2); print('%d ticks' % min(5 * int('{level}'), 200))"
LEVELS = (
    "    environment:",
    "    level: {one: client, many: clients, sweep: [1, 4, 40, 80, 160, 320], asks_per_s: 5}\n    environment:",
)
STATED = ("reports: interval-amount", "reports: rate")
SHORT = {"configurations": ("a/two",), "idle_s": 0, "settle_s": 0, "hold_s": 0, "cool_down_s": 0}
QUICK = {"script": RATED, **SHORT}


class Feed(LiveFeed):
    """Stands for the meters: power and temperature as functions of the seconds since it was made."""

    def __init__(self, power_w: Callable[[float], float], celsius: Callable[[float], float] = lambda _: 30.0) -> None:
        super().__init__(LiveHub(SystemClock()))
        self.began_s = time.time()
        self._power_w = power_w
        self._celsius = celsius
        self.over_s: float | None = None

    def power(self, source: str) -> LiveTrace | None:
        return self._trace(source, "power", self._power_w) if source == "wall" else None

    def temperatures(self, source: str) -> list[LiveTrace]:
        return [self._trace(source, "temperature", self._celsius)] if source == "bmc" else []

    def _trace(self, source: str, quantity: str, function: Callable[[float], float]) -> LiveTrace:
        now_s = time.time()
        stamps = tuple(now_s - 0.01 * k for k in reversed(range(400)))
        return LiveTrace(source, quantity, quantity, stamps, tuple(function(t - self.began_s) for t in stamps))


def evaluated(campaign: Any, efficiencies: list[float]) -> None:
    """Give each complete run the next efficiency, as a meter and a load would."""
    planned, by_run = iter(efficiencies), {}

    def evaluate(run_id: str) -> Result:
        result = campaign._evaluate(run_id)
        if run_id not in by_run:
            by_run[run_id] = next(planned)
        return result.model_copy(update={"efficiency": BudgetedQuantity(value=by_run[run_id], unit=f"{result.unit}/J")})

    campaign.evaluate = evaluate


async def test_repeats_end_when_the_interval_is_narrow_enough(campaign: Any) -> None:
    # By Student's t on the logarithms (scipy.stats.t): +- 2.12 % of the first three, 1.11 % of four, 0.761 % of five.
    evaluated(campaign, [100.0, 101.0, 99.3, 100.2, 99.9, *[1.0] * 5])
    rule = RepeatRule(efficiency_ci_pct=1, at_most=8)
    out = await campaign.runner(LEVELS, STATED, **QUICK, repeats=3, repeat_until=rule).run()
    assert [row.state for row in out.runs] == ["complete"] * 5 + ["skipped"] * 3
    assert out.runs[5].reason == (
        "The 95 % interval of perf/W reaches 0.76 % to either side after 5 runs; the plan asks for 1 %."
    )
    assert (out.state, out.message, out.remaining_s) == ("complete", "3 of 8 runs were skipped.", 0)


async def test_repeats_go_on_to_the_most_when_the_interval_stays_wide(campaign: Any) -> None:
    evaluated(campaign, [100.0, 150.0, 70.0, 100.0])
    rule = RepeatRule(efficiency_ci_pct=1, at_most=4)
    out = await campaign.runner(LEVELS, STATED, **QUICK, repeats=2, repeat_until=rule).run()
    assert [row.state for row in out.runs] == ["complete"] * 4
    assert [row.optional for row in out.runs] == [False, False, True, True]


async def test_a_sweep_ends_at_saturation_and_says_so(campaign: Any) -> None:
    stop = StopRule(gain_below_pct=5, over_levels=2)
    out = await campaign.runner(LEVELS, STATED, **QUICK, levels=("sweep",), stop=stop).run()
    assert [(row.level, row.state) for row in out.runs] == [
        ("1 client", "complete"),
        ("4 clients", "complete"),
        ("40 clients", "complete"),
        ("80 clients", "complete"),
        ("160 clients", "complete"),
        ("320 clients", "skipped"),
    ]
    assert out.runs[-1].reason == (
        "Throughput no longer grows: over the last 2 levels it rose by at most 5 % above 200 at 40 clients."
    )


async def test_graduated_levels_are_shares_of_the_calibrated_maximum_and_end_with_active_idle(campaign: Any) -> None:
    rule = Graduated(percent=(100, 50, 10), calibrate=2, offer=1000)
    out = await campaign.runner(LEVELS, STATED, **QUICK, graduated=rule).run()
    assert [row.level for row in out.runs] == ["calibration 1", "calibration 2", "100 %", "50 %", "10 %", "active idle"]
    assert {row.state for row in out.runs} == {"complete"}
    records = campaign.records()
    assert [record.stated_throughput for record in records] == [200, 200, 200, 100, 20, None]
    assert [record.disclosure.task.level for record in records] == [1000, 1000, 40, 20, 4, None]
    idle = records[-1]
    assert [phase.name for phase in idle.phases] == [PhaseName.MEASURE]
    assert (idle.window_end_ns - idle.window_begin_ns) / 1e9 >= 1
    assert idle.full_load_limit_pct is None


async def test_a_level_that_was_not_held_says_so_and_a_calibration_does_not(campaign: Any) -> None:
    """At half of the load the program does 90 of the 100 that it is asked for; the offer of 1000 is never done."""
    rule = Graduated(percent=(100, 50), calibrate=1, offer=1000, active_idle=False)
    script = RATED.replace("5 * int('{level}')", "5 * int('{level}') - 10 * (int('{level}') == 20)")
    await campaign.runner(LEVELS, STATED, **{**QUICK, "script": script}, graduated=rule).run()
    notes = [[note for note in record.disclosure.notes if "not held" in note] for record in campaign.records()]
    assert [len(said) for said in notes] == [0, 0, 1]
    assert "(-10.0 %; limit 2 %)" in notes[2][0]


async def test_without_a_calibration_its_shares_are_skipped(campaign: Any) -> None:
    rule = Graduated(percent=(100,), calibrate=1, offer=1000, active_idle=False)
    out = await campaign.runner(LEVELS, STATED, **{**QUICK, "script": "import sys; sys.exit(3)"}, graduated=rule).run()
    assert [row.state for row in out.runs] == ["failed", "skipped"]
    assert (out.state, out.runs[1].reason) == ("failed", "No calibration interval of this load curve is complete.")


async def test_what_does_not_fit_into_the_time_is_skipped(campaign: Any) -> None:
    # Each run is expected to take a second and takes a fifth; after 1.5 s none can begin any more.
    out = await campaign.runner(LEVELS, STATED, **QUICK, repeats=12, time_budget_s=2.5).run()
    states = [row.state for row in out.runs]
    done = states.count("complete")
    assert states == ["complete"] * done + ["skipped"] * (12 - done)
    assert 1 <= done <= 8
    assert "left in the time budget" in out.runs[-1].reason
    assert out.state == "complete"


@pytest.mark.parametrize(
    ("limits", "feed", "reason"),
    [
        (LoadLimits(max_power_w=300), {"power_w": lambda s: 350.0 if s > 0.6 else 100.0}, "The server drew 350 W"),
        (
            LoadLimits(max_temperature_c=90),
            {"power_w": lambda _: 100.0, "celsius": lambda s: 95.5 if s > 0.6 else 40.0},
            "bmc/temperature reached 95.5 °C, more than the limit of 90 °C",
        ),
    ],
)
async def test_a_limit_ends_the_load_at_once_and_the_run_is_not_repeated(
    campaign: Any, limits: LoadLimits, feed: dict[str, Any], reason: str
) -> None:
    live = Feed(**feed)
    out = await campaign.runner(**{**SHORT, "measure_s": 60}, limits=limits, feed=live).run()
    assert campaign.loads() == []
    assert (out.state, out.runs[0].state) == ("failed", "failed")
    assert reason in out.runs[0].reason
    (record,) = campaign.records()
    assert record.status is RunStatus.FAILED
    ended_s = record.phases[-1].end_ns / 1e9 - live.began_s
    assert ended_s < 30, "long before the measurement would have ended"
    assert campaign.recorder.ended == [record.run_id]


def settle_rule(**values: float) -> SettleRule:
    """Shorter than a bench file may say."""
    return SettleRule.model_construct(until="steady", **values)


def noisy(level_w: Callable[[float], float]) -> Callable[[float], float]:
    return lambda s: level_w(s) + math.sin(1e6 * math.sin(1e5 * s))


async def test_settling_lasts_until_the_wall_power_is_steady(campaign: Any) -> None:
    feed = Feed(noisy(lambda s: 300 if s > 1.5 else 100 + 100 * s))
    rule = settle_rule(over_s=0.8, at_least_s=0.2, at_most_s=30)
    out = await campaign.runner(**SHORT, settle=rule, feed=feed).run()
    assert out.runs[0].state == "complete"
    record = campaign.records()[0]
    settle = next(phase for phase in record.phases if phase.name is PhaseName.SETTLE)
    assert record.disclosure.settled.steady is True
    assert settle.end_ns / 1e9 - feed.began_s >= 1.5
    assert settle.begin_monotonic_ns < settle.end_monotonic_ns


async def test_settling_ends_after_the_most_and_says_that_it_was_not_steady(campaign: Any) -> None:
    feed = Feed(noisy(lambda s: 100 + 100 * s))
    rule = settle_rule(over_s=0.5, at_least_s=0.1, at_most_s=1.5)
    await campaign.runner(**SHORT, settle=rule, ramp_s=0.2, feed=feed).run()
    record = campaign.records()[0]
    assert record.disclosure.settled.steady is False
    names = [phase.name for phase in record.phases]
    assert names == [PhaseName.RAMP, PhaseName.SETTLE, PhaseName.MEASURE]
    assert record.status is RunStatus.COMPLETE


async def test_a_server_rests_until_it_is_cool_enough_or_the_time_is_over(campaign: Any) -> None:
    feed = Feed(lambda _: 100.0, lambda s: 80 - 15 * s)
    rule = CoolDownRule(until_c=35, channel="bmc/temperature", at_most_s=60)
    await campaign.runner(**SHORT, cool_down=rule, feed=feed).run()
    record = campaign.records()[0]
    assert record.phases[-1].name is PhaseName.COOL_DOWN
    assert record.phases[-1].end_ns / 1e9 - feed.began_s >= 3
    assert record.disclosure.cool_down.reached is True
    unknown = CoolDownRule(until_c=35, channel="bmc/other", at_most_s=0.3)
    await campaign.runner(**SHORT, cool_down=unknown, feed=feed).run()
    assert campaign.records()[-1].disclosure.cool_down.changed(after_s=0) == CooledDown(
        until_c=35, last_c=None, reached=False, after_s=0
    )


async def test_pulses_of_load_are_marked_by_both_clocks_before_settling(campaign: Any) -> None:
    plan = {**SHORT, "idle_s": 0.1, "settle_s": 0.1, "idle_after_s": 0.1}
    await campaign.runner(**plan, sync_pattern=True, sync_pulses_s=(0.2, 0.3, 0.2, 0.5, 0.2)).run()
    record = campaign.records()[0]
    assert [phase.name.value for phase in record.phases] == ["idle", "sync-pattern", "settle", "measure", "idle"]
    sync = record.phases[1]
    assert len(sync.pulses) == 2
    for pulse, seconds in zip(sync.pulses, (0.3, 0.5), strict=True):
        assert sync.begin_ns < pulse.begin_ns < pulse.end_ns < sync.end_ns
        assert (pulse.end_ns - pulse.begin_ns) / 1e9 >= seconds
        by_both = (pulse.end_ns - pulse.begin_ns) - (pulse.end_monotonic_ns - pulse.begin_monotonic_ns)
        assert abs(by_both) < 1e6
    gap_s = (sync.pulses[1].begin_ns - sync.pulses[0].end_ns) / 1e9
    assert gap_s >= 0.2


async def test_live_watts_and_throughput_are_told_while_a_run_lasts(campaign: Any) -> None:
    await campaign.runner(**{**SHORT, "measure_s": 3}, feed=Feed(lambda _: 123.0)).run()
    live = [out for out in campaign.states if out.phase == "measure" and out.live_throughput]
    assert live
    assert {out.live_power_w for out in live} == {123.0}
    assert {out.live_throughput_unit for out in live} == {"ticks/s"}
    assert all(0 < out.live_throughput <= 51 for out in live)
    assert all(out.estimated_end_s > out.started_s for out in live)


async def test_a_stopped_campaign_is_resumed_with_its_own_plan_and_its_results(campaign: Any) -> None:
    plan = {**QUICK, "repeats": 3, "order": "random", "levels": (1, 4)}
    runner = campaign.runner(LEVELS, STATED, **plan)

    def stop(out: CampaignOut) -> None:
        if sum(row.state == "complete" for row in out.runs) == 2 and out.phase == "measure":
            runner.stop()

    campaign.on_state = stop
    broken = await runner.run()
    assert [row.state for row in broken.runs].count("aborted") == 1
    campaign.on_state = lambda _: None
    bench = campaign.folder / "bench.yaml"
    stored = find_campaign(campaign.runs, bench=bench)
    assert stored.out.campaign_id == broken.campaign_id
    out = await campaign.runner(LEVELS, STATED, script=RATED, resume=stored).run()
    assert (out.state, out.campaign_id, {row.state for row in out.runs}) == (
        "complete",
        broken.campaign_id,
        {"complete"},
    )
    assert [(row.level, row.repeat) for row in out.runs] == [(row.level, row.repeat) for row in broken.runs]
    assert [row.run_id for row in out.runs[:2]] == [row.run_id for row in broken.runs[:2]]
    assert [earlier.state for earlier in out.runs[2].earlier] == ["aborted"]
    assert all(row.efficiency.value == 57.1 for row in out.runs)
    assert out.started_s == broken.started_s
    assert out.elapsed_s > broken.elapsed_s
    assert latest_unfinished(campaign.runs) is None
    with pytest.raises(InputError, match="has ended"):
        find_campaign(campaign.runs, out.campaign_id)
    with pytest.raises(NotFound):
        find_campaign(campaign.runs)


async def test_a_campaign_is_not_resumed_on_a_bench_that_has_changed(campaign: Any) -> None:
    runner = campaign.runner(LEVELS, STATED, **QUICK, levels=(1, 4))
    runner.stop()
    await runner.run()
    stored = find_campaign(campaign.runs)
    changed = ("many: clients", "many: customers")
    with pytest.raises(InputError, match=r"run 2 was a/two, ticker, 4 clients, .* would now be .* 4 customers"):
        await campaign.runner(LEVELS, STATED, changed, script=RATED, resume=stored).run()


class BusyFor(Feed):
    """A machine of which 37 % is in use until some seconds after somebody looked.

    What this very process takes meanwhile is no share of other programs: how much that is depends on the machine.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(lambda _: 100.0)
        self._seconds = seconds
        self._end_s: float | None = None

    def utilisation(self, source: str) -> LiveTrace | None:
        end_s = self._end_s = self._end_s or time.time() - self.began_s + self._seconds
        return self._trace(source, "utilisation", lambda t: 37.0 if t < end_s else 0.0)


async def test_a_run_waits_until_the_machine_is_quiet(campaign: Any) -> None:
    out = await campaign.runner(LEVELS, STATED, **QUICK, quiet=QuietRule(at_most_s=60), feed=BusyFor(4)).run()
    (record,) = campaign.records()
    assert (out.state, record.disclosure.quiet.quiet) == ("complete", True)
    assert 4 <= record.disclosure.quiet.waited_s < 60
    waiting = re.compile(r"Waiting until the machine is quiet \(other programs use \d+ % of the CPU\)\.")
    (first, *_) = [state for state in campaign.states if waiting.fullmatch(str(state.message))]
    assert (first.run_index, first.phase, first.under_way) == (0, None, [])
    assert out.message is None


async def test_a_run_goes_on_beside_other_programs_after_the_time_of_the_rule(campaign: Any) -> None:
    await campaign.runner(LEVELS, STATED, **QUICK, quiet=QuietRule(at_most_s=4), feed=BusyFor(1000)).run()
    (record,) = campaign.records()
    assert (record.status, record.disclosure.quiet.quiet) == (RunStatus.COMPLETE, False)
    messages = {state.message for state in campaign.states if any(row.state == "running" for row in state.runs)}
    still = re.compile(r"Other programs still used \d+ % of the CPU after 4 s\.")
    assert any(still.match(str(message)) for message in messages), messages


async def test_a_campaign_that_waits_for_quiet_can_be_stopped(campaign: Any) -> None:
    runner = campaign.runner(LEVELS, STATED, **QUICK, quiet=QuietRule(at_most_s=600), feed=BusyFor(1000))

    def stop(out: CampaignOut) -> None:
        if out.message and out.message.startswith("Waiting until"):
            runner.stop()

    campaign.on_state = stop
    out = await runner.run()
    assert (out.state, campaign.records()) == ("aborted", [])
