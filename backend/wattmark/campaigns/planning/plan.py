"""From a plan to its runs, in the order in which they will be made."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import QUIET_OVER_S
from wattmark.bench.together import side_by_side
from wattmark.campaigns.planning.levels import LevelStep, level_steps
from wattmark.campaigns.planning.planned import LEAD_S, Hands, PlannedRun, Step, steps
from wattmark.core.errors import InputError
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.declaration import Declaration

MAX_RUNS = 10_000
Unit = list[PlannedRun]
"""Runs that stay together in their order: a curve, or a single run."""


def expand(plan: Plan, bench: Bench, cpus: Mapping[str, int] | int | None = None) -> list[PlannedRun]:
    """List the runs of a plan. In random blocks, and up and down, all runs of a repeat come together; else those of a
    configuration, so that modules are changed once. Runs that are made at the same time follow one another.

    ``cpus`` is the number that "all" denotes, by server; None: the CPUs of this machine. The levels of a sweep with
    a stop rule, and graduated levels, are never shuffled. Raises `InputError` when a workload cannot be brought to a
    level of the plan, when everything is excluded, or when there are more than 10000 runs.
    """
    if plan.together:
        blocks = [_joint_units(_blocks(plan, bench, group, cpus)) for group in side_by_side(plan.configurations)]
    else:
        blocks = _blocks(plan, bench, plan.configurations, cpus)
    size = sum(len(unit) for block in blocks for unit in block)
    if size > MAX_RUNS:
        raise InputError(f"Plan {plan.name} has more than {MAX_RUNS} runs.", "Split the plan.")
    if size == 0:
        raise InputError(f"Plan {plan.name} excludes all of its runs.", "Remove an entry from exclude.")
    ordered = _in_order([block for block in blocks if block], plan)
    return _with_hands([replace(run, order=order) for order, run in enumerate(ordered)], plan, bench)


def _with_hands(runs: list[PlannedRun], plan: Plan, bench: Bench) -> list[PlannedRun]:
    """Mark the runs that need an operator's action first: at the start of a block, or of a further repeat within it."""
    return [
        replace(run, hands=_hands(run, first=first, repeats=repeats, plan=plan, bench=bench))
        for _, block in groupby(runs, key=lambda run: run.places)
        for first, repeats, step in _numbered(block)
        for run in step
    ]


def _numbered(block: Iterable[PlannedRun]) -> Iterator[tuple[bool, bool, Step]]:
    """Iterate over the steps of a block: whether it is the first, whether its repeat is another than the one before."""
    before: int | None = None
    for step in steps(block):
        yield before is None, before is not None and step[0].repeat != before, step
        before = step[0].repeat


def _hands(run: PlannedRun, *, first: bool, repeats: bool, plan: Plan, bench: Bench) -> Hands | None:
    server, _ = bench.configuration(run.place)
    if first and server.prepare == "manual":
        return "install"
    return plan.between_repeats if repeats and plan.between_repeats != "nothing" else None


def _blocks(
    plan: Plan, bench: Bench, references: Sequence[str], cpus: Mapping[str, int] | int | None
) -> list[list[Unit]]:
    return [list(_block(plan, bench, reference, _count(cpus, reference))) for reference in dict.fromkeys(references)]


def _count(cpus: Mapping[str, int] | int | None, reference: str) -> int:
    if isinstance(cpus, Mapping):
        cpus = cpus.get(reference.partition("/")[0])
    return cpus or len(os.sched_getaffinity(0))


