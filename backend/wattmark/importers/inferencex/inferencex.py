"""Bundles of InferenceX become runs: generated tokens, and the readings of every GPU.

Their power is that of the GPUs' boards. It is no power of a server, and such a run never stands beside one at the wall
under one workload.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from wattmark_drivers.reading import Quality

from wattmark.core.amounts import LATEST_NS
from wattmark.core.errors import InputError
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.importers.inferencex.bundle import BEGIN, END, Bundle, find_bundles, has_bundle, read_bundle
from wattmark.importers.inferencex.gpu_log import GpuLog, GpuSeries, read_gpu_log
from wattmark.importers.inferencex.judge import judge
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import (
    MeterRecord,
    Phase,
    ResponseTime,
    RunRecord,
    RunStatus,
    StatedFigure,
    ThroughputInterval,
)
from wattmark.store.sample_store import Samples, SeriesKey

WORKLOAD, UNIT = "inferencex", "tokens"
BOARDS = "Power is that of the GPUs' boards, by their own sensors: processors, memory, fans and supplies are not in it."
_NOT_TRACEABLE = "A GPU's own sensor has no certificate, and its maker states no limits of error."
_TIMES = {"ttft": "first token", "itl": "between tokens", "tpot": "per output token", "e2el": "request"}
"""Times of the load generator [ms], and what they are called here."""
_STATISTICS = ("mean", "median", "p90", "p95", "p99", "max")
_FIGURES = {
    "joules_per_output_token": "J/tokens",
    "joules_per_input_token": "J/tokens",
    "joules_per_total_token": "J/tokens",
    "total_gpu_energy_j": "J",
    "prefill_gpu_energy_j": "J",
    "decode_gpu_energy_j": "J",
    "power_metric_schema_version": "",
}
"""Figures of the bundle that are kept as they are printed; the last is the version of their meaning."""
_MOST = 1e12
"""Largest figure that is kept as it is printed."""
_FACTS = ("hw", "model", "framework", "precision")


def find_runs(root: Path, choices: Choices) -> list[Pending]:
    """List the results of a tree. Raises `InputError` when there is none."""
    whole = root.resolve()
    return [
        Pending(path.relative_to(whole).as_posix(), f"InferenceX {path.stem}", partial(_read, path, whole, choices))
        for path in find_bundles(whole)
    ]


def _read(path: Path, root: Path, choices: Choices) -> ImportedRun:
    bundle = read_bundle(path, root)
    begin_s, end_s = bundle.number(BEGIN), bundle.number(END)
    if not 0 < begin_s < end_s < LATEST_NS / 1e9:
        cause = f"{bundle.where}: its benchmark has no begin and end of our age, one after the other."
        raise InputError(cause, "Give the result of a whole run.")
    log = read_gpu_log(bundle.log, bundle.log.relative_to(root).as_posix(), choices.zone)
    _require_covered(log, begin_s, end_s, bundle)
    notes = _notes(log)
    record = _record(bundle, log, begin_s, end_s, notes)
    return ImportedRun(record, partial(_blocks, record, log), notes, log.unread, "result of InferenceX")


def _require_covered(log: GpuLog, begin_s: float, end_s: float, bundle: Bundle) -> None:
    """Refuse a log of another time, or under another zone. Raises `InputError`."""
    first = min(min(series.t_ns) for series in log.series) / 1e9
    last = max(max(series.t_ns) for series in log.series) / 1e9
    if first <= begin_s and last >= end_s:
        return
    log_from, log_to, begin, end = (_utc(at_s) for at_s in (first, last, begin_s, end_s))
    raise InputError(
        f"{bundle.where}: the benchmark ran from {begin} to {end} UTC, its GPUs' log from {log_from} to {log_to}.",
        "Give the log of the same run, or the right time zone of its stamps.",
    )


def _utc(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _notes(log: GpuLog) -> tuple[str, ...]:
    notes = [BOARDS, *log.clock_notes]
    if bad := sum(not np.isfinite(watts) for series in log.series for watts in series.watts):
        notes.append(f"{bad} readings are no power and are marked as invalid.")
    if log.unread.count:
        notes.append(f"{log.unread.count} lines were not understood and are excluded.")
    return tuple(notes)


def _record(bundle: Bundle, log: GpuLog, begin_s: float, end_s: float, notes: tuple[str, ...]) -> RunRecord:
    begin_ns, end_ns = round(begin_s * 1e9), round(end_s * 1e9)
    facts = bundle.aggregate or {}
    concurrency = bundle.load.get("max_concurrency") or facts.get("conc")
    named = [str(facts[name])[:64] for name in _FACTS if isinstance(facts.get(name), str) and facts[name]]
    model = str(bundle.load.get("model_id") or "")[:64]
    return RunRecord(
        run_id=bundle.id,
        server=str(facts.get("hw") or "GPUs")[:64],
        configuration=" ".join(dict.fromkeys([*named, *([model] if model and model not in named else [])])) or "GPUs",
        workload=WORKLOAD,
        level=f"{concurrency} requests" if isinstance(concurrency, int) and 0 < concurrency < _MOST else "full load",
        status=RunStatus.COMPLETE,
        created_ns=begin_ns,
        source=f"imported: InferenceX {bundle.where}",
        unit=UNIT,
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin_ns, end_ns=end_ns),),
        throughput=(ThroughputInterval(begin_ns=begin_ns, end_ns=end_ns, amount=bundle.number("total_output_tokens")),),
        response_times=tuple(_times(bundle, end_ns)),
        source_figures=tuple(_figures(bundle, end_s - begin_s)),
        window_begin_ns=begin_ns,
        window_end_ns=end_ns,
        evidence=judge(bundle, log, begin_s, end_s),
        submission=bundle.where,
        meters=tuple(_meter(series, bundle) for series in log.series),
        full_load_limit_pct=None,
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(
                    samples=sum(len(series.t_ns) for series in log.series), channels=len(log.series)
                ),
                clock=ImportedClock(
                    decided_by="the person who imported it" if log.clock_notes else "the log",
                    window_shift_s=0.0,
                    utc_offset_s=0.0,
                ),
                lines_not_understood=log.unread.count,
                files=(*(file.note for file in bundle.files), log.note),
            ),
        ),
    )


def _meter(series: GpuSeries, bundle: Bundle) -> MeterRecord:
    steps = np.diff(np.unique(np.array(series.t_ns, dtype=np.int64)))
    roles = (bundle.validation or {}).get("per_gpu_role")
    role = roles.get(series.key) if isinstance(roles, dict) else None
    return MeterRecord(
        name=series.name,
        model="unknown",
        title=f"Board power of {series.name}",
        kind="instantaneous",
        period_s=round(float(np.median(steps)) / 1e9, 3) if len(steps) else 1.0,
        host_role=role if isinstance(role, str) and role in ("prefill", "decode") else None,
        not_traceable=_NOT_TRACEABLE,
    )


def _figures(bundle: Bundle, length_s: float) -> Iterator[StatedFigure]:
    """List what the load counted beside, and the figures of the bundle as they are printed."""
    prompts, requests = bundle.number("total_input_tokens"), bundle.number("completed")
    yield StatedFigure(name="prompt tokens", value=prompts / length_s, unit="tokens/s")
    yield StatedFigure(name="requests", value=requests / length_s, unit="requests/s")
    printed = {**(bundle.aggregate or {}), **_metrics(bundle)}
    for key, unit in _FIGURES.items():
        value = printed.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _MOST:
            yield StatedFigure(name=key, value=float(value), unit=unit)


def _metrics(bundle: Bundle) -> dict[str, object]:
    metrics = (bundle.validation or {}).get("metrics")
    return metrics if isinstance(metrics, dict) else {}


def _times(bundle: Bundle, end_ns: int) -> Iterator[ResponseTime]:
    for short, name in _TIMES.items():
        for statistic in _STATISTICS:
            value = bundle.load.get(f"{statistic}_{short}_ms")
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST:
                yield ResponseTime(t_ns=end_ns, statistic=f"{name} {statistic}", value_s=float(value) / 1e3)


def _blocks(record: RunRecord, log: GpuLog) -> Iterator[Block]:
    for series in log.series:
        key = SeriesKey(record.run_id, record.server, series.name, "power", "power", "W", "instantaneous")
        t_ns, watts = log.arrays(series)
        bad = ~np.isfinite(watts)
        quality = np.where(bad, np.uint16(Quality.INVALID), np.uint16(0))
        yield [(key, Samples(t_ns, np.where(bad, 0.0, watts), quality, np.zeros(len(t_ns), np.float32)))]


INFERENCEX = Importer(
    kind="inferencex",
    title="InferenceX with power (audit bundle)",
    takes="a folder with a result (JSON), gpu_metrics.csv or power/samples.csv, and power_validation*.json",
    time_zone="asked for",
    recognises=has_bundle,
    find=find_runs,
)
