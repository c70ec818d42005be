"""How long a run takes, phase by phase."""

from __future__ import annotations

from wattmark.inventory.plan import Plan
from wattmark.remote.barrier import LEAD_S
from wattmark.workloads.declaration import Declaration


def expected_s(plan: Plan, declaration: Declaration) -> float:
    """Compute how long one run takes [s] when rules hold as early as they may; a lead-in counts towards settling."""
    settle_s = plan.settle.at_least_s if plan.settle else plan.settle_s
    return _run_s(plan, declaration, settle_s)


def at_most_s(plan: Plan, declaration: Declaration) -> float:
    """Compute how long one run takes [s] when rules hold as late as they may."""
    settle_s = plan.settle.at_most_s if plan.settle else plan.settle_s
    rest_s = plan.cool_down.at_most_s if plan.cool_down else 0.0
    return _run_s(plan, declaration, settle_s) + rest_s


def idle_run_s(plan: Plan) -> float:
    """Compute how long an interval of active idle takes [s]."""
    return plan.idle_s + plan.measure_s


def _run_s(plan: Plan, declaration: Declaration, settle_s: float) -> float:
    sync_s = sum(plan.sync_pulses_s) if plan.sync_pattern else 0.0
    loaded_s = plan.ramp_s + max(settle_s, declaration.lead_in_s(plan.measure_s))
    measured_s = sum(declaration.slices(plan.measure_s)) + plan.hold_s
    wait_s = LEAD_S if plan.together else 0.0
    return plan.idle_s + sync_s + loaded_s + wait_s + measured_s + plan.cool_down_s + plan.idle_after_s
