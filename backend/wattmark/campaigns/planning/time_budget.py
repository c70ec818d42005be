"""Which runs of a plan fit into its time budget."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.campaigns.planning.planned import PlannedRun, takes_s


def fitting(left: Sequence[PlannedRun], budget_s: float) -> set[int]:
    """Choose which runs still fit into the time [s], by their order; a first repeat is worth more than a later one.

    Graduated levels fit as a whole curve or not at all: a calibration alone is worth nothing.
    """
    units: dict[object, list[PlannedRun]] = {}
    for run in left:
        curve = (run.places, run.settings, run.workload, run.repeat)
        units.setdefault(run.step if run.task == "measure" else curve, []).append(run)
    chosen: set[int] = set()
    for unit in sorted(units.values(), key=lambda unit: (unit[0].repeat, unit[0].order)):
        needed_s = takes_s(unit)
        if needed_s <= budget_s:
            budget_s -= needed_s
            chosen.update(run.order for run in unit)
    return chosen
