"""Runs with stated figures, for tables of factors and means."""

from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Budget, Result

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
