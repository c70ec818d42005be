"""A walk over all rules and kinds of run: a verdict is passed, failed or not checked with its reason, never absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wattmark.core.errors import WattmarkError
from wattmark.results.evaluate import evaluate
from wattmark.results.failed import failed_result
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus

from ..conftest import BEGIN_NS, MemoryStore
from .every_rule import COMMAND, WAYS, assert_every_rule
from .whole_run import whole_run

T_S = np.arange(-20.0, 121.0)
Make = Callable[..., RunRecord]


def powered(store: MemoryStore, *, lost: tuple[float, float] = (0.0, 0.0), utilisation_pct: float = 99.5) -> None:
    """Record a wall meter of 250 W and the CPU utilisation, without the readings between two instants."""
    rng = np.random.default_rng(17)
    kept = ~((lost[0] < T_S) & (lost[1] >= T_S))
    store.add("r1", "outlet", "power", T_S[kept], (250 + rng.normal(0, 0.5, len(T_S)))[kept])
    used = np.full(len(T_S), utilisation_pct)
    store.add("r1", "host", "cpu_utilisation", T_S, used, quantity="utilisation", unit="%")


def judged(store: MemoryStore, run: RunRecord, expected: dict[str, str]) -> Result:
    """Evaluate a run, check its verdicts, and compare some of their outcomes."""
    result = evaluate(run, store)
    outcomes = assert_every_rule(result)
    assert {rule: outcomes[rule] for rule in expected} == {rule: {outcome} for rule, outcome in expected.items()}
    return result


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (
            "local",
            {
                "recording": "pass",
                "undisturbed": "pass",
                "clock-step": "pass",
                "server-clock": "pass",
                "full-load": "pass",
            },
        ),
        ("ssh", {"undisturbed": "pass", "server-clock": "pass"}),
        ("ssh without an answer", {"undisturbed": "not-checked", "server-clock": "not-checked"}),
        ("http hook", {"undisturbed": "not-checked"}),
        ("started from outside", {"undisturbed": "not-checked", "asked-length": "not-checked"}),
        ("group of servers", {"started together": "pass"}),
        ("alone", {"started together": "not-checked"}),
    ],
)
def test_every_way_to_run_a_load(store: MemoryStore, record: Make, way: str, expected: dict[str, str]) -> None:
    powered(store)
    judged(store, record(disclosure=WAYS[way]), {"gaps": "pass", "drift": "pass", **expected})


def test_a_half_load_and_an_idle_server(store: MemoryStore, record: Make) -> None:
    powered(store, utilisation_pct=50.0)
    half = {"workload": COMMAND, "window": {"load_cpu_share_pct": 49.0}}
    judged(
        store,
        record(full_load_limit_pct=None, disclosure=half),
        {"full-load": "not-checked", "undisturbed": "pass", "bottleneck": "not-checked"},
    )
    idle = {"workload": COMMAND, "task": {"task": "idle"}}
    idling = MemoryStore()
    powered(idling, utilisation_pct=1.0)
    judged(
        idling,
        record(full_load_limit_pct=None, throughput=(), disclosure=idle),
        {"standstill": "not-checked", "undisturbed": "pass", "bottleneck": "not-checked"},
    )


def test_power_that_is_withheld_for_a_gap_has_a_failed_gap(store: MemoryStore, record: Make) -> None:
    """21 of 100 s lost: the run was called sound, with two verdicts and no reason."""
    powered(store, lost=(30.0, 51.0))
    result = judged(store, record(), {"gaps": "fail", "bad-samples": "pass", "drift": "not-checked"})
    (gaps,) = [verdict for verdict in result.verdicts if verdict.rule == "gaps"]
    assert (gaps.value, gaps.limit) == (pytest.approx(21.0), pytest.approx(1.0, abs=0.01))
    assert "no good reading for 21 s" in gaps.text
    assert result.power is None
    assert why_not_ranked(result, "power") == "readings are missing (rule gaps)"
    drift = next(verdict for verdict in result.verdicts if verdict.rule == "drift")
    assert drift.text.startswith("Power is withheld: outlet gave no good reading for 21 s")


def test_power_of_two_meters_of_which_one_is_silent(store: MemoryStore, record: Make, meter: Any) -> None:
    powered(store)
    result = judged(store, record(meters=(meter(), meter(name="feed 2"))), {"drift": "not-checked"})
    gaps = {verdict.outcome: verdict.value for verdict in result.verdicts if verdict.rule == "gaps"}
    assert gaps == {"pass": 0.0, "fail": 100.0}


@pytest.mark.parametrize("rule", ["complete", "mlperf", "eehpc-l3", "specpower"])
def test_no_power_and_too_few_readings(store: MemoryStore, record: Make, rule: Any) -> None:
    silent = assert_every_rule(evaluate(record(), store, rule))
    assert (silent["gaps"], silent["drift"], silent["supply-rating"]) == ({"fail"}, {"not-checked"}, {"not-checked"})
    unmetered = assert_every_rule(evaluate(record(meters=()), store, rule))
    assert (unmetered["gaps"], unmetered["register"]) == ({"not-checked"}, {"not-checked"})
    powered(store)
    short = record(window_end_ns=BEGIN_NS + 3 * 10**9, throughput=())
    assert assert_every_rule(evaluate(short, store, rule))["drift"] == {"not-checked"}


def test_a_register_alone_and_a_run_with_everything(store: MemoryStore, record: Make, meter: Any) -> None:
    t_s = np.arange(-20.0, 121.0)
    store.add("r1", "outlet", "energy", t_s, np.round(t_s * 250 / 3600, 4), quantity="energy", unit="Wh")
    counter = meter(kind="counter", resolution_w=0.0001)
    assert assert_every_rule(evaluate(record(meters=(counter,)), store))["gaps"] == {"not-checked"}
    whole = assert_every_rule(evaluate(*whole_run()))
    assert (whole["cross-check"], whole["idle-drift"]) == ({"pass"}, {"pass"})


def test_no_window_a_run_that_failed_and_one_that_cannot_be_evaluated(store: MemoryStore, record: Make) -> None:
    powered(store)
    unmarked = judged(store, record(window_begin_ns=None, window_end_ns=None, throughput=()), {"gaps": "not-checked"})
    assert {verdict.text for verdict in unmarked.verdicts if verdict.rule in ("gaps", "standstill", "full-load")} == {
        "The workload did not mark the start and end of its work, so there is no window."
    }
    judged(store, record(status=RunStatus.FAILED, reason="The load ended with status 1."), {"gaps": "pass"})
    unreadable = failed_result(record(), WattmarkError("A block of samples is damaged.", "Restore an archive."))
    outcomes = assert_every_rule(unreadable)
    assert set().union(*outcomes.values()) == {"not-checked"}
    assert all("A block of samples is damaged." in verdict.text for verdict in unreadable.verdicts)


def test_simulated_meters(store: MemoryStore, record: Make, meter: Any) -> None:
    powered(store)
    judged(store, record(meters=(meter(simulated=True),)), {"gaps": "pass", "memory-slots": "not-checked"})


@pytest.mark.parametrize(
    ("step_s", "outcome"), [(-1.0, "fail"), (-5.0, "fail"), (0.3, "fail"), (0.1, "pass"), (0.0, "pass")]
)
def test_a_step_of_the_clock_bars_what_it_changes(
    store: MemoryStore, record: Make, step_s: float, outcome: str
) -> None:
    """1 s of 100 s is 1 % of work per joule, and its U95 is about 1.9 %: a tenth of it is 0.19 s."""
    powered(store)
    result = judged(store, record(disclosure={"window": {"clock_step_s": step_s}}), {"clock-step": outcome})
    for claim in ("throughput", "efficiency"):
        cause = None if outcome == "pass" else "the clock was set during the run (rule clock-step)"
        assert why_not_ranked(result, claim) == cause
    assert why_not_ranked(result, "power") is None


def test_a_step_that_only_the_two_clocks_of_the_marks_show(store: MemoryStore, record: Make) -> None:
    powered(store)
    marks = {
        "begin": {"utc_ns": BEGIN_NS, "monotonic_ns": 10**9},
        "end": {"utc_ns": BEGIN_NS + 95 * 10**9, "monotonic_ns": 101 * 10**9},
    }
    result = judged(store, record(disclosure={"window": marks}), {"clock-step": "fail"})
    assert next(v.value for v in result.verdicts if v.rule == "clock-step") == pytest.approx(-5.0)


@pytest.mark.parametrize(
    ("disclosure", "rule", "outcome", "barred"),
    [
        ({"clock": {"problem": "set", "stepped": True}}, "server-clock", "fail", {"throughput", "efficiency", "power"}),
        ({"recording_problems": ["outlet gave 14 timeouts."]}, "recording", "fail", {"efficiency", "power"}),
        ({"recording_problems": ["bmc did not answer for 3.0 s"]}, "recording", "pass", set()),
        (
            {"quiet": {"quiet": False, "waited_s": 60.0, "others_pct": 40.0, "limit_pct": 5.0}},
            "undisturbed",
            "fail",
            {"throughput", "efficiency", "power"},
        ),
        (
            {"settings": {"turbo": "off"}, "settings_changed": ["The turbo is on instead of off."]},
            "power-settings",
            "fail",
            {"throughput", "efficiency", "power"},
        ),
        ({"settings": {"turbo": "off"}, "settings_changed": []}, "power-settings", "pass", set()),
        ({"settings": {"turbo": "off"}}, "power-settings", "not-checked", set()),
        ({}, "power-settings", "not-checked", set()),
        ({"settled": {"steady": False, "after_s": 600.0, "over_s": 60.0}}, "settled", "pass", set()),
        (
            {"cool_down": {"until_c": 40.0, "last_c": 47.0, "reached": False, "after_s": 900.0}},
            "cool-down",
            "fail",
            set(),
        ),
    ],
)
def test_what_the_record_states_is_read(
    store: MemoryStore,
    record: Make,
    meter: Any,
    disclosure: dict[str, Any],
    rule: str,
    outcome: str,
    barred: set[str],
) -> None:
    powered(store)
    bmc = meter(name="bmc", role="bmc", indicative=True, reading_pct=None, fixed_w=None, range_pct=None)
    result = judged(store, record(meters=(meter(), bmc), disclosure=disclosure), {rule: outcome})
    claims = ("throughput", "efficiency", "power")
    assert {claim for claim in claims if rule in (why_not_ranked(result, claim) or "")} == barred


def test_a_short_window_after_a_load_that_did_not_settle_gives_no_full_load_power(
    store: MemoryStore, record: Make
) -> None:
    powered(store)
    unsettled = {"settled": {"steady": False, "after_s": 600.0, "over_s": 60.0}}
    short = record(duration_s=30, disclosure=unsettled)
    result = judged(store, short, {"drift": "not-checked", "settled": "fail"})
    assert why_not_ranked(result, "power") == "power had not settled (rule settled)"
    assert why_not_ranked(result, "efficiency") is None
