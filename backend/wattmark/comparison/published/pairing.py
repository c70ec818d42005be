"""Whether a published throughput and a published power may be divided, and why not.

Throughput and power must come from the same build in the same state; where an article gives them apart, at least the
number of CPUs and cores at work must agree. A difference in memory is marked, not hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.comparison.published.article import Article, Figure, PowerRow, System

_WORDS = {1: "one", 2: "two", 4: "four", 8: "eight"}


@dataclass(frozen=True, slots=True)
class Pairing:
    """The power row that belongs to a figure, or the reason why none does, in one sentence."""

    power: PowerRow | None
    refusal: str | None
    remarks: tuple[str, ...] = ()


def pair(article: Article, figure: Figure) -> Pairing:
    """Find the power of a figure's machine and decide whether performance per watt may be formed."""
    system = article.system(figure.system)
    power = article.power_row(system.power)
    refusal = _no_throughput(figure) or _no_power(system, power) or _other_state(figure, system, power)
    if refusal or power is None:
        return Pairing(None, refusal, tuple(_own_remarks(figure)))
    condition = article.power.condition if article.power else ""
    remarks = [*_own_remarks(figure), f"The power was not measured under this workload: {condition}."]
    remarks += _differences(system, power)
    return Pairing(power, None, tuple(remarks))


def _own_remarks(figure: Figure) -> list[str]:
    return [figure.remark] if figure.remark else []


def _no_throughput(figure: Figure) -> str | None:
    if figure.missing:
        return figure.missing
    if figure.kind == "extrapolated":
        return "The throughput is extrapolated by the author, not measured; there is no such hardware."
    if figure.kind == "assumed":
        return f"The throughput is taken from {figure.assumed_from}; this machine was never run."
    return None


def _no_power(system: System, power: PowerRow | None) -> str | None:
    return None if power else f"There is no performance per watt: {system.no_power}."


def _other_state(figure: Figure, system: System, power: PowerRow | None) -> str | None:
    if power is None:
        return None
    cpus, cores = figure.cpus or system.cpus, figure.cores or system.cores
    if cpus != power.cpus:
        return (
            f"The throughput comes from {_number(cpus)} CPU{'' if cpus == 1 else 's'}, the power from "
            f"{_number(power.cpus)} CPUs; their ratio is not a performance per watt."
        )
    if cores != power.cores:
        return f"The throughput comes from {_number(cores)} cores, the power from all {_number(power.cores)}."
    return None


def _differences(system: System, power: PowerRow) -> list[str]:
    remarks = [system.power_remark] if system.power_remark else []
    if system.memory_gib is not None and system.memory_gib != power.memory_gib:
        remarks.append(
            f"The machine is listed with {system.memory_gib:g} GB of memory, but its power was taken with "
            f"{power.memory_gib:g} GB."
        )
    return remarks


def _number(count: int | None) -> str:
    return "an unknown number of" if count is None else _WORDS.get(count, str(count))
