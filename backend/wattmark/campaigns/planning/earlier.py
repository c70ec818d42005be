"""Estimates from earlier runs of a server: its power, and the scatter of its runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import Observation
from wattmark.analysis.comparison.forecast import RunScatter, pooled_scatter
from wattmark.comparison.compare.observation import efficiency_observation
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result

MOST_READ = 60
"""Runs of a server that are read; the newest predict the next ones best."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Power of a server under a workload [W] and the scatter of its runs; None: no runs show them."""

    power_w: float | None = None
    scatter: RunScatter | None = None
    runs: int = 0
    same_workload: bool = True


NOTHING = Earlier()


def no_runs(_server: str, _workload: str, _levels: Collection[str]) -> Earlier:
    """Return an empty estimate: no earlier run of the server counts."""
    return NOTHING


def earlier_runs(results: Evaluations, server: str, workload: str, levels: Collection[str]) -> Earlier:
    """Read power and scatter of earlier runs of a server: those at the planned levels, else others, newest first."""
    ran = [run for run in results.ran() if run.server == server]
    same = [run for run in ran if run.workload == workload]
    planned = [run for run in same if run.level in levels]
    chosen = _newest(planned or same or ran)
    return from_results([result for _, result in results.each(chosen)], same_workload=bool(same))


def from_results(results: Collection[Result], *, same_workload: bool = True) -> Earlier:
    """Summarise results of one server; runs that are not ranked by work per joule do not count."""
    groups: dict[tuple[str, str, str], list[tuple[Observation, float]]] = defaultdict(list)
    powers: list[float] = []
    for result in results:
        run = efficiency_observation(result) if why_not_ranked(result, "efficiency") is None else None
        if run is None or result.power is None or not result.window_s:
            continue
        groups[result.configuration, result.workload, result.level].append((run, result.window_s))
        powers.append(result.power.value)
    if not powers:
        return NOTHING
    return Earlier(max(powers), pooled_scatter(list(groups.values())), len(powers), same_workload)


def _newest(ran: Collection[ComparedRun]) -> list[str]:
    return [run.run_id for run in sorted(ran, key=lambda run: run.created)[-MOST_READ:]]
