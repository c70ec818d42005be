"""Marks of loads that wattmark does not start: any script can say "begin", "end" or "1234"."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from wattmark.amounts import LEAST, MOST, NotANumber, problem, read_number
from wattmark.errors import InputError
from wattmark.workloads.bounds import MARKS_PER_S
from wattmark.workloads.flow import Flow
from wattmark.workloads.marks import Mark
from wattmark.workloads.trigger import WorkloadFailed

MarkerKind = Literal["begin", "end", "value"]
ArrivedKind = Literal["begin", "end", "value", "refused"]
MOST_WAITING = 100_000
"""Marks that nobody has taken yet; more are refused."""
MARK_LESS = "Let the script add up what it marks, or mark less often."
_LINE = re.compile(r"(begin|end)|(?:value\s+)?([-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?)(?:\s+\S+)?")


@dataclass(frozen=True, slots=True)
class Marker:
    """One mark with the instant at which it arrived; ``value`` only of a "value", ``reason`` only of one refused."""

    kind: ArrivedKind
    mark: Mark
    value: float | None = None
    reason: str = ""


class RefusedValue(InputError):  # noqa: N818
    """A mark with a number that cannot be counted: work was done that nobody knows the amount of."""


class MarkerBoard:
    """Hands marks to the run that waits for them. All methods belong to the event loop's thread."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Marker | WorkloadFailed] | None = None
        self._flow = Flow(MARKS_PER_S)

    @property
    def awaited(self) -> bool:
        """Tell whether a run waits for marks now."""
        return self._waiting is not None

    def put(self, kind: MarkerKind, mark: Mark, value: float | None = None) -> None:
        """Take a mark. Raises `InputError` when no run waits for marks, when it is none, or when too many come.

        Too many fail the run that waits for them, because its numbers would then be incomplete.
        """
        if (value is None) != (kind != "value") or (value is not None and problem(value) is not None):
            cause = f"The mark {kind} came with the value {value}."
            raise RefusedValue(cause, f"Only a value has one: 0, or from {LEAST:g} to {MOST:g}.")
        self._add(Marker(kind, mark, value))

    def refuse(self, mark: Mark, reason: str) -> None:
        """Tell the run that waits, if any, that work came which it cannot count."""
        if self._waiting is not None:
            self._add(Marker("refused", mark, reason=reason))

    def _add(self, marker: Marker) -> None:
        if self._waiting is None:
            raise InputError("No run waits for marks now.", "Start a plan whose workload reads markers, then mark.")
        if self._flow.overflows(1, marker.mark.monotonic_ns) or self._waiting.qsize() >= MOST_WAITING:
            cause = f"More than {MARKS_PER_S:,} marks a second came."
            self._waiting.put_nowait(WorkloadFailed(cause, MARK_LESS))
            raise InputError(cause, MARK_LESS)
        self._waiting.put_nowait(marker)

    @contextmanager
    def listen(self) -> Iterator[asyncio.Queue[Marker | WorkloadFailed]]:
        """Receive the marks that come for the length of the context. Raises `InputError` when another run does.

        A failure among them ends the run.
        """
        if self._waiting is not None:
            raise InputError("Another run waits for marks.", "Run one of them at a time.")
        self._waiting, self._flow = asyncio.Queue(), Flow(MARKS_PER_S)
        try:
            yield self._waiting
        finally:
            self._waiting = None


def parse_marker(line: str) -> tuple[MarkerKind, float | None]:
    """Read a line as a script writes it: "begin", "end", "1234", "value 1234" or "1234 queries/s".

    Raises `RefusedValue` for a number that cannot be read, `InputError` for anything else.
    """
    found = _LINE.fullmatch(line.strip())
    if found is None:
        raise InputError(f"{line.strip()[:80]!r} is no mark.", 'Write "begin", "end" or a number such as "1234".')
    if found[1]:
        return ("begin" if found[1] == "begin" else "end"), None
    try:
        return "value", read_number(found[2])
    except NotANumber as error:
        raise RefusedValue(f"The mark's number is {error.cause}", error.remedy) from None
