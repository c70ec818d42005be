"""The words of a kind of part: what a count counts, and what is fitted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartWords:
    """One part and several: as they are counted ("DIMM"), and as things that are fitted ("module")."""

    one: str
    many: str
    piece: str
    pieces: str


DIMM = PartWords("DIMM", "DIMMs", "module", "modules")


def part_words(kind: str) -> PartWords:
    """Return the words of a kind of part, such as "drive"; the plural is the regular one."""
    many = f"{kind}es" if kind.endswith(("s", "x", "ch", "sh")) else f"{kind}s"
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        many = f"{kind[:-1]}ies"
    return PartWords(kind, many, kind, many)
