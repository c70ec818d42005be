"""From recorded series of processors and GPUs to verdicts, shares and lanes of a run. Figures by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wattmark.hosts.probes.clocks import ClockLimitProbe
from wattmark.hosts.probes.cpu_sensors import sensor_places
from wattmark.hosts.probes.power_limits import PowerLimitProbe
from wattmark.hosts.probes.sensors import SensorLimitProbe
from wattmark.hosts.probes.throttling import ThrottleProbe
from wattmark.hosts.probes.topology import Topology
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.pages.run_view import traces_view
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import Envelope, Samples, SeriesKey

from ..conftest import BEGIN_NS, MemoryStore

Make = Callable[..., RunRecord]
T_S = np.arange(-20.0, 121.0)
"""Readings of a run whose window is (0 s, 100 s]."""


class DrawnStore(MemoryStore):
    """A store that gives every sample to a trace."""

    def envelope(
        self, series_id: int, buckets: int, begin_ns: int | None = None, end_ns: int | None = None
    ) -> Envelope:
        samples = self.read(series_id, begin_ns, end_ns)
        value, n = samples.value, np.ones(len(samples), np.int64)
        return Envelope(samples.t_ns, value, value, value, n, decimated=False)


@pytest.fixture
def store() -> DrawnStore:
    return DrawnStore()


def busy(store: MemoryStore, utilisation_pct: float = 99.5) -> None:
    rng = np.random.default_rng(17)
    store.add("r1", "outlet", "power", T_S, 250 + rng.normal(0, 0.5, len(T_S)))
    used = np.full(len(T_S), utilisation_pct)
    store.add("r1", "host", "cpu_utilisation", T_S, used, quantity="utilisation", unit="%")


def host(store: MemoryStore, channel: str, quantity: str, value: Any, label: str) -> None:
    store.add("r1", "host", channel, T_S, value, quantity=quantity, unit="1", label=label)


def during(begin_s: float, end_s: float, value: float = 1.0, other: float = 0.0) -> Any:
    return np.where((begin_s < T_S) & (end_s >= T_S), value, other)


def outcomes(result: Result) -> dict[str, tuple[str, float | None]]:
    rules = ("thermal-limit", "power-limit", "current-limit", "clock-limit")
    return {v.rule: (v.outcome, v.value) for v in result.verdicts if v.rule in rules}


def test_an_old_run_says_not_recorded_and_never_zero(store: DrawnStore, record: Make) -> None:
    busy(store)
    result = evaluate(record(), store)
    assert outcomes(result) == dict.fromkeys(outcomes(result), ("not-checked", None))
    assert len(outcomes(result)) == 4
    assert result.limits_reached == ()
    assert traces_view(record(), store, 1000).limits == []


def test_a_package_at_its_power_limit_is_marked_and_ranked(store: DrawnStore, record: Make) -> None:
    """Forty readings at 0.98 and more, one at 0.979: 40 of 100."""
    busy(store)
    over = during(10, 50, 0.98, 0.7) + during(60, 61, 0.279)
    host(store, "package0_power_over_limit", "power_over_limit", over, "CPU package 0: power over its long-term limit")
    result = evaluate(record(), store)
    assert outcomes(result)["power-limit"] == ("fail", 40.0)
    assert outcomes(result)["thermal-limit"] == ("not-checked", None)
    assert {why_not_ranked(result, claim) for claim in CLAIMS} == {None}
    assert run_state(result).words == "At a power limit"
    (reached,) = result.limits_reached
    assert (reached.device, reached.kind, reached.cause, reached.share_pct, reached.basis) == (
        "CPU package 0", "power", "power limit", 40.0, "40 s by 100 readings",
    )  # fmt: skip
    (span,) = traces_view(record(), store, 1000).limits
    assert (span.device, span.cause) == ("CPU package 0", "power limit")
    assert (span.begin_s, span.end_s) == pytest.approx((BEGIN_NS / 1e9 + 10, BEGIN_NS / 1e9 + 50))


@pytest.mark.parametrize(
    ("settings", "of_package", "of_gpu"),
    [
        ({"power_cap_w": 125}, "The plan set power cap 125 W: state it with the result.", ""),
        ({"gpu_power_cap_w": 250}, "raise it", "The plan set GPU power cap 250 W: state it with the result."),
        ({"turbo": "off"}, "raise it", "raise it"),
        (
            {"power_cap_w": 125, "gpu_power_cap_w": 250},
            "The plan set power cap 125 W: state it with the result.",
            "The plan set GPU power cap 250 W: state it with the result.",
        ),
    ],
)
def test_a_limit_that_the_plan_set_is_not_to_be_raised(
    record: Make, settings: dict[str, Any], of_package: str, of_gpu: str
) -> None:
    """A package at its limit, then a GPU (0x4, nvmlClocksEventReasonSwPowerCap)."""
    run = record(disclosure={"settings": settings})

    def advice(of_what: str) -> str:
        store = DrawnStore()
        busy(store)
        if of_what == "package":
            label = "CPU package 0: power over its long-term limit"
            host(store, "package0_power_over_limit", "power_over_limit", during(10, 50, 1.0, 0.7), label)
        else:
            store.add("r1", "gpu0", "clock_limits", T_S, during(10, 50, 0x4), quantity="status", unit="1")
        result = evaluate(run, store)
        return next(verdict.text for verdict in result.verdicts if verdict.rule == "power-limit")

    said = advice("package")
    assert of_package in said
    assert ("raise it" in said) == (of_package == "raise it")
    said = advice("gpu")
    assert (of_gpu or "raise it") in said
    assert ("raise it" in said) == (of_gpu in ("", "raise it"))


def test_what_the_probes_measure_is_what_the_verdicts_read(store: DrawnStore, record: Make) -> None:
    """One package at its power limit and at half its base clock, cool, and never throttled."""
    cpu, rapl, chip = "/sys/devices/system/cpu", "/sys/class/powercap/intel-rapl:0", "/sys/class/hwmon/hwmon0"
    texts = {
        f"{cpu}/modalias": "cpu:type:x86,ven0000fam0006mod0055:feature:",
        f"{cpu}/cpu0/topology/physical_package_id": "0", f"{cpu}/cpu0/cpufreq/base_frequency": "2100000",
        f"{cpu}/cpu0/cpufreq/scaling_cur_freq": "2100000",
        **{f"{cpu}/cpu0/thermal_throttle/{of}_throttle_{name}": "0"
           for of in ("core", "package") for name in ("count", "total_time_ms")},
        f"{rapl}/name": "package-0", f"{rapl}/energy_uj": "0", f"{rapl}/max_energy_range_uj": "262143328850",
        f"{rapl}/constraint_0_name": "long_term", f"{rapl}/constraint_0_power_limit_uw": "150000000",
        f"{chip}/name": "coretemp", f"{chip}/temp1_label": "Package id 0", f"{chip}/temp1_input": "60000",
        f"{chip}/temp1_crit": "100000", "/sys/class/hwmon/hwmon1/name": "dps800",
        "/sys/class/hwmon/hwmon1/curr1_alarm": "0",
    }  # fmt: skip
    topology, paths = Topology(texts), sorted(texts)
    probes = [
        ThrottleProbe([path for path in paths if "/thermal_throttle/" in path], topology),
        PowerLimitProbe(texts),
        ClockLimitProbe([f"{cpu}/cpu0/cpufreq/scaling_cur_freq"], [], texts, topology),
        SensorLimitProbe(paths, texts, sensor_places(texts, topology)),
    ]
    busy(store)
    at = {"power_over_limit": 1.0, "clock_over_limit": 0.5}
    for channel in (channel for probe in probes for channel in probe.channels):
        host(store, channel.id, channel.quantity, np.full(len(T_S), at.get(channel.quantity, 0.0)), channel.label)
    result = evaluate(record(), store)
    assert outcomes(result) == {
        "thermal-limit": ("pass", 0.0), "power-limit": ("fail", 100.0),
        "current-limit": ("not-checked", None), "clock-limit": ("fail", 100.0),
    }  # fmt: skip
    assert {(r.device, r.kind) for r in result.limits_reached} == {
        ("CPU package 0", "heat"), ("Cores of CPU package 0, mean", "heat"), ("CPU package 0", "power"),
        ("CPU package 0", "clock"), ("dps800 (hwmon1)", "alarm"),
    }  # fmt: skip


@pytest.mark.parametrize("answers", ["nothing", "all but the power"])
def test_a_gap_in_the_power_of_a_package_is_unseen(store: DrawnStore, record: Make, answers: str) -> None:
    """Nothing was read between 40 s and 60 s, then the mean of a second each: no power limit is passed as not reached.

    In the second case the counter could not be read, of which samples that are not finite tell.
    """
    away = (T_S > 40) & (T_S < 60)
    rng = np.random.default_rng(17)
    store.add("r1", "outlet", "power", T_S, 250 + rng.normal(0, 0.5, len(T_S)))
    heard = T_S[~away] if answers == "nothing" else T_S
    used = np.full(len(heard), 99.5)
    store.add("r1", "host", "cpu_utilisation", heard, used, quantity="utilisation", unit="%")
    kept = heard[heard != 60]
    over = np.where((kept > 40) & (kept < 60), np.nan, 0.7)
    label = "CPU package 0: power over its long-term limit"
    store.add("r1", "host", "p", kept, over, quantity="power_over_limit", unit="1", label=label)
    result = evaluate(record(), store)
    assert outcomes(result)["power-limit"] == ("not-checked", 0.0)


def test_a_slow_answer_makes_no_gap(store: DrawnStore, record: Make) -> None:
    """The machine answers each second, and every 20 s a power is known: the mean since the one before."""
    busy(store)
    label = "CPU package 0: power over its long-term limit"
    slow = T_S[::20]
    store.add("r1", "host", "p", slow, np.full(len(slow), 0.7), quantity="power_over_limit", unit="1", label=label)
    assert outcomes(evaluate(record(), store))["power-limit"] == ("pass", 0.0)


@pytest.mark.parametrize(
    ("state", "outcome"), [(np.full(len(T_S), 0.5), None), (during(50, 100, 0.5), 0.0), (np.zeros(len(T_S)), 0.0)]
)
def test_a_temperature_that_may_be_at_its_limit_passes_nothing(
    store: DrawnStore, record: Make, state: Any, outcome: float | None
) -> None:
    """An offset that no file states may throttle a processor, and no kernel counts it."""
    busy(store)
    label = "CPU package 0: at the temperature that throttles it"
    host(store, "package0_throttles", "temperature_limit", state, label)
    passes = not np.any(state)
    assert outcomes(evaluate(record(), store))["thermal-limit"] == ("pass" if passes else "not-checked", outcome)


def test_heat_bars_every_claim(store: DrawnStore, record: Make) -> None:
    """5 s of the window by the count of the kernel, and 1 s of an episode that ended after it: 6 %."""
    busy(store)
    total_ms = during(30, 200, 5000.0) + during(102, 200, 4000.0)
    host(store, "package0_throttle_time", "throttle_time", total_ms, "CPU package 0: throttled by heat")
    events = during(25, 200, 1.0) + during(98, 200, 1.0)
    host(store, "package0_throttle_events", "throttle_events", events, "CPU package 0: throttle events")
    host(store, "cpu_throttle_events", "throttle_events", events, "Throttle events of all CPUs")
    result = evaluate(record(disclosure={"workload": {"limited_by": "cpu"}}), store)
    assert outcomes(result)["thermal-limit"] == ("fail", pytest.approx(6.0))
    assert result.limited_by == "throttling"
    assert {why_not_ranked(result, claim) for claim in CLAIMS} == {"slowed down by heat (rule thermal-limit)"}
    spans = traces_view(record(), store, 1000, BEGIN_NS, BEGIN_NS + 100 * 10**9).limits
    assert [(round(s.begin_s - BEGIN_NS / 1e9), round(s.end_s - BEGIN_NS / 1e9)) for s in spans] == [
        (26, 31),
        (99, 103),
    ]


def test_a_clock_below_its_limit_counts_at_full_load_only(store: DrawnStore, record: Make) -> None:
    rng = np.random.default_rng(17)
    store.add("r1", "outlet", "power", T_S, 250 + rng.normal(0, 0.5, len(T_S)))
    used = during(20, 100, 99.0, 40.0)
    store.add("r1", "host", "cpu_utilisation", T_S, used, quantity="utilisation", unit="%")
    clock = during(0, 40, 0.5, 1.2)
    label = "CPU package 0: clock over its limit at full load"
    host(store, "package0_clock_over_limit", "clock_over_limit", clock, label)
    result = evaluate(record(full_load_limit_pct=None), store)
    assert outcomes(result)["clock-limit"] == ("fail", 20.0)
    assert "CPU package 0: clock below its limit in 20 % of the window (20 s by 100 readings)" in next(
        v.text for v in result.verdicts if v.rule == "clock-limit"
    )
    assert {why_not_ranked(result, claim) for claim in CLAIMS} == {None}


def test_the_reasons_of_a_gpu_by_kind(store: DrawnStore, record: Make) -> None:
    """nvmlClocksEventReasons: 0x4 power cap, 0x40 heat by hardware (its 0x8 is named by it), 0x1 idle, 0x8 alone."""
    busy(store)
    mask = during(0, 10, 0x1) + during(10, 60, 0x4) + during(60, 62, 0x48) + during(70, 75, 0x8) + during(80, 81, 0x2)
    store.add("r1", "gpu0", "clock_limits", T_S, mask, quantity="status", unit="1")
    store.add("r1", "gpu1", "clock_limits", T_S, np.zeros(len(T_S)), quantity="status", unit="1")
    result = evaluate(record(), store)
    assert outcomes(result) == {
        "thermal-limit": ("fail", 2.0), "power-limit": ("fail", 50.0),
        "current-limit": ("not-checked", None), "clock-limit": ("fail", 5.0),
    }  # fmt: skip
    shares = {(r.device, r.kind, r.cause): r.share_pct for r in result.limits_reached}
    assert shares == {
        ("GPU gpu0", "heat", "thermal slowdown by hardware"): 2.0,
        ("GPU gpu0", "power", "power cap"): 50.0,
        ("GPU gpu0", "clock", "hardware slowdown"): 5.0,
        ("GPU gpu0", "clock", "clocks set by an application"): 1.0,
        ("GPU gpu1", "heat", ""): 0.0,
        ("GPU gpu1", "power", ""): 0.0,
        ("GPU gpu1", "clock", ""): 0.0,
    }
    lanes = {f"{span.device}: {span.cause}" for span in traces_view(record(), store, 1000).limits}
    assert lanes == {f"GPU gpu0: {cause}" for _, _, cause in shares if cause}


def test_the_mean_of_bit_masks_is_no_reading(store: DrawnStore, record: Make) -> None:
    """Two samples of heat by software (0x20) and two of no reason: their mean 0x10 is synchronised boost, and whole."""
    busy(store)
    store.add("r1", "gpu0", "clock_limits", T_S, np.full(len(T_S), 16.0), quantity="status", unit="1")
    for name, value in ("minimum", 0.0), ("maximum", 32.0):
        extremes = np.full(len(T_S), value)
        store.add("r1", "gpu0", f"clock_limits.{name}", T_S, extremes, quantity=f"status {name}", unit="1")
    result = evaluate(record(), store)
    assert outcomes(result) == dict.fromkeys(outcomes(result), ("not-checked", None))
    assert traces_view(record(), store, 1000).limits == []
    store.add("r1", "gpu1", "clock_limits", T_S, np.full(len(T_S), 32.0), quantity="status", unit="1")
    assert outcomes(evaluate(record(), store))["thermal-limit"] == ("fail", 100.0)


def test_a_trace_shows_a_bit_mask_only_where_it_did_not_change(storage: Storage, record: Make) -> None:
    """Four samples in two columns: 0x4 twice, then 0x4 and 0x20, whose mean 0x12 names other reasons."""
    key = SeriesKey("r1", "s", "gpu0", "clock_limits", "status", "1", "instantaneous")
    t_ns, mask = BEGIN_NS + np.arange(4) * 10**9, np.array([4.0, 4.0, 4.0, 32.0])
    samples = Samples(t_ns, mask, np.zeros(4, np.uint16), np.zeros(4, np.float32))
    storage.samples.append([(storage.samples.series(key).id, samples)])
    (trace,) = traces_view(record(), storage.samples, 2).series
    assert (trace.minimum, trace.maximum, trace.mean) == ([4.0, 4.0], [4.0, 32.0], [4.0, None])


def test_each_die_has_the_events_and_the_time_of_its_own(store: DrawnStore, record: Make) -> None:
    """Die 0 was throttled for 30 s of 100 s; an episode of die 1 that began after 95 s had not ended by 105 s."""
    busy(store)
    t_s = np.arange(-20.0, 106.0)
    for die, begun_s, total_ms in (0, 30, np.where(t_s >= 60, 30_000.0, 0.0)), (1, 96, np.zeros(len(t_s))):
        of = f"CPU package 0 die {die}"
        for name, quantity, value, words in (
            ("time", "throttle_time", total_ms, "throttled by heat"),
            ("events", "throttle_events", np.where(t_s >= begun_s, 1.0, 0.0), "throttle events"),
        ):
            channel, label = f"package0_die{die}_throttle_{name}", f"{of}: {words}"
            store.add("r1", "host", channel, t_s, value, quantity=quantity, unit="1", label=label)
    result = evaluate(record(), store)
    assert outcomes(result)["thermal-limit"] == ("fail", pytest.approx(30.0))
    shares = {reached.device: reached.basis for reached in result.limits_reached}
    assert shares["CPU package 0 die 0"] == "30 s by the count of the kernel"
    assert "perhaps the last 5 s" in shares["CPU package 0 die 1"]


def test_a_processor_that_was_hot_from_before_the_recording_until_after_it_counts(
    store: DrawnStore, record: Make
) -> None:
    """No episode begins or ends, so the kernel's counts stand still; the temperature is at its limit."""
    busy(store)
    still = np.full(len(T_S), 5000.0)
    host(store, "package0_throttle_time", "throttle_time", still, "CPU package 0: throttled by heat")
    assert outcomes(evaluate(record(), store))["thermal-limit"] == ("not-checked", 0.0)
    label = "CPU package 0: at the temperature that throttles it"
    host(store, "package0_throttles", "temperature_limit", np.ones(len(T_S)), label)
    result = evaluate(record(), store)
    assert outcomes(result)["thermal-limit"] == ("fail", 100.0)
    lanes = {f"{span.device}: {span.cause}" for span in traces_view(record(), store, 1000).limits}
    assert lanes == {label}


