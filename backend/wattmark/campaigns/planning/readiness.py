"""Whether a plan can give results at all: is the power of every configuration measured, can it be prepared?"""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.bench.bench import Bench
from wattmark.bench.configuration import Configuration
from wattmark.bench.feeds import feed_problems
from wattmark.bench.plan import Plan
from wattmark.bench.server import Server
from wattmark.instruments.entries import pace
from wattmark.workloads.local.programs import missing_program


def plan_problem(plan: Plan, bench: Bench) -> str | None:
    """Explain in one line why a plan cannot start now; None when it can."""
    return next(_problems(plan, bench), None)


def plan_problems(plan: Plan, bench: Bench) -> list[str]:
    """List everything that hinders a plan from starting now."""
    return list(dict.fromkeys(_problems(plan, bench)))


def _problems(plan: Plan, bench: Bench) -> Iterator[str]:
    pairs = [bench.configuration(reference) for reference in plan.configurations]
    for server, configuration in pairs:
        yield from feed_problems(bench, server, configuration)
        yield from _averages_too_long(plan, bench, server)
    yield from _not_prepared(pairs)
    here = any(server.access.ssh is None for server, _ in pairs)
    for name in plan.workloads:
        declaration = bench.workload(name)
        if here and (missing := missing_program(declaration, bench.folder)):
            yield missing
        for parameter in declaration.missing_parameters():
            remedy = f"Give it in the bench file: with: {{parameters: {{{parameter}: ...}}}}."
            yield f"The workload {name} needs {parameter} ({declaration.parameters[parameter].help}). {remedy}"


def _averages_too_long(plan: Plan, bench: Bench, server: Server) -> Iterator[str]:
    """Find meters whose readings average over more than the measured window: none would cover the window alone."""
    for meter in bench.meters_of(server.id):
        averaging_s = pace(meter).averaging_s
        if meter.role == "wall" and averaging_s is not None and averaging_s > plan.measure_s:
            cause = (
                f"Each reading of {meter.id} averages over {averaging_s:g} s, longer than the measured window of "
                f"{plan.measure_s:g} s."
            )
            yield f"{cause} Set measure_s to {2 * averaging_s:g} or more, or let the meter average over less."


def _not_prepared(pairs: list[tuple[Server, Configuration]]) -> Iterator[str]:
    for server in {server.id: server for server, _ in pairs}.values():
        count = len({configuration.id for other, configuration in pairs if other.id == server.id})
        if count > 1 and server.prepare is None:
            remedy = "Set prepare: manual, or prepare: {command: [...]}."
            cause = (
                f"The plan has {count} configurations of {server.id}, but does not say how to change from one to the "
                "next."
            )
            yield f"{cause} {remedy}"
