"""A campaign from load to result: a load that is held back is not reported as full load."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from wattmark.campaigns.watch.processes import LocalProcesses
from wattmark.hosts.probes.cpu import STAT
from wattmark.hosts.probes.files import LocalFiles, Texts
from wattmark.hosts.probes.meter import HostMeter
from wattmark.instruments import instruments
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark_drivers.simulators.cpu import CpuUtilisation
from wattmark_drivers.simulators.lab import RunningLab
from wattmark_drivers.simulators.spec import LabSpec

MODEL = "janitza.umg96"
BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: {model}, url: "{url}", feeds: [{{server: s}}], period_s: 0.2}}
workloads:
  - id: held-back
    title: CPU methods at 40 % of the time, stress-ng
    unit: bogo-ops
    command: [stress-ng, --cpu, "{{level}}", --cpu-load, "40", --timeout, "{{seconds}}s", --metrics]
    level: {{one: instance, many: instances, default: cpus}}
    parser:
      kind: regex
      pattern: '\\] cpu\\s+(?P<value>\\d+)\\s+[\\d.]+\\s+[\\d.]+\\s+[\\d.]+\\s+[\\d.]+'
      reports: total
      begin: 'dispatching hogs'
      end: 'metrc: .* cpu '
plans:
  - {{name: p, configurations: [s/c], workloads: [held-back], repeats: 1, idle_s: 0, settle_s: 0, measure_s: 4}}
"""


class LoadAlone(LocalFiles):
    """The files of this machine with a /proc/stat that knows of loads alone, whatever else the machine does.

    Busy time is the CPU time that the kernel tells for the processes of the loads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._begin_s = time.monotonic()
        self._cpu_s: dict[tuple[int, int], float] = {}
        self._processes = LocalProcesses()
        self.sum = "cpu 0 0 0 1 0 0 0 0"

    async def read(self, paths: list[str]) -> Texts:  # type: ignore[override]
        texts = dict(await super().read(paths))
        if STAT in texts:
            texts[STAT] = await self.stat()
        return texts

    async def stat(self) -> str:
        ticks, cpus = os.sysconf("SC_CLK_TCK"), len(os.sched_getaffinity(0))
        for key, process in (await self._processes.snapshot()).processes.items():
            if process.of_load:
                self._cpu_s[key] = process.cpu_s
        busy = round(sum(self._cpu_s.values()) * ticks)
        passed = round((time.monotonic() - self._begin_s) * ticks)
        rows = [f"cpu  {busy} 0 0 {passed * cpus - busy} 0 0 0 0 0 0"]
        rows += [f"cpu{n} {busy // cpus} 0 0 {passed - busy // cpus} 0 0 0 0 0 0" for n in range(cpus)]
        self.sum = rows[0]
        return "\n".join(rows) + "\n"


@pytest.fixture
def load_alone() -> LoadAlone:
    return LoadAlone()


@pytest.fixture
async def url(load_alone: LoadAlone, tmp_path: Path) -> AsyncIterator[str]:
    spec = {
        "tick_s": 0.1,
        "servers": {"s": {"idle_w": 60.0, "dynamic_w": 120.0, "dimms": 2}},
        "devices": {"wall": {"model": MODEL, "measures": ["s"]}},
    }
    (tmp_path / "lab").mkdir()
    lab = RunningLab(LabSpec.model_validate(spec), tmp_path / "lab", CpuUtilisation(lambda: load_alone.sum))
    ready = await lab.start()
    passing = asyncio.create_task(lab.run())
    yield ready["devices"]["wall"]["url"]
    passing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await passing
    await lab.stop()


async def test_a_load_that_is_held_back_is_reported_as_not_at_full_load(
    url: str, load_alone: LoadAlone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instruments, "HostMeter", partial(HostMeter, files=load_alone))
    monkeypatch.setattr(instruments, "HOST_PERIOD_S", 0.25)
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(model=MODEL, url=url))
    async with open_service(Settings(data_dir=tmp_path / "data", bench=bench)) as service:
        service.campaigns.start("p")
        out = await asyncio.wait_for(service.campaigns.wait(), 120)
        assert out.state == "complete", out
        (result,) = service.results.results()
    assert result.efficiency is not None
    assert result.limited_by == "nothing"
    assert result.full_load is False
    verdicts = {verdict.rule: verdict for verdict in result.verdicts}
    assert verdicts["bottleneck"].outcome == "fail"
    assert "Not at full load" in verdicts["bottleneck"].text
    assert verdicts["full-load"].outcome == "fail"
    assert verdicts["full-load"].value is not None
    assert 0 < verdicts["full-load"].value < 60
