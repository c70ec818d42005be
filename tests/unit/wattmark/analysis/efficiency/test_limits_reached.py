"""Shares of a window at a limit: each reading tells of the time before it, the kernel's times are exact. By hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from wattmark.analysis.efficiency.limits_reached import (
    LIMIT_RULES,
    CountedEvents,
    CountedTime,
    LimitKind,
    LimitReadings,
    SampledState,
    joined,
    limit_shares,
    limit_verdicts,
)
from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.verdict import Limits, Verdict

NS = 10**9
WINDOW = Window(0, 300 * NS, COMPLETE)


def sampled(
    on: set[int], *, kind: LimitKind = "power", until_s: int = 300, device: str = "CPU package 0"
) -> SampledState:
    """A reading each second from -20 s on."""
    t_s = np.arange(-20, until_s + 1)
    return SampledState(device, kind, "power limit", t_s * NS, np.isin(t_s, list(on)))


def counted(gains_ms: dict[int, float], events: dict[int, int] | None = None, until_s: int = 330) -> CountedTime:
    """A reading each second; each gain appears in the reading of its second."""
    t_s = np.arange(-20, until_s + 1)
    total = sum((np.where(t_s >= at, gain, 0.0) for at, gain in gains_ms.items()), np.full(len(t_s), 7000.0))
    count = sum((np.where(t_s >= at, n, 0) for at, n in (events or {}).items()), np.full(len(t_s), 3))
    return CountedTime("CPU package 0", "heat", "throttled by heat", t_s * NS, total, count.astype(np.float64))


def judge(readings: LimitReadings) -> dict[str, Verdict]:
    verdicts = limit_verdicts(readings, limit_shares(readings, WINDOW), WINDOW, Limits())
    assert [verdict.rule for verdict in verdicts] == list(LIMIT_RULES)
    return {verdict.rule: verdict for verdict in verdicts}


def test_a_sampled_state_counts_the_seconds_of_the_window() -> None:
    """Ten readings before the window and thirty in it, a second each: 30 s of 300 s are 10 %."""
    state = sampled({*range(-9, 1), *range(101, 131)})
    (share,) = limit_shares(LimitReadings((state,)), WINDOW)
    assert (share.share_pct, share.basis) == (10.0, "30 s by 300 readings")
    assert state.spans() == [(-10 * NS, 0), (100 * NS, 130 * NS)]


def test_a_state_after_a_gap_is_known_for_two_and_a_half_steps_only() -> None:
    t_ns = np.array([0, 1, 2, 12, 13]) * NS
    state = SampledState("GPU 0", "power", "power cap", t_ns, np.array([False, False, False, True, False]))
    assert state.spans() == [(round(9.5 * NS), 12 * NS)]


def test_means_over_unlike_times_weigh_by_their_time() -> None:
    """Over a slow connection RAPL's means are 1 s to 30 s long: 3 of 8 at the limit are 90 s of 98 s, not 37.5 %.

    The window ends 10 s into the last of them, which counts there for 10 s.
    """
    t_s = np.array([0, 30, 31, 33, 63, 64, 66, 68, 98])
    at_limit = np.array([False, True, False, False, True, False, False, False, True])
    state = SampledState("CPU package 0", "power", "power limit", t_s * NS, at_limit, mean_ns=30 * NS)
    (share,) = limit_shares(LimitReadings((state,)), Window(0, 98 * NS, COMPLETE))
    assert (share.share_pct, share.most_pct) == (pytest.approx(100 * 90 / 98), pytest.approx(100 * 90 / 98))
    assert share.basis == "90 s by 8 readings"
    assert state.spans() == [(0, 30 * NS), (33 * NS, 63 * NS), (68 * NS, 98 * NS)]
    (cut,) = limit_shares(LimitReadings((state,)), Window(0, 78 * NS, COMPLETE))
    assert cut.share_pct == pytest.approx(100 * 70 / 78)


def test_a_mean_does_not_reach_across_a_gap() -> None:
    """The machine did not answer from 10 s to 30 s; the first mean after it is that of the second from 30 s to 31 s.

    By the usual steps it tells of 2.5 s, so that 18.5 s of 60 s are unseen.
    """
    t_s = np.array([*range(11), *range(31, 61)])
    at_limit = np.isin(t_s, [31])
    unread_ns = np.array([30 * NS])
    state = SampledState(
        "CPU package 0", "power", "power limit", t_s * NS, at_limit, mean_ns=30 * NS, unread_ns=unread_ns
    )
    (share,) = limit_shares(LimitReadings((state,)), Window(0, 60 * NS, COMPLETE))
    assert (share.share_pct, share.most_pct) == (pytest.approx(100 * 2.5 / 60), pytest.approx(100 * (2.5 + 18.5) / 60))


@pytest.mark.parametrize("mean_s", [None, 30])
def test_what_the_lane_shows_is_what_the_verdict_counts(mean_s: int | None) -> None:
    t_s = np.array([-3, 1, 2, 4, 14, 15, 45, 50, 99, 101])
    mean_ns = None if mean_s is None else mean_s * NS
    state = SampledState("GPU 0", "power", "power cap", t_s * NS, np.ones(10, dtype=np.bool_), mean_ns=mean_ns)
    (share,) = limit_shares(LimitReadings((state,)), Window(0, 100 * NS, COMPLETE))
    drawn_s = sum(min(end, 100 * NS) - max(begin, 0) for begin, end in state.spans()) / NS
    # steps of 4, 1, 2, 10, 1, 30, 5, 49 and 2 s, whose median is 4: an instant tells of at most 10 s before it
    assert drawn_s == {None: 1 + 1 + 2 + 10 + 1 + 10 + 5 + 10 + 1, 30: 1 + 1 + 2 + 10 + 1 + 30 + 5 + 30 + 1}[mean_s]
    assert share.share_pct == pytest.approx(drawn_s)
    assert share.most_pct == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("gains_ms", "inside_s"),
    [
        ({105: 5000}, 5.0),  # from 100 s to 105 s
        ({2: 5000}, 2.0),  # it began before the window
        ({303: 5000}, 2.0),  # it ended after the window
        ({340: 5000}, 0.0),
        ({100: 250, 200: 33}, 0.283),
        ({290: 400_000}, 290.0),
        ({}, 0.0),
    ],
)
def test_the_kernels_time_is_counted_where_it_lay(gains_ms: dict[int, float], inside_s: float) -> None:
    """therm_throt.c adds the duration of an episode when it ends."""
    (share,) = limit_shares(LimitReadings(counted=(counted(gains_ms),)), WINDOW)
    assert share.share_pct == pytest.approx(100 * inside_s / 300)
    assert share.most_pct == share.share_pct


def test_heat_that_may_go_on_is_not_called_cool() -> None:
    """An event at 290 s, and no later reading than 301 s: from 289 s on it may have been throttled."""
    begun = counted({}, {290: 1}, until_s=301)
    verdict = judge(LimitReadings(counted=(begun,)))["thermal-limit"]
    assert (verdict.outcome, verdict.value) == ("not-checked", 0.0)
    assert "perhaps the last 11 s" in verdict.text
    slight = counted({}, {290: 1}, until_s=330)
    assert judge(LimitReadings(counted=(slight,)))["thermal-limit"].outcome == "pass"
    ended = counted({291: 800}, {290: 1}, until_s=301)
    assert judge(LimitReadings(counted=(ended,)))["thermal-limit"].outcome == "pass"


@pytest.mark.parametrize(("readings", "outcome"), [(0, "pass"), (3, "pass"), (4, "fail"), (300, "fail")])
def test_one_percent_of_the_window_is_allowed(readings: int, outcome: str) -> None:
    verdict = judge(LimitReadings((sampled(set(range(1, readings + 1))),)))["power-limit"]
    assert (verdict.outcome, verdict.limit, verdict.unit) == (outcome, 1.0, "%")
    assert verdict.value == pytest.approx(readings / 3)
    assert f"{readings} s by 300 readings" in verdict.text


def test_the_worst_device_is_named_first_with_what_to_do() -> None:
    some, most = sampled(set(range(1, 31))), sampled(set(range(1, 293)), device="CPU package 1")
    verdict = judge(LimitReadings((some, most)))["power-limit"]
    assert verdict.text == (
        "CPU package 1: power limit in 97.3 % of the window (292 s by 300 readings); CPU package 0: power limit in 10 "
        "% of the window (30 s by 300 readings). The limit decided the clock: raise it, or state it with the result."
    )


def test_what_the_plan_set_is_said_beside_what_it_did_not() -> None:
    capped = dataclasses.replace(sampled(set(range(1, 293))), set_by_plan="power cap 125 W")
    verdict = judge(LimitReadings((capped,)))["power-limit"]
    assert verdict.text.endswith("readings). The plan set power cap 125 W: state it with the result.")
    other = sampled(set(range(1, 293)), device="GPU 0")
    verdict = judge(LimitReadings((capped, other)))["power-limit"]
    assert verdict.text.endswith("with the result. The limit decided the clock: raise it, or state it with the result.")
    slow = dataclasses.replace(sampled(set(range(1, 293)), kind="clock"), set_by_plan="turbo off, power cap 125 W")
    verdict = judge(LimitReadings((slow,)))["clock-limit"]
    assert verdict.text.endswith("What held it is not stated; the plan set turbo off, power cap 125 W.")


@pytest.mark.parametrize(
    ("rule", "place"), [("thermal-limit", "virtual machine"), ("current-limit", "/sys/class/hwmon")]
)
def test_what_was_not_recorded_says_why_and_what_to_do(rule: str, place: str) -> None:
    """The kernel's intel_thermal_throttle.rst (MSRs that hypervisors hide), and hwmon's sysfs-interface.rst."""
    text = judge(LimitReadings())[rule].text
    assert "recorded: no " in text
    assert place in text
    assert "clocks" in text
    assert text.endswith(".")


def test_what_was_not_recorded_is_not_zero() -> None:
    for verdict in judge(LimitReadings()).values():
        assert (verdict.value, verdict.outcome) == (None, "not-checked")
        assert "not" in verdict.text
    silent = judge(LimitReadings((sampled(set(), until_s=-1),)))["power-limit"]
    assert (silent.value, silent.outcome) == (None, "not-checked")


@pytest.mark.parametrize("is_mean", [False, True])
def test_a_recording_that_ends_early_passes_nothing(is_mean: bool) -> None:
    """Of a window of 300 s only the first three are known."""
    state, time = sampled(set(), until_s=3), dataclasses.replace(counted({}, until_s=3), is_mean=is_mean)
    verdicts = judge(LimitReadings((state,), (time,)))
    assert (verdicts["power-limit"].value, verdicts["power-limit"].outcome) == (0.0, "not-checked")
    assert (verdicts["thermal-limit"].value, verdicts["thermal-limit"].outcome) == (0.0, "not-checked")
    assert "nothing was read for 297 s" in verdicts["power-limit"].text
    assert "nothing was read for 297 s" in verdicts["thermal-limit"].text


def test_cores_that_are_throttled_together_add_up_to_their_mean() -> None:
    """32 cores of 60 s each end in three readings, 10, 12 and 10 of them: together 60 s of 300 s."""
    cores = dataclasses.replace(counted({200: 18_750.0, 201: 22_500.0, 202: 18_750.0}), is_mean=True)
    (share,) = limit_shares(LimitReadings(counted=(cores,)), WINDOW)
    assert (share.share_pct, share.basis) == (pytest.approx(20.0), "60 s by the count of the kernel")


def test_a_core_that_ends_behind_the_window_may_have_been_throttled_in_it() -> None:
    """One of 32 cores was throttled for 260 s and ended 9 s after the window: up to 8.1 s of the mean, 2.7 %."""
    cores = dataclasses.replace(counted({309: 260_000.0 / 32}), is_mean=True)
    verdict = judge(LimitReadings(counted=(cores,)))["thermal-limit"]
    assert (verdict.value, verdict.outcome) == (0.0, "not-checked")


def events_at(*seconds: float, begin_s: float = -20, end_s: float = 330, was_below: bool = True) -> CountedEvents:
    """A reading each second, half a second after the full one; an event shows in the reading after it."""
    t_s = np.arange(begin_s + 0.5, end_s + 1)
    count = sum((np.where(t_s >= at, 1.0, 0.0) for at in seconds), np.full(len(t_s), 7.0))
    return CountedEvents((t_s * NS).astype(np.int64), count, was_below)


@pytest.mark.parametrize(
    ("seconds", "throttled", "outcome"),
    [
        ((), 0.0, "pass"),
        ((100.0, 200.0, 250.0), 3.0, "fail"),
        ((0.2,), 1.0, "fail"),  # before the first reading of the window, at 0.5 s
        ((299.8,), 1.0, "fail"),  # after the last one, at 299.5 s
        ((-0.8, 301.0), 0.0, "pass"),  # before the reading at -0.5 s, after that at 300.5 s
    ],
)
def test_events_alone_judge_where_no_kernel_counted_a_time(
    seconds: tuple[float, ...], throttled: float, outcome: str
) -> None:
    verdict = judge(LimitReadings(events=events_at(*seconds)))["thermal-limit"]
    assert (verdict.value, verdict.limit, verdict.unit, verdict.outcome) == (throttled, 0.0, "1", outcome)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (events_at(begin_s=30), "nothing was read for 30.5 s"),
        (events_at(end_s=200), "nothing was read for 99.5 s"),
    ],
)
def test_events_of_a_part_of_the_window_pass_nothing(events: CountedEvents, text: str) -> None:
    verdict = judge(LimitReadings(events=events))["thermal-limit"]
    assert (verdict.value, verdict.outcome) == (0.0, "not-checked")
    assert text in verdict.text


def test_an_event_in_a_gap_across_the_edge_is_no_event_of_the_window_for_sure() -> None:
    """Nothing was read from -10 s to 40 s, and one event lies there."""
    events = events_at(-5.0)
    kept = (events.t_ns < -10 * NS) | (events.t_ns > 40 * NS)
    verdict = judge(LimitReadings(events=CountedEvents(events.t_ns[kept], events.count[kept])))["thermal-limit"]
    assert (verdict.value, verdict.outcome) == (0.0, "not-checked")
    assert "Throttle events of the CPUs, perhaps in the window: 1." in verdict.text


def test_events_outside_the_window_alone_say_nothing_of_it() -> None:
    verdict = judge(LimitReadings(events=events_at(end_s=-1)))["thermal-limit"]
    assert (verdict.value, verdict.outcome) == (None, "not-checked")


def test_a_gpu_that_reached_no_limit_hides_no_throttled_processor() -> None:
    gpu = sampled(set(), kind="heat")
    verdict = judge(LimitReadings((gpu,), events=events_at(100.0, 200.0)))["thermal-limit"]
    assert (verdict.value, verdict.unit, verdict.outcome) == (2.0, "1", "fail")
    verdict = judge(LimitReadings((gpu,), events=events_at(end_s=200)))["thermal-limit"]
    assert (verdict.unit, verdict.outcome) == ("1", "not-checked")


@pytest.mark.parametrize("is_mean", [False, True])
def test_throttling_that_neither_begins_nor_ends_is_in_no_count(is_mean: bool) -> None:
    """therm_throt.c counts a change of the status and adds the time at the next one: what stands changes neither."""
    still = dataclasses.replace(counted({}), is_mean=is_mean)
    for readings in (LimitReadings(counted=(still,)), LimitReadings(events=events_at(was_below=False))):
        verdict = judge(readings)["thermal-limit"]
        assert (verdict.value, verdict.outcome) == (0.0, "not-checked")
        device = "CPU package 0" if readings.counted else "the CPUs"
        assert f"Not checked for throttling of {device} that stood through the whole recording" in verdict.text
    with_temperature = dataclasses.replace(still, was_below=True)
    hot = sampled(set(range(-20, 301)), kind="heat")
    assert judge(LimitReadings((hot,), (with_temperature,)))["thermal-limit"].value == 100.0
    assert judge(LimitReadings((sampled(set(), kind="heat"),), (with_temperature,)))["thermal-limit"].outcome == "pass"


def test_an_episode_at_any_time_says_that_none_stood_through_the_recording() -> None:
    before = counted({-10: 800}, {-11: 1})
    assert judge(LimitReadings(counted=(before,)))["thermal-limit"].outcome == "pass"


def test_an_alarm_has_no_rule_of_its_own() -> None:
    raised = sampled(set(range(1, 301)), kind="alarm")
    assert {verdict.outcome for verdict in judge(LimitReadings((raised,))).values()} == {"not-checked"}
    assert limit_shares(LimitReadings((raised,)), WINDOW)[0].share_pct == 100.0


def alarm(on: set[int], until_s: int = 320) -> SampledState:
    return dataclasses.replace(sampled(on, kind="current", until_s=until_s), is_alarm=True, cause="alarm curr1")


def test_an_alarm_that_stood_before_the_load_says_nothing_of_it() -> None:
    """Readings from -20 s to 300 s are 321; that it cleared after the window makes it no event of the load."""
    readings = LimitReadings((alarm(set(range(-20, 305))),))
    (share,) = limit_shares(readings, WINDOW)
    assert share.basis == "raised in all 321 readings until the end of the window, so it says nothing of this load"
    verdict = judge(readings)["current-limit"]
    assert (verdict.value, verdict.outcome) == (None, "not-checked")
    assert verdict.text == f"{share}."
    beside = LimitReadings((*readings.states, alarm(set())))
    assert judge(beside)["current-limit"].outcome == "pass"


def test_an_alarm_that_was_clear_before_and_stood_through_the_window_says_so() -> None:
    verdict = judge(LimitReadings((alarm(set(range(-5, 321))),)))["current-limit"]
    assert (verdict.value, verdict.outcome) == (100.0, "fail")
    assert "(300 s by 300 readings, and clear before)" in verdict.text


def test_a_state_that_is_no_alarm_counts_however_long_it_stood() -> None:
    verdict = judge(LimitReadings((sampled(set(range(-20, 301))),)))["power-limit"]
    assert (verdict.value, verdict.outcome) == (100.0, "fail")


def test_spans_that_touch_are_one() -> None:
    begin, end = np.array([0, 10, 25, 40]), np.array([10, 20, 30, 50])
    assert joined(begin, end) == [(0, 20), (25, 30), (40, 50)]
    assert joined(begin, end, 5) == [(0, 30), (40, 50)]
    assert joined(np.zeros(0, np.int64), np.zeros(0, np.int64)) == []
