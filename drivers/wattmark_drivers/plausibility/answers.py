"""Does the device answer, and may its readings be used?"""

from __future__ import annotations

from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, not_checked
from wattmark_drivers.reading import IMPOSSIBLE, Quality

LEAST_PCT = 90.0
ADVICE = {
    Quality.OVER_RANGE: "the range is too small: choose a larger one",
    Quality.SATURATED: "the sensor is at the end of its number format: it cannot show this power",
    Quality.INVALID: "the device marks these values as not available: check the wiring and the model",
    IMPOSSIBLE: "values break physics: see the rule physics",
    Quality.IMPLAUSIBLE: "values lie outside what the model can show: check model, word order and scale",
}


def answers(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the share of polls that were answered [%]."""
    asked = len(recording.polls) + recording.lost
    if not asked:
        return not_checked("answers", "Nothing was polled.")
    share = 100 * len(recording.polls) / asked
    return PlausibilityVerdict(
        "answers",
        "pass" if share >= LEAST_PCT else "fail",
        f"{len(recording.polls)} of {asked} polls were answered.",
        share,
        LEAST_PCT,
        "%",
        "" if share >= LEAST_PCT else "check the wiring and the line settings, or raise timeout_s",
    )


def usable(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the share of readings that may enter an average [%]."""
    total = len(recording.readings)
    if not total:
        return not_checked("usable", "There are no readings.")
    bad = [reading for reading in recording.readings if not reading.quality.usable]
    share = 100 * (1 - len(bad) / total)
    counts = {flag: sum(bool(reading.quality & flag) for reading in bad) for flag in ADVICE}
    worst = max(ADVICE, key=lambda flag: counts[flag])
    names = sorted({reading.channel for reading in bad})
    named = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return PlausibilityVerdict(
        "usable",
        "pass" if share >= LEAST_PCT else "fail",
        f"{total - len(bad)} of {total} readings are usable." + (f" Not: {named}." if names else ""),
        share,
        LEAST_PCT,
        "%",
        "" if share >= LEAST_PCT else ADVICE[worst],
    )
