"""A memory module as one source states it, and what a source lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.core.numbers import format_number
from wattmark.results.inventory_part import DECLARED, FIRMWARE, OUT_OF_BAND, SlotStatus


@dataclass(frozen=True, slots=True)
class Module:
    """A module as one source states it; None: the source does not tell."""

    type: str | None
    capacity_gib: float | None
    speed_mts: int | None
    ranks: int | None
    part: str | None
    persistent: bool | None
    """Whether it is persistent memory, and no DRAM."""

    def __str__(self) -> str:
        size = "" if self.capacity_gib is None else f"{format_number(self.capacity_gib)} GiB"
        kind = " ".join(part for part in (self.type, size) if part) or "a module"
        return kind if self.speed_mts is None else f"{kind}, {self.speed_mts} MT/s"

    @property
    def words(self) -> dict[str, str]:
        """Return what is stated of each attribute, in words."""
        words = {
            "size": f"{format_number(self.capacity_gib)} GiB" if self.capacity_gib else "",
            "type": self.type or "",
            "speed": f"{self.speed_mts} MT/s" if self.speed_mts else "",
            "ranks": f"{self.ranks} rank{'s' * (self.ranks > 1)}" if self.ranks else "",
            "part": f"part {self.part}" if self.part else "",
        }
        return {attribute: text for attribute, text in words.items() if text}


Population = Mapping[str, Module | None]
"""Modules by the names of their slots; None: the slot is empty."""


@dataclass(frozen=True, slots=True)
class Source:
    """Who states what is in the slots."""

    who: str
    """Such as "the BMC b1"."""
    where: str
    """What ends "RDIMM 16 GiB ..." in a sentence: "by the BMC b1"."""
    slots: Population
    status: SlotStatus = DECLARED
    nameless: frozenset[str] = frozenset()
    """Slots that the source calls by one name, and that were numbered here: which is which is not known."""

    @property
    def modules(self) -> list[Module]:
        return [module for module in self.slots.values() if module is not None]

    @property
    def by_firmware(self) -> bool:
        return self.status == FIRMWARE

    @property
    def by_bmc(self) -> bool:
        return self.status == OUT_OF_BAND
