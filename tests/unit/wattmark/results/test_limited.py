"""The limiting resource, response times and other processes of a stored run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate, response_times_s
from wattmark.results.notes import other_processes_note
from wattmark.runs.record import MeterRecord, ResponseTime, RunRecord
from wattmark.store.sample_store import Samples, SeriesKey

from tests.stored_run import BEGIN_NS, make_run

SECONDS = 100
IDLE = {
    "cpu_utilisation": ("utilisation", 20.0),
    "cpu_busiest_core": ("utilisation", 30.0),
    "sda_utilisation": ("disk_utilisation", 10.0),
    "eth0_utilisation": ("network_utilisation", 5.0),
    "cpu_throttle_events": ("throttle_events", 7.0),
}


def record(**workload: Any) -> RunRecord:
    return make_run(
        window_s=SECONDS, level="4 clients", unit="ops", stated_throughput=50.0,
        meters=(MeterRecord(name="wall", model="m", title="M"),), full_load_limit_pct=None,
        disclosure={"workload": {"limited_by": "disk", **workload}},
    )  # fmt: skip


def store(storage: Storage, throttled: float = 0.0, **changed: float) -> None:
    """A minute and a half of host channels, with quite other values before and after the window."""
    t_ns = BEGIN_NS + np.arange(-20, SECONDS + 21) * 10**9
    inside = (t_ns > BEGIN_NS) & (t_ns <= BEGIN_NS + SECONDS * 10**9)
    for channel, (quantity, value) in IDLE.items():
        values = np.where(inside, changed.get(channel, value), 99.0 if quantity != "throttle_events" else 7.0)
        if quantity == "throttle_events":
            values = values + throttled * (t_ns > BEGIN_NS + 50 * 10**9)
        put(storage, "host", channel, quantity, t_ns, values)
    put(storage, "wall", "power", "power", t_ns, np.where(inside, 200.0, 100.0))


def put(storage: Storage, source: str, channel: str, quantity: str, t_ns: Any, values: Any) -> None:
    series = storage.samples.series(SeriesKey("r", "s", source, channel, quantity, "%", "averaged"))
    n = len(t_ns)
    storage.samples.append([(series.id, Samples(t_ns, values, np.zeros(n, np.uint16), np.zeros(n, np.float32)))])


@pytest.mark.parametrize(
    ("changed", "resource", "outcome"),
    [
        ({"sda_utilisation": 97.0}, "disk", "pass"),
        ({"eth0_utilisation": 95.0}, "network", "pass"),
        ({"cpu_busiest_core": 100.0}, "one core", "pass"),
        ({"cpu_utilisation": 99.0}, "cpu", "pass"),
        ({}, "nothing", "not-checked"),
        ({"cpu_utilisation": 99.0, "throttled": 3.0}, "throttling", "not-checked"),
    ],
)
def test_a_result_names_what_limited_the_load(
    storage: Storage, changed: dict[str, float], resource: str, outcome: str
) -> None:
    store(storage, **changed)
    result = evaluate(record(), storage.samples)
    assert result.limited_by == resource
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "bottleneck"]
    assert verdict.outcome == outcome
    heat = next(verdict for verdict in result.verdicts if verdict.rule == "thermal-limit")
    assert (heat.outcome, heat.value) == (("fail", 3.0) if resource == "throttling" else ("not-checked", 0.0))
    if resource == "disk":
        assert "sda" in verdict.text
        assert verdict.value == 97.0


def test_a_load_that_is_meant_to_be_full_and_met_no_limit_fails(storage: Storage) -> None:
    """A level that is not meant to be full load (above) need not meet one."""
    store(storage)
    result = evaluate(record().model_copy(update={"full_load_limit_pct": 95.0}), storage.samples)
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "bottleneck"]
    assert (result.limited_by, verdict.outcome) == ("nothing", "fail")


def test_nothing_is_named_where_nothing_was_recorded_or_asked_for(storage: Storage) -> None:
    t_ns = BEGIN_NS + np.arange(SECONDS) * 10**9
    put(storage, "wall", "power", "power", t_ns, np.full(SECONDS, 200.0))
    result = evaluate(record(), storage.samples)
    assert result.limited_by is None
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "bottleneck"]
    assert (verdict.outcome, verdict.text) == ("not-checked", "CPU utilisation was not recorded in the window.")
    store(storage)
    idle = record().changed(disclosure={"workload": {}, "task": {"task": "idle"}})
    assert evaluate(idle, storage.samples).limited_by is None


def test_response_times_are_put_together_by_statistic() -> None:
    reports = [("mean", 0.010), ("p95", 0.030), ("min", 0.002), ("mean", 0.020), ("p95", 0.050), ("min", 0.001)]
    run = record().model_copy(
        update={"response_times": tuple(ResponseTime(t_ns=0, statistic=s, value_s=v) for s, v in reports)}
    )
    assert response_times_s(run) == {"mean": pytest.approx(0.015), "p95": 0.05, "min": 0.001}
    assert response_times_s(record()) == {}


def test_processes_other_processes_note_are_named_unless_a_service_does_the_work(storage: Storage) -> None:
    processes = [{"pid": 7, "name": "backup", "core_pct": 42.0}]
    run = record().changed(disclosure={"other_processes": processes, "workload": {}})
    assert other_processes_note(run) == ("Other processes ran during the load: backup (42 % of a core).",)
    assert "Other processes ran during the load: backup (42 % of a core)." in evaluate(run, storage.samples).notes
    served = run.changed(disclosure={"other_processes": processes, "workload": {"service": "database"}})
    assert other_processes_note(served) == ()
