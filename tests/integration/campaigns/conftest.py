from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from wattmark.bench.load import load_bench
from wattmark.campaigns.campaign import CampaignRunner
from wattmark.campaigns.context import Lab
from wattmark.campaigns.power.control import PowerControl
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import StoredCampaign
from wattmark.campaigns.watch.live_feed import LiveFeed
from wattmark.recording.live import LiveHub
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.alarms import RunAlarms
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.runs.store import RunStore
from wattmark.workloads.markers import MarkerBoard
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.meter import MeterIdentity

from tests.integration.processes import processes_with

BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: a
    model: HP ProLiant DL360 G5
    access: {local: true}
    prepare: PREPARE
    configurations:
      - &two
        id: two
        title: Two modules
        cpu: {model: Xeon 5160}
        os: {name: Debian, kernel: "6"}
        memory: {slots: {A1: &dimm {type: FB-DIMM, capacity_gib: 1}, B1: *dimm}}
      - {<<: *two, id: one, title: One module, memory: {slots: {A1: *dimm}}}
meters:
  - {id: wall, model: x.y, url: "sim:m", feeds: [{server: a}]}
workloads:
  - id: ticker
    title: Ticker
    unit: ticks
    command: [PYTHON, -c, "SCRIPT"]
    environment: {LABEL: LABELLED}
    parser: {kind: regex, pattern: '(?P<value>[0-9]+) ticks', reports: interval-amount}
plans:
  - {name: plan, configurations: [a/two, a/one], workloads: [ticker], repeats: 1, order: as-listed,
     idle_s: 0.1, settle_s: 0.1, measure_s: 1, hold_s: 0.2, cool_down_s: 0.1}
"""
TICKER = "import time; [(print('5 ticks', flush=True), time.sleep(0.1)) for _ in range(10000)]"


class NotingRecorder:
    """Stands for the recorder: notes what it is asked, and has the problems that a test gives it."""

    def __init__(self) -> None:
        self.began: list[tuple[str, str, set[str]]] = []
        self.ended: list[str] = []
        self.gaps: list[str] = []

    def begin(self, run_id: str, server: str, sources: set[str]) -> None:
        self.began.append((run_id, server, sources))

    async def end(self, run_id: str) -> None:
        await asyncio.sleep(0)
        self.ended.append(run_id)

    def problems(self, run_id: str) -> list[str]:
        return list(self.gaps)


async def no_alarms(server: str, begin_ns: int, end_ns: int) -> RunAlarms | None:
    """Nobody watches limits."""


async def instruments_answer(names: Collection[str], window_s: float, stopped: Callable[[], bool]) -> None:
    """No instrument is waited for."""


class Campaign:
    """A runner on a real store, with everything it said."""

    def __init__(self, folder: Path, runs: RunStore) -> None:
        self.folder = folder
        self.runs = runs
        self.recorder = NotingRecorder()
        self.tree = folder / "tree"
        """Stands for the root of the server, as far as its power settings go."""
        self.states: list[CampaignOut] = []
        self.label = uuid4().hex
        self.on_state: Callable[[CampaignOut], None] = lambda _: None
        self.meters = (
            MeterRecord(name="wall", model="x.y", title="X"),
            MeterRecord(name="bmc", model="b", title="B", role="bmc"),
        )
        self.evaluate: Callable[[str], Result] = self._evaluate
        self.supplies: list[dict[str, str]] = []
        """What the BMC states of the power supplies, one answer after the other; empty: nothing."""

    def runner(
        self,
        *replacements: tuple[str, str],
        prepare: str = '{command: ["true"]}',
        script: str = TICKER,
        clock: Clock | None = None,
        feed: LiveFeed | None = None,
        resume: StoredCampaign | None = None,
        **plan: Any,
    ) -> CampaignRunner:
        text = BENCH.replace("PYTHON", sys.executable).replace("SCRIPT", script).replace("LABELLED", self.label)
        for old, new in (("PREPARE", prepare), *replacements):
            assert old in text
            text = text.replace(old, new)
        file = self.folder / "bench.yaml"
        file.write_text(text)
        bench = load_bench(file)
        used_clock = clock or SystemClock()
        lab = Lab(
            bench=bench,
            clock=used_clock,
            runs=self.runs,
            recorder=cast("Recorder", self.recorder),
            feed=feed or LiveFeed(LiveHub(used_clock)),
            board=MarkerBoard(),
            meters=lambda _: self.meters,
            identities=lambda _: [MeterIdentity(meter.name, meter.model, "", meter.title) for meter in self.meters],
            supplies=self._supplies,
            instruments_answer=instruments_answer,
            alarms=no_alarms,
            evaluate=lambda run_id: self.evaluate(run_id),
            power=PowerControl(self.folder, used_clock, str(self.tree)),
        )
        return CampaignRunner(lab, bench.plan("plan").model_copy(update=plan), self._hear, resume)

    def records(self) -> list[RunRecord]:
        return sorted(self.runs.all(), key=lambda record: (record.order, record.attempt))

    def loads(self) -> list[str]:
        """The live processes of this campaign's workload."""
        return processes_with(f"LABEL={self.label}")

    async def _supplies(self, server: str) -> dict[str, str]:
        return self.supplies.pop(0) if self.supplies else {}

    def _hear(self, out: CampaignOut) -> None:
        self.states.append(out)
        self.on_state(out)

    def _evaluate(self, run_id: str) -> Result:
        record = self.runs.get(run_id)
        assert record is not None
        return Result(
            **record.model_dump(include={"run_id", "server", "configuration", "workload", "level", "repeat", "status"}),
            created="2026-11-21T00:00:00Z",
            unit=record.unit,
            efficiency=BudgetedQuantity(value=57.1, unit=f"{record.unit}/J", u=0.2, k95=2.0),
            meter="wall",
            simulated=False,
            traceable=True,
            source=record.source,
        )


@pytest.fixture
def campaign(tmp_path: Path, storage: Storage) -> Campaign:
    return Campaign(tmp_path, storage.runs)
