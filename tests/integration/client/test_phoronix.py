"""The module of the Phoronix Test Suite, run by PHP against a real service and simulated meters."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import Service, wait_until

MODULE = Path(__file__).parents[3] / "docker/phoronix/wattmark.php"
SUITE = Path(__file__).with_name("phoronix_suite.php")


def benchmark(url: str, server: str = "s", **changes: Any) -> tuple[dict[str, Any], str]:
    """Run a test of two runs of 4 s; gives what the suite has in the end, and what was printed before."""
    order = {"runs": 2, "seconds": 4, "result": 9000.0, "proportion": "HIB", **changes}
    environment = {**os.environ, "WATTMARK_URL": url, "WATTMARK_SERVER": server}
    command = ["php", "-d", "display_errors=stderr", str(SUITE), str(MODULE), json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stderr + done.stdout
    assert not done.stderr, done.stderr
    *printed, last = done.stdout.strip().splitlines()
    return json.loads(last), "\n".join(printed)


def test_php_finds_no_mistake_in_the_module() -> None:
    done = subprocess.run(["php", "-l", str(MODULE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_watts_and_results_per_watt_are_those_of_the_runs(url: str, lab: SimulatedLab, service: Service) -> None:
    """The simulator tells what the meter should show; of 9000 jobs the suite has so many per watt."""
    suite, printed = benchmark(url)
    truth_w = lab.state("s").wall_power_w
    test, watts, per_watt = suite["results"]
    assert test["annotation"] is None
    assert suite["saves"]
    assert (watts["identifier"], watts["scale"], watts["proportion"]) == (None, "Watts", "LIB")
    assert float(watts["items"][0]["value"]) == pytest.approx(truth_w, rel=0.01)
    assert watts["items"][0]["identifier"] == "This machine"
    assert (per_watt["identifier"], per_watt["proportion"]) == (None, "HIB")
    assert float(per_watt["items"][0]["value"]) == pytest.approx(9000 / truth_w, rel=0.015)
    assert (per_watt["arguments"], per_watt["description"]) == (test["arguments"], test["description"])
    for added in (watts, per_watt):
        footnote = added["items"][0]["json"]["install-footnote"]
        assert " ± " in footnote
        assert "SIMULATED, mean of 2 runs, together 8.0 s, at the wall" in footnote
        assert added["parent"]
    assert watts["items"][0]["json"]["install-footnote"] in printed
    assert service.get("/api/measurements") == []


def test_simulated_watts_pass_for_no_measured_ones(url: str) -> None:
    """The suite's own names of measured figures, by which importers know them, are not used."""
    _, watts, per_watt = benchmark(url)[0]["results"]
    assert watts["description"] == "SIMULATED System Power Consumption Monitor"
    assert watts["arguments"] == "SIMULATED System Power Consumption --long"
    assert per_watt["scale"] == "Jobs Per Watt, SIMULATED"


def test_pauses_between_runs_do_not_count_and_runs_do_not_wait(
    url: str, lab: SimulatedLab, service: Service, tmp_path: Path
) -> None:
    """The stored run has a mark for each begin and end; between them nothing is asked of the service."""
    suite, printed = benchmark(url, between="sleep 2")
    assert suite["hook_s"] < 0.01
    run = service.get(f"/api/runs/{printed.rpartition('(run ')[2].partition(')')[0]}")
    marks = run["disclosure"]["window"]["marks"]
    assert [mark["label"] for mark in marks] == ["run 1", "after 1", "run 2", "after 2"]
    instants_s = [mark["utc_ns"] / 1e9 for mark in marks]
    took_s = [later - earlier for earlier, later in pairwise(instants_s)]
    assert took_s == pytest.approx([4.0, 2.5, 4.0], abs=0.1)


def test_a_time_per_watt_is_not_made_up(url: str) -> None:
    suite, _ = benchmark(url, proportion="LIB", runs=1)
    assert [result["scale"] for result in suite["results"]] == ["Jobs", "Watts"]


def test_missing_readings_are_said_and_no_watt_is_added(url: str, lab: SimulatedLab, service: Service) -> None:
    """The meter, read every 0.25 s, answers without a power for 4 s of a run of 8 s."""

    def answer_without_power() -> None:
        wait_until(lambda: [opened["state"] for opened in service.get("/api/measurements")] == ["begun"])
        time.sleep(2)
        lab.inject("wall-t", kind="wrong-value", channel="power", value=None, count=16)

    outage = threading.Thread(target=answer_without_power)
    outage.start()
    suite, printed = benchmark(url, server="t", runs=1, seconds=8)
    outage.join()
    (test,) = suite["results"]
    assert test["items"] == [{"identifier": "This machine", "value": 9000, "json": None}]
    assert "wattmark: No watts. Readings are missing in run 1 of 1. " in test["annotation"]
    assert "No watts. " in printed


def test_a_server_that_cannot_be_measured_is_said(url: str, service: Service) -> None:
    suite, printed = benchmark(url, server="nowhere", runs=1)
    (test,) = suite["results"]
    assert "nowhere" in test["annotation"]
    assert "No watts. " in printed
    assert service.get("/api/measurements") == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9", "does not answer"),
        ("appliance:8400", "Set WATTMARK_URL"),
        ("http://u:p@x", "Set WATT"),
    ],
)
def test_without_a_service_the_tests_run_and_nothing_is_measured(url: str, said: str) -> None:
    suite, printed = benchmark(url)
    assert suite["results"] == []
    assert "No test is measured. " in printed
    assert said in printed
