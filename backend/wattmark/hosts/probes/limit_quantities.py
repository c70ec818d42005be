"""Names of the channels that tell of limits: what the probes measure, and the verdicts of a run read."""

from __future__ import annotations

import re

POWER_OVER_LIMIT = "power_over_limit"
CLOCK_OVER_LIMIT = "clock_over_limit"
TEMPERATURE_LIMIT = "temperature_limit"
"""1 while a processor is at the temperature that throttles it, 0 below it, 0.5 where that is not known."""
THROTTLE_TIME = "throttle_time"
THROTTLE_EVENTS = "throttle_events"
POWER_ALARM = "power_alarm"
CURRENT_ALARM = "current_alarm"
TEMPERATURE_ALARM = "temperature_alarm"
VOLTAGE_ALARM = "voltage_alarm"
DEVICE_ALARM = "device_alarm"
"""Of a chip that is none of a processor or GPU, whatever it is an alarm of."""
ALL_EVENTS = "cpu_throttle_events"
"""The channel with the events of all CPUs."""
_EVENTS, _TIME, _OF_CORES, _AT_LIMIT = "_throttle_events", "_throttle_time", "_core_throttle_time", "_throttles"
_PLACE = re.compile(rf"(.+?)(?:{_OF_CORES}|{_EVENTS}|{_TIME}|{_AT_LIMIT})")


def events_of(place: str) -> str:
    """Name the channel with the throttle events of a package or die."""
    return place + _EVENTS


def time_of(place: str, *, cores: bool = False) -> str:
    """Name the channel with the throttled time of a package or die, or with the mean over its cores."""
    return place + (_OF_CORES if cores else _TIME)


def state_of(place: str) -> str:
    """Name the channel that says whether a processor is at the temperature that throttles it."""
    return place + _AT_LIMIT


def is_of_cores(channel: str) -> bool:
    """Return whether a channel is the mean over the cores of a package."""
    return channel.endswith(_OF_CORES)


def place_of(channel: str) -> str:
    """Return the package, die or sensor that a channel of throttling is of: "package0_die1"."""
    match = _PLACE.fullmatch(channel)
    return match[1] if match else channel
