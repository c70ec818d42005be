"""A lab whose runs are idle for 20 min and loaded for 20 min, with every channel that a procurement sheet asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.disclosure import Disclosure, RecordedBy
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

from tests.stored_run import make_run

S = 10**9
BEGIN_NS = 1_700_000_000 * S
IDLE_W, LOAD_W, VOLTS, FACTOR = 160.0, 250.0, 230.0, 0.95
LIMITS = {
    "voltage": {"reading_pct": 0.1, "range_pct": 0.1, "range_value": 300.0, "source": "a manual"},
    "current": {"reading_pct": 0.1, "range_pct": 0.1, "range_value": 2.0, "source": "a manual"},
}
UNITS = {"power": "W", "apparent_power": "VA", "power_factor": "1", "voltage": "V", "current": "A"}
AddRun = Callable[..., str]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def sources(storage: Storage) -> Sources:
    return Sources.of(storage)


@pytest.fixture
def add_run(storage: Storage) -> AddRun:
    """Record a run; idle, settling and measuring last as long as the caller says [s]."""

    def add(
        run_id: str = "whole",
        idle_s: int = 1200,
        settle_s: int = 600,
        measure_s: int = 1200,
        channels: tuple[str, ...] = tuple(UNITS),
        **meter: Any,
    ) -> str:
        begin = BEGIN_NS + (idle_s + settle_s) * S
        lengths = ((PhaseName.IDLE, idle_s), (PhaseName.SETTLE, settle_s), (PhaseName.MEASURE, measure_s))
        phases, at = [], BEGIN_NS
        for name, seconds in ((name, seconds) for name, seconds in lengths if seconds):
            phases.append(Phase(name=name, begin_ns=at, end_ns=at + seconds * S))
            at += seconds * S
        recorded = {
            "name": "outlet",
            "model": "yokogawa.wt310",
            "title": "Yokogawa WT310",
            "reading_pct": 0.1,
            "range_pct": 0.05,
            "range_w": 600.0,
            "accuracy_source": "a manual",
            "other_limits": LIMITS,
        }
        run = make_run(
            run_id, server="s1", configuration="c1", workload="rsa", created_ns=BEGIN_NS, phases=tuple(phases),
            begin_ns=begin, window_s=measure_s, amount=60_000, every_s=60,
            meters=(MeterRecord.model_validate(recorded | meter),), full_load_limit_pct=None,
            configuration_snapshot={
                "title": "4 FB-DIMMs", "cpu": "Xeon L5408", "cpu_count": 2, "cores": 8, "os": "Debian", "kernel": "6.1",
            },
            disclosure=Disclosure(recorded_by=RecordedBy(lab="Test lab")),
        )  # fmt: skip
        storage.runs.put(run)
        t_s = np.arange(-5, idle_s + settle_s + measure_s + 6)
        watts = np.where(t_s <= idle_s, IDLE_W, LOAD_W) + np.random.default_rng(7).normal(0, 0.2, len(t_s))
        values = {
            "power": watts,
            "apparent_power": watts / FACTOR,
            "power_factor": np.full(len(t_s), FACTOR),
            "voltage": np.full(len(t_s), VOLTS),
            "current": watts / FACTOR / VOLTS,
        }
        for name in channels:
            key = SeriesKey(run_id, "s1", "outlet", name, name, UNITS[name], "averaged")
            series = storage.samples.series(key)
            storage.samples.append([(series.id, make_samples(BEGIN_NS + t_s * S, values[name]))])
        return run_id

    return add
