"""Whether a change of the bench would change something under a plan that runs."""

from __future__ import annotations

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan


def touched(before: Bench, after: Bench, plan: Plan) -> str | None:
    """Return what a plan uses and a change touches; None where the plan does not notice it."""
    if before.schedule != after.schedule:
        return "the schedule of the meters"
    old, new = _used(before, plan), _used(after, plan)
    return next((name for name in {**old, **new} if old.get(name) != new.get(name)), None)


def _used(bench: Bench, plan: Plan) -> dict[str, object]:
    """List what a plan uses, by its name for a person."""
    servers = {reference.partition("/")[0] for reference in plan.configurations}
    workloads = bench.workload_declarations()
    return {
        **{f"the plan {other.name}": other for other in bench.plans if other.name == plan.name},
        **{f"the server {server.id}": server for server in bench.servers if server.id in servers},
        **{f"the meter {meter.id}": meter for server in servers for meter in bench.meters_of(server)},
        **{f"the BMC {bmc.id}": bmc for server in servers for bmc in bench.bmcs_of(server)},
        **{f"the workload {name}": workloads.get(name) for name in plan.workloads},
    }
