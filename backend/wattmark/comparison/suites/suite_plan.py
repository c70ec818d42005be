"""From a suite to an ordinary plan: its worklets at graduated levels, active idle measured once."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import Graduated
from wattmark.comparison.suites.suite import Suite

HOLD_S = 2.0


def suite_plan(
    suite: Suite, configurations: Sequence[str], *, repeats: int = 1, measure_s: float | None = None
) -> Plan:
    """Build the plan of a suite for some configurations ("server/configuration").

    ``measure_s`` is the length of a level where it is not that of the suite [s]; active idle keeps its own.
    """
    return Plan(
        name=f"suite-{suite.id}",
        title=suite.title,
        configurations=tuple(configurations),
        workloads=suite.workloads,
        graduated=Graduated(percent=suite.percent, calibrate=suite.calibrate, idle_once_s=suite.idle_s),
        repeats=repeats,
        idle_s=0,
        settle_s=suite.settle_s,
        measure_s=measure_s or suite.measure_s,
        hold_s=HOLD_S,
    )
