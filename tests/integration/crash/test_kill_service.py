"""The real service, killed with SIGKILL at random moments of a recording run.

WATTMARK_KILLS=50 kills so often (`make crash`); without it as often as fits into some seconds. WATTMARK_SEED repeats.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.runs.record import RunStatus
from wattmark.store.columns import columns_of, pick
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..service.conftest import Start, wait_until
from .observer import MS, Observer, wait_for_runs

KILLS = int(os.environ.get("WATTMARK_KILLS", "0"))
SEED = int(os.environ.get("WATTMARK_SEED", str(random.randrange(10**6))))
BUDGET_S = 25.0
LEAST = 3


@pytest.mark.timeout(120 + 30 * KILLS)
def test_nothing_committed_is_lost_and_nothing_is_doubled(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path
) -> None:
    bench, data, chance = write_bench(600, bmc=False), tmp_path / "data", random.Random(SEED)
    print("seed", SEED)  # noqa: T201 - the only trace of what chance decided
    bench.write_text(bench.read_text().replace("period_s: 0.5", "period_s: 0.1"))
    begin, kills, campaign = time.monotonic(), 0, None
    while kills < KILLS or (not KILLS and (kills < LEAST or time.monotonic() - begin < BUDGET_S)):
        service = start(data, bench=bench)
        resumable = service.get("/api/campaign")["resumable"]
        assert resumable == campaign, "what was interrupted can be resumed"
        order = ("/api/campaign/resume", {}) if campaign else ("/api/campaign", {"plan": "short"})
        status, answer = service.ask("POST", *order)
        assert status == 202, answer
        observer = Observer(data, service.netloc)
        wait_for_runs(observer, kills + 1)
        time.sleep(chance.uniform(0, 2))
        campaign = service.get("/api/campaign")["campaign_id"]
        service.process.kill()
        service.process.wait()
        observer.stop()
        kills += 1
        check(data, observer)
        print("kill", kills, "lost nothing", flush=True)  # noqa: T201 - a long run shows how far it came
        wait_until(lambda killed=service: killed.loads() == [], 15)
    service = start(data, bench=bench)
    runs = service.get("/api/runs?limit=1000")["results"]
    assert {run["status"] for run in runs} == {RunStatus.INTERRUPTED.value}
    assert service.get("/api/campaign")["resumable"] == campaign
    assert service.end() == 0
    assert verify(data / FILE_NAME, LAYOUT) == []
    assert len(runs) == kills


def check(data: Path, observer: Observer) -> None:
    """Compare what the killed service left with what was seen of it while it lived."""
    storage = open_storage(data, read_only=True)
    try:
        stored = {
            series.key: storage.samples.read(series.id)
            for run in storage.runs.all()
            for series in storage.samples.list_series(run.run_id)
        }
    finally:
        storage.close()
    assert stored.keys() >= observer.seen.keys()
    for key, seen in observer.seen.items():
        for there, here in zip(columns_of(seen), columns_of(pick(stored[key], slice(len(seen)))), strict=True):
            np.testing.assert_array_equal(here, there, err_msg="what was committed stays as it was")
    for key, samples in stored.items():
        assert len(np.unique(samples.t_ns)) == len(samples), f"{key} holds a sample twice"
        if observer.whole and key.source == "wall":
            assert strangers(observer, key.channel, samples.t_ns) == [], "the file holds what the meter did not tell"


def strangers(observer: Observer, channel: str, t_ns: np.ndarray) -> list[int]:
    """List stamps that the stream did not tell, among those of the time in which it told anything [ms]."""
    streamed = {t_ms for source, name, t_ms in observer.streamed if (source, name) == ("wall", channel)}
    stamps = [round(stamp_ns / MS) for stamp_ns in t_ns.tolist()]
    inside = [stamp for stamp in stamps if streamed and min(streamed) < stamp < max(streamed)]
    return [stamp for stamp in inside if not {stamp - 1, stamp, stamp + 1} & streamed]
