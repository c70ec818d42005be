"""Whether two sources state the same of a module, attribute by attribute.

Of each a source states the same, something else, or nothing: what it does not state is not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from wattmark.results.inventory.population import Module, Source
from wattmark.runs.configuration import PERSISTENT

SPEED_STEP_MTS = 2
"""Roundings of one speed differ by so much: 2666.67 MT/s is printed as 2666, 2667 and 2668."""
SHORTEST_PART = 8
"""Characters of a part number that tell a module, where a maker appends a revision or a shop its own letters."""


def answers_of(
    module: Module, there: Module, stated: Source, found: Source, *, parts: bool
) -> Iterator[tuple[str, bool | None]]:
    """Yield for each attribute that one source states whether the other states the same; None: it does not tell."""
    if module.capacity_gib:
        yield "size", _same_size(module, there)
    if module.type:
        yield "type", same_type(module.type, there.type, stated, found)
    if module.speed_mts:
        yield "speed", _same_speed(module.speed_mts, there.speed_mts, stated, found)
    if module.ranks:
        yield "ranks", None if there.ranks is None else module.ranks == there.ranks
    if parts and module.part:
        yield "part", None if there.part is None else _same_part(module.part, there.part)


def _same_size(module: Module, there: Module) -> bool | None:
    own, other = module.capacity_gib, there.capacity_gib
    if own is None or other is None:
        return None
    # only these have capacities that are no whole powers of two, and that people round
    rounded = max(_half_digit(own), _half_digit(other)) if PERSISTENT in (module.type, there.type) else 0.0
    return abs(own - other) <= rounded


def _half_digit(number: float) -> float:
    """Return half of the last digit with which a number is stated, at most one half."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(0, int(exponent))


def same_type(own: str, other: str | None, stated: Source, found: Source) -> bool | None:
    """Return whether two types are the same; None: that is not told."""
    if own == other or other is None:
        return None if other is None else True
    # "Registered" of SMBIOS holds for an LRDIMM too, and not every firmware sets the bit of its own that it has
    by_smbios = {own} if stated.by_firmware else {other} if found.by_firmware else set()
    return None if by_smbios == {"RDIMM"} and "LRDIMM" in (own, other) else False


def _same_speed(own_mts: int, other_mts: int | None, stated: Source, found: Source) -> bool | None:
    if other_mts is None:
        return None
    if abs(own_mts - other_mts) <= SPEED_STEP_MTS:
        return True
    half_there = found.clock_for_speed and abs(own_mts - 2 * other_mts) <= SPEED_STEP_MTS
    half_here = stated.clock_for_speed and abs(2 * own_mts - other_mts) <= SPEED_STEP_MTS
    return None if half_there or half_here else False


def _same_part(own: str, other: str) -> bool:
    shorter, longer = sorted((plain(own), plain(other)), key=len)
    return shorter == longer or (len(shorter) >= SHORTEST_PART and longer.startswith(shorter))


def plain(part: str) -> str:
    """Return a part number as it is compared: without spaces, in small letters."""
    return re.sub(r"\s+", "", part).casefold()


def same_words(module: Module, there: Module, answers: Mapping[str, bool | None]) -> tuple[str, ...]:
    """Name the attributes that two sources state alike; a part number that goes on in one of them says so."""
    lengths = {len(plain(part or "")) for part in (module.part, there.part)}
    part = "part" if len(lengths) == 1 else f"part by its first {min(lengths)} characters"
    return tuple(part if attribute == "part" else attribute for attribute, same in answers.items() if same)
