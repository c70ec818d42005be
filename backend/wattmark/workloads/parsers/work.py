"""What a load has done, by its own marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from wattmark.core.amounts import problem
from wattmark.core.errors import WorkloadFailed
from wattmark.runs.record import ResponseTime, StatedFigure, ThroughputInterval
from wattmark.workloads.marks import Mark


@dataclass(frozen=True, slots=True)
class MarkedWork:
    """Work done between the workload's own begin and end marks.

    ``intervals`` lie inside [begin, end]; ``stated_rate`` [unit/s] is set instead where the program states only that.
    ``edge_s`` bounds by how much an interval's edge may be off: the spread of the processes' marks.
    """

    begin: Mark
    end: Mark
    intervals: tuple[ThroughputInterval, ...] = ()
    stated_rate: float | None = None
    edge_s: float = 0.0
    response: tuple[ResponseTime, ...] = ()
    cpu_s: float | None = None
    """CPU time that the load had between its marks [s]; None where it cannot be told."""
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    """The program's own account of itself and of how it measured."""
    beside: tuple[StatedFigure, ...] = ()
    """Other work that the program counted in the window, such as the prompts that a language model read."""
    remarks: tuple[str, ...] = ()
    """What of its output was missing, came twice or could not be read, in words for the notes of the run."""

    @property
    def duration_s(self) -> float:
        """Compute the length of the window [s]."""
        return self.end.since(self.begin)

    @property
    def gap_s(self) -> float:
        """Compute how long within the window no interval was counted [s]."""
        counted = sum(interval.end_ns - interval.begin_ns for interval in self.intervals) / 1e9
        return max(0.0, self.duration_s - counted) if self.intervals else 0.0


SoFar = Callable[[], MarkedWork | None]
"""Reports the work done until now; None while that is unknown."""


def interval(begin: Mark, end: Mark, amount: float) -> ThroughputInterval:
    """Build an interval of work. Raises `WorkloadFailed` for what cannot be an amount of work."""
    if (why := problem(amount)) is not None:
        cause = f"The work of an interval comes to {amount:g}, which is not an amount of work: it {why}."
        raise WorkloadFailed(cause, "Check the program, and the parser's pattern and scale.")
    return ThroughputInterval(begin_ns=begin.utc_ns, end_ns=end.utc_ns, amount=amount)


def join(parts: Sequence[MarkedWork]) -> MarkedWork:
    """Join slices that ran back to back into one window; the gaps between them stay in it.

    Where a slice states a rate only, its amount is that rate for the length of the slice.
    """
    if len(parts) == 1:
        return parts[0]
    cpu = [part.cpu_s for part in parts if part.cpu_s is not None]
    return MarkedWork(
        begin=parts[0].begin,
        end=parts[-1].end,
        intervals=tuple(item for part in parts for item in _intervals(part)),
        edge_s=max(part.edge_s for part in parts),
        response=tuple(item for part in parts for item in part.response),
        cpu_s=sum(cpu) if len(cpu) == len(parts) else None,
        facts=parts[-1].facts,
        remarks=tuple(dict.fromkeys(remark for part in parts for remark in part.remarks)),
    )


def _intervals(part: MarkedWork) -> tuple[ThroughputInterval, ...]:
    if part.stated_rate is None:
        return part.intervals
    return (interval(part.begin, part.end, part.stated_rate * part.duration_s),)
