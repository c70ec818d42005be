"""Whether a change of the bench would change something under work that is under way."""

from __future__ import annotations

from collections.abc import Collection

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan


def touched(before: Bench, after: Bench, plan: Plan) -> str | None:
    """Return what a plan uses and a change touches; None where the plan does not notice it."""
    return _differs(before, after, _used(before, plan), _used(after, plan))


def touched_servers(before: Bench, after: Bench, servers: Collection[str]) -> str | None:
    """Return what a change touches of some servers and their meters; None where they do not notice it."""
    return _differs(before, after, _measured(before, servers), _measured(after, servers))


def _differs(before: Bench, after: Bench, old: dict[str, object], new: dict[str, object]) -> str | None:
    if before.schedule != after.schedule:
        return "the schedule of the meters"
    return next((name for name in {**old, **new} if old.get(name) != new.get(name)), None)


def _used(bench: Bench, plan: Plan) -> dict[str, object]:
    """List what a plan uses, by its name for a person."""
    workloads = bench.workload_declarations()
    return {
        **{f"the plan {other.name}": other for other in bench.plans if other.name == plan.name},
        **_measured(bench, plan.servers),
        **{f"the workload {name}": workloads.get(name) for name in plan.workloads},
    }


def _measured(bench: Bench, servers: Collection[str]) -> dict[str, object]:
    return {
        **{f"the server {server.id}": server for server in bench.servers if server.id in servers},
        **{f"the meter {meter.id}": meter for server in servers for meter in bench.meters_of(server)},
        **{f"the BMC {bmc.id}": bmc for server in servers for bmc in bench.bmcs_of(server)},
    }
