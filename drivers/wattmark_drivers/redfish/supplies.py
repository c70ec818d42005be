"""Which figures of power supplies are measurements: some BMCs show the rating or the chassis' total in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wattmark_drivers.http_client.json_body import point
from wattmark_drivers.redfish.values import Value, figure_of

MOST_OF_ONE = 1.2
"""No supply takes or gives more than the whole chassis, with 20 % for losses and for the time between two readings."""
MOST_OF_ALL = 1.5
"""Nor do all of them together, with 50 %: at little load a supply loses a third of what it takes."""


class SupplyCheck:
    """Follows the powers of the supplies of one chassis. A rating once found stays one while it is unchanged."""

    def __init__(self) -> None:
        self._powers: dict[str, dict[str, float]] = {}
        self._ratings: dict[str, float] = {}

    def observe(self, values: Iterable[Value]) -> None:
        """Remember the newest power of each supply, before any of them is judged: they contradict together."""
        for value in values:
            if _is_power_of_supply(value) and value.quality.usable:
                self._powers.setdefault(value.declared.channel, {})[value.channel] = value.value

    def judge(self, value: Value, total_w: float | None) -> bool:
        """Return whether the power of a supply contradicts the ``total_w`` of the chassis [W]."""
        if not (_is_power_of_supply(value) and value.quality.usable):
            return False
        group = self._powers.get(value.declared.channel, {})
        if total_w is not None and total_w > 0 and _contradicts(value.value, group, total_w):
            self._ratings[value.channel] = value.value
        return self._ratings.get(value.channel) == value.value


def doubts_about_supplies(supplies: Sequence[object]) -> list[str]:
    """Explain why the inputs of the supplies give no power: one is negative, or only outputs are reported."""
    inputs = [figure_of(point(supply, "/PowerInputWatts")) for supply in supplies]
    negative = [n for n, input_w in enumerate(inputs) if input_w is not None and input_w < 0]
    if negative:
        return [f"supply {n} takes in {inputs[n]:g} W, which is negative" for n in negative]
    outputs = ("/PowerOutputWatts", "/LastPowerOutputWatts")
    with_output = [
        supply for supply in supplies if any(figure_of(point(supply, output)) is not None for output in outputs)
    ]
    if with_output and all(input_w is None for input_w in inputs):
        return ["the supplies tell their outputs (DC) and not what they take in"]
    return []


def _is_power_of_supply(value: Value) -> bool:
    return value.declared.quantity == "power" and "{name}" in value.declared.channel


def _contradicts(power_w: float, group: Mapping[str, float], total_w: float) -> bool:
    return power_w > MOST_OF_ONE * total_w or sum(group.values()) > MOST_OF_ALL * total_w
