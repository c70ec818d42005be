"""What a server's firmware says of its memory slots, for the disclosure of its runs."""

from __future__ import annotations

import asyncio
from typing import Any

from wattmark.errors import WattmarkError
from wattmark.workloads.trigger import Line, Trigger

COMMAND = ("dmidecode", "-t", "17")
TIMEOUT_S = 15.0
MOST_LINES = 20_000
PRIVATE = ("Serial Number:", "Asset Tag:")


async def memory_slots(trigger: Trigger) -> dict[str, Any]:
    """Ask dmidecode for the slots as they are now: its text, or why there is none. Never raises for an answer withheld.

    The tables can be read by root only; where the load does not run as root that is said and nothing is tried.
    Serial numbers are not kept.
    """
    lines: list[str] = []

    def keep(line: Line) -> None:
        if len(lines) < MOST_LINES and not line.text.strip().startswith(PRIVATE):
            lines.append(line.text)

    try:
        async with trigger.start(COMMAND, keep, None) as execution:
            status, _ = await asyncio.wait_for(execution.wait(), TIMEOUT_S)
            failed = status != 0
    except (WattmarkError, TimeoutError):
        failed = True
    if failed or not any(line.strip() == "Memory Device" for line in lines):
        return {
            "memory_slots": None,
            "memory_slots_unread": (
                "The memory slots were not verified: dmidecode is missing there or may not read the firmware's tables, "
                "which only root may; allow it, or compare the slots by hand."
            ),
        }
    return {"memory_slots": "\n".join(lines), "memory_slots_unread": None}
