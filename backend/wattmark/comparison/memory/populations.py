"""Own and published results as observations of a memory population, for the model over servers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.parts.population_model import Observation, Population
from wattmark.comparison.compare.observation import counted_run, idle_run
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.memory.module_words import kind_by_speed, kind_of, ranks_of, speed_of
from wattmark.comparison.memory.published_memory import server_of
from wattmark.comparison.parts.line import counted_runs
from wattmark.comparison.published.imported_groups import IDLE, level_name
from wattmark.comparison.published.published_result import PublishedSummary
from wattmark.comparison.published.rounding import printed_interval
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class Seen:
    """Results of one load level as observations: of power [W], and of the logarithm of work per joule."""

    power: tuple[Observation, ...]
    efficiency: tuple[Observation, ...]
    excluded: int
    """Results whose memory is not told well enough, or that have no power at this level."""
    simulated: bool = False
    """Whether the power is that of load models."""
    traceable: bool = False
    """Whether every power is; published ones are not."""
    newest: int | None = None
    """So many runs of each configuration were read, the newest ones; None: all."""


NEWEST_RUNS = 3
"""Runs of each configuration that count: there may be thousands, and servers differ by more than runs of one do."""


def with_populations(ran: Iterable[ComparedRun], most: int = NEWEST_RUNS) -> tuple[list[str], int | None]:
    """List the complete runs of servers with several configurations of known modules, at most so many newest of each.

    ``ran`` is in the order of time. The second is ``most`` where there are more runs than that, else None.
    """
    servers: dict[str, dict[str, list[str]]] = {}
    for run in ran:
        if run.dimm_count is not None and run.status == "complete":
            servers.setdefault(run.server, {}).setdefault(run.configuration, []).append(run.run_id)
    changed = [configurations.values() for configurations in servers.values() if len(configurations) > 1]
    several = [runs for configurations in changed for runs in configurations]
    more = any(len(runs) > most for runs in several)
    return [run_id for runs in several for run_id in runs[-most:]], most if more else None


def published_seen(results: Iterable[PublishedSummary], level: str) -> Seen:
    """Observe the published results of one load level: one node, one kind and size of modules, in a known number."""
    power: list[Observation] = []
    efficiency: list[Observation] = []
    excluded = 0
    for result in results:
        memory = _published_population(result)
        printed = next((each for each in result.levels if level_name(each.target_pct) == level), None)
        if memory is None or printed is None or not printed.power_w > 0:
            excluded += 1
            continue
        server, watts = server_of(result), printed_interval(printed.power_w)
        power.append(Observation(server, memory, watts.value, watts.u))
        if printed.ops_per_s > 0:
            work = math.log(printed.ops_per_s / watts.value)
            efficiency.append(Observation(server, memory, work, watts.u / watts.value))
    return Seen(tuple(power), tuple(efficiency), excluded)


def _published_population(result: PublishedSummary) -> Population | None:
    memory = result.memory
    kind = kind_of(memory.details, memory.kind)
    if kind is None or not memory.modules or memory.module_gib is None or memory.doubt or result.nodes not in (None, 1):
        return None
    ranks = ranks_of(memory.details)
    return Population(
        kind=kind,
        modules=memory.modules,
        gib=memory.modules * memory.module_gib,
        ranks=None if ranks is None else float(memory.modules * ranks),
        speed_mts=speed_of(memory.details),
    )


def own_seen(results: Sequence[Result], records: Mapping[str, RunRecord], level: str) -> Seen:
    """Observe own runs: those of one workload and level, or the idle phases of all where ``level`` is active idle.

    Measured runs alone where there are any, as for the line of one server.
    """
    counted = counted_runs(results, DIMMS)
    power: list[Observation] = []
    efficiency: list[Observation] = []
    excluded = len(results) - len(counted)
    for r in counted:
        memory = _own_population(r, records.get(r.run_id))
        run = (idle_run if level == IDLE else counted_run)(r, r.dimm_count)
        if memory is None or run is None:
            excluded += 1
            continue
        power.append(Observation(r.server, memory, run.value, run.within or 0.0))
        if level != IDLE and r.efficiency is not None and r.efficiency.value > 0:
            efficiency.append(Observation(r.server, memory, math.log(r.efficiency.value)))
    return Seen(
        tuple(power), tuple(efficiency), excluded, any(r.simulated for r in counted), all(r.traceable for r in counted)
    )


def _own_population(r: Result, record: RunRecord | None) -> Population | None:
    """Return what a run had in its slots; None unless all modules are of one kind that its type and speed tell."""
    modules = () if record is None else record.configuration_snapshot.fitted
    kinds = {kind_by_speed(module.type, module.speed_mts) for module in modules}
    sizes = [module.capacity_gib for module in modules if module.capacity_gib]
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is None or len(sizes) != len(modules) or len(modules) != r.dimm_count:
        return None
    ranks = [module.ranks for module in modules if module.ranks]
    speeds = {module.speed_mts for module in modules}
    speed = speeds.pop() if len(speeds) == 1 else None
    return Population(
        kind=kind,
        modules=len(modules),
        gib=float(sum(sizes)),
        ranks=float(sum(ranks)) if len(ranks) == len(modules) else None,
        speed_mts=None if speed is None else float(speed),
    )


def joined(own: Seen, published: Seen) -> Seen:
    """Join measured and published observations; simulated ones are used where there is nothing else."""
    if own.simulated and published.power:
        return published
    return Seen(
        (*own.power, *published.power),
        (*own.efficiency, *published.efficiency),
        own.excluded + published.excluded,
        own.simulated,
        own.traceable and not published.power,
        own.newest,
    )
