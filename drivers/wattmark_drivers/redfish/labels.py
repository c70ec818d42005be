"""Describe a figure's source, the side of the power supplies on which it was measured, and reasons to reject one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wattmark_drivers.catalogue.redfish_map import RedfishResource, Side
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.physics import LEAST_SERVER_W
from wattmark_drivers.reading import Quality
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.values import Value

SIDES: dict[Side, str] = {
    "input": "input side of the supplies",
    "output": "output side of the supplies: DC",
    "unstated": "side of the supplies not stated",
}
AT_SUPPLIES = ("PowerSupply", "PowerSupplyBay", "Rectifier")
BEHIND_SUPPLIES = ("VoltageRegulator",)
"""Values of PhysicalContext (DSP0268) of sensors at the supplies, and of those behind them."""
AGREE = 0.01
"""A total that differs by at most so much from the sum of the supplies is that sum."""


def describe(
    value: Value,
    declared: RedfishResource,
    resources: Sequence[Resource],
    counted: int,
    output_names: Sequence[str],
) -> str:
    """Describe a value for people; ``counted`` is the number of parts of a sum by the service's own count."""
    notes = []
    if declared.total:
        here = f"sum of {value.count}"
        notes.append(here if counted <= value.count else f"{here}; the BMC counts {counted}")
    if value.declared.interval is not None:
        notes.append(_interval(value.interval_min))
    if value.declared.side is not None:
        notes.append(SIDES[_side(value.declared.side, resources, output_names)])
    if not notes:
        return value.label
    label = f"{value.label[:-1]}, " if value.label.endswith(")") else f"{value.label} ("
    return f"{label}{', '.join(notes)})"


def supplies_side(total_w: float, values: Iterable[Value]) -> str | None:
    """Return whether a total equals the input or the output of the supplies; None where it equals neither."""
    sums: dict[str, float] = {}
    for value in values:
        declared = value.declared
        if declared.quantity == "power" and "{name}" in declared.channel:
            kind = "outputs" if "output" in declared.channel else "inputs"
            sums[kind] = sums.get(kind, 0.0) + value.value
    equal = [kind for kind, power_w in sums.items() if abs(power_w - total_w) <= max(1.0, AGREE * total_w)]
    if len(equal) != 1:
        return None
    return f"equals the sum of the supplies' {equal[0]}"


def doubt_about(values: Iterable[Value]) -> list[str]:
    """Explain why values of a resource are rejected."""
    reasons = []
    for value in values:
        if value.channel != "power":
            continue
        if value.foreign_unit is not None:
            reasons.append(f"{value.label} is in {value.foreign_unit}, not in {value.declared.unit}")
        elif 0 <= value.value <= LEAST_SERVER_W:
            reasons.append(f"{value.label} reads {value.value:g} W, which is not plausible for a server")
        elif value.state is not None and value.value == value.value:
            reasons.append(f"{value.label} reads {value.value:g} W, but its own state is {value.state}")
        elif value.value < 0:
            reasons.append(f"{value.label} reads {value.value:g} W, which is negative")
        elif value.declared.longest_interval_min is not None and value.value == value.value:
            reasons.append(f"{value.label} is a mean over {_interval(value.interval_min).removeprefix('mean over ')}")
        elif value.quality & Quality.ABOVE_LIMIT:
            reasons.append(f"{value.label} reads {value.value:g} W, far above the limit that the service tells")
        elif value.value == value.value:
            reasons.append(f"{value.label} reads {value.value:g} W, the same for each supply or outside all limits")
    return reasons


def _side(side: Side, resources: Sequence[Resource], output_names: Sequence[str]) -> Side:
    """Find the side of a figure: as declared, else as the sensor or its path states it."""
    if side != "unstated" or len(resources) != 1:
        return side
    document = resources[0].document
    names = [
        resources[0].path,
        text_at(document, "/PowerWatts/DataSourceUri"),
        text_at(document, "/PowerControl/0/Name", "/PowerControl/Name"),
    ]
    if any(re.search(pattern, name) for pattern in output_names for name in names if name):
        return "output"
    context, place = point(document, "/PhysicalContext"), point(document, "/PhysicalSubContext")
    if context in BEHIND_SUPPLIES or (context in AT_SUPPLIES and place == "Output"):
        return "output"
    return "input" if context in AT_SUPPLIES and place == "Input" else "unstated"


def _interval(minutes: float | None) -> str:
    if minutes is None or minutes <= 0:
        return "mean over an unknown time"
    if minutes < 1:
        return f"mean over {60 * minutes:.3g} s"
    return f"mean over {minutes:.3g} min" if minutes < 600 else f"mean over {minutes / 60:.4g} h"
