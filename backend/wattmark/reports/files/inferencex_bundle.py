"""A run as an audit bundle of InferenceX: result, log of GPU power, validation, and the figures that it publishes.

The power in it is that of the GPUs' boards, as their own validator integrates it: by trapezoids of each GPU over the
window, between readings that bracket it, at most 3 s apart. What is measured at the wall goes along under a name of its
own, never as a GPU's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.analysis.energy.bracketed import bracketed_energy
from wattmark.core.errors import InputError
from wattmark.results.result import Result
from wattmark.results.series import power_series
from wattmark.results.validity import MEANING, validity
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleReader, Samples, Series

RESULT, LOG, VALIDATION, AGGREGATE = (
    "result.json", "gpu_metrics.csv", "power_validation_result.json", "agg_result.json",
)  # fmt: skip
GPU_MODELS = frozenset({"nvidia.gpu", "amd.gpu"})
CHANNELS = ("power_usage", "power_average", "power_instant")
"""Channels of NVML, as nvidia-smi prefers them; of others the first by name."""
IMPORTED = "inferencex"
"""Workload of runs that came as such a bundle: all of their meters are GPUs."""
MOST_GAP_S = 3.0
METRIC_VERSION = 2
"""Version of the meaning of its metrics: unprefixed joules are those of the whole deployment."""
METHOD = "per_device_trapezoidal_with_linear_boundary_interpolation"
UNUSABLE = Quality.INVALID | Quality.IMPLAUSIBLE | Quality.OVER_RANGE
_TIMES = {"first token": "ttft", "between tokens": "itl", "per output token": "tpot", "request": "e2el"}
_ROLES = {
    "prefill": ("prefill_joules_per_input_token", "input"),
    "decode": ("decode_joules_per_output_token", "output"),
}


@dataclass(frozen=True, slots=True)
class _Gpu:
    """Usable readings of a GPU [UTC ns, W], and what its validator makes of them."""

    name: str
    role: str | None
    t_ns: NDArray[np.int64]
    watts: NDArray[np.float64]

    def judged(self, begin_ns: int, end_ns: int) -> tuple[float | None, float | None, list[str]]:
        """Return energy [J], the longest gap [s] and the reason codes."""
        if len(self.t_ns) < 2:
            return None, None, ["insufficient_power_samples"]
        bracketed = bracketed_energy((self.t_ns - begin_ns) / 1e9, self.watts, (end_ns - begin_ns) / 1e9)
        if bracketed is None:
            return None, None, ["benchmark_window_not_bracketed"]
        gap = bracketed.longest_gap_s
        return bracketed.energy_j, gap, ["sampling_gap_exceeded"] if gap > MOST_GAP_S else []


def inferencex_bundle(run: RunRecord, result: Result, samples: SampleReader) -> dict[str, str]:
    """Write the files of a bundle, by name. Raises `InputError` for a run without tokens, window or power of GPUs."""
    if run.unit != "tokens" or run.window_begin_ns is None or run.window_end_ns is None:
        raise InputError(f"{run.run_id} counts no tokens over a window.", "Choose a run of a language model.")
    gpus = _gpus(run, samples)
    if not gpus:
        cause = f"{run.run_id} has no power of GPUs, and the wall's is never written as theirs."
        raise InputError(cause, "Add its GPUs to the bench as secondary meters (nvidia.gpu, amd.gpu); repeat the run.")
    counts = _counts(run)
    metrics, facts, reasons = _metrics(gpus, run.window_begin_ns, run.window_end_ns, counts)
    valid = not reasons
    published = {**metrics, "power_valid": int(valid), "power_metric_schema_version": METRIC_VERSION}
    validation = {
        "schema_version": 1,
        "power_valid": valid,
        "reasons": reasons,
        "telemetry_source": LOG,
        "benchmark_result": RESULT,
        "benchmark_window": {
            "start_time_unix": counts["benchmark_start_time_unix"],
            "end_time_unix": counts["benchmark_end_time_unix"],
            "reported_duration_s": counts["duration"],
            "integration_duration_s": counts["duration"],
            **{key: counts[key] for key in ("completed", "total_input_tokens", "total_output_tokens")},
        },
        "integration_method": METHOD,
        **facts,
        "metrics": metrics,
        "wattmark": _own(run, result),
    }
    aggregate = {"hw": run.server, "model": run.configuration, "conc": counts["max_concurrency"], **published}
    return {
        RESULT: _json({**counts, **_times(result)}),
        LOG: _log(gpus),
        VALIDATION: _json(validation),
        AGGREGATE: _json({key: value for key, value in aggregate.items() if value is not None}),
    }


def _gpus(run: RunRecord, samples: SampleReader) -> list[_Gpu]:
    """Read the power of each GPU: one channel of the several that a driver may give."""
    meters = [m for m in run.meters if m.model in GPU_MODELS or run.workload == IMPORTED]
    recorded = samples.list_series(run.run_id) if meters else []
    by_meter = {meter.name: _power_of(meter, recorded) for meter in meters}
    return [
        _Gpu(meter.name, meter.host_role, *_usable([samples.read(series.id) for series in by_meter[meter.name]]))
        for meter in meters
        if by_meter[meter.name]
    ]


def _power_of(meter: MeterRecord, recorded: Sequence[Series]) -> list[Series]:
    """Choose the series of a GPU's power: the mean by its energy counter, else what its driver shows first."""
    if chosen := power_series(meter, recorded):
        return chosen
    powers = [s for s in recorded if s.key.source == meter.name and s.key.quantity == "power"]
    first = min((s.key.channel for s in powers), key=_preference, default=None)
    return [s for s in powers if s.key.channel == first]


