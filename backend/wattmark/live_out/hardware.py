"""Meters as the hardware that OpenTelemetry's semantic conventions know: whole hosts, and parts. Pure.

https://opentelemetry.io/docs/specs/semconv/hardware/host/ and .../hardware/common/ (status: development): the energy
of a whole host is `hw.host.energy` [J], a counter, and `hw.host.power` [W], a gauge, and never `hw.energy` or
`hw.power`, so that no sum contains it twice. Which host it is stands in the resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wattmark.bench.bench import Bench
from wattmark.bench.feeds import feed_problems
from wattmark.bench.server import Server
from wattmark.live_out.live_meters import MeterNow, ReadingQuality

Attributes = Mapping[str, str | bool]
SUPPLY = "power_supply"
"""Value of `hw.type` for what feeds a part of a server; one of the conventions'."""
CIRCUIT = "circuit"
"""Value of `hw.type` for what feeds no server, or several; the conventions have none that applies."""
WORSE: tuple[ReadingQuality, ...] = ("good", "retried", "frozen")
"""Qualities of a reading, each worse than the one before."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """One host or part with its power [W] and energy [J]; None where it is not known now."""

    host: str | None
    """Name of the host that it is, or belongs to."""
    whole: bool
    meters: tuple[str, ...]
    attributes: Attributes
    power_w: float | None
    quality: ReadingQuality
    """Of that power: the worst of its readings."""
    age_s: float
    """Age of the oldest reading of that power [s]."""
    energy_j: float
    since_ns: int


def hardware(meters: Sequence[MeterNow], bench: Bench) -> list[Hardware]:
    """List what the meters measure. Secondary meters measure something again, so they are left out.

    A host is what its wall meters measure together, where the bench says that they measure all of it; else what its BMC
    shows. The two are never mixed, because a counter would jump.
    """
    return [*_hosts(meters, bench), *_circuits(meters)]


def _hosts(meters: Sequence[MeterNow], bench: Bench) -> Iterator[Hardware]:
    for server in bench.servers:
        own = [meter for meter in meters if meter.servers == (server.id,)]
        walls = [meter for meter in own if meter.role == "wall"]
        bmc = next((meter for meter in own if meter.role == "bmc"), None)
        whole = _is_whole(server, bench)
        if whole and len(walls) == _wall_meters(server, bench):
            yield _whole(server, walls)
        elif not whole and bmc is not None:
            yield _whole(server, [bmc])
        if not whole or _wall_meters(server, bench) > 1:
            yield from (_part(meter, SUPPLY, server.id) for meter in walls)


def _is_whole(server: Server, bench: Bench) -> bool:
    """Return whether the wall meters measure every supply of a server in all of its configurations."""
    walls = bench.model_copy(update={"meters": [meter for meter in bench.meters if meter.role == "wall"]})
    return not any(
        problem for configuration in server.configurations for problem in feed_problems(walls, server, configuration)
    )


def _wall_meters(server: Server, bench: Bench) -> int:
    return sum(meter.role == "wall" for meter in bench.meters_of(server.id))


def _circuits(meters: Sequence[MeterNow]) -> Iterator[Hardware]:
    return (_part(meter, CIRCUIT, None) for meter in meters if meter.role == "wall" and len(meter.servers) != 1)


def _whole(server: Server, meters: Sequence[MeterNow]) -> Hardware:
    attributes = {"hw.id": server.id, "hw.name": server.title or server.id, **_about(meters)}
    return _measured(server.id, meters, attributes, whole=True)


def _part(meter: MeterNow, kind: str, host: str | None) -> Hardware:
    parent = {"hw.parent": host} if host is not None else {}
    attributes = {"hw.id": meter.name, "hw.type": kind, "hw.name": meter.name, **parent, **_about([meter])}
    return _measured(host, [meter], attributes, whole=False)


def _about(meters: Sequence[MeterNow]) -> dict[str, str | bool]:
    """Return what the conventions have no name for: by which meters, and whether they are simulated."""
    return {
        "wattmark.meter": ",".join(meter.name for meter in meters),
        "wattmark.role": meters[0].role,
        "wattmark.simulated": any(meter.simulated for meter in meters),
    }


def _measured(host: str | None, meters: Sequence[MeterNow], attributes: Attributes, *, whole: bool) -> Hardware:
    """Add up meters; their power only where all of them show one."""
    watts = [meter.power_w for meter in meters if meter.power_w is not None]
    return Hardware(
        host,
        whole,
        tuple(meter.name for meter in meters),
        attributes,
        sum(watts) if len(watts) == len(meters) else None,
        max((meter.quality for meter in meters), key=WORSE.index),
        max(meter.age_s or 0.0 for meter in meters),
        sum(meter.energy_j for meter in meters),
        min(meter.since_ns for meter in meters),
    )
