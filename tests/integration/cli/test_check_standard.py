"""`wattmark check-standard` with a simulated meter, and by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage
from wattmark.traceability.check_standards.record import NewCheckStandard, ReadingFacts
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.take import AveragedPower
from wattmark.traceability.check_standards.views import NewReading
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.command import Command

IDLE_W = 60.0
SPEC = {
    "servers": {"s": {"idle_w": IDLE_W, "dynamic_w": 0.5, "dimms": 0}},
    "devices": {"wall": {"model": "eastron.sdm120", "measures": ["s"]}},
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}], period_s: 0.3, simulated: true}}
"""


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def check_standard(wattmark: Command) -> Run:
    """Run `wattmark check-standard ...` in this process, from its arguments to its exit code."""

    def run(folder: Path, *arguments: str) -> Done:
        code, out, err = wattmark("check-standard", *arguments, "--data", folder)
        return Done(code, out.decode(), err)

    return run


@contextmanager
def room(folder: Path) -> Iterator[CheckStandards]:
    storage = open_storage(folder)
    yield CheckStandards(storage.check_standards, SystemClock())
    storage.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with room(tmp_path / "data") as opened:
        opened.add(NewCheckStandard(name="bulb", meter="wall", nominal_w=IDLE_W))
        opened.add(
            NewCheckStandard(name="supply", meter="wall", nominal_w=1.5 * IDLE_W, description="idle, at the wall")
        )
    return tmp_path / "data"


def test_a_live_reading_is_the_mean_of_the_meter(check_standard: Run, folder: Path, tmp_path: Path) -> None:
    with SimulatedLab(SPEC) as lab:
        bench = tmp_path / "bench.yaml"
        bench.write_text(BENCH.format(wall=lab.devices["wall"].url))
        live = ("record", "supply", "--bench", str(bench), "--seconds", "3", "--operator", "E. Bauer", "--json")
        done = check_standard(folder, *live)
        assert done.returncode == 0, done.stderr
        truth_w = lab.state("s").wall_power_w
    (point,) = json.loads(done.stdout)["segments"][0]["points"]
    assert point["simulated"]
    assert not point["by_hand"]
    assert point["n"] >= 5
    assert point["sd_w"] < 1
    assert point["power_w"] == pytest.approx(truth_w, rel=0.02)


def test_a_meter_that_is_silent_gives_no_reading(check_standard: Run, folder: Path, tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(wall="modbus-tcp://127.0.0.1:1/1"))
    done = check_standard(folder, "record", "bulb", "--bench", str(bench), "--seconds", "2", "--operator", "E. Bauer")
    assert done.returncode == 1
    assert "wall" in done.stderr
    with room(folder) as opened:
        assert opened.chart("bulb").standard.readings == 0


def test_readings_by_hand_end_on_a_chart(check_standard: Run, folder: Path) -> None:
    with room(folder) as opened:
        for month in range(1, 11):
            order = NewReading(power_w=IDLE_W + (-1) ** month * 0.1, operator="E. Bauer")
            opened.record_by_hand("bulb", order, datetime(2025, month, 1, tzinfo=UTC))
    inside = check_standard(
        folder, "record", "bulb", "--watts", "60.1", "--at", "2025-11-01T08:00:00Z", "--operator", "E. Bauer"
    )
    assert (inside.returncode, inside.stdout) == (0, "bulb: In control.\n"), inside.stderr
    drifted = check_standard(folder, "record", "bulb", "--watts", "61", "--operator", "E. Bauer")
    assert drifted.returncode == 1
    assert "1 point beyond 3 s" in drifted.stdout
    chart = check_standard(folder, "chart", "bulb")
    assert chart.returncode == 1
    assert chart.stdout.count("baseline") == 10
    assert "out of control" in check_standard(folder, "list").stdout


def test_a_simulated_reading_and_one_by_hand_are_marked_on_the_chart(check_standard: Run, folder: Path) -> None:
    with room(folder) as opened:
        opened.record_taken(
            "bulb", AveragedPower(IDLE_W, 0.1, 10, None, simulated=True), ReadingFacts(operator="E. Bauer")
        )
        opened.record_by_hand("bulb", NewReading(power_w=IDLE_W + 0.1, operator="E. Bauer"))
    lines = check_standard(folder, "chart", "bulb").stdout.splitlines()
    (simulated,), (by_hand,) = ([line for line in lines if mark in line] for mark in ("simulated", "by hand"))
    assert "60.1" not in simulated
    assert "60.1" in by_hand


def test_a_load_is_added_once(check_standard: Run, tmp_path: Path) -> None:
    order = ("add", "bulb", "--meter", "wall", "--nominal", "60", "--json")
    added = check_standard(tmp_path, *order)
    assert json.loads(added.stdout)["state"] == "no readings", added.stderr
    again = check_standard(tmp_path, *order)
    assert again.returncode == 1
    assert json.loads(again.stdout)["error"]["remedy"] == "Choose another name."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--watts", "0.06"), "60 W of this load"),
        (("--watts", "nan"), "power_w"),
        ((), "either a meter or a value"),
        (("--watts", "60", "--at", "2525-01-01T00:00:00Z"), "future"),
    ],
)
def test_a_reading_that_cannot_be_is_refused(
    check_standard: Run, folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = check_standard(folder, "record", "bulb", "--operator", "E. Bauer", *arguments)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
