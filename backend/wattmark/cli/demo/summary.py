"""What the demo found, held against what was put into its load model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from wattmark_drivers.simulators.simulated_lab import Planted

from wattmark.cli.flat_json import flat
from wattmark.comparison.compare.views import CompareOut, MemoryOut
from wattmark.comparison.comparisons import Comparisons
from wattmark.results.result import Result


@dataclass(frozen=True, slots=True)
class Summary:
    """Results, comparison and watts per DIMM of the demo's campaign."""

    results: list[Result]
    comparison: CompareOut | None
    memory: MemoryOut | None
    planted: Planted
    problems: list[str]

    @property
    def planted_inside(self) -> bool | None:
        """Return whether the planted watts per DIMM lie in the reported interval; None without one."""
        estimate = None if self.memory is None else self.memory.watts_per_dimm
        if estimate is None or not estimate.complete:
            return None
        return estimate.low <= self.planted.watts_per_dimm_wall <= estimate.high

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON data."""
        return {
            "results": flat(self.results),
            "comparison": flat(self.comparison),
            "memory": flat(self.memory),
            "planted": asdict(self.planted),
            "planted_inside": self.planted_inside,
            "problems": self.problems,
        }

    def lines(self) -> Iterator[str]:
        """Say it in words."""
        if self.comparison:
            yield self.comparison.statement
        if self.memory:
            yield self.memory.statement
        if self.planted_inside is not None:
            where = "inside" if self.planted_inside else "outside"
            wall, dc = self.planted.watts_per_dimm_wall, self.planted.watts_per_dimm_dc
            yield f"Put into the load model: {dc:.2f} W per DIMM (DC), {wall:.2f} W at the wall: {where} the interval."


def summarise(
    results: list[Result], comparisons: Comparisons, server: str, planted: Planted, problems: list[str]
) -> Summary:
    """Collect what a finished demo campaign found."""
    complete = next((result for result in results if result.status == "complete"), None)
    return Summary(
        results=results,
        comparison=comparisons.compare(complete.workload, complete.level) if complete else None,
        memory=comparisons.memory(server, complete.workload, complete.level) if complete else None,
        planted=planted,
        problems=problems,
    )