def _in_order(blocks: list[list[Unit]], plan: Plan) -> list[PlannedRun]:
    """Order the runs, given by configuration; the same seed gives the same order."""
    if plan.between_repeats != "nothing":
        for block in blocks:
            block.sort(key=lambda unit: unit[0].repeat)
    if plan.order == "as-listed":
        return _joined(blocks)
    chance = random.Random(plan.seed)  # noqa: S311 - an order of runs, no secret
    if plan.order == "random":
        return _joined(_shuffled(blocks, chance, by_repeat=plan.between_repeats != "nothing"))
    rounds = range(1, plan.most_repeats + 1)
    by_repeat = [[[unit for unit in block if unit[0].repeat == repeat] for block in blocks] for repeat in rounds]
    if plan.order == "up-and-down":
        return [run for i, blocks in enumerate(by_repeat) for run in _joined(_back(blocks, plan) if i % 2 else blocks)]
    ordered: list[PlannedRun] = []
    for blocks in by_repeat:
        ordered += _joined(_fitted_anew(_shuffled(blocks, chance), ordered, chance))
    return ordered


def _back(blocks: list[list[Unit]], plan: Plan) -> list[list[Unit]]:
    """Return configurations, and the power settings within each, in the opposite order."""
    place = {variant: number for number, variant in enumerate(plan.variants)}
    return [sorted(block, key=lambda unit: -place[unit[0].settings]) for block in blocks[::-1]]


def _fitted_anew(blocks: list[list[Unit]], before: Sequence[PlannedRun], chance: random.Random) -> list[list[Unit]]:
    """Exchange a first configuration that the runs before end with, so that every repeat of it is fitted anew."""
    if before and len(blocks) > 1 and blocks[0] and blocks[0][0][0].places == before[-1].places:
        other = chance.randrange(1, len(blocks))
        blocks[0], blocks[other] = blocks[other], blocks[0]
    return blocks


def _shuffled(blocks: list[list[Unit]], chance: random.Random, *, by_repeat: bool = False) -> list[list[Unit]]:
    """Shuffle the blocks and each block; repeats that only the precision may ask for come after the others.

    With ``by_repeat`` all runs of a repeat come before those of the next, so that servers are touched once in between.
    """
    chance.shuffle(blocks)
    for block in blocks:
        chance.shuffle(block)
        block.sort(key=lambda unit: unit[0].repeat if by_repeat or unit[0].optional else 0)
    return blocks


def _joined(blocks: list[list[Unit]]) -> list[PlannedRun]:
    return [run for block in blocks for unit in block for run in unit]


def _block(plan: Plan, bench: Bench, reference: str, cpus: int) -> Iterator[Unit]:
    """Iterate over the units of one configuration: single runs with their repeats, or one curve after the other; all
    levels of a workload under the same power settings follow one another.
    """
    for name in dict.fromkeys(plan.workloads):
        declaration = bench.workload(name)
        steps = level_steps(plan, reference, name, declaration, cpus)
        graduated = any(step.task != "measure" for step in steps)
        curves = [steps] if plan.stop or graduated else [[step] for step in steps]
        for variant in plan.variants:
            for curve in filter(None, curves):
                for repeat in range(1, plan.most_repeats + 1):
                    yield [_run(plan, reference, name, declaration, step, repeat, variant) for step in curve]


def _run(
    plan: Plan,
    reference: str,
    name: str,
    declaration: Declaration,
    step: LevelStep,
    repeat: int,
    settings: PowerSettings,
) -> PlannedRun:
    server, _, configuration = reference.partition("/")
    idle = step.task == "idle"
    return PlannedRun(
        order=0,
        server=server,
        configuration=configuration,
        workload=name,
        level=step.text,
        level_value=step.value,
        repeat=repeat,
        expected_s=idle_run_s(plan) if idle else expected_s(plan, declaration),
        phases=_idle_phases(plan) if idle else _loaded_phases(plan, declaration),
        at_most_s=idle_run_s(plan) if idle else at_most_s(plan, declaration),
        task=step.task,
        percent=step.percent,
        at_full=step.at_full,
        optional=repeat > plan.repeats,
        settings=settings,
    )


def _joint_units(members: Sequence[Sequence[Unit]]) -> list[Unit]:
    """Join the units of the configurations of a group, one list of units for each.

    Raises `InputError` when the members of a group have different levels.
    """
    peers = tuple(units[0][0].place for units in members if units)
    _must_match(members)
    return [list(_side_by_side(units, peers)) for units in zip(*members, strict=True)]


