"""Work per joule is counted work over energy; what the source states stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result
from wattmark.runs.record import ImportedVerdict, RunRecord

Make = Callable[..., Path]
WATTS, WINDOW_S = 500.0, 100.0
SERVER = {
    "generated_query_count": 1000,
    "generated_samples_per_query": 1,
    "generated_query_duration": 98_000_000_000,
    "result_scheduled_samples_per_sec": 10.2041,
    "result_completed_samples_per_sec": 10.0402,
    "result_max_latency_ns": 2_500_000_000,
}
"""1000 samples due within 98 s and answered within 100 s: 10.2041 a second were offered, 10 a second done."""


def import_and_evaluate(folder: Path, storage: Storage) -> tuple[RunRecord, Result]:
    (outcome,) = import_source(MLPERF_INFERENCE, folder, storage.samples, storage.runs)
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return run, evaluate(run, storage.samples, "mlperf")


def evidence(run: RunRecord, rule: str) -> ImportedVerdict:
    (verdict,) = (verdict for verdict in run.evidence if verdict.rule == rule)
    return verdict


def server(make_result: Make, **changed: Any) -> Path:
    return make_result(scenario="Server", scenario_folder="Server", result={**SERVER, **changed}, summary=None)


def test_what_was_done_is_work_and_what_was_offered_stands_beside_it(make_result: Make, storage: Storage) -> None:
    run, result = import_and_evaluate(server(make_result), storage)
    assert result.throughput.value == pytest.approx(1000 / WINDOW_S, rel=1e-12)
    assert result.efficiency.value == pytest.approx(1000 / WINDOW_S / WATTS, rel=1e-12)
    # one count over 100 s, triangular: 1/sqrt(6) (JCGM 100 F.2.2.1)
    assert result.throughput.u == pytest.approx(1 / 6**0.5 / WINDOW_S, rel=1e-9)
    assert run.stated_throughput == 10.2041
    figures = {figure.name: (figure.value, figure.unit) for figure in result.source_figures}
    assert figures["result_scheduled_samples_per_sec per joule"] == (pytest.approx(10.2041 / WATTS), "samples/J")
    assert figures["samples counted per joule"] == (pytest.approx(1000 / WINDOW_S / WATTS), "samples/J")
    beside = evidence(run, "import-stated-rate")
    assert (beside.outcome, beside.value, beside.limit) == ("pass", pytest.approx(2.041), pytest.approx(2.6))
    assert any("LoadGen states 10.2041 samples/s" in note and "+2 %" in note for note in result.notes)


def test_an_offered_rate_that_the_schedule_denies_leaves_no_figure(make_result: Make, storage: Storage) -> None:
    run, result = import_and_evaluate(server(make_result, result_scheduled_samples_per_sec=11.2245), storage)
    verdict = evidence(run, "import-work-rate")
    assert (verdict.outcome, verdict.contradicts, verdict.value) == ("fail", True, pytest.approx(10.0, abs=0.01))
    assert (result.throughput, result.power, result.efficiency) == (None, None, None)


def test_tokens_are_work_where_they_are_counted(make_result: Make, storage: Storage) -> None:
    """274.08 tokens a sample."""
    run, result = import_and_evaluate(server(make_result, result_completed_tokens_per_second=2751.82), storage)
    assert (run.unit, result.throughput_unit, result.efficiency_unit) == ("tokens", "tokens/s", "tokens/J")
    assert result.throughput.value == pytest.approx(1000 * 2751.82 / 10.0402 / WINDOW_S, rel=1e-5)
    assert run.stated_throughput == 2751.82
    assert any("1000 samples beside them" in note for note in result.notes)
    assert result.throughput.u == pytest.approx(run.count_step / 6**0.5 / WINDOW_S, rel=1e-9)


def test_without_a_count_the_stated_rate_serves_and_it_is_said(make_result: Make, storage: Storage) -> None:
    folder = make_result(result={"result_samples_per_second": 93371.4})
    run, result = import_and_evaluate(folder, storage)
    assert run.throughput == ()
    assert result.throughput.value == 93371.4
    for rule in ("import-work-rate", "import-stated-rate"):
        assert evidence(run, rule).outcome == "not-checked"


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({"result_query_count": 170, "result_qps_with_loadgen_overhead": 1.7}, "pass"),
        ({"result_query_count": 170, "result_qps_with_loadgen_overhead": 1.87}, "fail"),
        ({"result_qps_with_loadgen_overhead": 1.7, "result_mean_latency_ns": 585_000_000}, "pass"),
        ({"result_qps_with_loadgen_overhead": 1.87, "result_mean_latency_ns": 585_000_000}, "fail"),
        ({"result_query_count": 170}, "not-checked"),
    ],
)
def test_queries_one_after_the_other_cannot_take_longer_than_the_window(
    make_result: Make, storage: Storage, changed: dict[str, Any], outcome: str
) -> None:
    folder = make_result(scenario="SingleStream", scenario_folder="SingleStream", result=changed, summary=None)
    run, result = import_and_evaluate(folder, storage)
    assert evidence(run, "import-work-rate").outcome == outcome
    if outcome != "fail":
        assert run.stated_energy_operations is not None
        energy_j = WATTS * WINDOW_S / run.stated_energy_operations
        assert result.energy_per_op.value == pytest.approx(energy_j, rel=1e-9)
    else:
        assert result.energy_per_op is None


def test_the_rule_sets_judge_what_stands_in_the_files(make_result: Make, storage: Storage) -> None:
    run, result = import_and_evaluate(make_result(), storage)
    assert run.facts == {
        "same_run": 1.0,
        "accepted_analyzer": 1.0,
        "above_uncertainty_limit_pct": 0.0,
        "clock_difference_ms": pytest.approx(0.7985, abs=0.001),
        "phase_difference_ms": 0.0,
        "testing_below_ranging_pct": 0.0,
        "settle_s": pytest.approx(10.1, abs=1e-6),
        "fixed_voltage_range": 1.0,
        "fixed_current_range": 1.0,
    }
    (judged,) = (verdict for verdict in result.standards if verdict.rule == "mlperf-power")
    assert (judged.outcome, judged.value, judged.limit) == ("pass", 11.0, 11.0)


def test_automatic_ranges_are_no_fixed_ones(make_result: Make, storage: Storage) -> None:
    folder = make_result()
    server_json = folder.parent / "power/server.json"
    server_json.write_text(server_json.read_text().replace("SR,A,2.2", "SR,A,Auto"))
    run, result = import_and_evaluate(folder, storage)
    assert (run.facts["fixed_voltage_range"], run.facts["fixed_current_range"]) == (1.0, 0.0)
    (judged,) = (verdict for verdict in result.standards if verdict.rule == "mlperf-power")
    assert judged.outcome == "fail"
    assert "the current range was fixed: no" in judged.text
