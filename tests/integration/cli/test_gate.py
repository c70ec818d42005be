"""`wattmark gate` on commands that it measures by turns, and on the runs that this leaves.

The meter reads a constant power, so that work per joule falls by as much as the time of a command rises.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from wattmark.results.data_folder import open_storage

WATTMARK = Path(sys.executable).with_name("wattmark")
METER = "simulated://?idle_w=300&dynamic_w=0&period_s=0.2"
"""It descends from wattmark, so that it is no other program that disturbs."""
CODES = {"no regression": 0, "regression": 1, "not known": 3}


def gate(data: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WATTMARK")}
    command = [WATTMARK, "gate", "--data", data, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


def commands(baseline: str, candidate: str) -> tuple[str, ...]:
    return ("--compare", baseline, "--compare", candidate, "--name", "naps")


@pytest.mark.parametrize(
    ("candidate", "outcome"),
    [("sleep 1", "no regression"), ("sleep 0.7", "no regression"), ("sleep 2", "regression")],
)
def test_commands_are_measured_by_turns_until_the_verdict_is_known(
    tmp_path: Path, candidate: str, outcome: str
) -> None:
    done = gate(tmp_path, *commands("sleep 1", candidate), "--until-known", "--meter", METER, "--worse-than", "40%")
    assert outcome in done.stdout, done.stderr
    assert done.returncode == CODES[outcome]
    with_ids = [run.run_id for run in open_storage(tmp_path, read_only=True).runs.all()]
    assert 6 <= len(with_ids) < 20, "it ended when it was known"


def test_a_series_that_a_signal_ended_has_no_verdict(tmp_path: Path) -> None:
    """The command goes on after it; what was measured until then is no verdict."""
    argv = ["--compare", "sh -c 'trap : TERM; echo begun; sleep 1; sleep 1'", "--compare", "sleep 1", "--meter", METER]
    with subprocess.Popen(
        [WATTMARK, "gate", "--data", tmp_path, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2, said
    assert "ended by SIGTERM" in said


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A data folder with two series under one name, and the verdict on the later one."""
    data = tmp_path_factory.mktemp("data")
    gate(data, *commands("sleep 0.6", "sleep 0.6"), "--at-most", 3, "--meter", METER)
    files = [item for kind in ("junit", "summary", "badge") for item in (f"--{kind}", data / f"out.{kind}")]
    done = gate(
        data, *commands("sleep 1", "sleep 2"), "--at-most", 5, "--meter", METER, "--worse-than", "15%", "--json",
        *files, "-o", data / "both.wattmark", "--metric", "efficiency", "--metric", "energy", "--metric", "power",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return data, json.loads(done.stdout)


def test_a_verdict_has_the_change_that_is_true(measured: tuple[Path, dict[str, Any]]) -> None:
    data, verdict = measured
    by_name = {metric["metric"]: metric for metric in verdict["metrics"]}
    changes = {name: metric["change"]["value"] for name, metric in by_name.items()}
    # To start a program takes some milliseconds of either.
    assert changes == pytest.approx({"efficiency": 1 / 2, "energy": 2.0, "power": 1.0}, rel=0.02)
    assert [by_name[name]["outcome"] for name in by_name] == ["regression", "regression", "no regression"]
    assert (verdict["outcome"], verdict["valid"], verdict["meaning"]) == ("regression", True, "wattmark-gate/1")

    suite = ElementTree.parse(data / "out.junit").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "2", "0")
    assert [case.get("name") for case in suite] == ["efficiency", "energy", "power"]
    assert "wattmark: regression" in (data / "out.summary").read_text()
    assert ElementTree.parse(data / "out.badge").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_stored_runs_are_judged_as_when_they_were_measured(measured: tuple[Path, dict[str, Any]]) -> None:
    data, verdict = measured
    storage = open_storage(data, read_only=True)
    server = storage.runs.all()[0].server
    storage.close()
    sides = {
        "the latest series": (f"{server}/A", f"{server}/B"),
        "ids": (",".join(verdict["baseline"]), ",".join(verdict["candidate"])),
    }
    for baseline, candidate in sides.values():
        done = gate(data, "--baseline", baseline, "--candidate", candidate, "--worse-than", "15%", "--json")
        again = json.loads(done.stdout)
        assert done.returncode == 1
        assert sorted(again["candidate"]) == sorted(verdict["candidate"])
        assert again["metrics"][0]["change"]["value"] == pytest.approx(verdict["metrics"][0]["change"]["value"])
    said = gate(data, "--baseline", f"{server}/A", "--candidate", f"{server}/B").stderr
    assert said.count("the latest 5 runs are judged, not 3 of earlier series") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "It takes two sides to judge."),
        (("--baseline", "a/b"), "It takes two sides to judge."),
        (("--compare", "true"), "Give --compare twice"),
        (("--compare", "true", "--compare", "true", "--baseline", "a/b"), "Give --compare, or --baseline"),
        (("--baseline", "a/b", "--candidate", "a/c", "--until-known"), "--until-known is for commands"),
        (("--baseline", "no/such", "--candidate", "no/such"), "No run is named by"),
        (("--baseline", "a/b", "--candidate", "a/c", "--metric", "speed"), "There is no figure 'speed'"),
        (("--baseline", "a/b", "--candidate", "a/c", "--worse-than", "2"), "is not in per cent"),
        (("--compare", "true", "--compare", "false", "--meter", "simulated://"), "B ended with status 1"),
        (
            ("--compare", "true", "--compare", "true", "--meter", "modbus-tcp://127.0.0.1:1/1?model=abb.b21"),
            "127.0.0.1",
        ),
    ],
)
def test_an_error_is_never_taken_for_a_verdict(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    open_storage(tmp_path).close()
    done = gate(tmp_path, *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    as_json = gate(tmp_path, *arguments, "--json")
    assert as_json.returncode == 2
    assert json.loads(as_json.stdout)["error"]["exit_code"] == 2


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize("redirection", ["| true", "> /dev/full", ">&-"])
def test_output_that_nobody_takes_is_no_verdict(tmp_path: Path, options: tuple[str, ...], redirection: str) -> None:
    open_storage(tmp_path).close()
    line = f"set -o pipefail; {WATTMARK} gate --data {tmp_path} {' '.join(options)} {redirection}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
