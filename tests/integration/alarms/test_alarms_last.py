"""An alarm outlives the service that saw it, and travels with the run in whose window it lay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.results.data_folder import open_storage

from ..command import Command
from ..service.conftest import Service, Start, wait_until

ALARMS = "alarms: [{channel: power, high: 1, run_must_keep: true}, {channel: voltage, high: 5000}]"
"""The simulated server draws at least 60 W, from a mains of 230 V."""


@pytest.fixture
def bench(write_bench: Callable[..., Path]) -> Path:
    file = write_bench(2, bmc=False)
    file.write_text(file.read_text().replace("period_s: 0.5}", f"period_s: 0.5, {ALARMS}}}"))
    return file


def stored_alarms(service: Service) -> list[dict[str, Any]]:
    return list(service.get("/api/alarms")["alarms"])


def test_alarms_last(start: Start, bench: Path, tmp_path: Path, wattmark: Command) -> None:
    data = tmp_path / "data"
    service = start(data, bench=bench)
    wait_until(lambda: len(stored_alarms(service)) == 1, 20)
    (going,) = stored_alarms(service)
    assert (going["source"], going["channel"], going["side"], going["limit"]) == ("wall", "power", "high", 1.0)
    assert (going["ended"], going["run_must_keep"]) == (None, True)
    assert [alarm["end_s"] for alarm in service.get("/api/live/alarms")] == [None]

    run_id = measured(service)
    verdict = verdict_of(service.get(f"/api/runs/{run_id}"))
    service.process.kill()
    service.process.wait()

    service = start(data, bench=bench)
    wait_until(lambda: len(stored_alarms(service)) == 2, 20)
    again, left = stored_alarms(service)
    assert (again["number"], again["ended"]) == (2, None)
    assert (left["number"], left["ended"], left["end_s"]) == (1, "service-died", None)
    assert left["begin_s"] == going["begin_s"]
    assert left["begin_s"] < left["seen_s"] < left["closed_s"] < again["begin_s"]
    assert left["worst"] >= 60, "the extreme that the run saw was on disk"
    assert left["ending"].startswith("end not known: the service crashed after ")
    assert [alarm["number"] for alarm in service.get("/api/alarms?limit=1")["alarms"]] == [2]
    assert service.get("/api/alarms?before=2&limit=1") == {"alarms": [left], "more": False}
    assert service.end() == 0

    code, out, _ = wattmark("alarms", "--data", data, "--json")
    assert (code, [alarm["ended"] for alarm in json.loads(out)]) == (0, ["service-stopped", "service-died"])
    _, out, _ = wattmark("alarms", "--data", data, "--format", "csv")
    assert out.decode().splitlines()[0].startswith("number,begin,source,channel,side,limit,worst,unit,end,ending")

    file, elsewhere = tmp_path / "runs.zip", tmp_path / "elsewhere"
    assert wattmark("archive", run_id, "--data", data, "-o", file)[0] == 0
    assert wattmark("restore", file, "--data", elsewhere)[0] == 0
    here, there = (disclosed(folder, run_id) for folder in (data, elsewhere))
    assert there == here
    _, out, _ = wattmark("results", "--data", elsewhere, "--format", "json")
    (result,) = json.loads(out)["results"]
    assert verdict in result["verdicts"]


def measured(service: Service) -> str:
    """Make the run of the plan and give its id."""
    service.start_and_measure()
    service.campaign_until(lambda campaign: campaign["state"] in ("complete", "failed"))
    (run,) = service.get("/api/runs")["results"]
    return str(run["run_id"])


def verdict_of(run: dict[str, Any]) -> dict[str, Any]:
    """Check what a run says of the alarm that went on all through its window."""
    disclosed, result = run["disclosure"]["alarms"], run["result"]
    assert (disclosed["limits"], disclosed["unwatched"], [alarm["number"] for alarm in disclosed["crossed"]]) == (
        2,
        [],
        [1],
    )
    (verdict,) = (judged for judged in result["verdicts"] if judged["rule"] == "alarms")
    assert verdict["outcome"] == "fail"
    assert verdict["value"] == pytest.approx(result["window_s"], abs=0.6), "one period of the meter and some"
    assert verdict["text"].startswith("wall power was above 1 W for ")
    assert verdict["text"] in result["notes"]
    return dict(verdict)


def disclosed(folder: Path, run_id: str) -> dict[str, Any]:
    storage = open_storage(folder, read_only=True)
    try:
        run = storage.runs.get(run_id)
    finally:
        storage.close()
    assert run is not None
    assert run.disclosure.alarms is not None
    return run.disclosure.alarms.model_dump(mode="json")
