"""The result that a run would have if its load were steady: its uncertainty, before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, Series, SeriesKey
from wattmark.traceability.certificates.register import CertificateRegister

MOST_READINGS = 20_000
"""A window of more readings is cut to this number: the contribution of its edges is then below any other term."""
MOST_INTERVALS = 1000
WORK_PER_S = 1e6
"""Amount of work whose counting in whole units adds no uncertainty."""
IDLE_SHARE = 0.5
"""Idle power over power at full load: matters only where no load runs before or after the window."""
IDLE_S = 60.0
NOISE = 5e-4
"""Scatter of single readings over the load, so that the meter does not look frozen."""
OFFSET = 0.37
"""Where in a reading's interval the window begins."""
NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ExpectedRun:
    """A run as it is planned: which meters take part, and how long the load runs before, in and after the window."""

    server: str
    configuration: str
    workload: str
    level: str
    unit: str
    meters: tuple[MeterRecord, ...]
    before_s: float
    window_s: float
    after_s: float
    begin_ns: int


def expected_result(run: ExpectedRun, power_w: float, register: CertificateRegister) -> Result:
    """Evaluate a run whose server takes a steady power [W], as a measured one is evaluated.

    Present certificates apply; scatter between runs is not included.
    """
    wall = tuple(meter for meter in run.meters if meter.role == "wall")
    fastest_s = min((meter.period_s for meter in wall), default=1.0)
    window_s = min(run.window_s, MOST_READINGS * fastest_s)
    record = _record(run, wall, window_s)
    share_w = power_w / max(len(wall), 1)
    return evaluate(record, _SteadyLoad(record, wall, share_w, run, window_s), register=register)


def _record(run: ExpectedRun, meters: tuple[MeterRecord, ...], window_s: float) -> RunRecord:
    count = min(max(1, math.ceil(window_s)), MOST_INTERVALS)
    edges = [run.begin_ns + round(window_s * NS * k / count) for k in range(count + 1)]
    return RunRecord(
        run_id="expected",
        server=run.server,
        configuration=run.configuration,
        workload=run.workload,
        level=run.level,
        status=RunStatus.COMPLETE,
        created_ns=run.begin_ns,
        unit=run.unit,
        throughput=tuple(
            ThroughputInterval(begin_ns=begin, end_ns=end, amount=WORK_PER_S * (end - begin) / NS)
            for begin, end in pairwise(edges)
        ),
        window_begin_ns=edges[0],
        window_end_ns=edges[-1],
        meters=meters,
        full_load_limit_pct=None,
    )


class _SteadyLoad:
    """Readings of meters of a load that is steady from before the window until after it."""

    def __init__(
        self, record: RunRecord, meters: Sequence[MeterRecord], power_w: float, run: ExpectedRun, window_s: float
    ) -> None:
        loaded_s = (-run.before_s, window_s + run.after_s)
        self._rows = [
            (Series(i, _key(record, meter)), _readings(meter, power_w, loaded_s, record.window_begin_ns or 0))
            for i, meter in enumerate(meters)
        ]

    def list_series(self, run_id: str) -> list[Series]:
        return [series for series, _ in self._rows if series.key.run_id == run_id]

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        samples = self._rows[series_id][1]
        inside = np.ones(len(samples), dtype=np.bool_)
        inside &= True if begin_ns is None else samples.t_ns >= begin_ns
        inside &= True if end_ns is None else samples.t_ns <= end_ns
        return Samples(samples.t_ns[inside], samples.value[inside], samples.quality[inside], samples.u_t_s[inside])


def _key(record: RunRecord, meter: MeterRecord) -> SeriesKey:
    quantity, unit = ("energy", "Wh") if meter.kind == "counter" else ("power", "W")
    return SeriesKey(
        run_id=record.run_id,
        server=record.server,
        source=meter.name,
        channel=quantity,
        quantity=quantity,
        unit=unit,
        kind=meter.kind,
        range=meter.range_name or "",
        simulated=meter.simulated,
    )


def _readings(meter: MeterRecord, power_w: float, loaded_s: tuple[float, float], begin_ns: int) -> Samples:
    t_s = np.arange(loaded_s[0] - IDLE_S, loaded_s[1] + IDLE_S, meter.period_s) + OFFSET * meter.period_s
    if meter.kind == "counter":
        value = _counted(t_s, power_w, loaded_s, meter.resolution_w)
    else:
        averaged_s = 0.0 if meter.kind == "instantaneous" else meter.averaging_s or meter.period_s
        share = _loaded_share(t_s, averaged_s, loaded_s)
        noise = np.random.default_rng(1).normal(0.0, NOISE, len(t_s))
        value = power_w * (IDLE_SHARE + (1 - IDLE_SHARE) * share + noise)
    n = len(t_s)
    t_ns = begin_ns + np.round(t_s * NS).astype(np.int64)
    return Samples(t_ns, value, np.zeros(n, np.uint16), np.zeros(n, np.float32))


def _loaded_share(t_s: NDArray[np.float64], averaged_s: float, loaded_s: tuple[float, float]) -> NDArray[np.float64]:
    """Compute which share of each reading's averaging time is under load [1]."""
    begin_s, end_s = loaded_s
    if averaged_s == 0:
        return ((t_s > begin_s) & (t_s <= end_s)).astype(np.float64)
    overlap_s = np.minimum(t_s, end_s) - np.maximum(t_s - averaged_s, begin_s)
    return np.clip(overlap_s / averaged_s, 0.0, 1.0)


def _counted(
    t_s: NDArray[np.float64], power_w: float, loaded_s: tuple[float, float], step_wh: float | None
) -> NDArray[np.float64]:
    """Count energy from the first reading on [Wh], down to whole steps of the register."""
    under_load_s = np.clip(np.minimum(t_s, loaded_s[1]) - loaded_s[0], 0.0, None)
    energy_wh: NDArray[np.float64] = power_w * (IDLE_SHARE * (t_s - t_s[0]) + (1 - IDLE_SHARE) * under_load_s) / 3600
    return np.asarray(energy_wh if not step_wh else np.floor(energy_wh / step_wh) * step_wh, dtype=np.float64)
