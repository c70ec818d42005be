"""One simulated run through wattmark's own evaluation, and what its result claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.core.quantity import Quantity, half_of, value_of
from wattmark.results.evaluate import evaluate
from wattmark.results.loaded import EMPTY
from wattmark.results.ranking_bars import barring_rules
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, Series, SeriesKey
from wattmark.traceability.certificates.register import CertificateRegister

from tests.coverage.meters import Meter, Readings
from tests.coverage.signals import Power

Array = NDArray[np.float64]
BEGIN_NS = 1_700_000_000_000_000_000
Claim = Literal["window power", "full-load power", "work per joule", "work per second"]

RANKED_BY: dict[str, Literal["throughput", "efficiency", "power"]] = {
    "window power": "efficiency",
    "full-load power": "power",
    "work per joule": "efficiency",
    "work per second": "throughput",
}
"""By what a run that states the claim would be ranked; the power of a window needs what work per joule needs."""


@dataclass(frozen=True)
class Stated:
    """What a result says of one claim: value and half width of its ±, or None with the reason."""

    value: float | None
    half_width: float | None
    reason: str = ""


class Store:
    """The reading half of a sample store, in memory."""

    def __init__(self) -> None:
        self.rows: list[tuple[Series, Samples]] = []

    def add(self, run_id: str, meter: Meter, readings: Readings, *, energy: bool) -> None:
        quantity, unit = ("energy", "Wh") if energy else ("power", "W")
        kind = "counter" if energy else meter.kind
        key = SeriesKey(run_id, "server", meter.name, quantity, quantity, unit, kind)
        t_ns = BEGIN_NS + np.round(readings.t_s * 1e9).astype(np.int64)
        u_t_s = np.full(len(t_ns), 0.001 + meter.jitter_s, dtype=np.float32)
        samples = Samples(t_ns, readings.value, readings.quality, u_t_s)
        self.rows.append((Series(len(self.rows), key, len(t_ns)), samples))

    def list_series(self, run_id: str) -> list[Series]:
        return [series for series, _ in self.rows if series.key.run_id == run_id]

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        samples = self.rows[series_id][1]
        keep = np.ones(len(samples), dtype=bool)
        keep &= True if begin_ns is None else samples.t_ns >= begin_ns
        keep &= True if end_ns is None else samples.t_ns <= end_ns
        return Samples(*(column[keep] for column in (samples.t_ns, samples.value, samples.quality, samples.u_t_s)))


@dataclass(frozen=True)
class Work:
    """Work counted in spans: edges [s] and amounts of each [operations]."""

    edges_s: Array
    amount: Array

    @property
    def total(self) -> float:
        return float(self.amount.sum())


def even_work(duration_s: float, span_s: float = 10.0, rate: float = 1000.0) -> Work:
    """Work at one rate, counted every ``span_s``."""
    edges_s = np.linspace(0.0, duration_s, max(1, round(duration_s / span_s)) + 1)
    return Work(edges_s, np.diff(np.round(rate * edges_s)))


@dataclass(frozen=True)
class Run:
    """Everything that happens in one run; ``feeds`` are pairs of a meter and the power that flows through it."""

    feeds: tuple[tuple[Meter, Power], ...]
    duration_s: float
    work: Work
    rule: RuleName = "complete"
    register: CertificateRegister = EMPTY
    record: dict[str, Any] = field(default_factory=dict)


def record_of(run: Run) -> RunRecord:
    """Write the record of a run."""
    fields: dict[str, Any] = {
        "run_id": "run",
        "server": "server",
        "configuration": "configuration",
        "workload": "work",
        "level": "all",
        "status": RunStatus.COMPLETE,
        "created_ns": BEGIN_NS,
        "unit": "operations",
        "window_begin_ns": BEGIN_NS,
        "window_end_ns": BEGIN_NS + round(run.duration_s * 1e9),
        "throughput": tuple(_intervals(run.work)),
        "meters": tuple(meter.record() for meter, _ in run.feeds),
    } | run.record
    return RunRecord(**fields)


def result_of(rng: np.random.Generator, run: Run) -> Result:
    """Record a run and evaluate it."""
    store, record = Store(), record_of(run)
    for meter, power in run.feeds:
        store.add(record.run_id, meter, meter.read(rng, power, run.duration_s), energy=meter.kind == "counter")
        beside = meter.read_register(rng, power, run.duration_s)
        if beside is not None:
            store.add(record.run_id, meter, beside, energy=True)
    return evaluate(record, store, run.rule, run.register)


def _intervals(work: Work) -> Sequence[ThroughputInterval]:
    edges_ns = [BEGIN_NS + round(edge * 1e9) for edge in work.edges_s]
    return [
        ThroughputInterval(begin_ns=begin, end_ns=end, amount=float(amount))
        for begin, end, amount in zip(edges_ns[:-1], edges_ns[1:], work.amount, strict=True)
    ]


def stated(result: Result, claim: Claim) -> Stated:
    """Say what a result claims; a failed verdict that bars the claim leaves the value without its ±."""
    figure = _FIGURES[claim](result)
    failed = barring_rules(result, RANKED_BY[claim])
    if failed:
        return Stated(figure.value, None, f"verdict {failed[0]}")
    if figure.value is None or figure.half_width is None:
        return Stated(figure.value, None, figure.reason or _reason(result))
    return figure


def _reason(result: Result) -> str:
    """Take the first note that speaks of a figure that is not given, else the first of all."""
    return next((note for note in result.notes if "±" in note or "withheld" in note), " ".join(result.notes[:1]))


def _full_load(result: Result) -> Stated:
    """Take the claim about the process."""
    figure = result.full_load_power
    return Stated(None, None) if figure is None else replace(_stated(figure.power), reason=figure.reason)


def _stated(quantity: Quantity | None) -> Stated:
    return Stated(value_of(quantity), half_of(quantity))


def _rate_of_process(result: Result) -> Stated:
    """Take work per second with the scatter of its process."""
    rate = result.throughput
    if rate is None or rate.scatter is None or rate.u is None:
        return Stated(value_of(rate), None, "no scatter of throughput is told")
    factor = float(stdtrit(rate.scatter.dof or 1e9, 0.975))
    return Stated(rate.value, math.hypot(factor * rate.scatter.u, 1.96 * rate.u))


_FIGURES: dict[Claim, Callable[[Result], Stated]] = {
    "window power": lambda r: _stated(r.power),
    "full-load power": _full_load,
    "work per joule": lambda r: _stated(r.efficiency),
    "work per second": _rate_of_process,
}
