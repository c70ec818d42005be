"""What a Redfish service states of the power supplies of a chassis (DSP0268, PowerSupply and Power)."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.distinct import distinct
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.walk import Walker

MOST = 64
POINTERS = ("/Status/State", "/Status/Health", "/LineInputStatus")
"""What is stated, in this order: "Enabled, OK, Normal"; the line input only by newer services."""


async def supply_states(walker: Walker, chassis: Resource) -> dict[str, str]:
    """Read the states of the supplies by name: those of PowerSubsystem, else those in the older resource Power."""
    members = await walker.follow(chassis, ["PowerSubsystem", "PowerSupplies", "*"])
    documents = [member.resource.document for member in members]
    if not documents:
        for part in await walker.follow(chassis, ["Power"]):
            listed = point(part.resource.document, "/PowerSupplies")
            documents += listed if isinstance(listed, list) else []
    return states_of(documents)


def states_of(documents: Sequence[object]) -> dict[str, str]:
    """Return the stated states of supplies by name; one that states nothing is excluded."""
    listed = [
        (text_at(document, "/Name", "/MemberId", "/Id") or "supply", text, str(number))
        for number, document in enumerate(documents[:MOST], 1)
        if (text := ", ".join(filter(None, (text_at(document, pointer) for pointer in POINTERS))))
    ]
    names = distinct([name for name, _, _ in listed], [f"{name} {number}" for name, _, number in listed])
    return {name: text for name, (_, text, _) in zip(names, listed, strict=True)}
