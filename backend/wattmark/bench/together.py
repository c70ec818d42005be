"""Plans whose servers start together: which configurations form a group, and the obstacles to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import Exclusion
from wattmark.bench.server import Server

Problem = tuple[tuple[str | int, ...], str]
"""A path below the plan in the bench file, and what is wrong there."""


def side_by_side(configurations: Sequence[str]) -> list[tuple[str, ...]]:
    """Group configurations ("server/configuration"): the first of each server, the second of each, and so on."""
    by_server: dict[str, list[str]] = {}
    for reference in dict.fromkeys(configurations):
        by_server.setdefault(reference.partition("/")[0], []).append(reference)
    return list(zip(*by_server.values(), strict=False))


def together_problems(plan: Plan, bench: Bench) -> Iterator[Problem]:
    """Find what hinders the servers of a plan from starting together; all its names must point at something."""
    if not plan.together:
        return
    names = dict.fromkeys(reference.partition("/")[0] for reference in plan.configurations)
    servers = [bench.server(name) for name in names]
    if len(servers) < 2:
        text = (
            f"found true, but all configurations are of {servers[0].id}; name configurations of at least two servers, "
            "or omit it"
        )
        yield ("together",), text
        return
    yield from _counts(plan, servers)
    yield from _one_machine(servers)
    yield from _one_meter(bench, set(names))
    yield from _exclusions(plan)
    for j, name in enumerate(plan.workloads):
        if not bench.workload(name).command:
            yield (
                ("workloads", j),
                f"found {name!r}, which is not started by a command and so cannot start at a given instant",
            )


def _counts(plan: Plan, servers: Sequence[Server]) -> Iterator[Problem]:
    listed = dict.fromkeys(plan.configurations)
    counts = {server.id: sum(name.partition("/")[0] == server.id for name in listed) for server in servers}
    if len(set(counts.values())) > 1:
        summary = ", ".join(f"{count} of {name}" for name, count in counts.items())
        text = (
            f"found {summary}; the first configurations of all servers start together, then the second, and so on: "
            "list the same number for each server"
        )
        yield ("configurations",), text


def _one_machine(servers: Sequence[Server]) -> Iterator[Problem]:
    server_at: dict[object, str] = {}
    for server in servers:
        ssh = server.access.ssh
        other = server_at.setdefault(None if ssh is None else (ssh.host, ssh.port), server.id)
        if other != server.id:
            yield ("together",), f"found true, but {other} and {server.id} have the same access and so are one machine"


def _one_meter(bench: Bench, names: set[str]) -> Iterator[Problem]:
    for meter in bench.meters:
        fed = [feed.server for feed in meter.feeds if feed.server in names]
        shared = list(dict.fromkeys(fed))
        if len(shared) > 1 and meter.role == "wall":
            which = " and ".join(shared)
            yield (
                ("together",),
                f"found true, but the meter {meter.id} measures {which} together; give each server its own meter",
            )


def _exclusions(plan: Plan) -> Iterator[Problem]:
    """What is excluded from one configuration must be excluded from all that start with it."""
    for j, rule in enumerate(plan.exclude):
        for peer in _peers(plan, rule):
            if rule.model_copy(update={"configuration": peer}) not in plan.exclude:
                text = f"found only {rule.configuration!r}; {peer} starts with it, so exclude the same run of both"
                yield ("exclude", j, "configuration"), text


def _peers(plan: Plan, rule: Exclusion) -> Iterator[str]:
    for group in side_by_side(plan.configurations):
        if rule.configuration in group:
            yield from (place for place in group if place != rule.configuration)
