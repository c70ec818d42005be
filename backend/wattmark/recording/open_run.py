"""A run being recorded: its sources and their problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(slots=True)
class OpenRun:
    """A run between begin and end. Stamps are UTC nanoseconds."""

    run_id: str
    server: str
    sources: frozenset[str]
    begin_ns: int
    heard: set[str] = field(default_factory=set)
    overflowed: int = 0
    faults: list[str] = field(default_factory=list)

    def note_gap(self, source: str, begin_ns: int, end_ns: int, problem: str) -> None:
        """Note that a source did not answer from ``begin_ns`` (or the run's begin) to ``end_ns``."""
        since_ns = max(begin_ns, self.begin_ns)
        since = datetime.fromtimestamp(since_ns * 1e-9, UTC).strftime("%H:%M:%S")
        self.faults.append(
            f"{source} did not answer for {(end_ns - since_ns) * 1e-9:.1f} s from {since} UTC: {problem}"
        )

    def note_fault(self, fault: str) -> None:
        if fault not in self.faults:
            self.faults.append(fault)

    def problems(self) -> list[str]:
        """List the problems that a reader of this run must know; empty without any."""
        lost = f"{self.overflowed} samples were lost: they could not be saved for too long."
        return [*self.faults, *([lost] if self.overflowed else [])]
