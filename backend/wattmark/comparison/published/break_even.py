"""Break-even of FB-DIMMs against cooler CPUs: the buffers' power (AMB) against the CPUs' thermal design power."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.analysis.parts.break_even import break_even_range
from wattmark.core.part_words import DIMM


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where ``modules`` x ``amb_w`` equals the advantage of the cooler CPUs."""

    cpus: int
    advantage_w: float
    modules: float
    first_whole: int
    """First whole number of modules at or past it."""
    amb_w_for_eight: float
    """Watts per buffer at which eight modules would break even."""


def break_even(cpus: int, warm_tdp_w: float, cool_tdp_w: float, amb_w: float) -> BreakEven:
    """Compute the break-even of fully buffered memory against CPUs of lower thermal design power.

    Raises `Refused` where the warm CPU is not the warmer one.
    """
    advantage_w = cpus * (warm_tdp_w - cool_tdp_w)
    meeting = break_even_range((advantage_w, advantage_w), (amb_w, amb_w), DIMM)
    return BreakEven(cpus, advantage_w, meeting.count.value, meeting.first_whole, advantage_w / 8)
