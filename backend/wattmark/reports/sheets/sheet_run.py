"""A run as sheets ask about it: record, result, and figures of a span of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from wattmark.core.quantity import Quantity
from wattmark.results.apparent import ApparentPower
from wattmark.results.meters import result_meters
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.result import Result
from wattmark.runs.configuration import RecordedConfiguration
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, RunRecord

State = Literal["idle", "loaded"]
NS = 1e9


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """What is known about an entry: a text or a number with its U95; ``why`` says why there is none."""

    value: str | float | None = None
    U95: float | None = None
    unit: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class SheetPhase:
    """A part of a run: begin and end [ns since 1970 UTC], mean power, apparent power and power factor."""

    state: State
    begin_ns: int
    end_ns: int
    power: Quantity | None
    apparent: ApparentPower
    notes: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """Return its length [s]."""
        return (self.end_ns - self.begin_ns) / NS


@dataclass(frozen=True)
class SheetRun:
    """A run with its result; ``nodes`` is how many nodes the whole machine has, where somebody says."""

    run: RunRecord
    result: Result
    pages: RunPages
    nodes: int | None = None

    @property
    def snapshot(self) -> RecordedConfiguration:
        """Return the configuration as it was recorded."""
        return self.run.configuration_snapshot

    @property
    def submission(self) -> Mapping[str, Any]:
        """Return what the submitter of an imported result says about its system; empty for others."""
        return self.snapshot.submission or {}

    @cached_property
    def meters(self) -> list[MeterRecord]:
        """List the meters whose power makes the result."""
        return result_meters(self.run)

    @property
    def at_the_wall(self) -> bool:
        """Return whether wall meters measure all supplies."""
        return bool(self.meters) and all(meter.role == "wall" and not meter.partial for meter in self.meters)

    @cached_property
    def core(self) -> tuple[int, int] | None:
        """Return begin and end of the marked work [ns since 1970 UTC]."""
        begin, end = self.run.window_begin_ns, self.run.window_end_ns
        return None if begin is None or end is None or end <= begin else (begin, end)

    @cached_property
    def idle(self) -> tuple[int, int] | None:
        """Return begin and end of the longest idle phase [ns since 1970 UTC]."""
        closed = [(p.begin_ns, p.end_ns) for p in self.run.phases if p.name is PhaseName.IDLE and p.end_ns is not None]
        idle = [(begin, end) for begin, end in closed if end > begin]
        return max(idle, key=lambda span: span[1] - span[0], default=None)

    def phase(self, state: State) -> SheetPhase | None:
        """Evaluate the idle phase, or the marked work; None where the run has none."""
        return self._phases.get(state)

    @cached_property
    def _phases(self) -> dict[State, SheetPhase]:
        spans: dict[State, tuple[int, int] | None] = {"idle": self.idle, "loaded": self.core}
        return {state: self._phase(state, *span) for state, span in spans.items() if span is not None}

    def _phase(self, state: State, begin_ns: int, end_ns: int) -> SheetPhase:
        power, notes = self.power_of(begin_ns, end_ns)
        apparent = self.pages.apparent(self.run.run_id, begin_ns / NS, end_ns / NS, power)
        return SheetPhase(state, begin_ns, end_ns, power, apparent, notes)

    def power_of(self, begin_ns: int, end_ns: int) -> tuple[Quantity | None, tuple[str, ...]]:
        """Evaluate mean power over a span [W], with the notes that say why it has no value or no ±."""
        span = self.pages.span(self.run.run_id, begin_ns / NS, end_ns / NS)
        return span.server.power, tuple(span.server.notes)
