"""Whether two sources state the same of a module, attribute by attribute.

Of each a source states the same, something else, or nothing: what it does not state is not verified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from wattmark.results.inventory.population import Module, Source
from wattmark.runs.configuration import PERSISTENT

SPEED_STEP_MTS = 2
"""Roundings of one speed differ by so much: 2666.67 MT/s is printed as 2666, 2667 and 2668."""
SHORTEST_PART = 8
"""Characters of a part number that tell a module, where a maker appends a revision or a shop its own letters."""
LEAST_OF_NOMINAL = 0.98
"""Persistent memory is sold by a power of two and has a little less: 126.4, 252.4 and 502.5 GiB, as ipmctl lists
modules of 128, 256 and 512 GB."""
KIND = ("size", "type")
ATTRIBUTES = (*KIND, "speed", "ranks", "part")


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sources that are compared; ``with_parts``: by part numbers too."""

    here: Source
    there: Source
    with_parts: bool = True

    def answers(self, module: Module, other: Module) -> dict[str, bool | None]:
        """Return for each attribute that one side states whether the other states the same; None: it does not tell."""
        same = {
            "size": same_size(module, other),
            "type": self._same_type(module, other),
            "speed": self._same_speed(module.speed_mts, other.speed_mts),
            "ranks": None if other.ranks is None else module.ranks == other.ranks,
            "part": same_part(module.part, other.part),
        }
        return {name: same[name] for name in module.words if name != "part" or self.with_parts}

    def alike(self, module: Module, other: Module) -> bool:
        """Return whether nothing is stated differently."""
        return False not in self.answers(module, other).values()

    def _same_type(self, module: Module, other: Module) -> bool | None:
        types = {module.type, other.type}
        if len(types) == 1 or other.type is None:
            return None if other.type is None else True
        if PERSISTENT in types and None in (module.persistent, other.persistent):
            return None
        # "Registered" of SMBIOS holds for an LRDIMM too, and not every firmware sets the bit of its own that it has
        by_smbios = module.type if self.here.by_firmware else other.type if self.there.by_firmware else None
        return None if by_smbios == "RDIMM" and "LRDIMM" in types else False

    def _same_speed(self, own_mts: int | None, other_mts: int | None) -> bool | None:
        if own_mts is None or other_mts is None:
            return None
        if abs(own_mts - other_mts) <= SPEED_STEP_MTS:
            return True
        # DSP0268 leaves open whether it is the clock, in each period of which the memory transfers twice
        half_here = self.here.by_bmc and abs(2 * own_mts - other_mts) <= SPEED_STEP_MTS
        half_there = self.there.by_bmc and abs(own_mts - 2 * other_mts) <= SPEED_STEP_MTS
        return None if half_here or half_there else False


def same_size(module: Module, other: Module) -> bool | None:
    """Return whether two capacities are the same; None: one is not stated."""
    if module.capacity_gib is None or other.capacity_gib is None:
        return None
    less, more = sorted((module.capacity_gib, other.capacity_gib))
    if PERSISTENT not in (module.type, other.type):
        return less == more
    # only these have capacities that are no whole powers of two, and that people round
    nominal = more.is_integer() and int(more).bit_count() == 1
    return more - less <= max(_half_digit(less), _half_digit(more)) or (nominal and less >= LEAST_OF_NOMINAL * more)


def _half_digit(number: float) -> float:
    """Return half of the last digit with which a number is stated, at most one half."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(0, int(exponent))


def same_part(own: str | None, other: str | None) -> bool | None:
    """Return whether two part numbers are of the same model; None: one is not stated."""
    if own is None or other is None:
        return None
    shorter, longer = sorted((_plain(own), _plain(other)), key=len)
    return shorter == longer or (len(shorter) >= SHORTEST_PART and longer.startswith(shorter))


def _plain(part: str) -> str:
    return re.sub(r"\s+", "", part).casefold()


def same_words(module: Module, other: Module, answers: Mapping[str, bool | None]) -> dict[str, str]:
    """Name the attributes that two sources state alike; a part number that goes on in one of them says so."""
    lengths = {len(_plain(part or "")) for part in (module.part, other.part)}
    part = "part" if len(lengths) == 1 else f"part by its first {min(lengths)} characters"
    return {attribute: part if attribute == "part" else attribute for attribute, same in answers.items() if same}
