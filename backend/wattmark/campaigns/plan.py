"""From a plan to its runs, in the order in which they will be made."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from wattmark.campaigns.readiness import plan_problem
from wattmark.errors import InputError
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Level, Plan
from wattmark.inventory.views import PlanOut
from wattmark.workloads.declaration import Declaration

MAX_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One configuration x workload x level x repeat."""

    order: int
    server: str
    configuration: str
    workload: str
    level: str
    """As results show it: "4 processes"."""
    level_value: int | None
    """None where the workload has no levels."""
    repeat: int
    expected_s: float


def expand(plan: Plan, bench: Bench, cpus: int | None = None) -> list[PlannedRun]:
    """List the runs of a plan. All runs of a configuration come together, so that modules are changed once, unless
    the order is blocked: then all runs of a repeat do.

    ``cpus`` is the number that "all" stands for; None: the CPUs of this machine. Raises `InputError` when a workload
    cannot be brought to a level of the plan or when there are more than 10000 runs.
    """
    count = cpus or len(os.sched_getaffinity(0))
    blocks = [list(_block(plan, bench, reference, count)) for reference in dict.fromkeys(plan.configurations)]
    if sum(map(len, blocks)) > MAX_RUNS:
        raise InputError(f"Plan {plan.name} has more than {MAX_RUNS} runs.", "Split it.")
    ordered = _in_order(blocks, plan)
    return [replace(run, order=order) for order, run in enumerate(ordered)]


def _in_order(blocks: list[list[PlannedRun]], plan: Plan) -> list[PlannedRun]:
    """Order the runs, given by configuration; the same seed gives the same order."""
    if plan.order == "as-listed":
        return [run for block in blocks for run in block]
    chance = random.Random(plan.seed)  # noqa: S311 - an order of runs, no secret
    if plan.order == "random":
        return _shuffled(blocks, chance)
    rounds = range(1, plan.repeats + 1)
    by_repeat = [[[run for run in block if run.repeat == repeat] for block in blocks] for repeat in rounds]
    return [run for one_round in by_repeat for run in _shuffled(one_round, chance)]


def _shuffled(blocks: list[list[PlannedRun]], chance: random.Random) -> list[PlannedRun]:
    chance.shuffle(blocks)
    for block in blocks:
        chance.shuffle(block)
    return [run for block in blocks for run in block]


def expected_s(plan: Plan, declaration: Declaration) -> float:
    """Compute how long one run takes [s]; a lead-in at full load counts towards settling."""
    settle_s = max(plan.settle_s, declaration.lead_in_s(plan.measure_s))
    return plan.idle_s + settle_s + sum(declaration.slices(plan.measure_s)) + plan.hold_s + plan.cool_down_s


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
        expected_s=sum(run.expected_s for run in runs),
        hot_servers=sorted({reference.partition("/")[0] for reference in plan.configurations}),
        problem=problem,
    )


def _block(plan: Plan, bench: Bench, reference: str, cpus: int) -> Iterator[PlannedRun]:
    server, configuration = bench.configuration(reference)
    for name in dict.fromkeys(plan.workloads):
        declaration = bench.workload(name)
        for value in dict.fromkeys(_level(level, declaration, cpus) for level in plan.levels):
            for repeat in range(1, plan.repeats + 1):
                yield PlannedRun(
                    order=0,
                    server=server.id,
                    configuration=configuration.id,
                    workload=name,
                    level=declaration.level_text(value),
                    level_value=value,
                    repeat=repeat,
                    expected_s=expected_s(plan, declaration),
                )


def _level(level: Level, declaration: Declaration, cpus: int) -> int | None:
    rule = declaration.level
    if rule is None:
        if level != "all":
            cause = f"The workload {declaration.id} has no levels, but the plan asks for {level}."
            raise InputError(cause, "Give the workload a level, or the plan levels: [all].")
        return None
    if level == "all":
        return rule.full(cpus)
    return level
