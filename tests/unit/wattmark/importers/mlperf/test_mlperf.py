from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.importers.outcome import exit_code
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunRecord, RunStatus

Make = Callable[..., Path]
BEGIN_NS = int(datetime(2021, 3, 18, 21, 29, 31, 830000, tzinfo=UTC).timestamp() * 1000) * 1_000_000


def import_one(directory: Path, storage: Storage) -> RunRecord:
    (outcome,) = import_source(MLPERF_INFERENCE, directory, storage.samples, storage.runs)
    assert outcome.error is None
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    assert run.disclosure.notes == outcome.notes
    return run


def window_mean_w(run: RunRecord, storage: Storage) -> float:
    (power,) = (s for s in storage.samples.list_series(run.run_id) if s.key.channel == "power")
    samples = storage.samples.read(power.id)
    assert run.window_begin_ns is not None
    assert run.window_end_ns is not None
    inside = (samples.t_ns > run.window_begin_ns) & (samples.t_ns < run.window_end_ns) & (samples.quality == 0)
    return float(np.mean(samples.value[inside]))


def test_result_becomes_a_run_with_its_work_window_and_power(
    make_result: Make, storage: Storage, tmp_path: Path
) -> None:
    make_result()
    run = import_one(tmp_path, storage)
    assert run.server == "R7525_A100_PCIe-40GBx3_TRT"
    assert run.configuration == "DellEMC-closed-v1.0"
    assert (run.workload, run.level, run.repeat, run.unit) == ("mlperf.resnet50", "Offline", 1, "samples")
    assert run.status is RunStatus.COMPLETE
    assert run.stated_throughput == 93371.4
    assert (run.window_begin_ns, run.window_end_ns) == (BEGIN_NS, BEGIN_NS + 100 * 10**9)
    assert window_mean_w(run, storage) == 500.0
    assert run.full_load_limit_pct is None
    assert run.source.startswith("imported: MLPerf Power v1.0 closed/DellEMC/results/")
    assert run.submission == "DellEMC v1.0"
    assert run.configuration_snapshot.cpu == "AMD EPYC 7502"


def test_volts_amps_and_power_factor_are_stored_beside_the_power(make_result: Make, storage: Storage) -> None:
    run = import_one(make_result(), storage)
    keys = {series.key.channel: series.key for series in storage.samples.list_series(run.run_id)}
    assert {channel: (key.quantity, key.unit) for channel, key in keys.items()} == {
        "power": ("power", "W"),
        "voltage": ("voltage", "V"),
        "current": ("current", "A"),
        "power_factor": ("power_factor", "1"),
    }
    assert {(key.source, key.kind, key.range) for key in keys.values()} == {
        ("YokogawaWT330E", "averaged", "300 V x 5 A")
    }


def test_known_analyzer_with_known_range_has_limits_and_no_calibration_date_is_noted(
    make_result: Make, storage: Storage
) -> None:
    run = import_one(make_result(), storage)
    (meter,) = run.meters
    assert (meter.model, meter.serial) == ("WT333E", "C3VD30030E")
    assert (meter.reading_pct, meter.range_pct, meter.range_w) == (0.1, 0.05, 1500.0)
    assert "IM WT310E-02EN" in (meter.accuracy_source or "")
    assert any("no_cal_date" in note for note in run.disclosure.notes)
    assert any("2 times: WARNING: Uncertainty" in note for note in run.disclosure.notes)


def test_without_session_files_nothing_is_claimed_about_the_analyzer(make_result: Make, storage: Storage) -> None:
    run_folder = make_result()
    for name in ("server.json", "client.json", "ptd_logs.txt"):
        (run_folder.parent / "power" / name).unlink()
    run = import_one(run_folder, storage)
    assert run.meters[0].reading_pct is None
    assert any("taken as UTC" in note for note in run.disclosure.notes)


