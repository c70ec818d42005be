"""The bottleneck of a load: the resource that was fully used over the window."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wattmark.analysis.verdict import Verdict, not_checked

Resource = Literal["cpu", "one core", "memory", "disk", "network", "gpu", "throttling", "nothing"]
RULE = "bottleneck"
FULL_PCT = 95.0
"""Utilisation of a CPU without reserve: the limit of the rule for full load."""
NOT_FULL = "Not at full load: "
BUSY_PCT = 90.0
"""Utilisation of a disk or link without reserve: requests queue before the last tenth is used."""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Mean utilisation over the window [%]; None where it was not recorded.

    ``disks`` and ``links`` by name.
    """

    cpu_pct: float | None = None
    busiest_core_pct: float | None = None
    disks: Mapping[str, float] = field(default_factory=dict)
    links: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The resource that limited the load and the sentence about it; ``resource`` None where nothing was recorded."""

    resource: Resource | None
    verdict: Verdict


def bottleneck(seen: Utilisation, expected: str, *, throttled: bool = False) -> Bottleneck:
    """Find the resource that limited a load; ``expected`` is the one meant to ("requests": their rate).

    Heat counts first (``throttled``), for a throttled CPU looks fully used; then CPU, disks, links, a single core.
    Where the workload is bound by memory, a busy CPU is what that looks like (it waits for memory), so memory is named.
    """
    if seen.cpu_pct is None:
        text = "What limited the load is not known: utilisation was not recorded in the window."
        return Bottleneck(None, not_checked(RULE, FULL_PCT, "%", text))
    if throttled:
        text = "Heat limited the load (rule thermal-limit); what is throttled looks fully used, so none else is named."
        return Bottleneck("throttling", not_checked(RULE, FULL_PCT, "%", text))
    resource, value, limit, words = _fullest(seen, expected)
    if resource == "nothing" and expected == "requests":
        text = f"The request rate limited the load, not the server: {words}."
        return Bottleneck(resource, not_checked(RULE, limit, "%", text))
    if resource == "nothing" and expected == "gpu":
        busy = words.removeprefix(NOT_FULL)
        text = f"How busy a GPU was is not recorded, so what limited the load is not known: {busy}."
        return Bottleneck(resource, not_checked(RULE, limit, "%", text))
    text = f"{words}." if resource == "nothing" else f"{words}: that limited the load."
    return Bottleneck(resource, Verdict(RULE, value, limit, "%", "fail" if resource == "nothing" else "pass", text))


def _fullest(seen: Utilisation, expected: str) -> tuple[Resource, float, float, str]:
    cpu = seen.cpu_pct or 0.0
    if cpu >= FULL_PCT:
        if expected == "memory":
            return "memory", cpu, FULL_PCT, f"The CPUs were {cpu:.0f} % busy, waiting for memory"
        return "cpu", cpu, FULL_PCT, f"The CPUs were {cpu:.0f} % busy"
    kinds: tuple[tuple[Resource, Mapping[str, float]], ...] = (("disk", seen.disks), ("network", seen.links))
    for kind, devices in kinds:
        name = max(devices, key=lambda item: devices[item], default=None)
        if name is not None and devices[name] >= BUSY_PCT:
            return kind, devices[name], BUSY_PCT, f"The {kind} {name} was {devices[name]:.0f} % busy"
    core = seen.busiest_core_pct
    if core is not None and core >= FULL_PCT:
        return "one core", core, FULL_PCT, f"One core was {core:.0f} % busy, all together {cpu:.0f} %"
    most = max([cpu, *seen.disks.values(), *seen.links.values()], default=math.nan)
    return "nothing", most, FULL_PCT, f"{NOT_FULL}CPUs {cpu:.0f} %{_others(seen)} busy"


def _others(seen: Utilisation) -> str:
    parts = [
        f", {kind} {max(devices.values()):.0f} %"
        for kind, devices in (("disks", seen.disks), ("links", seen.links))
        if devices
    ]
    return "".join(parts)