def _side_by_side(units: Sequence[Unit], peers: tuple[str, ...]) -> Iterator[PlannedRun]:
    for runs in zip(*units, strict=True):
        yield from (replace(run, peers=peers) for run in runs)


def _must_match(members: Sequence[Sequence[Unit]]) -> None:
    rows = [[run for unit in units for run in unit] for units in members]
    if all(len(row) == len(rows[0]) and all(map(_alike, row, rows[0])) for row in rows):
        return
    shown = "; ".join(f"{row[0].place}: {', '.join(dict.fromkeys(run.level for run in row))}" for row in rows if row)
    cause = f"The plan starts servers with different levels together ({shown})."
    raise InputError(cause, "Use levels that all of them have, and exclude the same runs for each.")


def _alike(run: PlannedRun, other: PlannedRun) -> bool:
    """Return whether two runs do the same; the number that "all" denotes may differ from server to server."""
    same_level = run.level == other.level or (run.at_full and other.at_full)
    same_task = (run.task, run.percent) == (other.task, other.percent)
    return same_level and same_task and (run.workload, run.repeat) == (other.workload, other.repeat)


def expected_s(plan: Plan, declaration: Declaration) -> float:
    """Compute how long one run takes [s] when rules hold as early as they may; a lead-in counts towards settling."""
    wait_s = LEAD_S if plan.together else 0.0
    return _quiet_s(plan) + wait_s + _sum_s(_loaded_phases(plan, declaration))


def at_most_s(plan: Plan, declaration: Declaration) -> float:
    """Compute how long one run takes [s] when rules hold as late as they may."""
    settle_s = (
        _settle_s(plan, declaration, plan.settle.at_most_s) - _settle_s(plan, declaration) if plan.settle else 0.0
    )
    quiet_s = plan.quiet.at_most_s - _quiet_s(plan) if plan.quiet else 0.0
    rest_s = plan.cool_down.at_most_s if plan.cool_down else 0.0
    return expected_s(plan, declaration) + settle_s + rest_s + quiet_s


def idle_run_s(plan: Plan) -> float:
    """Compute how long an interval of active idle takes [s]."""
    return _quiet_s(plan) + _sum_s(_idle_phases(plan))


Phases = tuple[tuple[PhaseName, float], ...]


def _idle_phases(plan: Plan) -> Phases:
    return _lasting((PhaseName.IDLE, plan.idle_s), (PhaseName.MEASURE, plan.active_idle_s))


def _loaded_phases(plan: Plan, declaration: Declaration) -> Phases:
    return _lasting(
        (PhaseName.IDLE, plan.idle_s),
        (PhaseName.SYNC, sum(plan.sync_pulses_s) if plan.sync_pattern else 0.0),
        (PhaseName.RAMP, plan.ramp_s),
        (PhaseName.SETTLE, _settle_s(plan, declaration)),
        (PhaseName.MEASURE, sum(declaration.slices(plan.measure_s))),
        (PhaseName.HOLD, plan.hold_s),
        (PhaseName.COOL_DOWN, plan.cool_down_s),
        (PhaseName.IDLE, plan.idle_after_s),
    )


def _lasting(*phases: tuple[PhaseName, float]) -> Phases:
    return tuple((name, seconds) for name, seconds in phases if seconds > 0)


def _sum_s(phases: Phases) -> float:
    return sum(seconds for _, seconds in phases)


def _settle_s(plan: Plan, declaration: Declaration, by_rule_s: float | None = None) -> float:
    """Return how long a run settles [s], by default as short as its rule allows; a lead-in counts towards it."""
    if by_rule_s is None:
        by_rule_s = plan.settle.at_least_s if plan.settle else plan.settle_s
    return max(by_rule_s, declaration.lead_in_s(plan.measure_s))


def _quiet_s(plan: Plan) -> float:
    """Return how long a quiet server is observed before a run [s]."""
    return min(QUIET_OVER_S, plan.quiet.at_most_s) if plan.quiet else 0.0
