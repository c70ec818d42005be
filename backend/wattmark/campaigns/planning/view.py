"""A plan before anything starts: its run table, how long it takes, what it excludes, what is missing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from wattmark_drivers.clock import Clock

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.views import PlanOut
from wattmark.campaigns.planning.levels import excluded
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import PlannedRun, TableRow, steps, takes_s
from wattmark.campaigns.planning.readiness import plan_problem, plan_problems
from wattmark.campaigns.planning.time_budget import fitting
from wattmark.core.errors import InputError, NotFound
from wattmark.core.schema import Schema


class PlannedRow(TableRow):
    """One row of the run table; ``begin_s`` counts from the start of the campaign."""

    expected_s: float
    begin_s: float | None
    """None: made only if it is needed, or does not fit into the time budget."""
    remark: str = ""


class PlanView(Schema):
    """What a plan would do if started now."""

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
    """Describe a plan that would begin now [Unix seconds]; obstacles are listed under ``missing``."""
    count = cpus or len(os.sched_getaffinity(0))
    missing = plan_problems(plan, bench)
    try:
        runs, excluded = expand(plan, bench, count), _excluded(plan, bench, count)
    except InputError as error:
        runs, excluded, missing = [], [], [str(error), *missing]
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
        excluded=excluded,
        missing=missing,
    )


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
        hot_servers=sorted(plan.servers),
        problem=problem,
        calendar=plan.schedule.calendar if plan.schedule else None,
        reference=plan.reference is not None,
    )


def _rows(runs: list[PlannedRun], fits: set[int]) -> Iterator[PlannedRow]:
    begin_s = 0.0
    for step in steps(runs):
        made = step[0].order in fits and not step[0].optional
        yield from (_row(run, begin_s if made else None, fits) for run in step)
        begin_s += takes_s(step) if made else 0.0


def _row(run: PlannedRun, begin_s: float | None, fits: set[int]) -> PlannedRow:
    remark = ", ".join(_remarks(run, fits))
    return PlannedRow(**dict(run.row), expected_s=run.expected_s, begin_s=begin_s, remark=remark)


def _remarks(run: PlannedRun, fits: set[int]) -> Iterator[str]:
    if run.peers:
        yield f"together with {' and '.join(place for place in run.peers if place != run.place)}"
    if run.order not in fits:
        yield "does not fit into the time budget"
    elif run.optional:
        yield "only if the precision is not reached"


def _excluded(plan: Plan, bench: Bench, cpus: int) -> list[str]:
    places, names = dict.fromkeys(plan.configurations), dict.fromkeys(plan.workloads)
    return excluded(plan, [(place, name, bench.workload(name)) for place in places for name in names], cpus)


class Plans:
    """The plans of the bench in force, as they would run if they began now."""

    def __init__(self, bench: Callable[[], Bench], clock: Clock) -> None:
        self._bench = bench
        self._clock = clock

    def names(self) -> list[str]:
        """List the plans of the bench."""
        return [plan.name for plan in self._bench().plans]

    def find(self, name: str) -> tuple[Plan, Bench]:
        """Find a plan of the bench in force. Raises `NotFound`."""
        if name not in self.names():
            names = ", ".join(self.names()) or "none"
            raise NotFound(f"There is no plan {name[:80]!r}.", f"Plans of this bench: {names}.")
        bench = self._bench()
        return bench.plan(name), bench

    def view(self, name: str) -> PlanView:
        """Show what a plan would do if it began now. Raises `NotFound`."""
        return self.supposed(*self.find(name))

    def supposed(self, plan: Plan, bench: Bench) -> PlanView:
        """Show what a plan of a bench that is not in force would do if it began now."""
        return plan_view(plan, bench, self._clock.utc_ns() * 1e-9)
