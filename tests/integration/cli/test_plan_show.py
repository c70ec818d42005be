"""`wattmark plan show` and the ways to ask for a resumption that cannot be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

WATTMARK = Path(sys.executable).with_name("wattmark")
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {local: true}
    configurations:
      - {id: c, cpu: {model: any}, os: {name: any, kernel: any}}
meters:
  - {id: wall, model: eastron.sdm120, url: "modbus-tcp://127.0.0.1:1502/1", feeds: [{server: s}]}
plans:
  - {name: good, configurations: [s/c], workloads: [openssl.rsa512-sign], levels: [1, 2, 4], repeats: 2,
     order: as-listed, idle_s: 10, settle_s: 20, measure_s: 60, hold_s: 0, exclude: [{level: 2}],
     repeat_until: {efficiency_ci_pct: 1, at_most: 3}}
  - {name: lacks, configurations: [s/c], workloads: [web.by-rate], levels: [10]}
"""


def wattmark(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(WATTMARK), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, check=False)


def test_the_run_table_and_its_duration_are_shown_and_nothing_starts(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(BENCH)
    shown = wattmark("plan", "show", "bench.yaml", "--plan", "good", folder=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert [line.split()[0] for line in lines[:6]] == ["1", "2", "3", "4", "5", "6"]
    assert "+0:01:30  s/c  openssl.rsa512-sign  1 process    repeat 2" in lines[1]
    assert lines[2].endswith("repeat 3  only if the precision is not reached")
    assert "Duration 0:06:00, at most 0:09:00;" in shown.stdout
    assert "excluded: s/c, openssl.rsa512-sign, 2 processes" in shown.stdout
    document = json.loads(wattmark("plan", "show", "bench.yaml", "--plan", "good", "--json", folder=tmp_path).stdout)
    assert (document["expected_s"], document["at_most_s"], len(document["rows"]), document["missing"]) == (
        360,
        540,
        6,
        [],
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "bench.yaml"]


def test_what_is_missing_is_said_and_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(BENCH)
    shown = wattmark("plan", "show", "bench.yaml", "--plan", "lacks", folder=tmp_path)
    assert shown.returncode == 1
    assert "missing: The workload web.by-rate needs host" in shown.stderr
    unknown = wattmark("plan", "show", "bench.yaml", folder=tmp_path)
    assert (unknown.returncode, "has 2 plans" in unknown.stderr) == (2, True)


def test_a_resumption_without_a_campaign_says_what_to_do(tmp_path: Path) -> None:
    for arguments in (["run", "--resume", "--data", "none"], ["run", "--data", "none"]):
        done = wattmark(*arguments, folder=tmp_path)
        assert done.returncode in (1, 2)
        assert "Traceback" not in done.stderr
        assert done.stderr.startswith("wattmark: ")


def test_what_the_plan_is_expected_to_show_stands_below_its_duration(tmp_path: Path) -> None:
    """The limit of an SDM120 is 1 % of 10.35 kW, 41 % of 250 W; 95 % of a rectangle lie within 0.95 of it."""
    (tmp_path / "bench.yaml").write_text(BENCH)
    plan = ("plan", "show", "bench.yaml", "--plan", "good", "--data", "none", "--power", "250")
    shown = wattmark(*plan, folder=tmp_path).stdout
    assert "s, openssl.rsa512-sign: With wall at about 250 W, 3 repeats show differences of" in shown
    assert "Power: 250 W as entered." in shown
    assert "Differences are tested from 3 repeats on; the plan has 2." in shown
    (row,) = json.loads(wattmark(*plan, "--json", folder=tmp_path).stdout)["forecast"]["rows"]
    assert 35 < row["repeats"][0]["u95_pct"] < 45
    assert row["repeats"][0]["difference_pct"] is None
