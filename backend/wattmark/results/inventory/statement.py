"""What the memory inventory of a run says in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wattmark.bench.slot_ways import WAYS
from wattmark.results.inventory.compare import Comparison, Difference
from wattmark.results.inventory.population import Source
from wattmark.results.inventory_part import CheckedSlot
from wattmark.runs.disclosure import OutOfBand, SlotsWay
from wattmark.runs.record import RunRecord

MOST_NAMED = 8


def from_the_bench(differences: Sequence[Difference]) -> str:
    """State what contradicts the bench file, and what to do; empty where nothing does."""
    if not differences:
        return ""
    return (
        f"The memory slots differ from the bench file: {_named(differences)}. "
        "Correct the bench file, or move the modules in the server."
    )


def from_each_other(differences: Sequence[Difference]) -> str:
    """State where firmware and BMC contradict each other, and what to do; empty where they do not."""
    if not differences:
        return ""
    return (
        f"The firmware and the BMC list different memory: {_named(differences)}. "
        "Restart the server, so that its BMC reads the modules again."
    )


def _named(differences: Sequence[Difference]) -> str:
    more = len(differences) - MOST_NAMED
    named = "; ".join(difference.text for difference in differences[:MOST_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def agreed(sources: Sequence[Source]) -> str:
    """State that the modules are those of the inventory."""
    lists = " and ".join("the firmware" if source.by_firmware else source.where[3:] for source in sources)
    return f"The memory modules are those that {lists} list{'s' * (len(sources) == 1)}."


def unpaired_text(sources: Sequence[Source], compared: Sequence[Comparison]) -> str:
    """Name the slots that no source lists under a name that tells which it is; empty where all are paired."""
    if not sources:
        return ""
    if not any(comparison.same_slots for comparison in compared):
        names = ", ".join(list(sources[0].slots)[:MOST_NAMED])
        return (
            "The slots could not be paired with those of the bench file, and are not verified: the server calls them "
            f"{names}. Use these names in the bench file."
        )
    doubtful = [set(comparison.unpaired) for comparison in compared if comparison.same_slots]
    alone = [slot for slot in next(c.unpaired for c in compared if c.same_slots) if all(slot in of for of in doubtful)]
    if not alone:
        return ""
    more = f" and {len(alone) - MOST_NAMED} more" if len(alone) > MOST_NAMED else ""
    return f"Not paired with a slot of the server, and not verified: {', '.join(alone[:MOST_NAMED])}{more}."


def untold(slots: Sequence[CheckedSlot]) -> str:
    """Name the declared attributes of verified slots that no source states; empty where all are verified."""
    counts = Counter(attribute for slot in slots for attribute in slot.unverified)
    named = ", ".join(f"{attribute} of {count} slot{'s' * (count > 1)}" for attribute, count in counts.items())
    return f"Stated by the bench file alone: {named}." if named else ""


def unread(run: RunRecord, *, simulated: bool) -> str:
    """Explain why nothing lists the slots of the server."""
    if simulated:
        return "A simulated server has no memory slots of its own."
    host = run.disclosure.host
    bmc = host.out_of_band
    texts = [host.memory_slots_unread or "The firmware's list of memory modules was not read."]
    if bmc is not None:
        texts.append(f"The BMC {bmc.bmc} was asked too. {bmc.problem or 'It lists no module.'}")
    return " ".join(texts)


def way_of(way: SlotsWay | None, source: Source, bmc: OutOfBand | None) -> str:
    """Name the way by which a source was read."""
    if source.status == "verified out of band":
        return f"Redfish of the BMC {bmc.bmc}" if bmc else "Redfish"
    return WAYS[way].words if way else "the firmware's tables"
