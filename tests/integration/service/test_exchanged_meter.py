"""A meter that is exchanged for another one behind the same address, while a run lasts and between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..fake_sdm120 import FakeSdm120, fake_sdm120
from .conftest import Start, wait_until

WORDS = "Meter wall answered as serial 20222, was 10111. "


@pytest.fixture
def meter() -> Iterator[FakeSdm120]:
    with fake_sdm120() as running:
        yield running


def ended(campaign: dict[str, Any]) -> bool:
    return campaign["state"] in {"complete", "failed", "aborted"}


def test_a_meter_exchanged_in_a_run_ends_it_and_the_next_one_names_the_new_one(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, meter: FakeSdm120
) -> None:
    """Row 13 of the review: serial 111 and its certificate stood by 300 W that 222 had measured, in the next run too.

    The connection breaks once and another serial number answers at the next poll, 0.5 s later: no poll is lost.
    """
    service = start(tmp_path / "data", bench=write_bench(measure_s=8, wall=meter.url, bmc=False))
    wait_until(lambda: any(channel["state"] == "ok" for channel in service.get("/api/live")["channels"]))
    begun = service.start_and_measure()
    meter.exchange(20222, 300.0)
    service.campaign_until(ended)
    broken, repeated = sorted(
        (run for run in service.get("/api/runs")["results"] if run["campaign_id"] == begun["campaign_id"]),
        key=lambda run: str(run["created"]),
    )
    assert (broken["status"], broken["reason"].startswith(WORDS)) == ("failed", True), broken
    assert broken["power"] is broken["efficiency"] is None
    assert any(WORDS in line for line in service.log)
    assert repeated["status"] == "complete", repeated
    assert ["serial 20222" in identity for identity in repeated["meter_identities"]] == [True]
    assert repeated["power"]["value"] == pytest.approx(300, abs=1)