@pytest.mark.parametrize(("zone_h", "loadgen_zone_h"), [(-5, -5), (0, 1), (9, 0), (-7, -8)])
def test_local_stamps_are_brought_to_utc(make_result: Make, storage: Storage, zone_h: int, loadgen_zone_h: int) -> None:
    run = import_one(make_result(zone_h=zone_h, loadgen_zone_h=loadgen_zone_h), storage)
    assert run.window_begin_ns == BEGIN_NS
    assert window_mean_w(run, storage) == 500.0
    assert run.disclosure.imported is not None
    clock = run.disclosure.imported.clock
    assert clock is not None
    assert clock.utc_offset_s == zone_h * 3600
    assert clock.window_shift_s == (zone_h - loadgen_zone_h) * 3600


def test_importing_again_replaces_the_run(make_result: Make, storage: Storage, tmp_path: Path) -> None:
    make_result()
    first = import_one(tmp_path, storage)
    count = {series.key.channel: series.n for series in storage.samples.list_series(first.run_id)}
    assert import_one(tmp_path / "inference_results_v1.0/closed/DellEMC", storage) == first
    assert len(storage.runs.all()) == 1
    assert {series.key.channel: series.n for series in storage.samples.list_series(first.run_id)} == count


def test_repaired_power_log_replaces_what_it_stood_for(make_result: Make, storage: Storage) -> None:
    folder = make_result()
    first = import_one(folder, storage)
    log = (folder / "spl.txt").read_text()
    (folder / "spl.txt").write_text(log.replace("Watts,500.0", "Watts,510.0"))
    second = import_one(folder, storage)
    assert second.run_id == first.run_id
    assert window_mean_w(second, storage) == 510.0


def test_one_log_in_three_folders_is_one_run(make_result: Make, storage: Storage, tmp_path: Path) -> None:
    """Handed in under multistream, offline and singlestream: the folder of the scenario that ran keeps it."""
    result = {"result_query_count": 170, "result_mean_latency_ns": 588000000}
    root = tmp_path / "inference_results_v5.1"
    for folder in ("multistream", "offline", "singlestream"):
        make_result(root=root, scenario_folder=folder, scenario="SingleStream", result=result, summary=None)
    outcomes = import_source(MLPERF_INFERENCE, root, storage.samples, storage.runs)
    assert len(storage.runs.all()) == 1
    assert [outcome.run_id is not None for outcome in outcomes] == [False, False, True]
    for refused in outcomes[:2]:
        assert "resnet50/singlestream/performance/run_1. One log is one run" in str(refused.error)
    assert exit_code(outcomes) == 2


def test_a_log_imported_before_from_another_folder_is_refused(
    make_result: Make, storage: Storage, tmp_path: Path
) -> None:
    first = make_result(root=tmp_path / "inference_results_v1.0")
    again = make_result(root=tmp_path / "inference_results_v1.1")
    assert (first / "mlperf_log_detail.txt").read_bytes() == (again / "mlperf_log_detail.txt").read_bytes()
    import_one(first, storage)
    (outcome,) = import_source(MLPERF_INFERENCE, again, storage.samples, storage.runs)
    assert "same LoadGen log as MLPerf Power v1.0 closed/DellEMC/" in str(outcome.error)
    assert len(storage.runs.all()) == 1


def test_latency_scenario_gives_the_operations_of_the_window(make_result: Make, storage: Storage) -> None:
    folder = make_result(
        scenario="SingleStream", result={"result_query_count": 170, "result_mean_latency_ns": 588000000}, summary=None
    )
    run = import_one(folder, storage)
    assert (run.level, run.unit) == ("SingleStream", "queries")
    assert run.stated_throughput is None
    assert run.stated_energy_operations == 170
    assert any("folder is named Offline" in note for note in run.disclosure.notes)


def test_invalid_result_is_stored_as_failed_with_its_reason(make_result: Make, storage: Storage) -> None:
    result = {"result_samples_per_second": 5.0, "result_validity": "INVALID", "result_invalid_reason": "min duration"}
    run = import_one(make_result(result=result, summary=None), storage)
    assert run.status is RunStatus.FAILED
    assert run.reason == "LoadGen calls the result INVALID: min duration"


