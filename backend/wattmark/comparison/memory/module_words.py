"""What words say of memory modules: their generation, speed and ranks; and a population as a person writes it."""

from __future__ import annotations

import re

from wattmark.analysis.parts.population_model import Population
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number

_GENERATION = re.compile(r"(?:PC|DDR)([2-5])(?![0-9])", re.IGNORECASE)
_SPEED = re.compile(r"(?:PC|DDR)([2-5])L?-([0-9]{3,5})", re.IGNORECASE)
_PLAIN_SPEED = re.compile(r"\b([0-9]{3,5})\s*(?:MHz|MT/s)", re.IGNORECASE)
_RANKS = re.compile(r"(?<![0-9])([1248])\s?Rx\s?[0-9]{1,2}|\b(single|dual|quad)[ -]rank", re.IGNORECASE)
_RANK_WORDS = {"single": 1, "dual": 2, "quad": 4}
_FB_DIMM = "FB-DIMM"
_CXL = "CXL"
_SPEEDS = {
    2: (400, 533, 667, 800, 1066),
    3: (800, 1066, 1333, 1600, 1866, 2133),
    4: (1600, 1866, 2133, 2400, 2666, 2933, 3200),
    5: (4000, 4400, 4800, 5200, 5600, 6000, 6400, 6800, 7200, 7600, 8000, 8400, 8800),
}
"""Transfers per second that servers have been sold with [MT/s]: JEDEC JESD79-2F, 79-3F, 79-4D and 79-5C."""
_BYTES = 8
"""A module moves so many bytes at a transfer: PC4-17000 is DDR4-2133, 17,064 MB/s."""
_NEAR = 0.015
"""A name is rounded: PC2-5300 is 5,333 MB/s, PC3-10600 10,667."""
_POPULATION = re.compile(
    r"\s*([0-9]{1,4})\s*[x×]\s*([0-9]{1,6}(?:[.,][0-9]{1,3})?)\s*(?:GiB|GB|G)?"
    r"(?:[\s,]+([1248])\s?R)?(?:[\s,@]+([0-9]{3,5})(?:\s*MT/s)?)?(?:[\s,]+(\S.*?))?\s*",
    re.IGNORECASE,
)
FORM = "6 x 32"
FULL_FORM = "6 x 32 GB 2R 3200 DDR4 RDIMM"
_MOST_MODULES = 4096


def kind_of(details: str, buffering: str | None) -> str | None:
    """Name generation and buffering, such as "DDR4 RDIMM"; None where no generation is named. FB-DIMMs are DDR2."""
    if _CXL in details.upper():
        return _CXL
    match = _GENERATION.search(details)
    generation = f"DDR{match[1]}" if match else "DDR2" if buffering == _FB_DIMM else None
    return None if generation is None else " ".join(part for part in (generation, buffering) if part)


def kind_by_speed(module_type: str | None, speed_mts: float | None) -> str | None:
    """Name the kind of a module by its type and speed; None where the speed is one of two generations.

    DDR5 begins at 4,000 MT/s in servers, so that 2,400 to 3,200 MT/s are DDR4; 1,600 to 2,133 MT/s may be DDR3 or DDR4.
    """
    if module_type in (_FB_DIMM, _CXL):
        return "DDR2 FB-DIMM" if module_type == _FB_DIMM else _CXL
    held = [generation for generation, speeds in _SPEEDS.items() if speed_mts in speeds]
    return f"DDR{held[0]} {module_type}" if module_type and len(held) == 1 else None


def speed_of(details: str) -> float | None:
    """Read the transfers per second [MT/s]: 667 of PC2-5300F, 2133 of PC4-2133R; None where none is named."""
    match = _SPEED.search(details)
    if match is not None:
        named, speeds = float(match[2]), _SPEEDS[int(match[1])]
        each = next((speed for speed in speeds if _near(named, speed)), None)
        return each or next((speed for speed in speeds if _near(named, speed * _BYTES)), None)
    generation, plain = _GENERATION.search(details), _PLAIN_SPEED.search(details)
    if generation is None or plain is None:
        return None
    return next((speed for speed in _SPEEDS[int(generation[1])] if _near(float(plain[1]), speed)), None)


def _near(named: float, exact: float) -> bool:
    return abs(named - exact) <= _NEAR * exact


def ranks_of(details: str) -> int | None:
    """Read the ranks of a module: 2 of "2Rx4"; None where none are named."""
    match = _RANKS.search(details)
    if match is None:
        return None
    return int(match[1]) if match[1] else _RANK_WORDS[match[2].lower()]


def written_population(text: str, kind: str) -> Population:
    """Read a population as "6 x 32", or with ranks, speed and kind; ``kind`` is that of one which names none.

    Raises `InputError`.
    """
    match = _POPULATION.fullmatch(text)
    if match is None or not 0 < int(match[1]) <= _MOST_MODULES or not float(match[2].replace(",", ".")) > 0:
        raise InputError(
            f"{text[:80]!r} is no memory population.",
            f"Write the number of modules and the GB of each, such as {FORM!r}; in full: {FULL_FORM!r}.",
        )
    count, each = int(match[1]), float(match[2].replace(",", "."))
    ranks, speed = match[3], match[4]
    return Population(
        kind=match[5] or kind,
        modules=count,
        gib=count * each,
        ranks=None if ranks is None else float(count * int(ranks)),
        speed_mts=None if speed is None else float(speed),
    )


def population_words(memory: Population) -> str:
    """Write a population: "6 × 32 GiB, 2 ranks, 3200 MT/s, DDR4 RDIMM"."""
    ranks = None if memory.ranks is None else round(memory.ranks / memory.modules)
    parts = [
        f"{memory.modules} × {format_number(memory.gib / memory.modules)} GiB",
        None if ranks is None else f"{ranks} rank{'s' * (ranks > 1)}",
        None if memory.speed_mts is None else f"{memory.speed_mts:.0f} MT/s",
        memory.kind,
    ]
    return ", ".join(part for part in parts if part)
