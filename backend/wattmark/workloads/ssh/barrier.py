"""One start instant for several machines, each in its own clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.analysis.clocks.clocks import ClockFit

OUR_CLOCK = ClockFit(at_ns=0, offset_s=0.0, drift=0.0, u_s=0.0, used=0, rejected=0, stepped=False)
"""The clock of this machine, seen from itself."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the machines really started [s], and the standard uncertainty of that from their clocks."""

    spread_s: float
    u_s: float
    begun_ns: Mapping[str, int]
    """Start of each machine by our clock [UTC ns]."""


def start_instants(now_ns: int, clocks: Mapping[str, ClockFit], lead_s: float) -> dict[str, int]:
    """Choose one instant and convert it to each machine's clock [ns since 1970]."""
    begin_ns = now_ns + round(lead_s * 1e9)
    return {name: clock.to_theirs(begin_ns) for name, clock in clocks.items()}


def spread(begun_ns: Mapping[str, int], clocks: Mapping[str, ClockFit]) -> Spread:
    """Compare the starts that the machines reported, each in its own clock [ns since 1970]."""
    ours = {name: clocks[name].to_ours(t_ns) for name, t_ns in begun_ns.items()}
    worst_u_s = max(clocks[name].u_s for name in begun_ns)
    return Spread((max(ours.values()) - min(ours.values())) / 1e9, worst_u_s * 2**0.5, ours)
