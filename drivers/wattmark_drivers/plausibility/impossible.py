"""Does any single reading break physics?"""

from __future__ import annotations

from collections import Counter

from wattmark_drivers.plausibility.recording import MeterRecording, is_plug
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, not_checked
from wattmark_drivers.reading import IMPOSSIBLE, REASONS, Quality

RULE = "physics"
SETTINGS = {
    Quality.EXCEEDS_VA: "check scale, word order and transformer ratio, and that power and current are of one phase",
    Quality.NO_VOLTAGE: "check the wiring of the voltage inputs and the register map",
    Quality.AT_ODDS: "check model, scale and word order, the direction of each transformer, and the wiring setting",
    Quality.NOT_LIVE: "a gateway answers for a device that is gone: check the unit id, its supply and its wiring",
}
PLUG = "a plug has no setting for this: update its firmware, or use another plug"
ADVICE = {
    Quality.EXCEEDS_VA: PLUG,
    Quality.NO_VOLTAGE: PLUG,
    Quality.AT_ODDS: PLUG,
    Quality.RELAY_OFF: "the power is an old one, or the relay does not open: switch it on, and read again",
    Quality.ABOVE_LIMIT: "the device misreads its power: update its driver or firmware, or use another meter",
    Quality.NO_VALUE: "the device has no value there: check that it measures, and the model",
    Quality.NOT_LIVE: "the plug reports no volts: update its firmware, or use another plug",
}


def physics(recording: MeterRecording) -> PlausibilityVerdict:
    """Test that no reading is impossible by itself or by the others of its answer; the share of those that are [%]."""
    if not recording.readings:
        return not_checked(RULE, "There are no readings.")
    wrong = [reading for reading in recording.readings if reading.quality & IMPOSSIBLE]
    share = 100 * len(wrong) / len(recording.readings)
    if not wrong:
        return PlausibilityVerdict(RULE, "pass", "No reading is impossible.", share, 0.0, "%")
    counts = Counter(next(reason for reason in REASONS if reading.quality & reason) for reading in wrong)
    named = ", ".join(f"{REASONS[reason]} ({count})" for reason, count in counts.most_common())
    first = next((reading for reading in wrong if reading.channel.startswith("power")), wrong[0])
    text = (
        f"{len(wrong)} of {len(recording.readings)} readings are impossible: {named}; "
        f"first {first.channel} {first.value:.5g} {first.unit}."
    )
    worst = counts.most_common(1)[0][0]
    advice = ADVICE[worst] if is_plug(recording.declaration) else SETTINGS.get(worst, ADVICE[worst])
    return PlausibilityVerdict(RULE, "fail", text, share, 0.0, "%", advice)
