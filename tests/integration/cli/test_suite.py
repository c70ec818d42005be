"""A suite on this machine with simulated power: levels are held, figures are those of the simulated server."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from wattmark.comparison.suites.suite import find_suite
from wattmark.comparison.suites.suite_plan import suite_plan
from wattmark.reports.files.report_file import write_report
from wattmark.reports.suite_document import suite_document
from wattmark.service.service import open_service
from wattmark.service.settings import read_settings

WATTMARK = Path(sys.executable).with_name("wattmark")
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: desk
    access: {local: true}
    configurations:
      - id: as-is
        cpu: {model: any}
        os: {name: any, kernel: any}
        memory: {slots: {A1: {type: RDIMM, capacity_gib: 8}}}
meters:
  - {id: wall, model: carlogavazzi.em24e1, url: "simulated://?idle_w=100&dynamic_w=100", period_s: 0.5,
     feeds: [{server: desk}]}
workloads:
  - {uses: paced.scan, with: {parameters: {mib: 96}}}
"""
MEASURE_S, IDLE_S = 15.0, 20.0


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    file = tmp_path / "bench.yaml"
    file.write_text(BENCH)
    return file


@pytest.mark.timeout(900)
async def test_a_suite_on_this_machine_gives_the_score_of_its_levels(bench: Path, tmp_path: Path) -> None:
    """The simulated server draws 100 W, and up to 100 W more by the share of CPU time in use."""
    suite = find_suite("graduated-trial").model_copy(update={"settle_s": 1.0, "idle_s": IDLE_S})
    async with open_service(read_settings(tmp_path / "data", bench=bench)) as service:
        service.campaigns.start(suite_plan(suite, ["desk/as-is"], measure_s=MEASURE_S))
        status = await service.campaigns.wait()
        assert (status.state, {row.state for row in status.runs}) == ("complete", {"complete"})
        report = service.comparisons.suite("graduated-trial", "desk/as-is")
    assert (report.kind, report.memory_gib) == ("simulated", 8)
    assert {(level.worklet, level.target_pct) for level in report.levels} == {
        (worklet, percent) for worklet in ("paced.sort", "paced.scan") for percent in (100, 50, 12.5)
    }
    said = " ".join(report.remarks)
    for level in report.levels:
        assert level.held or f"{level.worklet} at {level.target_pct:g} %" in said
        assert level.held or level.target_pct == 100, "below the most a rate is held"
    by_worklet = {
        worklet.workload: math.exp(
            sum(
                math.log(1000 * level.throughput.value / worklet.nominal / level.power_w.value)
                for level in report.levels
                if level.worklet == worklet.workload
            )
            / 3
        )
        for worklet in report.worklets
    }
    assert report.score is not None
    assert report.score.value == pytest.approx(by_worklet["paced.sort"] ** 0.7 * by_worklet["paced.scan"] ** 0.3)
    sort = next(worklet.curve for worklet in report.worklets if worklet.workload == "paced.sort")
    assert sort is not None
    assert sort.energy_proportionality is not None
    assert sort.dynamic_range is not None
    full = sort.rows[0].power_w.value
    curve = [(row.load_pct / 100, row.power_w.value / full) for row in reversed(sort.rows)]
    area = sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(curve))
    assert [load for load, _ in curve] == [0, 0.125, 0.5, 1]
    assert sort.energy_proportionality.value == pytest.approx(2 - 2 * area), "Ryckbosch, Polfliet and Eeckhout 2011"
    # Power that rises in a straight line has 2 - 2 (P0/P1 + 1)/2 = 1 - P0/P1; a machine's own is not that straight.
    assert sort.energy_proportionality.value == pytest.approx(sort.dynamic_range.value, abs=0.15)
    watts = [row.power_w.value for row in sort.rows]
    assert watts == sorted(watts, reverse=True)
    assert report.idle is not None
    assert [check.outcome for check in report.idle.checks] == ["fail"]
    assert f"{IDLE_S:g} s, at least 900 s" in report.idle.checks[0].text
    document = tmp_path / "suite.html"
    with document.open("wb") as file:
        write_report(suite_document(report), file)
    assert "Neither a SERT nor a SPECpower result" in document.read_text("utf-8")
    shown = _wattmark("table", "suite", "--data", str(tmp_path / "data"), "--format", "json")
    rows = {row["part"]: row for row in json.loads(shown.stdout)["rows"]}
    assert rows["suite"]["score"] == pytest.approx(report.score.value)


def test_what_cannot_be_run_is_said_before_anything_starts(bench: Path, tmp_path: Path) -> None:
    unknown = _wattmark("suite", "run", "graduated", str(bench), ok=False)
    assert "There is no suite 'graduated'" in unknown.stderr
    elsewhere = _wattmark("suite", "run", "graduated-trial", str(bench), "--configuration", "desk/other", ok=False)
    assert "has no configuration 'desk/other'" in elsewhere.stderr
    lacking = _wattmark("suite", "run", "graduated-server", str(bench), "--data", str(tmp_path / "d"), ok=False)
    assert "The workload paced.sequential-io needs folder" in " ".join(lacking.stderr.split())
    assert not (tmp_path / "d").exists()


def test_suites_are_listed_and_described() -> None:
    listed = json.loads(_wattmark("suite", "list", "--json").stdout)
    assert {suite["id"] for suite in listed} == {"graduated-server", "graduated-compute", "graduated-trial"}
    shown = " ".join(_wattmark("suite", "show", "graduated-server").stdout.split())
    assert "exp(0.65 ln CPU + 0.30 ln memory + 0.05 ln storage)" in shown
    assert "Regulation (EU) 2019/424" in shown


def _wattmark(*words: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([WATTMARK, *words], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode == 0) == ok, done.stderr
    return done
