"""Imports of published results as they leave the service."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from wattmark.core.schema import Schema
from wattmark.importers.bring_in import Previewed
from wattmark.importers.importer import ImportedRun, Importer
from wattmark.importers.log_trace import LogTrace
from wattmark.importers.outcome import ImportOutcome
from wattmark.importers.published_imports import BroughtIn
from wattmark.importers.unread import Unread, UnreadLine


class LogTraceOut(Schema):
    """Power of a log over all of its time, by which a part can be chosen."""

    begin: str
    """Instant of the start, ISO 8601 in UTC."""
    length_s: float
    power_w: list[float | None]
    """Means over equal spans of the log; null where nothing was read."""
    least_w: list[float | None]
    most_w: list[float | None]


class PreviewedOut(Schema):
    """What one result of a source would bring."""

    source: str
    title: str
    brings: str
    """"run", "figures" or "refused"."""
    workload: str | None
    window_s: float | None
    samples: int
    stored: bool
    """It is here already, and would be replaced."""
    notes: list[str]
    refusal: str | None
    trace: LogTraceOut | None
    """None where no part of it can be chosen, or where one was."""


class PreviewOut(Schema):
    """What a source would bring; nothing has been stored."""

    kind: str
    title: str
    results: list[PreviewedOut]
    unread: int
    unread_lines: list[UnreadLine]


class ImportedOut(Schema):
    """What became of one result."""

    source: str
    run_id: str | None
    figures_id: str | None
    notes: list[str]
    refusal: str | None


class ImportOut(Schema):
    """What became of a source."""

    kind: str
    title: str
    results: list[ImportedOut]
    audits: list[str]
    """Ids of the audits."""
    not_audited: str | None
    unread: int
    unread_lines: list[UnreadLine]


def preview_out(importer: Importer, results: Sequence[Previewed]) -> PreviewOut:
    """Build the view of a preview."""
    unread = _joined([result.unread for result in results])
    return PreviewOut(
        kind=importer.kind,
        title=importer.title,
        results=[_previewed(result) for result in results],
        unread=unread.count,
        unread_lines=unread.first,
    )


def import_out(done: BroughtIn) -> ImportOut:
    """Build the view of an import."""
    unread = _joined([outcome.unread for outcome in done.outcomes])
    return ImportOut(
        kind=done.importer.kind,
        title=done.importer.title,
        results=[_imported(outcome) for outcome in done.outcomes],
        audits=[audit.id for audit in done.audits],
        not_audited=done.not_audited,
        unread=unread.count,
        unread_lines=unread.first,
    )


def _previewed(result: Previewed) -> PreviewedOut:
    item = result.item
    brings, workload, window_s = "refused", None, None
    if isinstance(item, ImportedRun):
        record = item.record
        brings, workload = "run", record.workload
        if record.window_begin_ns is not None and record.window_end_ns is not None:
            window_s = (record.window_end_ns - record.window_begin_ns) / 1e9
    elif item is not None:
        brings, workload = "figures", item.result.workload
    return PreviewedOut(
        source=result.source,
        title=result.title,
        brings=brings,
        workload=workload,
        window_s=window_s,
        samples=result.samples,
        stored=result.stored,
        notes=list(item.notes) if item else [],
        refusal=str(result.error) if result.error else None,
        trace=_trace(result.trace) if result.trace else None,
    )


def _trace(trace: LogTrace) -> LogTraceOut:
    return LogTraceOut(
        begin=datetime.fromtimestamp(trace.begin_ns / 1e9, UTC).isoformat(),
        length_s=(trace.end_ns - trace.begin_ns) / 1e9,
        power_w=_numbers(trace.mean_w),
        least_w=_numbers(trace.least_w),
        most_w=_numbers(trace.most_w),
    )


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _imported(outcome: ImportOutcome) -> ImportedOut:
    return ImportedOut(
        source=outcome.source,
        run_id=outcome.run_id,
        figures_id=outcome.figures_id,
        notes=list(outcome.notes),
        refusal=str(outcome.error) if outcome.error else None,
    )


def _joined(parts: Sequence[Unread]) -> Unread:
    whole = Unread()
    for part in parts:
        whole.extend(part)
    return whole