def test_an_alarm_of_a_board_or_device_judges_no_processor(store: DrawnStore, record: Make) -> None:
    """A supply over its current says that somebody's limit was passed, not that a processor was slowed down."""
    busy(store)
    host(store, "a", "device_alarm", during(40, 50), "dps800 (hwmon2): board or device alarm curr1")
    result = evaluate(record(), store)
    assert outcomes(result) == dict.fromkeys(outcomes(result), ("not-checked", None))
    (reached,) = result.limits_reached
    assert (reached.kind, reached.share_pct, reached.basis) == ("alarm", 10.0, "10 s by 100 readings")
    (span,) = traces_view(record(), store, 1000).limits
    assert (span.device, span.cause) == ("dps800 (hwmon2)", "board or device alarm curr1")


@pytest.mark.parametrize(
    ("temperatures", "unchecked"),
    [
        ({"package0": 0.0, "package1": 0.0}, []),
        ({"package0": 0.0}, [1]),  # nothing is known of the other one
        ({"package0": 0.0, "package1": 0.5}, [1]),  # an offset below TjMax, which no file states, may throttle it
        ({"cpu_sensor0": 0.0, "cpu_sensor1": 0.0}, []),  # one of each package, whichever it is
        ({"cpu_sensor0": 0.0}, [0, 1]),
        ({"cpu_sensor0": 0.0, "cpu_sensor1": 0.5}, [0, 1]),
        ({}, [0, 1]),
    ],
)
@pytest.mark.parametrize("kernel", ["5.5", "before"])
def test_each_package_needs_a_temperature_below_its_limit(
    store: DrawnStore, record: Make, temperatures: dict[str, float], unchecked: list[int], kernel: str
) -> None:
    """No count moved: throttling that began before the recording and ended after it would show in none."""
    busy(store)
    still = np.full(len(T_S), 3.0)
    host(store, "cpu_throttle_events", "throttle_events", still, "Throttle events of all CPUs")
    for n in range(2):
        host(store, f"package{n}_throttle_events", "throttle_events", still, f"CPU package {n}: throttle events")
        if kernel == "5.5":
            label = f"CPU package {n}: throttled by heat"
            host(store, f"package{n}_throttle_time", "throttle_time", still, label)
    for slug, state in temperatures.items():
        label = f"{slug}: at the temperature that throttles it"
        host(store, f"{slug}_throttles", "temperature_limit", np.full(len(T_S), state), label)
    result = evaluate(record(), store)
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "thermal-limit"]
    assert (verdict.outcome, verdict.value) == ("not-checked" if unchecked else "pass", 0.0)
    names = " and ".join(f"CPU package {n}" for n in unchecked) if kernel == "5.5" else "the CPUs"
    assert (f"throttling of {names} that stood" in verdict.text) == bool(unchecked)


