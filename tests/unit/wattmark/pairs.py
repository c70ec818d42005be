"""Runs with stated figures, for tables of factors and means."""

from wattmark.analysis.verdict import Verdict
from wattmark.core.quantity import BudgetLine, Quantity
from wattmark.results.inventory_part import MEMORY_SLOTS
from wattmark.results.result import BudgetedQuantity, IdleSubtracted, Result
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import RunStatus

from tests.stored_run import make_run

Z95 = 1.959964
"""Coverage factor of a normal distribution for 95 %."""
DECLARED = {
    "cpu": {"model": "Opteron 275", "sockets": 1, "cores": 2, "clock_mhz": 2200.0},
    "firmware": {"hardware prefetcher": True},
    "os": {"name": "Gentoo", "kernel": "2.6.15"},
    "memory": {"slots": {"A1": {"type": "RDIMM", "capacity_gib": 1.0}, "A2": None}},
}


def pair(
    configuration, throughput=None, power_w=None, u=0.01, workload="mysql", level="20 users", repeat=1, memory_gib=1.0,
    dimm_count=1, **declared
):  # fmt: skip
    """Make one run with stated figures; u is relative and differs from run to run."""
    changes = {k: {**DECLARED[k], **v} if isinstance(v, dict) else v for k, v in declared.items()}
    snapshot = {"title": "Opteron", "dimm_count": dimm_count, "memory_gib": memory_gib, "declared": DECLARED | changes}
    common = {"server": "s", "configuration": configuration, "workload": workload, "level": level, "repeat": repeat}
    run_id = f"{configuration}-{workload}-{level}-{repeat}"
    run = make_run(run_id, created_ns=1, unit="queries", configuration_snapshot=snapshot, **common)
    efficiency = throughput / power_w if throughput and power_w else None
    result = Result(
        run_id=run_id, status=RunStatus.COMPLETE, created=f"2006-05-01T{repeat % 24:02}:00:00Z", meter="m",
        installation=configuration, simulated=False,
        traceable=True, source="measured",
        memory_gib=memory_gib, unit="queries", throughput=figure(throughput, "queries/s", u),
        power=figure(power_w, "W", u), efficiency=figure(efficiency, "queries/J", u), **common,
    )  # fmt: skip
    return run, result


def figure(value, unit, u):
    """Make a figure that scatters by u [1]; None stays None."""
    if value is None:
        return None
    budget = (scatter_line(u * value),) if value and u else ()
    return BudgetedQuantity(value=value, unit=unit, u=u * value, k95=Z95, budget=budget)


def scatter_line(u):
    """Make the line of an error that no other run shares."""
    return BudgetLine(name="scatter", evaluation="A", u=u, u_result=u, sensitivity=1.0, dof=None, share_pct=100.0)


def with_idle(of, idle_w, u_w=1.0, meter=None, with_uncertainty=True):
    """Give a run an idle phase; ``meter`` maps what its meter does to other runs as well to its u [W]."""
    run, result = of
    lines = (scatter_line(u_w), *(meter_line(name, u) for name, u in (meter or {}).items()))
    plus_minus = {"u": u_w, "k95": Z95} if with_uncertainty else {}
    idle = IdleSubtracted(
        idle=BudgetedQuantity(value=idle_w, unit="W", **plus_minus, budget=lines),
        power=Quantity(value=result.power.value - idle_w, unit="W"),
    )
    return run, result.model_copy(update={"idle_subtracted": idle})


def meter_line(name, u, sign=1.0):
    """Make the line of an error that results share."""
    return BudgetLine(
        name=name, evaluation="B", u=u, u_result=u, dof=None, share_pct=0.0, correlation_group=name, sensitivity=sign
    )


def contradicted(of):
    """Make a run one whose server has other modules than the bench file declares."""
    run, result = of
    verdict = Verdict(MEMORY_SLOTS, 1.0, 0.0, "1", "fail", "2 modules in the bench file, 1 in the server.")
    return run, result.model_copy(update={"verdicts": (verdict,)})


def ranked_by_choice(of):
    """Let a person rank a run whose memory is not the declared one."""
    run, result = of
    choice = Inclusion(by="K. Berg", reason="The BMC is wrong.", rules=(MEMORY_SLOTS,), at="2026-11-23T08:00:00+00:00")
    return run, result.model_copy(update={"inclusion": choice})


def with_lines(quantity, *lines):
    """Add lines to the budget of a quantity."""
    return quantity.model_copy(update={"budget": (*quantity.budget, *lines)})


def on_meter(of, relative, name="gain"):
    """Let a meter err by the same share of all watts [1]."""
    run, result = of
    changes = {}
    if result.power:
        changes["power"] = with_lines(result.power, meter_line(name, relative * result.power.value))
    if result.efficiency:
        changes["efficiency"] = with_lines(
            result.efficiency, meter_line(name, relative * result.efficiency.value, -1.0)
        )
    return run, result.model_copy(update=changes)
