"""Samples of one instrument with their stamps, cleaned of bad samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Conditions, Specification

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
Kind = Literal["averaged", "instantaneous", "counter"]
NS = 1e9
DITHERED = 0.2
"""Steps that scatter by a larger share of the period come from polls at random times (decision 0035), which scatter by
0.41 of it: 1/sqrt(6), two uniform offsets. A meter's own rhythm scatters far less."""
LEAST_UNCOVERED = 0.01
"""A smaller share is timing tolerance, not time between readings."""
NEGATIVE = "negative"
NEARLY_COVERED = 0.05
"""Readings that leave at most this share of their cell uncovered represent all of it."""
SLIDES = 1.25
"""Readings that average over more than this many periods are sliding means; less is timing tolerance."""
OFF_RHYTHM = 0.1
"""A rhythm this much off the declared period is the meter's own; a larger difference is lost readings."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """A meter as the analysis needs it. None: the maker does not specify it, and nothing is assumed."""

    name: str
    kind: Kind = "averaged"
    unit: str = "W"
    """W, or Wh for a counter."""
    period_s: float = 1.0
    """Time between two readings, as declared."""
    averaging_s: float | None = None
    """Time over which one reading averages, of any length; None: its whole period."""
    specification: Specification | None = None
    range_w: float | None = None
    highest_w: float | None = None
    """Most that a reading may show; None: the range."""
    resolution: float | None = None
    """Last digit, in ``unit``."""
    wraps_at: float | None = None
    """Value at which a counter begins again at 0, in ``unit``."""
    latency_s: float = 0.0
    """Delay of a reading's stamp after the end of its averaging time [s]."""
    u_latency_s: float | None = None
    """None: between 0 and a whole period."""
    group: str = ""
    """Identity of the error: two results with the same group share meter and range."""
    identity_note: str = ""
    """What the identity assumes, such as one meter under one name where it reports no serial number."""
    operating_point: str = ""
    """Configuration, workload and level measured. Runs at one point share the errors of the meter's curve and last
    digit there; empty: not known, so neither can be separated."""
    indicative: bool = False
    conditions: Conditions = field(default_factory=Conditions)
    """Conditions of use, as far as known."""
    u_temperature_k: float = 0.0
    wiring_loss_w: float = 0.0
    """Power in the indication that the server does not take; subtracted from mean power."""
    u_wiring_loss_w: float = 0.0
    logged_by_others: bool = False
    """Whether others recorded its readings: their log shows the period, and nothing can be repeated."""
    log_begin_ns: int | None = None
    """Begin of an imported log [ns since 1970 UTC] of which a person may choose another part; None: measured here, or
    the source defines the part that counts."""

    @property
    def specified(self) -> bool:
        """Return whether the limits of error for the range and the conditions in use are known."""
        return self.specification is not None and self.unspecified is None

    @property
    def unspecified(self) -> str | None:
        """Explain why the maker's limits of error cannot be applied; None where they can, or where there are none."""
        if self.specification is None:
            return None
        if self.specification.needs_range and self.range_w is None:
            return f"The range of {self.name} is not recorded, so its specification cannot be applied."
        unmet = self.specification.unmet(self.conditions)
        return None if unmet is None else f"{self.name}: {unmet}"

    @property
    def most_w(self) -> float | None:
        """Return the highest power that the meter can show [W]; None where neither range nor limit is known."""
        return self.range_w if self.highest_w is None else self.highest_w

    @property
    def averaging_lag_s(self) -> float:
        """Return the extra lag of a sliding mean over the mean of one period, as declared [s]."""
        slides = self.kind == "averaged" and self.averaging_s is not None and self.averaging_s > SLIDES * self.period_s
        return (self.averaging_s - self.period_s) / 2 if slides and self.averaging_s is not None else 0.0

    @property
    def latency_uncertainty_s(self) -> float:
        """Compute the standard uncertainty of the latency [s]; rectangular up to a period where it is not known."""
        return self.period_s / math.sqrt(3.0) if self.u_latency_s is None else self.u_latency_s


@dataclass(frozen=True, slots=True)
class Trace:
    """Samples of one instrument as recorded: UTC stamps [ns], values, usable flags, stamp uncertainty [s]."""

    instrument: Instrument
    t_ns: NDArray[np.int64]
    value: Array
    usable: NDArray[np.bool_]
    u_t_s: Array
    over_range: NDArray[np.bool_] | None = None
    """Marks readings beyond the meter's range: no measurements, but bounds from below; None: there are none."""
    stale: NDArray[np.bool_] | None = None
    """Marks readings that were repeated for more than three updates; None: there are none."""
    doubts: tuple[tuple[str, NDArray[np.bool_]], ...] = ()
    """Why samples are not usable, in words, each with its samples; the first reason of a sample counts."""
    register: Trace | None = None
    """The same meter's energy register, where it has one beside its power."""


