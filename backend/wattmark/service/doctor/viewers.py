"""How late polls begin on this machine while others read what is stored."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from wattmark_drivers.clock import Clock, SystemClock

from wattmark.core.errors import WattmarkError
from wattmark.core.event_loop import give_way_soon, run_loop
from wattmark.core.numbers import format_number
from wattmark.service.doctor.finding import Finding
from wattmark.service.metrics.timed import TimedClock
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.lane import Kind
from wattmark.service.reader.start import StartOrder

VIEWERS = 12
METERS = 20
PERIOD_S = 0.1
LOOK_S = 5.0
_PIECE = 64 * 1024
LATE_S = 0.1
"""A tenth of the usual period: beyond it readings of different meters no longer belong together."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late ninety-nine of a hundred polls began at most, without and with viewers [s]."""

    alone_s: float
    viewed_s: float
    answers: int
    """Responses to the viewers meanwhile, whole or in part."""


def viewers(data_dir: Path) -> Finding:
    """Measure for ten seconds with simulated polls and the real reader of stored runs, changing nothing."""
    give_way_soon()
    try:
        return judged(run_loop(_measured(data_dir, SystemClock())))
    except WattmarkError as error:
        return Finding("viewers", "problem", error.cause, error.remedy or "See the log of the service.")


def judged(lateness: Lateness) -> Finding:
    """Evaluate how much later polls begin."""
    text = (
        f"99 of 100 polls start at most {format_number(lateness.viewed_s * 1e3, 2)} ms late while {VIEWERS} viewers "
        "read stored "
        f"runs, {format_number(lateness.alone_s * 1e3, 2)} ms without viewers"
    )
    if lateness.viewed_s <= LATE_S:
        return Finding("viewers", "ok", text)
    remedy = "The machine is too busy. Stop other programs on it, or use one with more cores."
    return Finding("viewers", "warning", text, remedy)


async def _measured(data_dir: Path, clock: Clock) -> Lateness:
    reader = Reader(StartOrder(data_dir))
    reader.start()
    try:
        comparisons = json.loads((await _read(reader, "/api/compare/choices")).partition(b"\r\n\r\n")[2])
        alone_s = await _late_s(clock)
        answers: Counter[int] = Counter()
        looking = [
            asyncio.create_task(_look(reader, viewer, _asked_by(viewer, comparisons), answers))
            for viewer in range(VIEWERS)
        ]
        try:
            viewed_s = await _late_s(clock)
        finally:
            for task in looking:
                task.cancel()
            await asyncio.gather(*looking, return_exceptions=True)
    finally:
        await reader.stop()
    return Lateness(alone_s, viewed_s, answers.total())


def _asked_by(viewer: int, comparisons: list[dict[str, str]]) -> Iterator[tuple[Kind, str]]:
    """Yield a viewer's requests: of twelve, eight different comparisons, three lists of runs, one report."""
    for turn in itertools.count(1):
        if viewer % 12 == 11:
            yield "file", "/api/export/report.html"
        elif viewer % 12 >= 8 or not comparisons:
            yield "file", "/api/runs"
        else:
            group = {name: comparisons[turn % len(comparisons)][name] for name in ("workload", "level")}
            smallest = {"smallest_pct": 1 + (viewer * 997 + turn) % 9000 / 100}
            yield "comparison", "/api/compare?" + urlencode(group | smallest)


async def _look(reader: Reader, viewer: int, asked: Iterator[tuple[Kind, str]], answers: Counter[int]) -> None:
    """Send requests repeatedly, as a browser would through the service."""
    for kind, path in asked:
        try:
            async with reader.lanes[kind].place(f"viewer {viewer}"):
                answers[viewer] += bool(await _read(reader, path))
        except WattmarkError:
            await asyncio.sleep(0.2)


async def _read(reader: Reader, path: str) -> bytes:
    """Read an answer to its end; return its first part."""
    async with reader.connection() as (stream, writer):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: reader\r\nConnection: close\r\n\r\n".encode())
        first = b""
        while piece := await stream.read(_PIECE):
            first = first if len(first) > _PIECE else first + piece
    return first


async def _late_s(clock: Clock) -> float:
    """Poll as many meters would, and return the 99th percentile of the delay of polls [s]."""
    late: list[float] = []
    timed = TimedClock(clock, late.append)

    async def poll(phase_s: float) -> None:
        due_ns = clock.monotonic_ns() + int(phase_s * 1e9)
        while True:
            await timed.sleep((due_ns - clock.monotonic_ns()) * 1e-9)
            due_ns += int(PERIOD_S * 1e9)

    polling = [asyncio.create_task(poll(PERIOD_S * k / METERS)) for k in range(METERS)]
    await clock.sleep(LOOK_S)
    for task in polling:
        task.cancel()
    await asyncio.gather(*polling, return_exceptions=True)
    return sorted(late)[int(0.99 * len(late))] if late else float("inf")
