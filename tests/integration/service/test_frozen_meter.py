"""A meter that hangs while it goes on answering: seen at once in the live view, and no watts come out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..fake_sdm120 import POWER, FakeSdm120, fake_sdm120
from .conftest import Service, Start, wait_until

EVERYTHING = frozenset(range(1000))


@pytest.fixture
def meter() -> Iterator[FakeSdm120]:
    with fake_sdm120() as running:
        yield running


def power(service: Service) -> dict[str, Any]:
    (channel,) = (
        candidate
        for candidate in service.get("/api/live")["channels"]
        if (candidate["source"], candidate["channel"]) == ("wall", "power")
    )
    return dict(channel)


def finished_run(service: Service) -> dict[str, Any]:
    campaign = service.campaign_until(lambda campaign: campaign["state"] in {"complete", "failed"})
    newest = max(
        (run for run in service.get("/api/runs")["results"] if run["campaign_id"] == campaign["campaign_id"]),
        key=lambda run: str(run["created"]),
    )
    return dict(newest)


def failed(run: dict[str, Any]) -> set[str]:
    return {verdict["rule"] for verdict in run["verdicts"] if verdict["outcome"] == "fail"}


@pytest.mark.parametrize("from_the_middle", [True, False], ids=["from the middle on", "through the whole window"])
def test_a_frozen_meter_gives_no_watts_and_says_so_live(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, meter: FakeSdm120, *, from_the_middle: bool
) -> None:
    """Row 4 of the review: the same frame again and again, and the run showed watts and efficiency without a note."""
    service = start(tmp_path / "data", bench=write_bench(measure_s=12, wall=meter.url, bmc=False))
    wait_until(lambda: power(service)["state"] == "ok")
    assert service.get("/healthz")["notes"] == []
    if from_the_middle:
        service.start_and_measure()
        stamps = len(power(service)["t_s"])
        wait_until(lambda: len(power(service)["t_s"]) > stamps + 8)
        meter.stuck = EVERYTHING
    else:
        meter.stuck = EVERYTHING
        wait_until(lambda: power(service)["state"] == "frozen")
        service.start_and_measure()
    wait_until(lambda: power(service)["state"] == "frozen")
    shown = power(service)
    assert shown["value"][-1] is None
    assert "none has changed since" in shown["problem"]
    status, health = service.ask("GET", "/healthz")
    assert (status, health["status"]) == (503, "not ready")
    assert health["reasons"][0].startswith("No meter gives a new reading. wall: ")
    assert "wall repeats a reading." in health["notes"]
    run = finished_run(service)
    assert run["efficiency"] is run["power"] is None, run
    meter.stuck = frozenset()
    wait_until(lambda: power(service)["state"] == "ok")
    wait_until(lambda: service.ask("GET", "/healthz")[1] == {"status": "ready", "reasons": [], "notes": []})


def test_one_stuck_channel_beside_moving_ones_is_seen_live_and_bars_the_run(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, meter: FakeSdm120
) -> None:
    """Row 4 of the review: power stood still while the volts moved; all samples were good."""
    bench = write_bench(measure_s=10, wall=meter.url, bmc=False)
    bench.write_text(bench.read_text().replace("period_s: 0.5", "period_s: 0.1"))
    service = start(tmp_path / "data", bench=bench)
    wait_until(lambda: power(service)["state"] == "ok")
    meter.stuck = frozenset({POWER})
    service.start_and_measure()
    wait_until(lambda: power(service)["state"] == "frozen")
    shown = power(service)
    assert "readings in a row are 1" in shown["problem"]
    assert service.get("/healthz")["notes"] == ["wall repeats a reading."]
    run = finished_run(service)
    assert "frozen" in failed(run)
    (row,) = [row for row in service.get("/api/run-rows")["rows"] if row["run_id"] == run["run_id"]]
    assert "(rule frozen)" in row["not_ranked"]["efficiency"]
