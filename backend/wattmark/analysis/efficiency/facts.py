"""The quantities that verdict rules judge, computed from a run, its samples' limits of error and the machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from wattmark_calibration import REFERENCE

from wattmark.analysis.comparison.measured import Array, require_positive
from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.trace import Instrument, Trace
from wattmark.analysis.refusal import Refused

UNCERTAINTY_LIMIT_PCT = 1.0
_FROM_VERDICT = {
    "gaps": "gaps_pct",
    "bad-samples": "bad_samples_pct",
    "drift": "drift_pct",
    "half-split": "half_split_pct",
    "block-scatter": "block_cv_pct",
    "change-point": "change_point_pct",
}
MACHINE_SHARE = {1: (1 / 10, 2e3), 2: (1 / 8, 10e3)}
"""Share of the machine and watts of which levels 1 and 2 demand the largest, beside 15 nodes (EEHPCWG, aspect 2)."""
FEWEST_NODES = 15
ENOUGH_W = 40e3


def run_facts(run: RunAnalysis, traces: Sequence[Trace] = ()) -> dict[str, float]:
    """Collect the quantities that verdict rules need, by name; unknown ones are omitted.

    ``traces`` are the samples that power is computed from, for their limits of error.
    """
    if run.window is None or run.power is None:
        return {}
    power = run.power
    facts = {"window_s": run.window.duration_s, "sample_interval_s": power.period_s}
    for verdict in power.verdicts:
        name = _FROM_VERDICT.get(verdict.rule)
        if name is not None and verdict.value is not None:
            facts[name] = max(facts.get(name, 0.0), abs(verdict.value))
    if power.scatter is not None and power.scatter.n_eff is not None:
        facts["n_eff"] = power.scatter.n_eff
    if power.mean.complete:
        facts["expanded_uncertainty_pct"] = 100 * power.mean.expanded_u / power.mean.value
    if run.work.throughput is not None:
        facts["same_run"] = 1.0
    return {**facts, **_limit_facts(traces, run.window, power.mean.value)}


def _limit_facts(traces: Sequence[Trace], window: Window, mean_w: float) -> dict[str, float]:
    """Return the limits of error of all samples in the window; nothing where a meter has none or counts energy.

    Excluding them keeps "no sample is known to be too uncertain" from passing for "every sample is good enough".
    """
    if not traces or any(t.instrument.unit != "W" or not t.instrument.specified for t in traces):
        return {}
    limits = np.concatenate([sample_limits_pct(t.instrument, _watts_inside(t, window)) for t in traces])
    if not len(limits):
        return {}
    at_mean = [float(sample_limits_pct(t.instrument, [mean_w / len(traces)])[0]) for t in traces]
    return {**uncertainty_facts(limits), "meter_limit_pct": combined_meter_limit_pct(at_mean)}


def _watts_inside(trace: Trace, window: Window) -> Array:
    inside = (trace.t_ns > window.begin_ns) & (trace.t_ns <= window.end_ns)
    inside &= trace.usable & np.isfinite(trace.value) & (trace.value > 0)
    return trace.value[inside]


def sample_limits_pct(instrument: Instrument, power_w: ArrayLike) -> Array:
    """Compute the meter's limit of error for every sample [% of its watts]; NaN where it is not known."""
    watts = require_positive(power_w, "Watts")
    if instrument.specification is None or not instrument.specified:
        return np.full(len(watts), math.nan)
    from_inputs = instrument.specification.influences.voltage is not None
    conditions = instrument.conditions if from_inputs else REFERENCE
    limits_w = instrument.specification.limit(watts, instrument.range_w, conditions=conditions)
    return np.asarray(100 * limits_w / watts, dtype=np.float64)


def uncertainty_facts(limits_pct: ArrayLike, limit_pct: float = UNCERTAINTY_LIMIT_PCT) -> dict[str, float]:
    """Compute average limit of error and shares of unknown and too uncertain samples [%]; NaN means unknown.

    Shares are of all samples; the average is of the known ones and omitted where there are none.
    """
    limits = np.asarray(limits_pct, dtype=np.float64)
    if limits.ndim != 1 or not len(limits):
        raise Refused("no-samples", "There are no samples to evaluate.")
    if np.any(limits < 0) or np.any(np.isinf(limits)):
        raise Refused("negative-uncertainty", "Limits of error must be finite and not negative; NaN means unknown.")
    known_limits = limits[~np.isnan(limits)]
    facts = {
        "unknown_uncertainty_pct": 100 * (1 - len(known_limits) / len(limits)),
        "above_uncertainty_limit_pct": 100 * float(np.count_nonzero(known_limits > limit_pct)) / len(limits),
    }
    return facts | ({"average_uncertainty_pct": float(known_limits.mean())} if len(known_limits) else {})


def combined_meter_limit_pct(limits_pct: Sequence[float]) -> float:
    """Combine the limits of N meters that each carry an equal share: root of the sum of squares over N [%].

    N meters of 3 % give 3/sqrt(N) (EEHPCWG, several meters).
    """
    limits = require_positive(list(limits_pct), "Limits of error")
    if not len(limits):
        raise Refused("no-meter", "There is no meter.")
    return float(np.linalg.norm(limits)) / len(limits)


def shortfall_to_ranging_pct(testing_w: float, ranging_w: float) -> float:
    """Compute how far the testing run's mean power lies below the ranging run's [%]; 0 where it does not."""
    testing, ranging = require_positive([testing_w, ranging_w], "Mean powers of testing and ranging")
    return max(0.0, 100 * float(1 - testing / ranging))


def machine_share_facts(measured_w: float, machine_w: float, measured_nodes: int, nodes: int) -> dict[str, float]:
    """Return for which EE HPC levels the measured part of a machine is large enough (aspect 2).

    Level 1: all, or 40 kW, or the largest of 1/10, 2 kW and 15 nodes. Level 2: all, or the largest of 1/8, 10 kW and
    15 nodes. Level 3: all. ``machine_w`` is an estimate of the whole machine's power.
    """
    part_w, whole_w, part, whole = require_positive([measured_w, machine_w, measured_nodes, nodes], "Machine share")
    if part > whole or part_w > whole_w * (1 + 1e-9):
        raise Refused(
            "more-than-all", "The measured part is larger than the whole machine; check the numbers of nodes and watts."
        )
    every = part == whole
    enough = {
        name: every or bool(part_w >= max(share * whole_w, watts) and part >= FEWEST_NODES)
        for name, (share, watts) in MACHINE_SHARE.items()
    }
    return {
        "machine_share_l1": float(enough[1] or part_w >= ENOUGH_W),
        "machine_share_l2": float(enough[2]),
        "whole_machine": float(every),
    }
