"""What one instrument said: samples with stamps, cleaned of what is not a measurement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Conditions, Specification

from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
Kind = Literal["averaged", "instantaneous", "counter"]
NS = 1e9


@dataclass(frozen=True, slots=True)
class Instrument:
    """A meter as the analysis needs it. None means: the maker does not say, and then nothing is assumed."""

    name: str
    kind: Kind = "averaged"
    unit: str = "W"
    """W, or Wh for a counter."""
    period_s: float = 1.0
    specification: Specification | None = None
    range_w: float | None = None
    resolution: float | None = None
    """Last digit, in ``unit``."""
    wraps_at: float | None = None
    """Value at which a counter begins again at 0, in ``unit``."""
    latency_s: float = 0.0
    u_latency_s: float | None = None
    """None: a quarter of the period."""
    group: str = ""
    """Identity of the error: two results with the same group share meter and range."""
    indicative: bool = False
    conditions: Conditions = field(default_factory=Conditions)
    """How the meter was used, as far as it is known."""
    u_temperature_k: float = 0.0
    wiring_loss_w: float = 0.0
    """Power in the indication that the server does not take; subtracted from mean power."""
    u_wiring_loss_w: float = 0.0

    @property
    def specified(self) -> bool:
        """Tell whether limits of error are known for the range and the conditions in use."""
        return self.specification is not None and self.unspecified is None

    @property
    def unspecified(self) -> str | None:
        """Say why the maker's limits of error cannot be applied; None where they can, or where there are none."""
        if self.specification is None:
            return None
        if self.specification.range_pct != 0 and self.range_w is None:
            return f"The range of {self.name} is not recorded, so its specification cannot be applied."
        unmet = self.specification.unmet(self.conditions)
        return None if unmet is None else f"{self.name}: {unmet}"

    @property
    def latency_uncertainty_s(self) -> float:
        """Compute the standard uncertainty of the latency [s]."""
        return self.period_s / 4 if self.u_latency_s is None else self.u_latency_s


@dataclass(frozen=True, slots=True)
class Trace:
    """Samples of one instrument as recorded: UTC stamps [ns], values, which are usable, stamp uncertainty [s]."""

    instrument: Instrument
    t_ns: NDArray[np.int64]
    value: Array
    usable: NDArray[np.bool_]
    u_t_s: Array
    register: Trace | None = None
    """The same meter's energy register, where it has one beside its power."""


@dataclass(frozen=True, slots=True)
class CleanTrace:
    """Usable samples on a time axis in seconds that starts at the window, shifted by the meter's latency."""

    instrument: Instrument
    t_s: Array
    value: Array
    period_s: float
    u_t_s: float
    bad_t_s: Array
    """Stamps of the samples that were left out."""

    def inside(self, duration_s: float) -> NDArray[np.bool_]:
        """Mark the samples strictly inside the window (0, duration)."""
        return (self.t_s > 0) & (self.t_s < duration_s)

    def bad_inside(self, duration_s: float) -> int:
        """Count the samples in the window that were left out."""
        return int(np.count_nonzero((self.bad_t_s > 0) & (self.bad_t_s < duration_s)))


def good_samples(trace: Trace) -> NDArray[np.bool_]:
    """Mark what is a measurement: usable, finite, positive (sentinels -1 and -2 are bad), the first of equal stamps.

    Zero watts count only where the instrument never shows anything else (the second feed of a redundant supply).
    """
    good = trace.usable & np.isfinite(trace.value)
    idle_feed = trace.instrument.kind == "counter" or not np.any(trace.value[good] != 0)
    good &= trace.value >= 0 if idle_feed else trace.value > 0
    good[1:] &= np.diff(trace.t_ns) > 0
    return good


def clean(trace: Trace, begin_ns: int, *, shift: bool) -> CleanTrace:
    """Remove bad samples and set time 0 to the window's begin; ``shift`` corrects the meter's latency.

    Raises `Refused` for another unit than W (Wh for a counter), for stamps that run backwards, and when nothing
    usable is left.
    """
    meter = trace.instrument
    _require_unit(meter)
    if np.any(np.diff(trace.t_ns) < 0):
        raise Refused("stamps-unordered", f"Stamps of {meter.name} run backwards; check the recorder's clock.")
    good = good_samples(trace)
    if not good.any():
        raise Refused("no-samples", f"{meter.name} has no usable sample near the window; check the meter.")
    origin_ns = begin_ns + (round(meter.latency_s * NS) if shift else 0)
    t_s = (trace.t_ns - origin_ns) / NS
    return CleanTrace(
        instrument=meter,
        t_s=t_s[good],
        value=trace.value[good],
        period_s=_nominal_period(t_s, meter.period_s),
        u_t_s=float(np.median(trace.u_t_s[good])),
        bad_t_s=t_s[~good],
    )


def _nominal_period(t_s: Array, declared_s: float) -> float:
    """Take the declared period, or the real rhythm where that is slower [s]."""
    return max(declared_s, float(np.median(np.diff(t_s)))) if len(t_s) > 2 else declared_s


def _require_unit(meter: Instrument) -> None:
    """Refuse values in a unit that this analysis does not integrate."""
    expected = "Wh" if meter.kind == "counter" else "W"
    if meter.unit != expected:
        raise Refused("mixed-units", f"{meter.name} gives {meter.unit}; power is summed in {expected} only.")
