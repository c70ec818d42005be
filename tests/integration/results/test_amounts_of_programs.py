"""Programs that print what cannot be computed with: each run fails with the reason, and everything else goes on."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..command import Command

PRINTED = {
    "good": ("250", None),
    "great": ("1e150", "reported 1e+150, which is not an amount of work: it is above 1e+30"),
    "greatest": ("1e308", "reported 1e+308, which is not an amount of work"),
    "tiny": ("1e-320", "is below 1e-30 and not 0"),
    "table": ("1e60", "reported 1e+60, which is not an amount of work"),
    "comma": ("1234,56", "'1234,56', whose comma does not separate groups of three digits"),
    "thousands": ("1,250", None),
}
"""What each workload prints again and again, and what is said of its run; None: that it is complete."""
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}], period_s: 0.5}}
workloads:
{workloads}
plans:
  - {{name: short, configurations: [s/c], workloads: [{names}], repeats: 1, idle_s: 0, settle_s: 0,
     measure_s: 2, hold_s: 0}}
"""
WORKLOAD = """\
  - id: {name}
    title: {name}
    unit: ops
    command: [sh, -c, 'while :; do echo "work {printed}"; sleep 0.2; done']
    parser: {{kind: regex, pattern: '^work (?P<value>\\S+)', reports: interval-amount}}
"""


@pytest.fixture(scope="module")
def data(lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after a campaign of all these programs."""
    folder = tmp_path_factory.mktemp("amounts")
    workloads = "".join(WORKLOAD.format(name=name, printed=printed) for name, (printed, _) in PRINTED.items())
    bench = folder / "bench.yaml"
    bench.write_text(BENCH.format(wall=lab.devices["wall"].url, workloads=workloads.rstrip(), names=", ".join(PRINTED)))
    command = [str(Path(sys.executable).with_name("wattmark")), "run", str(bench), "--data", str(folder / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return folder / "data"


def test_each_run_fails_with_its_reason_and_the_others_are_complete(data: Path, wattmark: Command) -> None:
    code, out, err = wattmark("results", "--data", data, "--format", "json")
    assert code == 0, err
    by_workload = {row["workload"]: row for row in json.loads(out)["results"]}
    assert by_workload.keys() == PRINTED.keys()
    for name, (_, message) in PRINTED.items():
        if message is None:
            assert by_workload[name]["status"] == "complete"
            assert by_workload[name]["throughput"]["value"] == pytest.approx(1250 if name == "good" else 6250, rel=0.5)
            assert by_workload[name]["power"]["value"] > 50
        else:
            assert by_workload[name]["status"] == "failed"
            assert message in json.dumps(by_workload[name], ensure_ascii=False)


def test_table_report_and_archive_are_written(data: Path, wattmark: Command, tmp_path: Path) -> None:
    for arguments in (["results"], ["report", "-o", tmp_path / "report.html"]):
        code, out, err = wattmark(*arguments, "--data", data)
        assert code == 0, err
    code, out, err = wattmark("results", "--format", "csv", "--data", data)
    assert {row["workload"] for row in csv.DictReader(io.StringIO(out.decode()))} == PRINTED.keys()
    code, out, err = wattmark("archive", "--all", "-o", tmp_path / "a.zip", "--data", data)
    assert code == 0, err
    code, out, err = wattmark("restore", tmp_path / "a.zip", "--data", tmp_path / "other")
    assert code == 0, err