@dataclass(frozen=True, slots=True)
class CleanTrace:
    """Usable samples on a time axis in seconds on which the window is (0, ``duration_s``)."""

    instrument: Instrument
    duration_s: float
    shifted: bool
    """Whether the stamps are corrected by the meter's latency."""
    t_s: Array
    value: Array
    period_s: float
    """Interval at which readings are due [s]: as declared, or the meter's own rhythm where that is close to it."""
    interval_s: float
    """Interval at which readings arrived [s]: the median of all steps between stamps."""
    u_t_s: float
    bad_t_s: Array
    """Stamps of the samples that were excluded."""
    bad_why: NDArray[np.str_]
    """Why each of them was excluded, in words; empty where nothing is known."""
    over_range_t_s: Array
    """Those of ``bad_t_s`` that were beyond the range."""
    stale_t_s: Array
    """Those of ``bad_t_s`` that repeat an old reading."""
    sliding_s: float | None = None
    """Time over which each reading averages, where that is longer than the time between two; None: it is not."""
    unfolds: bool = False
    """Whether the window's rule lets the analysis recover power from sliding means; else they are used unchanged."""

    @property
    def uncovered_share(self) -> float:
        """Compute the share of the time between two readings that no reading covers [1]."""
        meter = self.instrument
        if meter.kind == "counter":
            return 0.0
        if meter.kind == "instantaneous":
            return 1.0
        averaging_s = self.period_s if meter.averaging_s is None else meter.averaging_s
        share = 1.0 - averaging_s / max(self.interval_s, self.period_s)
        return share if share >= LEAST_UNCOVERED else 0.0

    @property
    def fills_cells(self) -> bool:
        """Return whether readings are means of the whole time since the previous one, so each applies backwards."""
        return self.instrument.kind == "averaged" and self.uncovered_share <= NEARLY_COVERED

    @property
    def dithered(self) -> bool:
        """Return whether readings are at random times within their cells instead of on a grid."""
        return dithered(self.t_s, self.period_s)

    @property
    def lag_s(self) -> float:
        """Return the extra lag of a sliding mean over the mean of one period [s]; 0 where it does not slide."""
        return 0.0 if self.sliding_s is None else (self.sliding_s - self.period_s) / 2

    @property
    def inside(self) -> slice:
        """Return the samples strictly inside the window, as a slice: it does not copy a long log."""
        return slice(np.searchsorted(self.t_s, 0.0, "right"), np.searchsorted(self.t_s, self.duration_s))

    @property
    def wholly_inside(self) -> slice:
        """Return the samples inside the window that do not average over time before it, as a slice."""
        reach_s = self.sliding_s if self.sliding_s is not None and self.unfolds else 0.0
        return slice(np.searchsorted(self.t_s, reach_s, "right"), np.searchsorted(self.t_s, self.duration_s))


def good_samples(trace: Trace) -> NDArray[np.bool_]:
    """Mark good samples: usable, in range, not stale, finite, positive, the first of equal stamps.

    Sentinels (-1 and -2) are bad. Zero watts count only where the instrument never shows anything else (the second feed
    of a redundant supply).
    """
    good = trace.usable & np.isfinite(trace.value)
    for flagged in (trace.over_range, trace.stale):
        good = good if flagged is None else good & ~flagged
    # a feed without load reads 0 W throughout; among other readings 0 W is not a measurement
    idle_feed = trace.instrument.kind == "counter" or not np.any(trace.value[good] != 0)
    good &= trace.value >= 0 if idle_feed else trace.value > 0
    good[1:] &= np.diff(trace.t_ns) > 0
    return good


def clean(trace: Trace, window: Window) -> CleanTrace:
    """Remove bad samples and set time 0 to the window's begin; the window's rule says whether latency is corrected.

    Raises `Refused` for another unit than W (Wh for a counter), for stamps that run backwards, and when nothing
    usable is left.
    """
    meter = trace.instrument
    _require_unit(meter)
    if np.any(np.diff(trace.t_ns) < 0):
        raise Refused("stamps-unordered", f"The time stamps of {meter.name} run backwards; check the recorder's clock.")
    good = good_samples(trace)
    none = np.zeros(len(good), dtype=np.bool_)
    beyond, stale = (none if flagged is None else flagged for flagged in (trace.over_range, trace.stale))
    why = _why_bad(trace, ~good)
    if not good.any():
        name, counted = meter.name, count_reasons(why)
        excluded = f" ({counted})" if counted else ""
        raise Refused("no-samples", f"{name} has no usable sample near the window{excluded}; {_check(why)}.")
    shifted = window.rule.shift_latency
    origin_ns = window.begin_ns + (round(meter.latency_s * NS) if shifted else 0)
    t_s = (trace.t_ns - origin_ns) / NS
    interval_s = float(np.median(np.diff(t_s))) if len(t_s) > 2 else meter.period_s
    period_s = meter.period_s if dithered(t_s, meter.period_s) else _due(interval_s, meter.period_s)
    kept = slice(None) if good.all() else good
    cleaned = CleanTrace(
        instrument=meter,
        duration_s=window.duration_s,
        shifted=shifted,
        t_s=t_s[kept],
        value=trace.value[kept],
        period_s=period_s,
        interval_s=interval_s,
        u_t_s=_median(trace.u_t_s, kept),
        bad_t_s=t_s[~good],
        bad_why=why,
        over_range_t_s=t_s[~good & beyond],
        stale_t_s=t_s[~good & stale],
    )
    integrates = shifted and not window.rule.plain_mean and not window.rule.readings_inside
    cleaned = replace(cleaned, sliding_s=_sliding_s(cleaned), unfolds=integrates)
    return _centred(cleaned) if shifted else cleaned


