"""The levels of one workload under one configuration: those of the plan, less the excluded ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark.bench.plan import Level, Plan
from wattmark.bench.plan_rules import Exclusion, Graduated
from wattmark.campaigns.planning.planned import Task
from wattmark.core.errors import InputError
from wattmark.workloads.declaration import Declaration


@dataclass(frozen=True, slots=True)
class LevelStep:
    """One level to run; ``value`` None where there is none or calibration will tell."""

    text: str
    value: int | None
    task: Task = "measure"
    percent: float | None = None
    at_full: bool = False
    """The level that "all" denotes."""


def level_steps(plan: Plan, place: str, name: str, declaration: Declaration, cpus: int) -> list[LevelStep]:
    """List the levels in their order, each once. Raises `InputError` for one to which the workload cannot be brought.

    With a stop rule they rise, because saturation shows only on the way up.
    """
    rules = [rule for rule in plan.exclude if _meets(rule, place, name)]
    if any(rule.level is None for rule in rules):
        return []
    if plan.graduated and name in (graduated := plan.graduated.workloads or plan.workloads):
        last = name == [workload for workload in plan.workloads if workload in graduated][-1]
        return list(_graduated(plan.graduated, declaration, last=last))
    excluded = {value for rule in rules for value in _excluded_values(rule, declaration, cpus)}
    levels = plan.workload_levels.get(name, plan.levels)
    values = dict.fromkeys(value for level in levels for value in _values(level, declaration, cpus))
    full = declaration.level.full(cpus) if declaration.level else None
    steps = [
        LevelStep(declaration.level_text(value), value, at_full=value == full)
        for value in values
        if value not in excluded
    ]
    return sorted(steps, key=lambda step: step.value or 0) if plan.stop else steps


def excluded(plan: Plan, pairs: Sequence[tuple[str, str, Declaration]], cpus: int) -> list[str]:
    """Return what the plan excludes of what it spans, for (place, workload name, workload)."""
    whole = plan.model_copy(update={"exclude": ()})
    descriptions = []
    for place, name, declaration in pairs:
        remaining = {step.text for step in level_steps(plan, place, name, declaration, cpus)}
        all_of_it = [step.text for step in level_steps(whole, place, name, declaration, cpus)]
        descriptions += [f"{place}, {name}, {text}" for text in all_of_it if text not in remaining]
    return descriptions


def _meets(rule: Exclusion, place: str, name: str) -> bool:
    return rule.configuration in (None, place) and rule.workload in (None, name)


def _excluded_values(rule: Exclusion, declaration: Declaration, cpus: int) -> tuple[int | None, ...]:
    """List the excluded levels; one that the workload does not have needs no exclusion."""
    has_none = declaration.level is None or (rule.level == "sweep" and not declaration.level.sweep)
    if rule.level is None or (has_none and rule.level != "all"):
        return ()
    return _values(rule.level, declaration, cpus)


def _values(level: Level, declaration: Declaration, cpus: int) -> tuple[int | None, ...]:
    rule = declaration.level
    if rule is None:
        if level != "all":
            cause = f"The workload {declaration.id} has no levels, but the plan asks for {level}."
            raise InputError(cause, "Add a level to the workload, or set levels: [all] in the plan.")
        return (None,)
    if level == "all":
        return (rule.full(cpus),)
    if level != "sweep":
        return (level,)
    if not rule.sweep:
        cause = f"The workload {declaration.id} declares no levels for a sweep, but the plan asks for one."
        raise InputError(cause, "List the levels in the plan, or declare level: {sweep: [...]}.")
    return rule.sweep


def _graduated(rule: Graduated, declaration: Declaration, *, last: bool) -> Iterator[LevelStep]:
    level = declaration.level
    if level is None or level.asks_per_s is None:
        cause = f"The workload {declaration.id} has no adjustable rate, but the plan asks for graduated levels."
        raise InputError(cause, "List the workloads with an adjustable rate under graduated: {workloads: [...]}.")
    offer = rule.offer or max(level.sweep, default=0) or level.full(1)
    for count in range(1, rule.calibrate + 1):
        yield LevelStep(f"calibration {count}", offer, "calibrate")
    for percent in rule.percent:
        yield LevelStep(f"{percent:g} %", None, "share", percent)
    if rule.active_idle and (last or rule.idle_once_s is None):
        yield LevelStep("active idle", None, "idle")
