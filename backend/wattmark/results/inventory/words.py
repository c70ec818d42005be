"""What the memory inventory of a run says in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from wattmark.bench.slot_ways import WAYS
from wattmark.core.texts import first_of
from wattmark.results.inventory.compare import Comparison, Difference
from wattmark.results.inventory.population import Source
from wattmark.results.inventory_part import CheckedSlot
from wattmark.runs.disclosure import OutOfBand, SlotsWay
from wattmark.runs.record import RunRecord

MOST_NAMED = 8
_BASES = "count slots or processors from different numbers, 0 and 1"


def from_the_bench(differences: Sequence[Difference]) -> str:
    """State what contradicts the bench file, and what to do; empty where nothing does."""
    if not differences:
        return ""
    return (
        f"The memory slots differ from the bench file: {first_of(_texts(differences), MOST_NAMED, '; ')}. "
        "Correct the bench file, or move the modules in the server."
    )


def from_each_other(differences: Sequence[Difference]) -> str:
    """State where firmware and BMC contradict each other, and what to do; empty where they do not."""
    if not differences:
        return ""
    return (
        f"The firmware and the BMC list different memory: {first_of(_texts(differences), MOST_NAMED, '; ')}. "
        "Restart the server, so that its BMC reads the modules again."
    )


def _texts(differences: Sequence[Difference]) -> list[str]:
    return [difference.text for difference in differences]


def agreed(compared: Sequence[Comparison]) -> str:
    """State that the modules are those of the inventory, by slot or only by count and kind."""
    by = "" if any(comparison.pairing.pairs for comparison in compared) else "By count and kind, "
    lists = " and ".join(comparison.source.who for comparison in compared)
    text = f"{by}the memory modules are those that {lists} list{'s' * (len(compared) == 1)}."
    return text[0].upper() + text[1:]


def unpaired(compared: Sequence[Comparison]) -> str:
    """Name the slots that could not be paired, of each source; empty where all are."""
    any_pairs = any(comparison.pairing.pairs for comparison in compared)
    return " ".join(text for comparison in compared for text in _of_names(comparison, any_pairs=any_pairs))


def _of_names(comparison: Comparison, *, any_pairs: bool) -> Iterable[str]:
    """Yield what is to be said of the names by which a source calls the slots."""
    source, pairing = comparison.source, comparison.pairing
    names, bases = first_of(list(source.slots), MOST_NAMED), f"The bench file and {source.who} {_BASES}"
    if not pairing.pairs and any_pairs:
        yield f"The slots of {source.who} could not be paired with those of the bench file: it calls them {names}."
    elif not pairing.pairs:
        yield (
            "The slots could not be paired with those of the bench file, and are not verified by "
            f"{source.who}, which calls them {names}. Use these names in the bench file."
        )
    if pairing.may_be_shifted:
        yield f"{bases}, or modules are in other slots: the names do not tell."
    if pairing.is_shifted:
        yield f"{bases}: they were paired accordingly."
    sides = ((comparison.unpaired, "the bench file"), (comparison.unpaired_there, source.who))
    unpaired_names = " and ".join(f"{first_of(slots, MOST_NAMED)} of {who}" for slots, who in sides if slots)
    if unpaired_names:
        yield f"Not paired between the bench file and {source.who}: {unpaired_names}."


def other_parts(source: Source, parts: Sequence[str]) -> str:
    """State which part numbers a BMC shows where the firmware has those of the bench file; empty for none."""
    if not parts:
        return ""
    return (
        f"{source.who[0].upper()}{source.who[1:]} shows other part numbers than the firmware, which has those of the "
        f"bench file: {first_of(parts, MOST_NAMED)}. Some makers of servers show their own."
    )


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
    if source.by_bmc:
        return f"Redfish of the BMC {bmc.bmc}" if bmc else "Redfish"
    return WAYS[way].words if way else "the firmware's tables"
