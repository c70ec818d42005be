"""Measure a load that wattmark did not start, by the marks that it sends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.markers import Marker, MarkerBoard
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsers import MarkerParser, Reports
from wattmark.workloads.parsers.work import MarkedWork

GRACE_S = 60.0
"""How much longer than asked for a load may work before its end mark is missed [s]."""


async def measure_external(
    declaration: Declaration,
    parser: MarkerParser,
    *,
    seconds: float,
    board: MarkerBoard,
    on_begin: Callable[[Mark], None],
    load: AbstractAsyncContextManager[object] | None = None,
) -> MarkedWork:
    """Measure from the begin mark to the end mark, or until the window is full.

    ``load`` is entered as soon as marks can arrive, and left after the last one.
    Raises `WorkloadFailed` when no begin comes within the parser's ``wait_s``, or no end.
    """
    async with contextlib.AsyncExitStack() as stack:
        marks = stack.enter_context(board.listen())
        if load is not None:
            await stack.enter_async_context(load)
        begin = await _begin(marks, parser.wait_s, declaration)
        track = NumberTrack(parser.reports, started=begin, warm_up_s=0.0, seconds=seconds, scale=parser.scale)
        track.begin_at(begin)
        on_begin(begin)
        end = await _until_end(marks, track, seconds, declaration.unit, parser.reports)
    return track.result(end)


async def _begin(marks: asyncio.Queue[Marker | WorkloadFailed], wait_s: float, declaration: Declaration) -> Mark:
    """Return the begin mark; marks before it are skipped."""
    try:
        async with asyncio.timeout(wait_s):
            while (marker := await _next(marks)).kind != "begin":
                continue
            return marker.mark
    except TimeoutError:
        cause = f"No begin marker of {declaration.id} arrived within {wait_s:g} s."
        raise WorkloadFailed(cause, "Have its script send one: wattmark mark begin.") from None


async def _until_end(
    marks: asyncio.Queue[Marker | WorkloadFailed], track: NumberTrack, seconds: float, unit: str, reports: Reports
) -> Mark:
    limit_s = seconds + GRACE_S
    try:
        async with asyncio.timeout(limit_s):
            while True:
                marker = await _next(marks)
                if marker.kind == "refused":
                    raise WorkloadFailed(marker.reason)
                if marker.kind == "value" and marker.value is not None:
                    _require_unit(marker, unit, reports)
                    track.add(marker.mark, marker.value, f"mark {marker.value:g}")
                if marker.kind == "end" or track.done:
                    track.end_at(marker.mark)
                    return marker.mark
    except TimeoutError:
        cause = f"No end marker arrived within {limit_s:g} s of the begin marker."
        raise WorkloadFailed(cause, "Have the script send one: wattmark mark end.") from None


def _require_unit(marker: Marker, unit: str, reports: Reports) -> None:
    """Check what a value counts, where its mark says it.

    Raises `WorkloadFailed` for thousands, for other work, and for a rate in place of a total.
    """
    if marker.unit.removesuffix("/s") not in ("", unit):
        cause = f'The marker {marker.value:g} counts "{marker.unit}", the workload "{unit}".'
        raise WorkloadFailed(cause, "Send numbers in the unit of the workload; parser.scale converts others.")
    if marker.unit.endswith("/s") and reports in ("total", "interval-total"):
        cause = f'The marker {marker.value:g} is a rate ("{marker.unit}"), and the parser reads a total.'
        raise WorkloadFailed(cause, "Set reports: rate (or interval-rate) in the parser, or send the total.")


async def _next(marks: asyncio.Queue[Marker | WorkloadFailed]) -> Marker:
    """Return the next mark. Raises `WorkloadFailed` where too many came."""
    marker = await marks.get()
    if isinstance(marker, WorkloadFailed):
        raise marker
    return marker
