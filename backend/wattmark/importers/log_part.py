"""A part of a log in place of the whole of it: what a person chose, held against the log, and the run of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import pairwise

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.importer import Block, Choices, Edge, ImportedRun, LogPart
from wattmark.importers.local_time import LocalClock
from wattmark.importers.logs.wall_clock import as_if_utc_ns
from wattmark.importers.usual_period import UsualPeriod
from wattmark.importers.zones import require_zone
from wattmark.runs.channels import total_channel
from wattmark.runs.disclosure import ChosenPart
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord
from wattmark.runs.store import RunStore
from wattmark.store.sample_store import Samples

_MARGIN_S = 60.0
_MARGIN_PERIODS = 20
"""Readings about a part that are kept too: they show its edges (twice what an evaluation reads at most)."""
_NS = 10**9
UNNAMED = "part of the log"


@dataclass(frozen=True, slots=True)
class _Span:
    """A chosen part as instants [ns since 1970 UTC], and how often its name came before."""

    name: str
    begin_ns: int
    end_ns: int
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class RunsOfLog:
    """The runs of a log, and their samples in one pass over it."""

    runs: list[ImportedRun]
    blocks: Callable[[], Iterator[Block]]


def runs_of(item: ImportedRun, choices: Choices, zone: tzinfo | None) -> RunsOfLog:
    """Return the run of a whole log, or one for each part that was chosen of it.

    ``zone`` is that of local times. Raises `InputError` for a part outside of the log, and for parts that overlap.
    """
    begin_ns, end_ns = _log_span(item.record)
    if not choices.parts:
        covered = f"{_seconds(end_ns - begin_ns)} s, {utc(begin_ns)} to {utc(end_ns)} UTC"
        facts = ChosenPart(log_begin_ns=begin_ns, log_end_ns=end_ns, begin_ns=begin_ns, end_ns=end_ns)
        return RunsOfLog([_with_facts(item, facts, f"The whole log counts: {covered}.")], item.blocks)
    spans = [_span(part, item.record, zone) for part in choices.parts]
    _refuse_overlap(spans)
    named: Counter[str] = Counter()
    runs, kept = [], []
    for span, meters in zip(spans, _meters(item, spans), strict=True):
        named[span.name] += 1
        run, readings = _cut(item, replace(span, repeat=named[span.name]), meters, choices.chosen_by)
        runs.append(run)
        kept.append(readings)
    return RunsOfLog(runs, partial(_kept_blocks, item, kept))


def stored_parts(items: Sequence[ImportedRun], runs: RunStore) -> dict[str, ChosenPart]:
    """Return the parts that are stored of the log of which ``items`` are parts, by run; empty where they are none."""
    log_ids = {_log_id(item.record.run_id) for item in items if _is_named(part_of(item.record))}
    if not log_ids:
        return {}
    parts: dict[str, ChosenPart] = {}
    for run_id in runs.ids():
        record = runs.get(run_id) if _log_id(run_id) in log_ids else None
        part = None if record is None else part_of(record)
        if part is not None and _is_named(part):
            parts[run_id] = part
    return parts


def require_other_time(item: ImportedRun, stored: Mapping[str, ChosenPart]) -> None:
    """Refuse a part that shares time with another stored part of its log at its level. Raises `InputError`.

    Both would count as repeats of one measurement.
    """
    part, run_id = part_of(item.record), item.record.run_id
    if part is None:
        return
    for other_id, other in stored.items():
        if other_id == run_id or _log_id(other_id) != _log_id(run_id) or other.name != part.name:
            continue
        if _overlap(part, other):
            span = _offsets(part)
            raise InputError(
                f"Run {other_id} is {other.name!r} of the same log, {_offsets(other)}, which overlaps {span}.",
                "Delete that run first, or give the part another name in a file of phases.",
            )


def part_of(record: RunRecord) -> ChosenPart | None:
    """Return which part of a log a run covers; None where its source says that itself."""
    imported = record.disclosure.imported
    return None if imported is None else imported.part


def is_whole_log(record: RunRecord) -> bool:
    """Return whether a run covers a log of which a part can be chosen."""
    part = part_of(record)
    return part is not None and part.name is None


def utc(t_ns: int) -> str:
    """Format an instant to the millisecond, without decimals where it is a whole second."""
    instant = datetime.fromtimestamp(t_ns // 10**6 / 1000, UTC).replace(tzinfo=None)
    return instant.isoformat(sep=" ", timespec="milliseconds").removesuffix(".000")


def _is_named(part: ChosenPart | None) -> bool:
    return part is not None and part.name is not None


def _log_id(run_id: str) -> str:
    """Return the run id of the whole log, of which that of a part is made."""
    return run_id.rpartition("-")[0]


def _overlap(a: ChosenPart, b: ChosenPart) -> bool:
    return a.begin_ns < b.end_ns and b.begin_ns < a.end_ns


def _offsets(part: ChosenPart) -> str:
    begin, end = part.begin_ns - part.log_begin_ns, part.end_ns - part.log_begin_ns
    return f"{_seconds(begin)} s to {_seconds(end)} s"


def _log_span(record: RunRecord) -> tuple[int, int]:
    if record.window_begin_ns is None or record.window_end_ns is None:
        raise InputError(f"{record.run_id} has no begin and end.", "Report it to the maintainers.")
    return record.window_begin_ns, record.window_end_ns


def _span(part: LogPart, record: RunRecord, zone: tzinfo | None) -> _Span:
    """Return a part as instants. Raises `InputError` where the log does not hold it."""
    log_begin_ns, log_end_ns = _log_span(record)
    name = part.name or UNNAMED
    begin_ns = log_begin_ns if part.begin is None else _instant(part.begin, log_begin_ns, zone, record)
    end_ns = log_end_ns if part.end is None else _instant(part.end, log_begin_ns, zone, record)
    what = "The part" if part.name is None else f"Phase {part.name!r}"
    if end_ns <= begin_ns:
        raise InputError(f"{what} ends at {utc(end_ns)} UTC, not after its start {utc(begin_ns)} UTC.", _spans(record))
    if begin_ns < log_begin_ns or end_ns > log_end_ns:
        raise InputError(f"{what}, {utc(begin_ns)} to {utc(end_ns)} UTC, is not all in the log.", _spans(record))
    return _Span(name, begin_ns, end_ns)


def _spans(record: RunRecord) -> str:
    begin_ns, end_ns = _log_span(record)
    length_s = _seconds(end_ns - begin_ns)
    return f"The log spans {utc(begin_ns)} to {utc(end_ns)} UTC, 0 s to {length_s} s: choose from that."


def _instant(edge: Edge, log_begin_ns: int, zone: tzinfo | None, record: RunRecord) -> int:
    """Return an edge as an instant. Raises `InputError` for a wall clock that is no single instant of its zone."""
    if not isinstance(edge, datetime):
        return log_begin_ns + round(edge * _NS)
    if edge.tzinfo is not None:
        return as_if_utc_ns(edge.astimezone(UTC))
    local = require_zone(zone, f"--from and --to of {record.source.removeprefix('imported: ')}")
    if edge.replace(tzinfo=local, fold=0).utcoffset() != edge.replace(tzinfo=local, fold=1).utcoffset():
        wall = np.array([as_if_utc_ns(edge)], dtype=np.int64)
        LocalClock(local).to_utc(wall)  # refuses what the zone skips
        first = edge.replace(tzinfo=local).isoformat()
        raise InputError(f"{edge} comes twice in {local}.", f"Write it with its offset from UTC, such as {first}.")
    return as_if_utc_ns(edge.replace(tzinfo=local).astimezone(UTC))


def _refuse_overlap(spans: Sequence[_Span]) -> None:
    for first, second in pairwise(sorted(spans, key=lambda span: span.begin_ns)):
        if second.begin_ns < first.end_ns:
            raise InputError(
                f"Phase {second.name!r} begins at {utc(second.begin_ns)} UTC, before {first.name!r} ends at "
                f"{utc(first.end_ns)} UTC.",
                "Give phases that do not overlap: readings that count twice are not a second measurement.",
            )


def _meters(item: ImportedRun, spans: Sequence[_Span]) -> list[tuple[MeterRecord, ...]]:
    """Return the meters of each part, with the time that usually passes between their readings there.

    That of the whole log is another one where its rate changed, or where most of it is silence. A time that the log
    declares is not exceeded: readings that are further apart were lost.
    """
    quantities = {meter.name: "energy" if meter.kind == "counter" else "power" for meter in item.record.meters}
    steps: list[dict[str, dict[str, UsualPeriod]]] = [{name: {} for name in quantities} for _ in spans]
    for block in item.blocks():
        for key, samples in block:
            if quantities.get(key.source) != key.quantity:
                continue
            for span, of_meter in zip(spans, steps, strict=True):
                first, last = np.searchsorted(samples.t_ns, (span.begin_ns, span.end_ns + 1))
                of_meter[key.source].setdefault(key.channel, UsualPeriod()).add(samples.t_ns[first:last])
    return [
        tuple(_as_read(meter, of_part[meter.name], item.declared_s.get(meter.name)) for meter in item.record.meters)
        for of_part in steps
    ]


def _as_read(meter: MeterRecord, steps: Mapping[str, UsualPeriod], declared_s: float | None) -> MeterRecord:
    """Return a meter with the period of its total in a part; as it is where that has no two readings."""
    total = total_channel(steps, "energy" if meter.kind == "counter" else "power")
    period_s = steps[total].period_s if total is not None else None
    if period_s is None:
        return meter
    return meter.model_copy(update={"period_s": period_s if declared_s is None else min(period_s, declared_s)})


def _cut(
    item: ImportedRun, span: _Span, meters: tuple[MeterRecord, ...], chosen_by: str | None
) -> tuple[ImportedRun, _Kept]:
    """Return the run of a part, with its window and its work, and which readings it keeps."""
    record = item.record
    log_begin_ns, log_end_ns = _log_span(record)
    begin_ns, end_ns = span.begin_ns, span.end_ns
    throughput = tuple(i for i in record.throughput if begin_ns <= i.begin_ns and i.end_ns <= end_ns)
    if record.throughput:
        if not throughput:
            raise InputError(f"{span.name!r} holds no whole interval of counted work.", "Choose a longer part.")
        begin_ns, end_ns = throughput[0].begin_ns, throughput[-1].end_ns
    offset_ms, length_ms = (begin_ns - log_begin_ns) // 10**6, (end_ns - begin_ns) // 10**6
    part = ChosenPart(
        name=span.name,
        log_begin_ns=log_begin_ns,
        log_end_ns=log_end_ns,
        begin_ns=begin_ns,
        end_ns=end_ns,
        chosen_by=chosen_by,
    )
    margin_s = max([_MARGIN_S, *(_MARGIN_PERIODS * meter.period_s for meter in meters)])
    record = record.model_copy(
        update={
            "run_id": f"{record.run_id}-{offset_ms}ms{length_ms}ms",
            "level": span.name,
            "repeat": span.repeat,
            "created_ns": begin_ns,
            "phases": (Phase(name=PhaseName.MEASURE, begin_ns=begin_ns, end_ns=end_ns),),
            "throughput": throughput,
            "meters": meters,
            "window_begin_ns": begin_ns,
            "window_end_ns": end_ns,
        }
    )
    kept = _Kept(record.run_id, begin_ns - round(margin_s * _NS), end_ns + round(margin_s * _NS))
    by = f", chosen by {chosen_by}" if chosen_by else ""
    note = (
        f"A part of the log counts{by}: {_offsets(part)} of {_seconds(log_end_ns - log_begin_ns)} s, "
        f"{utc(begin_ns)} to {utc(end_ns)} UTC."
    )
    run = replace(item, record=record, blocks=partial(_kept_blocks, item, [kept]))
    return _with_facts(run, part, note), kept


@dataclass(frozen=True, slots=True)
class _Kept:
    """The readings of a log that the run of a part keeps."""

    run_id: str
    begin_ns: int
    end_ns: int

    def inside(self, samples: Samples) -> Samples:
        """Return those in the part and about it."""
        first, last = np.searchsorted(samples.t_ns, (self.begin_ns, self.end_ns + 1))
        part = slice(int(first), int(last))
        return Samples(samples.t_ns[part], samples.value[part], samples.quality[part], samples.u_t_s[part])


def _kept_blocks(item: ImportedRun, kept: Sequence[_Kept]) -> Iterator[Block]:
    """Yield the readings of parts in one pass over their log."""
    for block in item.blocks():
        yield [
            (replace(key, run_id=part.run_id), inside)
            for part in kept
            for key, samples in block
            if len(inside := part.inside(samples))
        ]


def _with_facts(item: ImportedRun, part: ChosenPart, note: str) -> ImportedRun:
    disclosure = item.record.disclosure
    if disclosure.imported is None:
        return item
    disclosure = disclosure.model_copy(
        update={
            "imported": disclosure.imported.model_copy(update={"part": part}),
            "notes": (*disclosure.notes, note),
        }
    )
    record = item.record.model_copy(update={"disclosure": disclosure})
    return replace(item, record=record, notes=(*item.notes, note))


def _seconds(ns: int) -> str:
    """Format a time [s] to the millisecond, without needless zeros."""
    return f"{ns / _NS:.3f}".rstrip("0").rstrip(".")
