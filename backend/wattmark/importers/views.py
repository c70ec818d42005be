"""Imports of published results as they leave the service."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from wattmark.comparison.published.dates import possible_dates
from wattmark.comparison.published.imported_groups import cpu_of, maker_of, name_of, units_of
from wattmark.comparison.published.published_result import PublishedSummary
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


class ImportedResult(Schema):
    """A result that was imported as figures, as the library lists it."""

    id: str
    collection: str
    """Where it comes from: "SPECpower_ssj2008"."""
    title: str
    maker: str
    cpu: str
    workload: str
    overall: float
    """Overall figure: as printed, or recomputed from what is printed."""
    unit: str
    printed: bool
    """Whether the overall figure is printed in the source."""
    levels: int
    """Load levels, active idle included."""
    tested_on: str | None
    published_on: str | None
    available_on: str | None
    """ISO dates; one that cannot be is missing, and a remark says so."""
    source: str
    has_audit: bool
    remarks: list[str]
    """Where the source contradicts itself."""


class DeletedImport(Schema):
    """An imported result that was deleted and can be brought back."""

    id: str
    title: str


def imported_result(result: PublishedSummary, *, has_audit: bool) -> ImportedResult:
    """Build the view of a result that was imported as figures."""
    dates, (_, unit) = possible_dates(result), units_of(result)
    printed = result.stated_overall
    return ImportedResult(
        id=result.id,
        collection=result.collection or result.kind,
        title=name_of(result) or result.title,
        maker=maker_of(result),
        cpu=cpu_of(result),
        workload=result.workload,
        overall=result.overall if printed is None else printed,
        unit=unit,
        printed=printed is not None,
        levels=len(result.levels),
        tested_on=result.tested_on,
        published_on=dates.published_on,
        available_on=dates.available_on,
        source=result.source,
        has_audit=has_audit,
        remarks=[*result.contradictions, *dates.doubts],
    )


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
