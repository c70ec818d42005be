"""Published MLPerf Power v1.0 results, read whole and compared with figures computed independently."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.comparison.compare.yardstick import Yardstick
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.importers.outcome import ImportOutcome
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.tables.results_table import results_table
from wattmark.runs.record import RunRecord

DATA = Path(__file__).parents[3] / "../shared/data"
TREE = DATA / "mlperf-power-v1.0"
pytestmark = pytest.mark.skipif(not TREE.is_dir(), reason="the published results are not beside the checkout")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Storage, list[ImportOutcome]]]:
    storage = open_storage(tmp_path_factory.mktemp("data"))
    yield storage, import_source(MLPERF_INFERENCE, TREE, storage.samples, storage.runs)
    storage.close()


def run_of(outcome: ImportOutcome, storage: Storage) -> RunRecord:
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return run


def mean_inside_w(run: RunRecord, storage: Storage) -> tuple[float, int]:
    (power,) = (series for series in storage.samples.list_series(run.run_id) if series.key.channel == "power")
    samples = storage.samples.read(power.id)
    inside = (samples.t_ns > run.window_begin_ns) & (samples.t_ns < run.window_end_ns) & (samples.value > 0)
    return float(np.mean(samples.value[inside])), int(np.count_nonzero(inside))


def naive_mean_w(folder: Path) -> float:
    """Average as the published checker does: positive watts strictly inside, columns by position."""
    form = "%m-%d-%Y %H:%M:%S.%f"
    entries = {}
    for line in (folder / "mlperf_log_detail.txt").read_text().splitlines():
        entry = json.loads(line.removeprefix(":::MLLOG"))
        entries[entry["key"]] = entry["value"]
    begin, end = (datetime.strptime(entries[key], form).replace(tzinfo=UTC) for key in ("power_begin", "power_end"))
    watts = []
    for line in (folder / "spl.txt").read_text().splitlines():
        fields = line.split(",")
        if begin < datetime.strptime(fields[1], form).replace(tzinfo=UTC) < end and float(fields[3]) > 0:
            watts.append(float(fields[3]))
    return sum(watts) / len(watts)


def test_all_six_results_are_imported(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    storage, outcomes = imported
    assert [outcome.error for outcome in outcomes] == [None] * 6
    assert len(storage.runs.all()) == 6


def test_stored_samples_give_the_mean_of_the_log(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    storage, outcomes = imported
    for outcome in outcomes:
        mean_w, _ = mean_inside_w(run_of(outcome, storage), storage)
        assert mean_w == pytest.approx(naive_mean_w(TREE / outcome.source), rel=1e-12)


def test_the_published_rate_stands_beside_the_counted_one(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    """MLCommons publishes 93371.4 samples/s for resnet50 Offline on the R7525."""
    storage, outcomes = imported
    results = [Evaluations(storage).result(run_of(outcome, storage)) for outcome in outcomes]
    table = results_table(results)
    keys = [column.key for column in table.columns]
    cells = {
        (row[keys.index("server")], row[keys.index("level")]): row[keys.index("stated_throughput")]
        for row in table.rows
    }
    assert cells["R7525_A100_PCIe-40GBx3_TRT", "Offline"] == pytest.approx(93371.4, rel=1e-6)
    assert all(cells.values())


def test_results_agree_with_the_published_vectors(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    storage, outcomes = imported
    vectors = json.loads((DATA / "published_vectors.json").read_text())["mlperf_power_v1_0"]["rows"]
    rows: dict[str, Any] = {row["path"]: row for row in vectors}
    checked = 0
    for outcome in outcomes:
        row = rows.get(outcome.source.removesuffix("/performance/run_1"))
        if row is None:
            continue
        run, phase = run_of(outcome, storage), row["phases"]["run_1"]
        mean_w, count = mean_inside_w(run, storage)
        assert (round(mean_w, 4), count) == (phase["window_mean_w"], phase["window_n"])
        assert run.level == phase["scenario"]
        assert run.stated_throughput is not None
        assert round(run.stated_throughput / mean_w, 6) == pytest.approx(phase["samples_per_joule"], rel=1e-6)
        assert run.configuration_snapshot.title == row["system"]
        assert run.meters[0].name == row["meter"]
        checked += 1
    assert checked == 5


def test_r7525_offline(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    storage, outcomes = imported
    run = next(
        run for run in (run_of(o, storage) for o in outcomes) if "R7525" in run.server and run.level == "Offline"
    )
    assert run.stated_throughput == 93371.4
    assert mean_inside_w(run, storage)[0] == pytest.approx(1101.2828341, rel=1e-9)
    # The WT210 has no limits of error here, and its clock ran on local time: 21:29 is 02:29 UTC.
    assert run.meters[0].reading_pct is None
    assert run.window_begin_ns == 1616120971_830_000_000


def test_untouched_results_fail_no_rule_on_their_files(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    storage, outcomes = imported
    for outcome in outcomes:
        run = run_of(outcome, storage)
        judged = {verdict.rule: verdict for verdict in run.evidence}
        assert len(judged) == 25
        assert not [verdict.text for verdict in run.evidence if verdict.outcome == "fail"]
        assert judged["import-work-rate"].outcome == judged["import-file-digests"].outcome == "pass"
        assert run.submission in ("DellEMC v1.0", "NVIDIA v1.0", "Qualcomm v1.0")


def test_every_log_lacks_a_calibration_date(imported: tuple[Storage, list[ImportOutcome]]) -> None:
    _, outcomes = imported
    assert all(any("no_cal_date" in note for note in outcome.notes) for outcome in outcomes)


@pytest.mark.parametrize("rule", ["complete", "mlperf"])
def test_three_systems_compared_by_their_work_and_the_throttling_one_by_no_full_load_power(
    imported: tuple[Storage, list[ImportOutcome]], rule: RuleName
) -> None:
    """Method 5.1: R282 Offline fell by 9.5 % over its window; R7525 and the DGX Station were steady.

    The work that it did has its energy all the same; what it draws at full load is not told.
    """
    comparisons = Sources.of(imported[0]).comparisons
    compared = comparisons.compare("mlperf.resnet50", "Offline", rule=rule)
    r282, r7525, station = (
        next(group for group in compared.groups if name in group.key) for name in ("r282", "R7525", "DGX")
    )
    assert (r282.steady, r7525.steady, station.steady) == (False, True, True)
    assert r282.efficiency is not None
    assert (r282.rank_low, r282.rank_high) == (None, None), "one run of each is not tested"
    by_power = comparisons.compare("mlperf.resnet50", "Offline", by=Yardstick("power"), rule=rule)
    throttled = next(group for group in by_power.groups if group.key == r282.key)
    assert throttled.power_w is None
    assert "drift" in str(throttled.not_ranked)
    assert not [pair for pair in by_power.pairs if r282.key in (pair.key, pair.baseline)]
    # 1268.9518 W by the rule of the benchmark, and the stated samples per second
    assert station.efficiency is not None
    assert station.efficiency.value == pytest.approx(98.135, rel=1e-3)
    assert "84.7" in str(r7525.refusal)
