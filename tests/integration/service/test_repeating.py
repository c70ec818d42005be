"""A run beside another program is disturbed, stands so in the history after a restart, and can be repeated."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import WATTMARK, Service, Start


@pytest.fixture
def other_program() -> Iterator[None]:
    """Let another program take the time of one core."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        yield
        process.kill()


def ended(service: Service) -> dict[str, Any]:
    return service.campaign_until(lambda campaign: campaign["state"] in ("complete", "failed"))


@pytest.mark.usefixtures("other_program")
def test_a_disturbed_run_is_found_after_a_restart_and_repeated(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path
) -> None:
    bench, data = write_bench(bmc=False), tmp_path / "data"
    service = start(data, bench=bench)
    assert service.get("/api/campaign/history") == {"total": 0, "campaigns": [], "unreadable": 0, "next_offset": None}
    assert service.ask("POST", "/api/campaign/repeat", {})[0] == 404
    service.start_and_measure()
    assert service.get("/api/campaign/history")["campaigns"][0]["state"] == "running"
    status, problem = service.ask("POST", "/api/campaign/repeat", {})
    assert (status, "is running" in str(problem)) == (409, True)
    first = ended(service)
    assert first["state"] == "complete", first
    assert service.end() == 0

    service = start(data, bench=bench)
    (known,) = service.get("/api/campaign/history")["campaigns"]
    assert (known["campaign_id"], known["state"], known["plan"]) == (first["campaign_id"], "complete", "short")
    assert known["outcomes"] == [{"outcome": "disturbed", "words": "Disturbed by other programs", "runs": 1}]
    assert known["ended_s"] > known["started_s"]
    status, going = service.ask("POST", "/api/campaign/repeat", {"campaign_id": known["campaign_id"]})
    assert (status, going["campaign_id"]) == (202, known["campaign_id"])
    again = ended(service)
    assert (again["state"], len(again["runs"])) == ("complete", 1), again
    assert [attempt["run_id"] for attempt in again["runs"][0]["earlier"]] == [first["runs"][0]["run_id"]]
    assert again["runs"][0]["run_id"] != first["runs"][0]["run_id"]
    assert len(service.get(f"/api/run-rows?campaign_id={known['campaign_id']}")["rows"]) == 2
    assert service.end() == 0

    command = [str(WATTMARK), "run", "--repeat-disturbed", known["campaign_id"], "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    service = start(data, bench=bench)
    assert len(service.get(f"/api/run-rows?campaign_id={known['campaign_id']}")["rows"]) == 3
