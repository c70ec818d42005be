"""Bundles of InferenceX, written as its own programs write them; known answers are those of its own tests.

`utils/test_aggregate_power_multinode.py` of InferenceX (2026): four GPUs of 300, 300, 400 and 400 W over 60 s, 32,768
tokens in and 4,096 out, give 84,000 J, of which 48,000 J of prefill and 36,000 J of decode.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices
from wattmark.importers.inferencex.inferencex import INFERENCEX
from wattmark.importers.kinds import importer_of
from wattmark.reports.files.inferencex_bundle import AGGREGATE, inferencex_bundle
from wattmark.reports.files.inferencex_bundle import RESULT as RESULT_FILE
from wattmark.reports.files.inferencex_bundle import VALIDATION as VALIDATION_FILE
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord, StatedFigure

from tests.stored_run import make_run, store_readings

START = 1_758_000_000
LOAD: dict[str, Any] = {
    "model_id": "test-model",
    "max_concurrency": 4,
    "benchmark_start_time_unix": float(START),
    "benchmark_end_time_unix": START + 60.0,
    "duration": 60.0,
    "completed": 8,
    "total_input_tokens": 32768,
    "total_output_tokens": 4096,
    "median_ttft_ms": 250.0,
    "median_tpot_ms": 20.0,
}
DEVICES = (
    ("node-d", 0, "decode", 300.0),
    ("node-d", 1, "decode", 300.0),
    ("node-p", 0, "prefill", 400.0),
    ("node-p", 1, "prefill", 400.0),
)
VALIDATION: dict[str, Any] = {
    "schema_version": 1,
    "power_valid": True,
    "reasons": [],
    "benchmark_window": {"start_time_unix": float(START), "end_time_unix": START + 60.0},
    "integration_method": "per_device_trapezoidal_with_linear_boundary_interpolation",
    "metrics": {"total_gpu_energy_j": 84000.0, "joules_per_output_token": 20.507812},
}
Write = Callable[..., Path]


@pytest.fixture
def several(tmp_path: Path) -> Write:
    """A bundle of two nodes, with the power as samples.csv."""

    def write(load: dict[str, Any] = LOAD, validation: dict[str, Any] | None = VALIDATION) -> Path:
        root = tmp_path / "bundle"
        (root / "power").mkdir(parents=True)
        rows = ["schema_version,timestamp_unix,scrape_seq,hostname,gpu_index,gpu_uuid,power_w"]
        for second in range(-2, 63):
            rows += [f"1,{START + second}.0,{second + 2},{h},{n},GPU-{h}-{n},{w}" for h, n, _, w in DEVICES]
        (root / "power" / "samples.csv").write_text("\n".join(rows) + "\n")
        (root / "result.json").write_text(json.dumps(load))
        if validation is not None:
            roles = {f"{host}/GPU-{host}-{n}": role for host, n, role, _ in DEVICES}
            text = json.dumps({**validation, "per_gpu_role": roles})
            (root / "power_validation.json").write_text(text)
        return root

    return write


@pytest.fixture
def single(tmp_path: Path) -> Write:
    """A bundle of one node with two GPUs, as nvidia-smi stamps its log: by the wall clock of Berlin."""

    def write(ahead_h: int = 2, cell: str = "350.00 W") -> Path:
        root = tmp_path / "bundle"
        root.mkdir()
        rows = ["timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz]"]
        for second in range(-2, 63):
            stamp = datetime.fromtimestamp(START + second + 3600 * ahead_h, UTC).strftime("%Y/%m/%d %H:%M:%S.000")
            rows += [f"{stamp}, {gpu}, {cell if second == 5 and gpu else '350.00 W'}, 61, 1980 MHz" for gpu in (0, 1)]
        (root / "gpu_metrics.csv").write_text("\n".join(rows) + "\n")
        (root / "result.json").write_text(json.dumps(LOAD))
        metrics = {"total_gpu_energy_j": 42000.0}
        (root / "power_validation_result.json").write_text(json.dumps({**VALIDATION, "metrics": metrics}))
        return root

    return write


def brought(root: Path, storage: Storage, choices: Choices | None = None) -> Result:
    (outcome,) = import_source(INFERENCEX, root, storage.samples, storage.runs, *([] if choices is None else [choices]))
    assert outcome.error is None, outcome.error
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return evaluate(run, storage.samples)


def refusal(root: Path, storage: Storage, choices: Choices | None = None) -> str:
    (outcome,) = import_source(INFERENCEX, root, storage.samples, storage.runs, *([] if choices is None else [choices]))
    assert outcome.error is not None
    return str(outcome.error)


def outcomes(result: Result) -> dict[str, str]:
    return {verdict.rule: verdict.outcome for verdict in result.verdicts if verdict.rule.startswith("import-")}


def test_figures_are_those_of_its_own_tests(several: Write, storage: Storage) -> None:
    root = several()
    assert importer_of("auto", root) is INFERENCEX
    result = brought(root, storage)
    assert result.energy_j == pytest.approx(84_000, rel=1e-6)
    assert result.energy_per_op is not None
    assert result.energy_per_op.value == pytest.approx(20.507812, rel=1e-6)
    by_role = {role.role: role for role in result.role_energies}
    assert by_role["prefill"].energy.value == pytest.approx(48_000, rel=1e-6)
    assert by_role["decode"].energy.value == pytest.approx(36_000, rel=1e-6)
    assert by_role["prefill"].per_work is not None
    assert by_role["prefill"].per_work.value == pytest.approx(1.464844, rel=1e-5)
    assert by_role["decode"].per_work is not None
    assert by_role["decode"].per_work.value == pytest.approx(8.789062, rel=1e-5)
    assert set(outcomes(result).values()) == {"pass"}
    assert (result.workload, result.level, result.unit) == ("inferencex", "4 requests", "tokens")
    assert result.response_times_s == {"first token median": 0.25, "per output token median": 0.02}
    assert not result.traceable
    # What is printed is kept as it is; energy, times and versions are no work, so nothing of them is per joule.
    stated = {figure.name: figure.value for figure in result.source_figures}
    assert stated["joules_per_output_token"] == 20.507812
    assert {name for name in stated if name.endswith(" per joule")} == {"prompt tokens per joule", "requests per joule"}


def test_local_stamps_are_refused_until_somebody_says_their_zone(single: Write, storage: Storage) -> None:
    root = single()
    assert "name no time zone" in refusal(root, storage)
    wrong = refusal(root, storage, read_choices("UTC"))
    assert "its GPUs' log from" in wrong
    result = brought(root, storage, read_choices("Europe/Berlin"))
    assert result.energy_j == pytest.approx(2 * 350 * 60, rel=1e-6)
    assert outcomes(result)["import-published-figure"] == "pass"


def test_a_reading_that_is_none_is_no_power(single: Write, storage: Storage) -> None:
    result = brought(single(cell="[N/A]"), storage, read_choices("Europe/Berlin"))
    assert any("1 readings are no power" in note for note in result.notes) or result.samples_excluded == 1


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"power_valid": False, "reasons": ["sampling_gap_exceeded"]}, "import-power-valid"),
        ({"metrics": {"total_gpu_energy_j": 84_500.0}}, "import-published-figure"),
    ],
)
def test_what_its_validator_says_is_held_against_the_log(
    several: Write, storage: Storage, change: dict[str, Any], rule: str
) -> None:
    judged = outcomes(brought(several(validation={**VALIDATION, **change}), storage))
    assert judged.pop(rule) == "fail"
    assert set(judged.values()) == {"pass"}


def test_a_duration_that_is_not_that_of_the_window_leaves_no_figure(several: Write, storage: Storage) -> None:
    result = brought(several(load={**LOAD, "duration": 70.0}), storage)
    assert outcomes(result)["import-duration"] == "fail"
    assert result.efficiency is None


def test_a_bundle_without_a_verdict_says_so(several: Write, storage: Storage) -> None:
    judged = outcomes(brought(several(validation=None), storage))
    assert judged["import-power-valid"] == judged["import-published-figure"] == "not-checked"


def written(result: Result, storage: Storage) -> dict[str, str]:
    run = storage.runs.get(result.run_id)
    assert run is not None
    return inferencex_bundle(run, result, storage.samples)


def test_a_run_goes_out_as_it_came_in(several: Write, storage: Storage, tmp_path: Path) -> None:
    result = brought(several(), storage)
    files = written(result, storage)
    validation, aggregate = (json.loads(files[name]) for name in (VALIDATION_FILE, AGGREGATE))
    assert (validation["power_valid"], validation["reasons"]) == (True, [])
    assert (aggregate["power_valid"], aggregate["power_metric_schema_version"]) == (1, 2)
    # The metrics of InferenceX's own test of these four GPUs.
    assert validation["metrics"] == {
        "avg_power_w": 350.0,
        "avg_total_gpu_power_w": 1400.0,
        "total_gpu_energy_j": 84000.0,
        "joules_per_successful_query": 10500.0,
        "joules_per_input_token": 2.563477,
        "joules_per_output_token": 20.507812,
        "joules_per_total_token": 2.278646,
        "prefill_gpu_energy_j": 48000.0,
        "prefill_joules_per_input_token": 1.464844,
        "decode_gpu_energy_j": 36000.0,
        "decode_joules_per_output_token": 8.789062,
    }
    assert validation["wattmark"]["wall_power_w"] is None  # board power is no wall's
    assert json.loads(files[RESULT_FILE])["median_tpot_ms"] == pytest.approx(20.0)
    folder = tmp_path / "out"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    again = brought(folder, storage)
    assert again.energy_j == pytest.approx(84_000, rel=1e-6)
    assert [role.role for role in again.role_energies] == [role.role for role in result.role_energies]
    assert set(outcomes(again).values()) == {"pass"}


def test_a_gpu_with_several_channels_of_power_counts_once(storage: Storage, measure: Callable[..., Result]) -> None:
    """NVML gives three powers of one GPU; 8 tokens/s at 300 W are 37.5 J a token."""
    gpu = MeterRecord(name="gpu0", model="nvidia.gpu", title="GPU", role="secondary")
    figures = (
        StatedFigure(name="prompt tokens", value=16, unit="tokens/s"),
        StatedFigure(name="requests", value=1, unit="requests/s"),
    )
    run = make_run("own", window_s=60, amount=8, unit="tokens", meters=(gpu,), source_figures=figures)
    storage.runs.put(run)
    t_s = [-1.5 + second for second in range(64)]
    for channel, watts in (("power", 300.0), ("power_instant", 310.0), ("power_usage", 290.0)):
        store_readings(storage, run, t_s, [watts] * len(t_s), channel)
    at_the_wall = measure()
    assert at_the_wall.power is not None
    validation = json.loads(inferencex_bundle(run, at_the_wall, storage.samples)[VALIDATION_FILE])
    assert validation["observed_gpu_count"] == 1
    assert validation["metrics"]["joules_per_output_token"] == pytest.approx(37.5)
    assert validation["wattmark"]["wall_power_w"] == at_the_wall.power.value


def test_a_gap_of_more_than_three_seconds_is_told_by_its_code(several: Write, storage: Storage) -> None:
    root = several()
    log = root / "power" / "samples.csv"
    lines = log.read_text().splitlines()
    kept = [line for line in lines if not any(f",{START + second}.0," in line for second in (20, 21, 22, 23))]
    log.write_text("\n".join(kept) + "\n")
    files = written(brought(root, storage), storage)
    validation = json.loads(files[VALIDATION_FILE])
    assert (validation["power_valid"], validation["reasons"]) == (False, ["sampling_gap_exceeded"])
    assert validation["metrics"] == {}
    assert "joules_per_output_token" not in json.loads(files[AGGREGATE])


def test_a_run_without_gpus_is_no_bundle(measure: Callable[..., Result], storage: Storage) -> None:
    run = make_run(
        "wall", window_s=60, amount=10, unit="tokens", meters=(MeterRecord(name="w", model="wattsup.pro", title="W"),)
    )
    with pytest.raises(InputError, match="has no power of GPUs"):
        inferencex_bundle(run, measure(), storage.samples)
    with pytest.raises(InputError, match="counts no tokens"):
        inferencex_bundle(run.changed(unit="signs"), measure(), storage.samples)


def test_what_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(LOAD))
    with pytest.raises(InputError, match="no result of InferenceX with a log of GPU power"):
        INFERENCEX.find(tmp_path, Choices())
    assert not INFERENCEX.recognises(tmp_path)
