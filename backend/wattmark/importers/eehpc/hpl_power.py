"""Mean power of a run's counters by the rules of the EE HPC working group, and what they ask for beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.window import Window, WindowRule
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.trace import Instrument, Trace
from wattmark.analysis.verdict import Limits
from wattmark.importers.eehpc.counters import Counter
from wattmark.importers.eehpc.hpl_run import HplRun

STAMP_S = 0.5
"""HPL prints whole seconds."""
LIMITS = Limits()
SPANS = 10
"""Of the core phase, in which counters are compared: long against the time between two readings."""
_FEWEST_CHANGES = 5


@dataclass(frozen=True, slots=True)
class TotalPower:
    """Power of all counters between the readings of the slowest: at their ends [s from the core phase's begin, W]."""

    t_s: NDArray[np.float64]
    power_w: NDArray[np.float64]


def mean_power_w(run: HplRun, rule: WindowRule) -> float:
    """Compute the mean power of all counters over the core phase by a rule [W]. Raises `Refused`."""
    window = Window(run.begin_ns, run.end_ns, rule)
    return sum(meter_power(_trace(counter), window, LIMITS).power_w for counter in run.counters)


def run_facts(run: HplRun) -> dict[str, float]:
    """Collect the quantities of the rule sets that the files contain."""
    inside = [counter.t_ns[_inside(counter, run.begin_ns, run.end_ns)] for counter in run.counters]
    edges_ns = [max(int(t[0]) - run.begin_ns, run.end_ns - int(t[-1])) for t in inside]
    facts = {
        "energy_integrated": 1.0,
        "core_energy_readings": float(min(len(t) for t in inside)),
        "energy_edge_s": max(edges_ns) / 1e9,
        "same_run": 1.0,
    }
    job, idle = (run.summary.spans.get(part) for part in ("Job", "Idle"))
    if job is not None:
        covered = min(_covered_pct(counter, job.begin_s, job.end_s) for counter in run.counters)
        facts |= {"full_run_covered_pct": covered, "run_mean_reported": 1.0}
    if idle is not None:
        facts["idle_reported"] = 1.0
    return facts


def energy_of_spans(run: HplRun) -> NDArray[np.float64]:
    """Return what each counter counts in equal spans of the core phase [Wh]: a row for each span."""
    edges = np.linspace(run.begin_ns, run.end_ns, SPANS + 1)
    good = [~counter.bad for counter in run.counters]
    counted = [
        np.interp(edges, counter.t_ns[there], counter.energy_wh[there])
        for counter, there in zip(run.counters, good, strict=True)
    ]
    return np.diff(np.column_stack(counted), axis=0)


def standstill_s(counter: Counter, run: HplRun) -> tuple[float, float]:
    """Return how long a counter does not change in the core phase, and how far its changes usually are apart [s].

    Both are 0 where it never changes, as that of a feed without load, or too seldom to tell.
    """
    inside = _inside(counter, run.begin_ns, run.end_ns)
    t_s, energy_wh = counter.t_ns[inside] / 1e9, counter.energy_wh[inside]
    changes_s = t_s[np.flatnonzero(np.diff(energy_wh) != 0) + 1]
    if len(changes_s) < _FEWEST_CHANGES:
        return 0.0, 0.0
    longest_s = float(np.diff(np.concatenate((t_s[:1], changes_s, t_s[-1:]))).max())
    return longest_s, max(float(np.median(np.diff(changes_s))), counter.period_s)


def total_power(run: HplRun) -> TotalPower:
    """Add the counters between the readings of the slowest one, from the start of the job to its end."""
    job = run.summary.spans.get("Job")
    begin_ns = job.begin_s * 10**9 if job else run.begin_ns
    end_ns = job.end_s * 10**9 if job else run.end_ns
    slowest = max(run.counters, key=lambda counter: counter.period_s)
    grid = np.unique(slowest.t_ns[_inside(slowest, begin_ns, end_ns)])
    total_wh = np.zeros(len(grid))
    for counter in run.counters:
        good = ~counter.bad
        total_wh += np.interp(grid, counter.t_ns[good], counter.energy_wh[good])
    steps_s = np.diff(grid) / 1e9
    return TotalPower((grid[1:] - run.begin_ns) / 1e9, np.diff(total_wh) * 3600 / steps_s)


def _inside(counter: Counter, begin_ns: int, end_ns: int) -> NDArray[np.bool_]:
    return np.asarray((counter.t_ns >= begin_ns) & (counter.t_ns <= end_ns) & ~counter.bad)


def _covered_pct(counter: Counter, begin_s: int, end_s: int) -> float:
    first_s, last_s = int(counter.t_ns[0]) / 1e9, int(counter.t_ns[-1]) / 1e9
    return 100 * max(min(last_s, end_s) - max(first_s, begin_s), 0.0) / (end_s - begin_s)


def _trace(counter: Counter) -> Trace:
    instrument = Instrument(counter.name, kind="counter", unit="Wh", period_s=counter.period_s)
    return Trace(instrument, counter.t_ns, counter.energy_wh, ~counter.bad, np.zeros(len(counter.t_ns)))
