"""Runs with stated figures, for tables of factors and means."""

from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Budget, Result
from wattmark.runs.second_figures import AboveIdle

SNAPSHOT = {
    "title": "Opteron",
    "cpu": {"model": "Opteron 275", "sockets": 1, "cores": 2, "clock_mhz": 2200.0},
    "firmware": {"hardware prefetcher": True},
    "os": {"name": "Gentoo", "kernel": "2.6.15"},
    "memory": {"slots": {"A1": {"type": "RDIMM", "capacity_gib": 1.0}, "A2": None}},
    "dimm_count": 1,
    "memory_gib": 1.0,
}


def pair(
    configuration, throughput=None, power_w=None, u=0.01, workload="mysql", level="20 users", repeat=1, **snapshot
):
    """Make one run with stated figures; u is relative and differs from run to run."""
    told = {k: {**SNAPSHOT[k], **v} if isinstance(v, dict) else v for k, v in snapshot.items()}
    common = {"server": "s", "configuration": configuration, "workload": workload, "level": level, "repeat": repeat}
    run_id = f"{configuration}-{workload}-{level}-{repeat}"
    run = RunRecord(
        run_id=run_id, status=RunStatus.COMPLETE, created_ns=1, unit="queries",
        configuration_snapshot=SNAPSHOT | told, **common,
    )  # fmt: skip
    efficiency = throughput / power_w if throughput and power_w else None
    line = lambda value: (  # noqa: E731
        (Budget(name="scatter", evaluation="A", u=u * value, dof=None, share_pct=100.0),) if value and u else ()
    )
    result = Result(
        run_id=run_id, status=RunStatus.COMPLETE, created="2006-05-01T00:00:00Z", meter="m", simulated=False,
        traceable=True, source="measured",
        memory_gib=told.get("memory_gib", 1.0), throughput=throughput, throughput_unit="queries/s", power_w=power_w,
        efficiency=efficiency, efficiency_unit="queries/J", throughput_budget=line(throughput),
        power_budget=line(power_w), efficiency_budget=line(efficiency),
        power_u_w=power_w and u * power_w, efficiency_u=efficiency and u * efficiency, **common,
    )  # fmt: skip
    return run, result


def resting(of, idle_w, u_w=1.0, meter=None, known=True):
    """Give a run an idle phase; ``meter`` maps what its meter does to other runs as well to its u [W]."""
    run, result = of
    lines = [Budget(name="scatter", evaluation="A", u=u_w, dof=None, share_pct=100.0)]
    lines += [meter_line(name, u) for name, u in (meter or {}).items()]
    idle = AboveIdle(
        idle_power_w=idle_w, idle_power_u_w=u_w if known else None, power_w=result.power_w - idle_w, unit="x/J"
    )
    return run, result.model_copy(update={"above_idle": idle, "idle_budget": tuple(lines)})


def meter_line(name, u, sign=1.0):
    """Make the line of an error that results share."""
    return Budget(
        name=name, evaluation="B", u=u, dof=None, share_pct=0.0, correlation_group=name, sensitivity=sign, u_input=u
    )


def on_meter(of, relative, name="gain"):
    """Let a meter err by the same share of all watts [1]."""
    run, result = of
    told = {}
    if result.power_w:
        told["power_budget"] = (*result.power_budget, meter_line(name, relative * result.power_w))
    if result.efficiency:
        told["efficiency_budget"] = (*result.efficiency_budget, meter_line(name, relative * result.efficiency, -1.0))
    return run, result.model_copy(update=told)