def _median(column: Array, kept: slice | NDArray[np.bool_]) -> float:
    """Return the median of a column, directly where it is one broadcast element."""
    return float(column[0]) if column.strides == (0,) else float(np.median(column[kept]))


def count_reasons(why: NDArray[np.str_]) -> str:
    """Write how many samples were excluded for which reason, the most frequent first; empty where none is known."""
    reasons, counts = np.unique(why[why != ""], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{counts[i]} {reasons[i]}" for i in order)


def _why_bad(trace: Trace, bad: NDArray[np.bool_]) -> NDArray[np.str_]:
    """Name the reason of each excluded sample."""
    value = trace.value
    reasons = [
        *trace.doubts,
        ("beyond the range", trace.over_range),
        ("repeating an old reading", trace.stale),
        ("not a number", ~np.isfinite(value)),
        (NEGATIVE, value < 0),
        ("zero", (value == 0) & trace.usable),
    ]
    known = [(words, mask[bad]) for words, mask in reasons if mask is not None and bad.any()]
    return (
        np.select([mask for _, mask in known], [words for words, _ in known], "") if known else np.zeros(0, dtype="U1")
    )


def _check(why: NDArray[np.str_]) -> str:
    """Describe what to check where no sample is left."""
    if len(why) and np.all(why == NEGATIVE):
        return "a current transformer is reversed, or supply and load are swapped"
    return "check the meter"


def between_readings(trace: CleanTrace) -> tuple[CleanTrace, float]:
    """Cut a trace to the time from the first to the last reading in the window: (trace, time of the first [s]).

    Raises `Refused` for fewer than two readings.
    """
    inside = (trace.t_s >= 0) & (trace.t_s <= trace.duration_s)
    t_s = trace.t_s[inside]
    if len(t_s) < 2:
        name = trace.instrument.name
        raise Refused(
            "few-readings",
            f"EE HPC level 3 needs at least two readings of {name} inside the core phase; poll it more often.",
        )
    first_s = float(t_s[0])
    cut = replace(
        trace,
        duration_s=float(t_s[-1] - t_s[0]),
        t_s=t_s - first_s,
        value=trace.value[inside],
        bad_t_s=trace.bad_t_s - first_s,
    )
    return cut, first_s


def _sliding_s(trace: CleanTrace) -> float | None:
    """Return over how long sliding means average [s]; None where each covers at most its own cell."""
    averaging_s = trace.instrument.averaging_s
    slides = averaging_s is not None and averaging_s > SLIDES * max(trace.interval_s, trace.period_s)
    return averaging_s if slides and trace.instrument.kind == "averaged" else None


def _centred(trace: CleanTrace) -> CleanTrace:
    """Move the stamps of partial means to the middle of their averaging time: power is interpolated between them."""
    averaging_s = trace.instrument.averaging_s
    if trace.fills_cells or trace.instrument.kind != "averaged" or averaging_s is None:
        return trace
    half_s = averaging_s / 2
    return replace(
        trace,
        t_s=trace.t_s - half_s,
        bad_t_s=trace.bad_t_s - half_s,
        over_range_t_s=trace.over_range_t_s - half_s,
        stale_t_s=trace.stale_t_s - half_s,
    )


def dithered(t_s: Array, period_s: float) -> bool:
    """Return whether readings are at random times within their cells instead of on a grid."""
    step = np.diff(t_s)
    near = step <= 2 * period_s
    step = step if near.all() else step[near]
    return len(step) > 2 and float(step.std()) > DITHERED * period_s


def _due(interval_s: float, declared_s: float) -> float:
    """Return the interval of the stamps where it is within `OFF_RHYTHM` of the declared one, else the declared one [s].

    A meter that answers 3 % slower than it is polled loses no readings; one with every second reading missing does.
    """
    return interval_s if abs(interval_s - declared_s) <= OFF_RHYTHM * declared_s else declared_s


def _require_unit(meter: Instrument) -> None:
    """Refuse values in a unit that this analysis does not integrate."""
    expected = "Wh" if meter.kind == "counter" else "W"
    if meter.unit != expected:
        raise Refused("mixed-units", f"{meter.name} gives {meter.unit}; power can be summed only in {expected}.")