def test_an_alarm_that_is_raised_all_the_time_says_nothing(store: DrawnStore, record: Make) -> None:
    busy(store)
    host(store, "a", "current_alarm", np.ones(len(T_S)), "GPU 0000:c1:00.0: alarm curr1")
    result = evaluate(record(), store)
    assert outcomes(result)["current-limit"] == ("not-checked", None)
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "current-limit"]
    words = "raised in all 121 readings until the end of the window, so it says nothing of this load"
    assert verdict.text == f"GPU 0000:c1:00.0: alarm curr1 in 100 % of the window ({words})."
    assert traces_view(record(), store, 1000).limits == []
    host(store, "b", "current_alarm", during(40, 50), "GPU 0000:c2:00.0: alarm curr1")
    host(store, "c", "temperature_alarm", during(40, 60), "jc42 (hwmon4): alarm temp1 max")
    result = evaluate(record(), store)
    assert outcomes(result)["current-limit"] == ("fail", 10.0)
    assert outcomes(result)["thermal-limit"] == ("not-checked", None), "an alarm does not say that anything was slowed"
    assert [(r.kind, r.cause, r.share_pct) for r in result.limits_reached] == [
        ("current", "alarm curr1", 100.0),
        ("current", "alarm curr1", 10.0),
        ("alarm", "alarm temp1 max", 20.0),
    ]


def test_what_stood_before_the_load_is_looked_for_in_the_whole_recording(store: DrawnStore, record: Make) -> None:
    """The alarm was clear a minute before the window, 40 s before it the load began: it is one of this load."""
    busy(store)
    t_s = np.arange(-60.0, 121.0)
    label = "GPU 0000:c1:00.0: alarm curr1"
    store.add("r1", "host", "a", t_s, np.where(t_s > -40, 1.0, 0.0), quantity="current_alarm", unit="1", label=label)
    assert outcomes(evaluate(record(), store))["current-limit"] == ("fail", 100.0)


def test_spans_closer_than_a_column_of_the_screen_are_one(store: DrawnStore, record: Make) -> None:
    busy(store)
    label = "CPU package 0: power over its long-term limit"
    host(store, "package0_power_over_limit", "power_over_limit", np.arange(len(T_S)) % 2, label)
    assert len(traces_view(record(), store, 1000).limits) == 70
    assert len(traces_view(record(), store, 50).limits) == 1
