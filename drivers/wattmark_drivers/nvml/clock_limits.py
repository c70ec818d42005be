"""The reasons that limit the clocks of an NVIDIA GPU: bits of one number, without the library of the driver."""

from __future__ import annotations

IDLE, APPLICATION_CLOCKS, POWER_CAP, HARDWARE_SLOWDOWN, SYNC_BOOST = 0x1, 0x2, 0x4, 0x8, 0x10
SOFTWARE_THERMAL, HARDWARE_THERMAL, POWER_BRAKE, DISPLAY_CLOCKS = 0x20, 0x40, 0x80, 0x100
CLOCK_LIMITS = {
    IDLE: "nothing to do",
    APPLICATION_CLOCKS: "clocks set by an application",
    POWER_CAP: "power cap",
    HARDWARE_SLOWDOWN: "hardware slowdown",
    SYNC_BOOST: "synchronised boost",
    SOFTWARE_THERMAL: "thermal slowdown by software",
    HARDWARE_THERMAL: "thermal slowdown by hardware",
    POWER_BRAKE: "power brake",
    DISPLAY_CLOCKS: "clocks of the display",
}
"""Why clocks are low (NVML API reference, nvmlClocksEventReasons)."""


def name_clock_limits(mask: int) -> str:
    """Return why the clocks are limited."""
    named = [words for bit, words in CLOCK_LIMITS.items() if mask & bit]
    unknown = mask & ~sum(CLOCK_LIMITS)
    return ", ".join([*named, *([f"unnamed reasons {unknown:#x}"] if unknown else [])]) or "nothing"