def _preference(channel: str) -> tuple[int, str]:
    return (CHANNELS.index(channel) if channel in CHANNELS else len(CHANNELS)), channel


def _usable(read: Sequence[Samples]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Join the readings of all ranges that a meter used, without those that are no power, in time order."""
    t_ns = np.concatenate([samples.t_ns[(samples.quality & UNUSABLE) == 0] for samples in read])
    watts = np.concatenate([samples.value[(samples.quality & UNUSABLE) == 0] for samples in read])
    order = np.argsort(t_ns, kind="stable")
    return t_ns[order], watts[order]


def _counts(run: RunRecord) -> dict[str, Any]:
    """Return what the load generator of InferenceX states, from what was counted here."""
    begin_s, end_s = (run.window_begin_ns or 0) / 1e9, (run.window_end_ns or 0) / 1e9
    rates = {figure.name: figure.value for figure in run.source_figures}
    length, level = end_s - begin_s, run.level.split()[0]
    return {
        "model_id": run.configuration,
        "max_concurrency": int(level) if level.isdecimal() else None,
        "benchmark_start_time_unix": begin_s,
        "benchmark_end_time_unix": end_s,
        "duration": length,
        "completed": round(rates.get("requests", 0.0) * length),
        "total_input_tokens": round(rates.get("prompt tokens", 0.0) * length),
        "total_output_tokens": round(sum(interval.amount for interval in run.throughput)),
    }


def _metrics(
    gpus: Sequence[_Gpu], begin_ns: int, end_ns: int, counts: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, Any], list[str]]:
    """Return metrics, facts of each GPU, and the reason codes; with a reason there are no metrics."""
    energies: dict[str, float] = {}
    gaps: dict[str, float] = {}
    issues: dict[str, list[str]] = {}
    for gpu in gpus:
        energy, gap, codes = gpu.judged(begin_ns, end_ns)
        energies |= {} if energy is None else {gpu.name: energy}
        gaps |= {} if gap is None else {gpu.name: gap}
        issues |= {gpu.name: codes} if codes else {}
    reasons = list(dict.fromkeys(code for codes in issues.values() for code in codes))
    tokens = {"input": counts["total_input_tokens"], "output": counts["total_output_tokens"]}
    if not tokens["input"]:
        reasons.append("invalid_input_token_count")
    if not tokens["output"]:
        reasons.append("invalid_output_token_count")
    if not counts["completed"]:
        reasons.append("invalid_successful_query_count")
    facts = {
        "expected_gpu_count": len(gpus),
        "observed_gpu_count": len(gpus),
        "observed_gpu_ids": [gpu.name for gpu in gpus],
        "per_gpu_sample_counts": {gpu.name: len(gpu.t_ns) for gpu in gpus},
        "per_gpu_max_sample_gap_s": gaps,
        "per_gpu_energy_j": energies,
        "per_gpu_role": {gpu.name: gpu.role for gpu in gpus if gpu.role},
        "device_issues": issues,
    }
    if reasons:
        return {}, facts, reasons
    total, length = sum(energies.values()), (end_ns - begin_ns) / 1e9
    metrics = {
        "avg_power_w": total / length / len(gpus),
        "avg_total_gpu_power_w": total / length,
        "total_gpu_energy_j": total,
        "joules_per_successful_query": total / counts["completed"],
        "joules_per_input_token": total / tokens["input"],
        "joules_per_output_token": total / tokens["output"],
        "joules_per_total_token": total / (tokens["input"] + tokens["output"]),
    }
    for role, (key, kind) in _ROLES.items():
        if names := [gpu.name for gpu in gpus if gpu.role == role]:
            energy = sum(energies[name] for name in names)
            metrics |= {f"{role}_gpu_energy_j": energy, key: energy / tokens[kind]}
    return {key: round(value, 6) for key, value in metrics.items()}, facts, reasons


def _own(run: RunRecord, result: Result) -> dict[str, Any]:
    """Say what was measured at the wall, with its ±, its validity and the version of its meaning."""
    wall = None if run.workload == IMPORTED or result.power is None else result.power
    per_token = None if wall is None else result.energy_per_op
    return {
        "run": run.run_id,
        "meaning": MEANING,
        "validity": validity(result),
        "simulated": result.simulated,
        "traceable": result.traceable,
        "wall_power_w": None if wall is None else wall.value,
        "wall_power_w_U95": None if wall is None else wall.U95,
        "wall_joules_per_output_token": None if per_token is None else per_token.value,
        "wall_joules_per_output_token_U95": None if per_token is None else per_token.U95,
    }


def _times(result: Result) -> dict[str, float]:
    """Return the times of the load, as the load generator of InferenceX names them [ms]."""
    times = {}
    for name, value_s in result.response_times_s.items():
        kind, _, statistic = name.rpartition(" ")
        if kind in _TIMES:
            times[f"{statistic}_{_TIMES[kind]}_ms"] = value_s * 1e3
    return times


def _log(gpus: Sequence[_Gpu]) -> str:
    """Write the readings with Unix stamps, which need no time zone."""
    rows = sorted(
        (int(t_ns), gpu.name, float(watts)) for gpu in gpus for t_ns, watts in zip(gpu.t_ns, gpu.watts, strict=True)
    )
    lines = [f"{t_ns // 10**9}.{t_ns % 10**9:09d}, {name}, {watts:.9g}" for t_ns, name, watts in rows]
    return "\n".join(["timestamp, gpu, power.draw [W]", *lines, ""])


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"
