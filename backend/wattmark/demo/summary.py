"""What the demo found, held against what was put into its load model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from wattmark_drivers.simulators.simulated_lab import Planted

from wattmark.appliance.queries import Queries
from wattmark.results.views import CompareOut, MemoryOut
from wattmark.runs.result import Result


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
        """Tell whether the planted watts per DIMM lie in the reported interval; None without one."""
        found = None if self.memory is None else self.memory.watts_per_dimm
        if found is None or not found.complete:
            return None
        return found.low <= self.planted.watts_per_dimm_wall <= found.high

    def as_dict(self) -> dict[str, Any]:
        """Give the summary as JSON data."""
        return {
            "results": [result.model_dump(mode="json") for result in self.results],
            "comparison": self.comparison.model_dump(mode="json") if self.comparison else None,
            "memory": self.memory.model_dump(mode="json") if self.memory else None,
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


def summarise(queries: Queries, campaign_id: str | None, server: str, planted: Planted, problems: list[str]) -> Summary:
    """Collect what a finished demo campaign found."""
    results = queries.results_of(campaign_id)
    complete = next((result for result in results if result.status == "complete"), None)
    return Summary(
        results=results,
        comparison=queries.compare(complete.workload, complete.level) if complete else None,
        memory=queries.memory(server, complete.workload, complete.level) if complete else None,
        planted=planted,
        problems=problems,
    )
