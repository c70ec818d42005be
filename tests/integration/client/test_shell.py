"""`wattmark mark` in a shell: a measurement is opened by one command and ended by another one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import WATTMARK, Service


@pytest.fixture
def environment(url: str, tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path), "PATH": f"{WATTMARK.parent}:{os.environ['PATH']}"}


def shell(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-ec", script], capture_output=True, text=True, env=environment, timeout=240)


def test_each_run_of_a_tool_that_prepares_and_concludes_is_measured(
    environment: dict[str, str], lab: SimulatedLab, service: Service
) -> None:
    """As hyperfine calls its --prepare, the command and its --conclude, each in a shell."""
    figures: list[dict[str, Any]] = []
    for _ in range(2):
        for script in ("wattmark mark begin 'sleep 3' --server s --unit runs", "sleep 3"):
            done = shell(script, environment)
            assert done.returncode == 0, done.stderr
        figures.append(json.loads(shell("wattmark mark end --ops 1 --json", environment).stdout))
    for measured in figures:
        assert measured["name"] == "sleep 3"
        assert 3.0 <= measured["duration_s"] < 4.0, (
            "the time to start a program is in it, that to import wattmark is not"
        )
        assert measured["power"]["value"] == pytest.approx(lab.state("s").wall_power_w, rel=0.01)
        assert measured["throughput"]["value"] * measured["duration_s"] == pytest.approx(1)
    assert len({measured["run_id"] for measured in figures}) == 2
    assert service.get("/api/measurements") == []


def test_labels_and_values_wait_in_a_file_until_the_end(environment: dict[str, str]) -> None:
    script = (
        "wattmark mark begin job --server s; sleep 1; wattmark mark value 20; wattmark mark label second; sleep 1; "
    )
    done = shell(script + "wattmark mark value 5; wattmark mark end", environment)
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == "job"
    assert any(line.startswith("  Mean power (simulated)") and " ± " in line for line in lines)
    assert any(line.startswith("  Work per joule") for line in lines)
    assert any(line.startswith("    second: ") for line in lines)
    assert not (Path(environment["XDG_STATE_HOME"]) / "wattmark/measurement.json").exists()


def test_a_new_measurement_drops_the_one_that_was_left_open(environment: dict[str, str], service: Service) -> None:
    done = shell("wattmark mark begin left --server s; wattmark mark begin next --server s", environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "The measurement 'left' was open, and is dropped.\n"
    assert [opened["name"] for opened in service.get("/api/measurements")] == ["next"]
    assert shell("wattmark mark drop", environment).returncode == 0
    assert service.get("/api/measurements") == []


def test_without_a_measurement_the_words_go_to_the_run_of_a_plan(environment: dict[str, str]) -> None:
    for words in ("begin", "end", "value 3"):
        done = shell(f"wattmark mark {words}", environment)
        assert done.returncode == 1
        assert "No run is waiting for markers." in done.stderr
    for words, said in (
        ("begin --server s", "A measurement has a name."),
        ("begin --at-most 2h", "A measurement has a name."),
        ("end --ops 5", "No measurement is open."),
        ("end --json", "No measurement is open."),
    ):
        done = shell(f"wattmark mark {words}", environment)
        assert done.returncode == 2
        assert said in done.stderr + done.stdout
    done = shell("wattmark mark label x", environment)
    assert done.returncode == 2
    assert "No measurement is open. Open one first: wattmark mark begin NAME." in " ".join(done.stderr.split())


def test_a_file_that_holds_something_else_is_named(environment: dict[str, str]) -> None:
    file = Path(environment["XDG_STATE_HOME"]) / "wattmark/measurement.json"
    file.parent.mkdir()
    file.write_text('{"url": 1}')
    done = shell("wattmark mark end", environment)
    assert done.returncode == 2
    assert f"{file} does not hold a measurement." in done.stderr
