"""Do new values come as often as declared, and do they come at all?"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median

from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.plausibility.recording import MeterRecording, Poll
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, not_checked
from wattmark_drivers.reading import Kind, Quality

SLOWEST = 1.5
FEWEST_CHANGES = 3
FINE_ENOUGH = 0.5
"""Polls must come at least twice per declared period to see when a value changes."""


def update_period(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the time between changes of the values against the declared update period [s]."""
    rule = "update-period"
    claimed_s = _claimed_s(recording)
    polled_s = _spacing_s(recording)
    if recording.period_s is not None and polled_s > FINE_ENOUGH * claimed_s:
        why = f"It was polled every {polled_s:.2g} s, too rarely to see changes every {claimed_s:g} s."
        return not_checked(rule, why)
    changes = _changes_ns(recording)
    if len(changes) < FEWEST_CHANGES + 1:
        return not_checked(rule, f"The values changed only {len(changes)} times; apply a load, or test for longer.")
    seen_s = median((b - a) / 1e9 for a, b in pairwise(changes))
    limit_s = SLOWEST * claimed_s + (0.0 if recording.period_s is None else polled_s)
    good = seen_s <= limit_s
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"New values come every {seen_s:.3g} s; the model declares {claimed_s:g} s.",
        seen_s,
        limit_s,
        "s",
        ""
        if good
        else "the device is set to a slower update interval, or a gateway answers from its cache: check the settings",
    )


def stale(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the longest time in which no value changed [s]."""
    rule = "stale"
    declaration = recording.declaration
    limit_s = declaration.suspicion.still_updates * max(_claimed_s(recording), _spacing_s(recording))
    if recording.duration_s <= limit_s:
        return not_checked(rule, f"A test of {recording.duration_s:.0f} s is too short to show frozen readings.")
    if not any(reading.value for reading in recording.readings if reading.channel.startswith("power")):
        return not_checked(rule, "No power is flowing, so constant zeros are correct.")
    if recording.declaration.indicative:
        return _as_flagged(recording, rule)
    stamps = [_stamp(poll) for poll in recording.polls]
    instants = sorted({stamps[0], *_changes_ns(recording), stamps[-1]})
    longest_s = max((b - a) / 1e9 for a, b in pairwise(instants))
    good = longest_s <= limit_s
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"The longest time without any change was {longest_s:.3g} s.",
        longest_s,
        limit_s,
        "s",
        ""
        if good
        else "the device hangs, or a gateway answers from its cache: restart it, or connect without the gateway",
    )


def _as_flagged(recording: MeterRecording, rule: str) -> PlausibilityVerdict:
    """Evaluate a coarse sensor by the flags that its driver set from the device's own time stamp."""
    flagged = sum(bool(reading.quality & Quality.STALE) for reading in recording.readings)
    share = 100 * flagged / len(recording.readings)
    good = share <= 50
    advice = "" if good else "the controller updates its power slower than declared: use a longer period_s"
    text = f"{share:.0f} % of the readings repeat an old one."
    return PlausibilityVerdict(rule, "pass" if good else "fail", text, share, 50.0, "%", advice)


def _claimed_s(recording: MeterRecording) -> float:
    """Return how often a new value comes as declared [s]; a device that is only listened to publishes more rarely."""
    table = recording.declaration.protocol
    if recording.period_s is None and isinstance(table, MqttMap):
        return table.published_s
    return recording.declaration.rhythm.update_period_s


def _spacing_s(recording: MeterRecording) -> float:
    """Compute the typical time between polls [s]."""
    stamps = [_stamp(poll) for poll in recording.polls]
    return median((b - a) / 1e9 for a, b in pairwise(stamps)) if len(stamps) > 1 else recording.period_s or 0.0


def _stamp(poll: Poll) -> int:
    return min(reading.t_ns for reading in poll.values())


def _changes_ns(recording: MeterRecording) -> list[int]:
    """List when a poll showed something new; counters do not count, and whatever a device pushes is new."""
    if recording.period_s is None:
        return [_stamp(poll) for poll in recording.polls]
    changes: list[int] = []
    before: dict[str, tuple[float, int | None]] | None = None
    for poll in recording.polls:
        shown = {
            name: (period.value, period.device_time_ns)
            for name, period in poll.items()
            if period.kind is not Kind.COUNTER and math.isfinite(period.value)
        }
        if before is not None and any(before.get(name, value) != value for name, value in shown.items()):
            changes.append(_stamp(poll))
        before = {**(before or {}), **shown}
    return changes
