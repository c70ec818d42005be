"""The memory slots of a run: what the bench file declares, and by what each slot was verified."""

from __future__ import annotations

from typing import Literal

from wattmark.core.schema import Record

MEMORY_SLOTS = "memory-slots"
"""The rule on contradictions between the two."""
SlotStatus = Literal["verified by firmware", "verified out of band", "declared, not verified"]
FIRMWARE: SlotStatus = "verified by firmware"
OUT_OF_BAND: SlotStatus = "verified out of band"
DECLARED: SlotStatus = "declared, not verified"


class CheckedSlot(Record):
    """A slot of the bench file, with what verified it."""

    slot: str
    declared: str
    """Such as "RDIMM 16 GiB, 3200 MT/s", or "empty"."""
    status: SlotStatus
    verified: tuple[str, ...] = ()
    """The attributes that what verified the slot states too: "size", "type", "speed", "ranks", "part"."""
    unverified: tuple[str, ...] = ()
    """Declared attributes of a verified slot that nothing else states."""
    contradictions: tuple[str, ...] = ()


class MemoryInventory(Record):
    """The slots of a run's configuration against the inventory of its server."""

    way: str | None = None
    """How the inventory was read; None: it was not."""
    slots: tuple[CheckedSlot, ...]
    contradictions: tuple[str, ...] = ()
    """Any bars the run from every ranking."""
    statement: str
    """What was verified; else why not, and what to do."""

    @property
    def verifies(self) -> bool:
        """Return whether anything but the declaration states what is in a slot."""
        return any(slot.status != DECLARED for slot in self.slots)

    @property
    def summary(self) -> str:
        """Count the slots by what verified them, in a few words."""
        statuses = [slot.status for slot in self.slots]
        words = ", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses))
        number = len(self.contradictions)
        return f"{words}; {number} contradiction{'s' * (number > 1)}" if number else words
