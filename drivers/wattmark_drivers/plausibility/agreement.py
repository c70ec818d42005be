"""Do the powers that one device shows agree?"""

from __future__ import annotations

import math
import re

from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, not_checked

RULE = "agreement"
FACTOR = 2.0
NOTED = 1.3
LEAST_W = 10.0
LEAST_S = 9.0
"""Ten seconds, less the time of the first poll."""
DRIVER_POWERS = ("power_average", "power_usage", "power_instant")
SUPPLY_INPUT = re.compile(r"(psu?|pws|power_supply)_?.*_(input|in)(_power)?")


def agreement(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the device's other powers, or the sum of its supplies' inputs, against its power."""
    power_w = recording.typical("power")
    others = _others(recording)
    if power_w is None or not others:
        return not_checked(RULE, "The device shows its power only once.")
    if recording.duration_s < LEAST_S:
        return not_checked(RULE, "Powers are compared over 10 s; test for longer.")
    if power_w <= 0 or max(power_w, *others.values()) < LEAST_W:
        return not_checked(RULE, "No power is flowing.")
    name, other_w = max(others.items(), key=lambda item: abs(math.log(max(item[1], 1e-3) / power_w)))
    ratio = max(other_w, 1e-3) / power_w
    off = max(ratio, 1 / ratio)
    good = off <= FACTOR
    note = " They may cover different times or parts." if good and off > NOTED else ""
    if name in DRIVER_POWERS:
        advice = "the driver's figures contradict each other: update the driver, and compare with a wall meter"
    else:
        advice = "do not use this power, unless the supplies feed several servers: compare with a wall meter"
    return PlausibilityVerdict(
        RULE,
        "pass" if good else "fail",
        f"Power is {power_w:.5g} W, {name} {other_w:.5g} W.{note}",
        off,
        FACTOR,
        "1",
        "" if good else advice,
    )


def _others(recording: MeterRecording) -> dict[str, float]:
    """Return the typical values of what should show the same power [W]."""
    others = {name: value for name in DRIVER_POWERS if (value := recording.typical(name)) is not None}
    inputs = [
        value
        for channel in recording.channels
        if channel.quantity == "power" and SUPPLY_INPUT.fullmatch(channel.id)
        if (value := recording.typical(channel.id)) is not None
    ]
    return {**others, "the sum of its supplies": sum(inputs)} if inputs else others
