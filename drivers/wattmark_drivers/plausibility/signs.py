"""Does power flow the right way, and do the phases add up?"""

from __future__ import annotations

from statistics import median

from wattmark_drivers.plausibility.recording import PHASES, MeterRecording, examinable, is_plug, label
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, name_factor, not_checked

NOISE_W = 2.0
"""An input without load may show a little of either sign."""
SUM_TOLERANCE = 0.02
PHASE_POWERS = tuple(f"power{ending}" for ending in PHASES[1:])


def sign(recording: MeterRecording) -> PlausibilityVerdict:
    """Test that no power is negative: a server takes power, it gives none [W]."""
    rule = "sign"
    powers = {ending: value for ending in PHASES if (value := recording.typical(f"power{ending}")) is not None}
    if not powers:
        return not_checked(rule, "The device provides no power.")
    wrong = [ending for ending, value in powers.items() if value < -NOISE_W]
    lowest = min(powers.values())
    if not wrong:
        return PlausibilityVerdict(rule, "pass", "No power is negative.", lowest, -NOISE_W, "W")
    phases = [ending for ending in wrong if ending]
    if phases and len(phases) < sum(abs(value) > NOISE_W for ending, value in powers.items() if ending):
        turned = ", ".join(label(ending).strip() for ending in phases)
        advice = f"the current transformer of {turned} is reversed, or phases are swapped"
    elif is_plug(recording.declaration):
        advice = "what is plugged in feeds back, or the firmware is wrong: meter a server alone"
    else:
        advice = "supply and load sides are swapped, or the current transformers are reversed"
    named = ", ".join(f"power{label(ending)}" for ending in wrong)
    return PlausibilityVerdict(rule, "fail", f"Negative: {named}.", lowest, -NOISE_W, "W", advice)


def phase_sum(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the sum of the phases' powers against the total."""
    rule = "phase-sum"
    if not recording.has("power", *PHASE_POWERS):
        return not_checked(rule, "The device does not provide three phases and their total.")
    names = ("power", *PHASE_POWERS)
    pairs = [
        (poll["power"].value, sum(poll[name].value for name in PHASE_POWERS))
        for poll in recording.polls
        if all(name in poll and examinable(poll[name]) for name in names) and abs(poll["power"].value) > NOISE_W
    ]
    if not pairs:
        return not_checked(rule, "No power is flowing.")
    total, summed = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    limit = SUM_TOLERANCE + 2 * sum(map(recording.step, names)) / abs(total)
    off = summed / total - 1
    good = abs(off) <= limit
    words = name_factor(summed / total) or "not their total"
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"The phases sum to {summed:.5g} W, the total is {total:.5g} W.",
        off,
        limit,
        "1",
        "" if good else f"the sum of the phases is {words}: check wiring setting (phases, neutral) and model",
    )
