"""The parts of a run by name."""

from __future__ import annotations

from enum import StrEnum


class PhaseName(StrEnum):
    """The phases of a run, in their order."""

    IDLE = "idle"
    SYNC = "sync-pattern"
    """Pulses of load from which the latency of the meters is found."""
    RAMP = "ramp"
    SETTLE = "settle"
    MEASURE = "measure"
    HOLD = "hold"
    """The load goes on after the window, so that no step lies where a meter's latency blurs the window's end."""
    COOL_DOWN = "cool-down"
