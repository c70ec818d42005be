"""A load that floods its standard output, against a real service.

Review, row 8: `yes 'work 1'` brought the service to 4.8 GB, held one answer for 34.6 s and left the wall meter silent
for 15.6 s of 20; with 2.5 GB of address space the service aborted.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..integration.service.conftest import Service

MOST_RSS_MB = 300
SLOWEST_ANSWER_S = 1.0
PERIOD_S = 0.5
LONGEST_SILENCE_S = 2.5
"""The live history has columns of 1 s: readings every 0.5 s leave none of two neighbours empty."""
SPEC = {
    "servers": {name: {"idle_w": 60.0, "dynamic_w": 60.0, "dimms": 2} for name in "st"},
    "devices": {
        "wall": {"model": "eastron.sdm120", "measures": ["s"]},
        "other": {"model": "eastron.sdm120", "measures": ["t"]},
    },
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - &s
    id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
  - {{<<: *s, id: t}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}], period_s: {period_s}}}
  - {{id: other, model: eastron.sdm120, url: "{other}", feeds: [{{server: t}}], period_s: {period_s}}}
workloads:
  - id: flood
    title: Flood
    unit: works
    command: [sh, -c, "exec yes 'work 1'"]
    parser: &parser {{kind: regex, pattern: '^work (?P<value>\\S+)', reports: interval-amount}}
  - id: busy
    title: Busy log
    unit: works
    command: [{python}, -c, {paced}, "{{seconds}}"]
    parser: *parser
  - id: quiet
    title: Quiet
    unit: works
    command: [sh, -c, "while :; do echo work 1; sleep 0.2; done"]
    parser: *parser
plans:
  - {{name: short, configurations: [s/c], workloads: [flood, quiet], repeats: 1, order: as-listed, idle_s: 2,
     settle_s: 0, measure_s: 20, hold_s: 0}}
  - {{name: long-log, configurations: [s/c], workloads: [busy], repeats: 1, idle_s: 2, settle_s: 0, measure_s: 20,
     hold_s: 0}}
"""
PACED = """
import sys, time
begin = time.monotonic()
for piece in range(100 * int(sys.argv[1])):
    sys.stdout.write("work 1\\n" * 200)
    sys.stdout.flush()
    time.sleep(max(0, begin + piece / 100 - time.monotonic()))
"""
"""20,000 lines per second."""


class Watch:
    """How large the service is and how long it takes to answer, while something else goes on."""

    def __init__(self, service: Service) -> None:
        self.most_mb = 0.0
        self.slowest_s = 0.0
        self.answers = 0
        self._service = service
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        status = Path(f"/proc/{self._service.process.pid}/status")
        while not self._stop.wait(0.1):
            kb = next((int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")), 0)
            self.most_mb = max(self.most_mb, kb / 1024)
            asked_s = time.monotonic()
            self._service.get("/healthz")
            self.slowest_s = max(self.slowest_s, time.monotonic() - asked_s)
            self.answers += 1


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
def service(lab: SimulatedLab, tmp_path: Path) -> Iterator[Service]:
    bench = tmp_path / "bench.yaml"
    urls = {name: lab.devices[name].url for name in ("wall", "other")}
    load = {"python": json.dumps(sys.executable), "paced": json.dumps(PACED)}
    bench.write_text(BENCH.format(**urls, **load, period_s=PERIOD_S))
    running = Service(tmp_path / "data", bench=bench)
    yield running
    running.end()


def longest_silence_s(service: Service, meter: str, begin_s: float, end_s: float) -> float:
    """The longest time between two seconds in which a meter gave a reading [s]."""
    columns = service.get(f"/api/live/history?source={meter}&begin_s={begin_s}&end_s={end_s}&points=2000")
    power = next(column for column in columns if column["channel"] == "power")
    assert power["width_s"] == 1
    assert power["t_s"][-1] - power["t_s"][0] > end_s - begin_s - 5
    return float(max(later - before for before, later in pairwise(power["t_s"])))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("address_space", [None, 2_500_000_000], ids=["as it is", "2.5 GB of address space"])
def test_a_flood_costs_its_own_run_and_nothing_else(service: Service, address_space: int | None) -> None:
    if address_space is not None:
        resource.prlimit(service.process.pid, resource.RLIMIT_AS, (address_space, address_space))
    service.get("/healthz")  # the first answer of a service takes longer, flood or not
    begin_s = time.time()
    with Watch(service) as watch:
        status, campaign = service.ask("POST", "/api/campaign", {"plan": "short"})
        assert status == 202, campaign
        ended = service.campaign_until(lambda campaign: campaign["state"] not in ("running", "idle"), seconds=240)
    runs: list[dict[str, Any]] = ended["runs"]
    print(f"{watch.most_mb:.0f} MB, slowest of {watch.answers} answers {watch.slowest_s:.3f} s")  # noqa: T201
    assert {run["workload"]: run["state"] for run in runs} == {"flood": "failed", "quiet": "complete"}
    assert all("more than 25,000 lines per second" in run["reason"] for run in runs if run["workload"] == "flood")
    assert watch.most_mb < MOST_RSS_MB
    assert watch.answers > 20
    assert watch.slowest_s < SLOWEST_ANSWER_S
    for meter in ("wall", "other"):
        assert longest_silence_s(service, meter, begin_s, time.time()) < LONGEST_SILENCE_S
    assert service.end() == 0


@pytest.mark.timeout(300)
def test_a_busy_log_is_counted_line_by_line_and_takes_no_more_memory_than_a_quiet_one(service: Service) -> None:
    """20,000 lines a second, each a report: the service had 762 MB after such a run."""
    service.get("/healthz")
    begin_s = time.time()
    with Watch(service) as watch:
        status, campaign = service.ask("POST", "/api/campaign", {"plan": "long-log"})
        assert status == 202, campaign
        ended = service.campaign_until(lambda campaign: campaign["state"] not in ("running", "idle"), seconds=240)
    (run,) = ended["runs"]
    print(f"{watch.most_mb:.0f} MB, slowest of {watch.answers} answers {watch.slowest_s:.3f} s")  # noqa: T201
    assert run["state"] == "complete", run
    assert 10_000 < run["throughput"]["value"] <= 20_500
    assert watch.most_mb < MOST_RSS_MB
    assert watch.slowest_s < SLOWEST_ANSWER_S
    for meter in ("wall", "other"):
        assert longest_silence_s(service, meter, begin_s, time.time()) < LONGEST_SILENCE_S
