"""Marks of loads that wattmark does not start: any script can say "begin", "end" or "1234"."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from wattmark_drivers.clock import Clock

from wattmark.core.amounts import LEAST, MOST, NotANumber, problem, read_number
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.bounds import MARKS_PER_S
from wattmark.workloads.parsers.flow import Flow

MarkerKind = Literal["begin", "end", "value"]
ArrivedKind = Literal["begin", "end", "value", "refused"]
MOST_WAITING = 100_000
"""Largest number of marks not yet taken; more are refused."""
MARK_LESS = "Have the script add up its values, or send fewer markers."
_LINE = re.compile(r"(begin|end)|(?:value\s+)?([-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?)(?:\s+(\S+))?")


@dataclass(frozen=True, slots=True)
class Marker:
    """One mark with the instant at which it arrived; ``value`` only of a "value", ``reason`` only of one refused."""

    kind: ArrivedKind
    mark: Mark
    value: float | None = None
    reason: str = ""
    unit: str = ""
    """Unit of the value, where the mark includes one."""


class RefusedValue(InputError):  # noqa: N818
    """A mark with a number that cannot be counted: work of an unknown amount was done."""


class MarkerBoard:
    """Hands marks to the run that waits for them. All methods belong to the event loop's thread."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Marker | WorkloadFailed] | None = None
        self._flow = Flow(MARKS_PER_S)

    @property
    def awaited(self) -> bool:
        """Return whether a run is waiting for marks."""
        return self._waiting is not None

    def put(self, kind: MarkerKind, mark: Mark, value: float | None = None, unit: str = "") -> None:
        """Add a mark. Raises `InputError` when no run waits for marks, when it is invalid, or when too many come.

        Too many fail the run that waits for them, because its numbers would then be incomplete.
        """
        if (value is None) != (kind != "value") or (value is not None and problem(value) is not None):
            cause = f"The marker {kind} has the value {value}."
            raise RefusedValue(cause, f"Only the marker value can have a value: 0, or {LEAST:g} to {MOST:g}.")
        self._add(Marker(kind, mark, value, unit=unit))

    def refuse(self, mark: Mark, reason: str) -> None:
        """Report uncountable work to the waiting run, if any."""
        if self._waiting is not None:
            self._add(Marker("refused", mark, reason=reason))

    def _add(self, marker: Marker) -> None:
        if self._waiting is None:
            raise InputError(
                "No run is waiting for markers.", "Start a plan whose workload reads markers, then send the marker."
            )
        if self._flow.overflows(1, marker.mark.monotonic_ns) or self._waiting.qsize() >= MOST_WAITING:
            cause = f"More than {MARKS_PER_S:,} markers per second arrived."
            self._waiting.put_nowait(WorkloadFailed(cause, MARK_LESS))
            raise InputError(cause, MARK_LESS)
        self._waiting.put_nowait(marker)

    @contextmanager
    def listen(self) -> Iterator[asyncio.Queue[Marker | WorkloadFailed]]:
        """Receive the marks that come for the length of the context. Raises `InputError` when another run waits.

        A failure among them ends the run.
        """
        if self._waiting is not None:
            raise InputError("Another run is already waiting for markers.", "Start this run after that one has ended.")
        self._waiting, self._flow = asyncio.Queue(), Flow(MARKS_PER_S)
        try:
            yield self._waiting
        finally:
            self._waiting = None


class MarkerInbox:
    """Stamps marks as they come, from routes and from the pipe, and hands them to the board."""

    def __init__(self, board: MarkerBoard, clock: Clock) -> None:
        self._board = board
        self._clock = clock

    def mark(self, kind: MarkerKind, value: float | None = None, unit: str = "") -> int:
        """Record a mark with the present instant [UTC ns]. Raises `InputError` when no run waits."""
        mark = mark_now(self._clock)
        self._board.put(kind, mark, value, unit)
        return mark.utc_ns

    def mark_line(self, line: str) -> None:
        """Read a line of the pipe; its writer gets no answer, so a number that cannot be counted fails the run."""
        try:
            self.mark(*parse_marker(line))
        except RefusedValue as error:
            self._board.refuse(mark_now(self._clock), str(error))
            raise


def parse_marker(line: str) -> tuple[MarkerKind, float | None, str]:
    """Parse a line as a script writes it: "begin", "end", "1234", "value 1234" or "1234 queries/s".

    Returns kind, value and unit; the unit is empty where the line has none.

    Raises `RefusedValue` for a number that cannot be read, `InputError` for anything else.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise InputError(f"{line.strip()[:80]!r} is not a marker.", 'Write "begin", "end" or a number such as "1234".')
    if match[1]:
        return ("begin" if match[1] == "begin" else "end"), None, ""
    try:
        return "value", read_number(match[2]), match[3] or ""
    except NotANumber as error:
        raise RefusedValue(f"The number of the marker is {error.cause}", error.remedy) from None