def test_broken_log_fails_its_result_and_the_others_are_imported(
    make_result: Make, storage: Storage, tmp_path: Path
) -> None:
    make_result()
    broken = make_result(scenario_folder="Server", scenario="Server", result={"result_scheduled_samples_per_sec": 5.0})
    lines = (broken / "spl.txt").read_text().splitlines(keepends=True)
    lines[41] = "Time,03-18-2021 21:30:0\n"
    (broken / "spl.txt").write_text("".join(lines))
    seen: list[tuple[int, int, str]] = []
    outcomes = import_source(
        MLPERF_INFERENCE, tmp_path, storage.samples, storage.runs, on_progress=lambda *step: seen.append(step)
    )
    good, bad = outcomes
    assert good.run_id is not None
    assert bad.run_id is None
    assert "Server/performance/run_1/spl.txt line 42: found 'Time,03-18-2021 21:30:0'" in str(bad.error)
    assert [step[:2] for step in seen] == [(0, 2), (1, 2), (2, 2)]
    assert exit_code(outcomes) == 2
    assert exit_code([good]) == 0
    assert len(storage.runs.all()) == 1


@pytest.mark.parametrize("name", ["spl.txt", "mlperf_log_detail.txt"])
def test_missing_file_fails_the_result(make_result: Make, storage: Storage, name: str) -> None:
    folder = make_result()
    (folder / name).unlink()
    (outcome,) = import_source(MLPERF_INFERENCE, folder.parent, storage.samples, storage.runs)
    assert f"run_1/{name} cannot be read" in str(outcome.error)


def test_files_are_disclosed_with_their_digests(make_result: Make, storage: Storage) -> None:
    folder = make_result()
    imported = import_one(folder, storage).disclosure.imported
    assert imported is not None
    files = imported.files
    names = [file.file.rpartition("/")[2] for file in files]
    assert names[:3] == ["mlperf_log_detail.txt", "mlperf_log_summary.txt", "spl.txt"]
    assert all(len(file.sha256) == 64 for file in files)
    assert not any("/.." in file.file for file in files)


@pytest.mark.parametrize("prepare", ["nothing", "ranging"])
def test_folder_without_a_result_is_refused(make_result: Make, storage: Storage, tmp_path: Path, prepare: str) -> None:
    folder = tmp_path / "empty"
    if prepare == "ranging":
        folder = make_result().parent / "ranging"
    else:
        folder.mkdir()
    with pytest.raises(InputError, match="no MLPerf Power result"):
        import_source(MLPERF_INFERENCE, folder, storage.samples, storage.runs)


def test_missing_folder_is_refused(storage: Storage, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        import_source(MLPERF_INFERENCE, tmp_path / "nowhere", storage.samples, storage.runs)


def test_result_copied_out_of_its_tree_is_still_a_result(make_result: Make, storage: Storage, tmp_path: Path) -> None:
    folder = make_result()
    loose = tmp_path / "loose"
    folder.rename(loose)
    run = import_one(loose, storage)
    assert (run.server, run.configuration, run.workload) == ("loose", "unknown", "mlperf.unknown")
    assert window_mean_w(run, storage) == 500.0


def test_performance_results_without_power_are_passed_over(make_result: Make, storage: Storage, tmp_path: Path) -> None:
    folder = make_result()
    plain = folder.parents[4] / "Server/performance/run_1"
    plain.mkdir(parents=True)
    (plain / "mlperf_log_detail.txt").write_text((folder / "mlperf_log_detail.txt").read_text())
    assert len(import_source(MLPERF_INFERENCE, tmp_path, storage.samples, storage.runs)) == 1


@pytest.mark.parametrize("stated", [{"result_mean_latency_ns": 10**40}, {"result_max_latency_ns": -(10**200)}])
def test_a_log_that_states_what_no_record_holds_is_refused_and_the_others_are_imported(
    make_result: Make, storage: Storage, tmp_path: Path, stated: dict[str, int]
) -> None:
    make_result()
    make_result(scenario_folder="Server", scenario="Server", result={"result_scheduled_samples_per_sec": 5.0, **stated})
    good, bad = import_source(MLPERF_INFERENCE, tmp_path, storage.samples, storage.runs)
    assert good.run_id is not None
    assert bad.run_id is None
    assert "states what no record of a run can hold: loadgen: " in str(bad.error)
