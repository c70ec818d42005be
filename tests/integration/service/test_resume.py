"""A campaign killed with SIGKILL at random moments and resumed: from the command line, then by the service."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wattmark.campaigns.stored import CAMPAIGN_KIND
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import RunRecord, RunStatus

from .conftest import WATTMARK, Start, _processes, _read_bytes, wait_until

PERIOD_S = 0.5
RUNS = 6
PLAN = f"""measure_s: 1, hold_s: 0}}
  - {{name: many, configurations: [s/c], workloads: [openssl.rsa512-sign, openssl.rsa1024-sign], levels: [1],
     repeats: 3, order: random, seed: 7, idle_s: 0, settle_s: 0, measure_s: 1, hold_s: {PERIOD_S}}}
"""


def loads_of(pid: int) -> list[int]:
    marker = f"WATTMARK_LOAD={pid}-".encode()
    return [process_id for process_id in _processes() if marker in _read_bytes(process_id, "environ")]


def killed_after(arguments: list[str], finished_runs: int, then_s: float) -> int:
    """Run the command until so many runs have finished and some time has passed, then kill it; gives its number."""
    with subprocess.Popen([str(WATTMARK), *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if sum(f"/{RUNS}  s/c" in printed for printed in lines) == finished_runs:
                break
        time.sleep(then_s)
        assert process.poll() is None, lines
        process.send_signal(signal.SIGKILL)
    return process.pid


def read_store(folder: Path) -> tuple[list[RunRecord], dict[str, int], dict[str, Any]]:
    """What the store holds: records, samples of the wall meter by run, the campaign."""
    storage = open_storage(folder, read_only=True)
    try:
        records = storage.runs.all()
        ((_, campaign),) = storage.runs.documents(CAMPAIGN_KIND).items()
        return records, {record.run_id: wall_samples(storage, record.run_id) for record in records}, campaign
    finally:
        storage.close()


def wall_samples(storage: Storage, run_id: str) -> int:
    return sum(series.n for series in storage.samples.list_series(run_id) if series.key.source == "wall")


def table(campaign: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(row["workload"], row["level"], row["repeat"]) for row in campaign["runs"]]


def test_a_campaign_killed_at_random_goes_on_with_the_same_run_table_and_loses_no_sample(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path
) -> None:
    bench, data, chance = write_bench(bmc=False), tmp_path / "data", random.Random()
    text = bench.read_text()
    bench.write_text(text.replace("measure_s: 3, hold_s: 0.5}\n", PLAN))
    assert "name: many" in bench.read_text()

    moments = [(chance.randint(1, 2), chance.uniform(0, 1)) for _ in range(2)]
    print("killed after", moments)  # noqa: T201 - the only trace of what chance decided
    common = ["--data", str(data)]
    first = killed_after(["run", str(bench), "--plan", "many", *common], *moments[0])
    wait_until(lambda: loads_of(first) == [])
    records, counts, planned = read_store(data)
    done = [record.run_id for record in records if record.status is RunStatus.COMPLETE]
    assert len(done) >= moments[0][0]
    assert len(planned["runs"]) == RUNS

    second = killed_after(["run", "--resume", *common], *moments[1])
    wait_until(lambda: loads_of(second) == [])
    records, later, resumed = read_store(data)
    assert table(resumed) == table(planned)
    assert {run_id: later[run_id] for run_id in counts} == counts, "samples on disk stay as they were"

    service = start(data, bench=bench)
    assert service.get("/api/campaign")["resumable"] == planned["campaign_id"]
    shown = service.get("/api/campaign/plans/many")
    assert (table({"runs": shown["rows"]}), shown["missing"]) == (table(planned), [])
    assert service.ask("GET", "/api/campaign/plans/none")[0] == 404
    assert service.ask("POST", "/api/campaign/resume", {"campaign_id": "unknown"})[0] == 404
    status, going = service.ask("POST", "/api/campaign/resume", {})
    assert (status, going["campaign_id"]) == (202, planned["campaign_id"])
    ended = service.campaign_until(lambda campaign: campaign["state"] not in ("running", "idle"))
    assert (ended["state"], ended["resumable"]) == ("complete", None), ended
    assert service.loads() == []
    assert service.ask("POST", "/api/campaign/resume", {})[0] == 404
    assert service.end() == 0

    records, last, campaign = read_store(data)
    assert table(campaign) == table(planned)
    assert {run_id: last[run_id] for run_id in later} == later
    complete = {record.order: record for record in records if record.status is RunStatus.COMPLETE}
    assert sorted(complete) == list(range(RUNS))
    broken = [record for record in records if record.status is not RunStatus.COMPLETE]
    assert {record.status for record in broken} <= {RunStatus.INTERRUPTED}
    assert len(records) == RUNS + len(broken) <= RUNS + 2
    assert {record.run_id for record in broken} == {
        earlier["run_id"] for row in campaign["runs"] for earlier in row["earlier"]
    }
    for record in complete.values():
        whole_s = (record.phases[-1].end_ns - record.phases[0].begin_ns) / 1e9
        assert last[record.run_id] >= int(whole_s / PERIOD_S) - 1
        assert record.attempt == 1 + sum(other.order == record.order for other in broken)
