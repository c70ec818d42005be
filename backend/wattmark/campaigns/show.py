"""A plan before anything starts: its run table, how long it takes, what it leaves out, what is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from wattmark.campaigns.levels import excluded
from wattmark.campaigns.plan import expand
from wattmark.campaigns.planned import PlannedRun, steps, takes_s
from wattmark.campaigns.readiness import plan_problems
from wattmark.campaigns.skipping import fitting
from wattmark.errors import InputError
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan
from wattmark.schema import Schema


class PlannedRow(Schema):
    """One row of the run table; ``begin_s`` counts from the start of the campaign."""

    order: int
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int
    expected_s: float
    begin_s: float | None
    """None: made only if it is needed, or does not fit into the time budget."""
    together: int | None = None
    """Rows with the same number are made at the same time; None: alone."""
    remark: str = ""


class PlanView(Schema):
    """What a plan would do if it began now."""

    plan: str
    order: str
    seed: int
    rows: list[PlannedRow]
    expected_s: float
    at_most_s: float
    """With all repeats that the precision may ask for, and every rule holding as late as it may."""
    expected_end_s: float
    """Unix seconds."""
    excluded: list[str]
    missing: list[str]
    """Why it cannot start now."""


def plan_view(plan: Plan, bench: Bench, now_s: float, cpus: int | None = None) -> PlanView:
    """Describe a plan that would begin now [Unix seconds]; what hinders it stands under ``missing``."""
    count = cpus or len(os.sched_getaffinity(0))
    missing = plan_problems(plan, bench)
    try:
        runs, left_out = expand(plan, bench, count), _excluded(plan, bench, count)
    except InputError as error:
        runs, left_out, missing = [], [], [str(error), *missing]
    fits = {run.order for run in runs} if plan.time_budget_s is None else fitting(runs, plan.time_budget_s)
    rows = list(_rows(runs, fits))
    made = [run for run in runs if run.order in fits]
    expected_s = takes_s(run for run in made if not run.optional)
    longest_s = sum(max(run.at_most_s for run in step) for step in steps(made))
    return PlanView(
        plan=plan.name,
        order=plan.order,
        seed=plan.seed,
        rows=rows,
        expected_s=expected_s,
        at_most_s=longest_s if plan.time_budget_s is None else min(longest_s, max(plan.time_budget_s, expected_s)),
        expected_end_s=now_s + expected_s,
        excluded=left_out,
        missing=missing,
    )


def _rows(runs: list[PlannedRun], fits: set[int]) -> Iterator[PlannedRow]:
    begin_s = 0.0
    for step in steps(runs):
        made = step[0].order in fits and not step[0].optional
        yield from (_row(run, begin_s if made else None, fits) for run in step)
        begin_s += takes_s(step) if made else 0.0


def _row(run: PlannedRun, begin_s: float | None, fits: set[int]) -> PlannedRow:
    return PlannedRow(
        order=run.order,
        server=run.server,
        configuration=run.configuration,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        expected_s=run.expected_s,
        begin_s=begin_s,
        together=run.step if run.peers else None,
        remark=", ".join(_remarks(run, fits)),
    )


def _remarks(run: PlannedRun, fits: set[int]) -> Iterator[str]:
    if run.peers:
        yield f"together with {' and '.join(place for place in run.peers if place != run.place)}"
    if run.order not in fits:
        yield "does not fit into the time budget"
    elif run.optional:
        yield "if the precision asks for it"


def _excluded(plan: Plan, bench: Bench, cpus: int) -> list[str]:
    places, names = dict.fromkeys(plan.configurations), dict.fromkeys(plan.workloads)
    return excluded(plan, [(place, name, bench.workload(name)) for place in places for name in names], cpus)
