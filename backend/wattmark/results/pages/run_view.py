"""One run as the Run page shows it: result, phases, window, traces at screen resolution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wattmark.results.latency import with_latencies
from wattmark.results.limit_readings import limit_readings, limit_series, limit_spans
from wattmark.results.meters import guard_s
from wattmark.results.pages.excluded_samples import ExcludedSamples
from wattmark.results.pages.run_page import IntervalOut, LimitSpanOut, PhaseOut, RunOut, SeriesOut, TracesOut
from wattmark.results.ranking_bars import failed_rules, includable_rules, ranking
from wattmark.results.result import Result
from wattmark.results.series import host_series, read, total_ids
from wattmark.results.state import failed_words, run_state
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.channels import BIT_MASKS
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import Envelope, SampleStore, Series

NS = 1e-9


def run_view(
    run: RunRecord, result: Result, previous: str | None, following: str | None, annotation: Annotation
) -> RunOut:
    """Build the page of a run from its record, its result and its annotation."""
    return RunOut(
        result=result,
        phases=[
            PhaseOut(name=phase.name, begin_s=phase.begin_ns * NS, end_s=phase.end_ns and phase.end_ns * NS)
            for phase in run.phases
        ],
        window_begin_s=run.window_begin_ns and run.window_begin_ns * NS,
        window_end_s=run.window_end_ns and run.window_end_ns * NS,
        guard_s=0.0 if result.window_begin is None else guard_s(with_latencies(run, result.latencies)),
        configuration=run.configuration_snapshot.document(),
        meters=run.meters,
        disclosure=run.disclosure,
        state=run_state(result),
        failed={rule: failed_words(rule) for rule in failed_rules(result)},
        ranking=ranking(result),
        includable=includable_rules(result),
        tags=list(annotation.tags),
        note=annotation.note,
        inclusion=annotation.inclusion,
        previous=previous,
        next=following,
    )


def traces_view(
    run: RunRecord,
    store: SampleStore,
    px: int,
    begin_ns: int | None = None,
    end_ns: int | None = None,
    excluded: ExcludedSamples | None = None,
) -> TracesOut:
    """Read every series of a run between two instants at screen resolution; ``excluded`` samples are marked."""
    series = store.list_series(run.run_id)
    drawn = [(recorded, store.envelope(recorded.id, px, begin_ns, end_ns)) for recorded in series]
    totals = total_ids(series)
    stamps = [envelope.t_ns for _, envelope in drawn if len(envelope.t_ns)]
    first = begin_ns if begin_ns is not None else min((int(t[0]) for t in stamps), default=run.created_ns)
    last = end_ns if end_ns is not None else max((int(t[-1]) for t in stamps), default=first)
    return TracesOut(
        run_id=run.run_id,
        begin_s=first * NS,
        end_s=last * NS,
        series=[_series_out(recorded, envelope, total=recorded.id in totals) for recorded, envelope in drawn],
        throughput=_throughput(run),
        throughput_unit=f"{run.unit}/s",
        excluded=excluded or [],
        limits=_limits(series, store, first, last, px),
    )


def _limits(series: list[Series], store: SampleStore, begin_ns: int, end_ns: int, px: int) -> list[LimitSpanOut]:
    """List where processors and GPUs were at a limit; spans that no column of the screen separates are one.

    A counted time appears when its episode ends, perhaps after the part that is shown, so the whole run is read.
    """
    telling = limit_series(series)
    if not telling:
        return []
    recorded = read([*telling, *host_series(series, all_resources=False)], store, None, None)
    return [
        LimitSpanOut(device=device, kind=kind, cause=cause, begin_s=span[0] * NS, end_s=span[1] * NS)
        for device, kind, cause, span in limit_spans(limit_readings(recorded), (end_ns - begin_ns) // max(px, 1))
        if span[0] < end_ns and span[1] > begin_ns
    ]


def _throughput(run: RunRecord) -> list[IntervalOut]:
    intervals = [
        IntervalOut(
            begin_s=step.begin_ns * NS,
            end_s=step.end_ns * NS,
            rate=step.amount / ((step.end_ns - step.begin_ns) * NS),
        )
        for step in run.throughput
        if step.end_ns > step.begin_ns
    ]
    if not intervals and run.stated_throughput and run.window_begin_ns and run.window_end_ns:
        begin_s, end_s = run.window_begin_ns * NS, run.window_end_ns * NS
        intervals = [IntervalOut(begin_s=begin_s, end_s=end_s, rate=run.stated_throughput)]
    return intervals


def _series_out(series: Series, envelope: Envelope, *, total: bool) -> SeriesOut:
    key, mean = series.key, envelope.mean
    buckets = max(len(envelope.t_ns), 1)
    if key.quantity == BIT_MASKS:  # where they differ, their mean is the mask of other reasons
        mean = np.where(envelope.minimum == envelope.maximum, envelope.maximum, np.nan)
    return SeriesOut(
        id=series.id,
        source=key.source,
        channel=key.channel,
        label=key.label or key.channel,
        quantity=key.quantity,
        unit=key.unit,
        kind=key.kind,
        range=key.range,
        simulated=key.simulated,
        total=total,
        total_samples=series.n,
        decimated=envelope.decimated,
        samples_per_bucket=float(envelope.n.sum()) / buckets,
        t_s=(envelope.t_ns * NS).tolist(),
        minimum=_numbers(envelope.minimum),
        maximum=_numbers(envelope.maximum),
        mean=_numbers(mean),
    )


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [value if value == value else None for value in values.tolist()]
