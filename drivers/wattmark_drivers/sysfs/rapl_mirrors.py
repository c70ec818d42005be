"""Which counters of processor packages are one counter seen through several dies (AMD Threadripper 1950X)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from wattmark_drivers.clock import Stamp
from wattmark_drivers.sysfs.rapl_zones import Zone

UPDATE_S = 0.002
"""A counter moves about each millisecond; two looks at one counter may differ by two updates."""
LARGEST_IDLE_W = 50.0
"""Power to assume while no mean is known yet [W]."""
DECIDED = 1000
"""Dies that moved so many times further than two looks at one counter may differ, and still moved alike, are count."""


class Likeness(Enum):
    """How two counters compare."""

    SAME = auto()
    UNDECIDED = auto()
    DIFFERENT = auto()


@dataclass(frozen=True, slots=True)
class Count:
    """One look at the counter of a package or die, and how far it moved since the meter was opened."""

    zone: Zone
    raw_uj: int
    moved_uj: float
    mean_w: float | None
    range_uj: int
    step_uj: float
    stamp: Stamp


def distinct_counts(counts: Sequence[Count]) -> tuple[list[tuple[Zone, Zone]], bool]:
    """List the dies that repeat the counter of another die with that one, and whether the sum of all is doubtful."""
    mirrors: list[tuple[Zone, Zone]] = []
    kept: list[Count] = []
    doubtful = False
    for count in counts:
        for other in kept:
            likeness = _compare(count, other)
            if count.zone.package != other.zone.package:
                doubtful |= likeness is Likeness.SAME and count.raw_uj == other.raw_uj
            elif likeness is Likeness.SAME:
                mirrors.append((count.zone, other.zone))
                break
            else:
                doubtful |= likeness is Likeness.UNDECIDED
        else:
            kept.append(count)
    return mirrors, doubtful


def _compare(count: Count, other: Count) -> Likeness:
    """Compare two counters by their numbers, else by how far they moved."""
    if count.range_uj != other.range_uj:
        return Likeness.DIFFERENT
    power_w = max(LARGEST_IDLE_W, count.mean_w or 0.0, other.mean_w or 0.0)
    apart_s = (abs(count.stamp.t_ns - other.stamp.t_ns) + count.stamp.u_t_ns + other.stamp.u_t_ns) / 1e9
    tolerance_uj = power_w * (apart_s + UPDATE_S) * 1e6
    apart_uj = (count.raw_uj - other.raw_uj) % count.range_uj
    if min(apart_uj, count.range_uj - apart_uj) <= tolerance_uj:
        return Likeness.SAME
    least_uj = min(count.moved_uj, other.moved_uj)
    drift_uj = abs(count.moved_uj - other.moved_uj)
    if least_uj <= 0 or drift_uj > tolerance_uj:
        return Likeness.DIFFERENT
    exact = drift_uj <= 2 * count.step_uj and least_uj > DECIDED * count.step_uj
    return Likeness.SAME if exact or least_uj > DECIDED * tolerance_uj else Likeness.UNDECIDED
