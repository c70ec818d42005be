"""`wattmark plan show` and the ways to ask for a resumption that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..command import Command

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


@pytest.fixture(autouse=True)
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench.yaml").write_text(BENCH)
    monkeypatch.chdir(tmp_path)


def test_the_run_table_and_its_duration_are_shown_and_nothing_starts(wattmark: Command, tmp_path: Path) -> None:
    code, out, err = wattmark("plan", "show", "bench.yaml", "--plan", "good")
    assert (code, err) == (0, "")
    shown = out.decode()
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines[:6]] == ["1", "2", "3", "4", "5", "6"]
    assert "+0:01:30  s/c  openssl.rsa512-sign  1 process    repeat 2" in lines[1]
    assert lines[2].endswith("repeat 3  only if the precision is not reached")
    assert "Duration 0:06:00, at most 0:09:00;" in shown
    assert "excluded: s/c, openssl.rsa512-sign, 2 processes" in shown
    document = json.loads(wattmark("plan", "show", "bench.yaml", "--plan", "good", "--json")[1])
    assert (document["expected_s"], document["at_most_s"], len(document["rows"]), document["missing"]) == (
        360,
        540,
        6,
        [],
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "bench.yaml"]


def test_what_is_missing_is_said_and_is_an_error(wattmark: Command) -> None:
    code, _, err = wattmark("plan", "show", "bench.yaml", "--plan", "lacks")
    assert code == 1
    assert "missing: The workload web.by-rate needs host" in err
    code, _, err = wattmark("plan", "show", "bench.yaml")
    assert (code, "has 2 plans" in err) == (2, True)


def test_a_resumption_without_a_campaign_says_what_to_do(wattmark: Command) -> None:
    for arguments in (["run", "--resume", "--data", "none"], ["run", "--data", "none"]):
        code, _, err = wattmark(*arguments)
        assert code in (1, 2)
        assert "Traceback" not in err
        assert err.startswith("wattmark: ")


def test_what_the_plan_is_expected_to_show_stands_below_its_duration(wattmark: Command) -> None:
    """The limit of an SDM120 is 1 % of 10.35 kW, 41 % of 250 W; 95 % of a rectangle lie within 0.95 of it."""
    plan = ("plan", "show", "bench.yaml", "--plan", "good", "--data", "none", "--power", "250")
    shown = wattmark(*plan)[1].decode()
    assert "s, openssl.rsa512-sign: With wall at about 250 W, 3 repeats show differences of" in shown
    assert "Power: 250 W as entered." in shown
    assert "Differences are tested from 3 repeats on; the plan has 2." in shown
    (row,) = json.loads(wattmark(*plan, "--json")[1])["forecast"]["rows"]
    assert 35 < row["repeats"][0]["u95_pct"] < 45
    assert row["repeats"][0]["difference_pct"] is None
