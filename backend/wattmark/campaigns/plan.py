"""From a plan to its runs, in the order in which they will be made."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wattmark.campaigns.duration import at_most_s, expected_s, idle_run_s
from wattmark.campaigns.joint import Unit, joint_units
from wattmark.campaigns.levels import LevelStep, level_steps
from wattmark.campaigns.planned import PlannedRun, takes_s
from wattmark.campaigns.readiness import plan_problem
from wattmark.errors import InputError
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan
from wattmark.inventory.together import side_by_side
from wattmark.inventory.views import PlanOut
from wattmark.workloads.declaration import Declaration

__all__ = ["PlannedRun", "expand", "plan_out"]

MAX_RUNS = 10_000


def expand(plan: Plan, bench: Bench, cpus: Mapping[str, int] | int | None = None) -> list[PlannedRun]:
    """List the runs of a plan. All runs of a configuration come together, so that modules are changed once, unless
    the order is blocked: then all runs of a repeat do. Runs that are made at the same time follow one another.

    ``cpus`` is the number that "all" stands for, by server; None: the CPUs of this machine. The levels of a sweep with
    a stop rule, and graduated levels, are never shuffled. Raises `InputError` when a workload cannot be brought to a
    level of the plan, when everything is excluded, or when there are more than 10000 runs.
    """
    if plan.together:
        blocks = [joint_units(_blocks(plan, bench, group, cpus)) for group in side_by_side(plan.configurations)]
    else:
        blocks = _blocks(plan, bench, plan.configurations, cpus)
    size = sum(len(unit) for block in blocks for unit in block)
    if size > MAX_RUNS:
        raise InputError(f"Plan {plan.name} has more than {MAX_RUNS} runs.", "Split it.")
    if size == 0:
        raise InputError(f"Plan {plan.name} excludes all of its runs.", "Take something out of exclude.")
    ordered = _in_order([block for block in blocks if block], plan)
    return [replace(run, order=order) for order, run in enumerate(ordered)]


def _blocks(
    plan: Plan, bench: Bench, references: Sequence[str], cpus: Mapping[str, int] | int | None
) -> list[list[Unit]]:
    return [list(_block(plan, bench, one, _count(cpus, one))) for one in dict.fromkeys(references)]


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
        return _shuffled(blocks, chance, by_repeat=plan.between_repeats != "nothing")
    rounds = range(1, plan.most_repeats + 1)
    by_repeat = [[[unit for unit in block if unit[0].repeat == repeat] for block in blocks] for repeat in rounds]
    return [run for one_round in by_repeat for run in _shuffled(one_round, chance)]


def _shuffled(blocks: list[list[Unit]], chance: random.Random, *, by_repeat: bool = False) -> list[PlannedRun]:
    """Shuffle the blocks and each block; repeats that only the precision may ask for come after the others.

    With ``by_repeat`` all runs of a repeat come before those of the next, so that servers are touched once in between.
    """
    chance.shuffle(blocks)
    for block in blocks:
        chance.shuffle(block)
        block.sort(key=lambda unit: unit[0].repeat if by_repeat or unit[0].optional else 0)
    return _joined(blocks)


def _joined(blocks: list[list[Unit]]) -> list[PlannedRun]:
    return [run for block in blocks for unit in block for run in unit]


def plan_out(plan: Plan, bench: Bench) -> PlanOut:
    """Describe a plan: its size, its duration, and why it cannot start now, if so."""
    runs: list[PlannedRun] = []
    try:
        runs = expand(plan, bench)
        problem = plan_problem(plan, bench)
    except InputError as error:
        problem = str(error)
    return PlanOut(
        name=plan.name,
        configurations=list(plan.configurations),
        workloads=list(plan.workloads),
        repeats=plan.repeats,
        runs=len(runs),
        expected_s=takes_s(run for run in runs if not run.optional),
        hot_servers=sorted({reference.partition("/")[0] for reference in plan.configurations}),
        problem=problem,
    )


def _block(plan: Plan, bench: Bench, reference: str, cpus: int) -> Iterator[Unit]:
    """Walk the units of one configuration: single runs with their repeats, or one curve after the other."""
    for name in dict.fromkeys(plan.workloads):
        declaration = bench.workload(name)
        steps = level_steps(plan, reference, name, declaration, cpus)
        graduated = any(step.task != "measure" for step in steps)
        curves = [steps] if plan.stop or graduated else [[step] for step in steps]
        for curve in curves:
            for repeat in range(1, plan.most_repeats + 1):
                if curve:
                    yield [_run(plan, reference, name, declaration, step, repeat) for step in curve]


def _run(plan: Plan, reference: str, name: str, declaration: Declaration, step: LevelStep, repeat: int) -> PlannedRun:
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
        at_most_s=idle_run_s(plan) if idle else at_most_s(plan, declaration),
        task=step.task,
        percent=step.percent,
        at_full=step.at_full,
        optional=repeat > plan.repeats,
    )
