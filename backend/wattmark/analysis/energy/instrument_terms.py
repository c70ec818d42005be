"""Contributions of one meter to the uncertainty of mean power [W]."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Conditions, Contribution, Specification, resolution_uncertainty

from wattmark.analysis.energy.energy import OVER_RANGE_REACH, Losses, WindowEnergy
from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.energy.trace import CleanTrace, Instrument
from wattmark.analysis.energy.type_a import TypeA, repeated_share, sampling_error, variogram_parts
from wattmark.core.numbers import format_number

EDGE_PERIODS = 3
RECTANGULAR = math.sqrt(3.0)
FIRST_SPAN_S = 5.0
"""A meter that averages a second or two shows a step within this time of a mark; slower meters get a longer span."""
LONGEST_SPAN = 0.5
"""The longest such span, as a share of the window."""
DELAY_REACH = 1.15
"""A delay estimated from edges is known to this factor: scatter and the load itself move the change-over."""
SETTLED = 0.1
"""A step has settled where power then changes by less than this share of it within the same time again."""
EDGES_ALIKE = 1.5
"""Both edges are equally late where they differ by at most this many periods: each is known to one period."""
CLEAR_OF_SCATTER = 5.0
"""A step is detected where readings scatter by less than a fifth of it."""
FAR_FROM_SCATTER = 20.0
"""Scatter does not reach a quarter of a step that is this many times larger."""
QUARTER = 0.25
SMEARED = 0.25
"""Energy that smeared steps at both edges displace, per step and per time A that they are smeared over: A/8 at each
edge."""
MEDIAN_CHANGE = 0.6745 * math.sqrt(6.0)
"""Median size of the second difference of independent normal values, over their standard deviation: its weights
1, -2, 1 give the variance 6, and half of all normal values lie within 0.6745 standard deviations."""
LEAST_STEP = 0.01
"""A step at an edge below this share of the power neither reveals the latency nor makes it matter."""
ASSUMED_POWER_FACTOR = 0.9
UNSHARED = 0.2
"""Share of a manufacturer's limit of error that is assumed to be non-linearity: an error that differs between loads, so
that it neither cancels in a ratio nor scales a slope as the gain does. An assumption: manufacturers state no such
share. For a meter whose curve varies by 60 % of its limit over the DIMM counts, 85 % of slopes lay inside their
intervals."""


def instrument_terms(
    trace: CleanTrace, energy: WindowEnergy, power_w: float, scatter: TypeA | None
) -> list[Contribution]:
    """List a meter's contributions to its mean power over the window [W].

    Specification limit/sqrt(3), last digit, register, sampling, latency and clock at the edges, and cells without a
    good reading. A meter without a specification gets no specification term; none is invented.
    """
    meter = trace.instrument
    steps_w = edge_steps(trace, energy, power_w)
    terms = [
        _latency(trace, energy, power_w, max(*steps_w, _shift_step_w(trace))),
        _cut_cells(trace, energy, steps_w),
        _sampling(trace),
        _stamps(trace),
        _swings(trace),
        _gaps(trace, energy),
        _unfolding(trace, energy),
        _register(trace, energy),
        _last_digit(trace, scatter),
        Contribution(
            f"Wiring of {meter.name}",
            meter.u_wiring_loss_w,
            "B",
            correlation_group=f"{meter.group}, wiring" if meter.group else None,
            value=-meter.wiring_loss_w,
            unit="W",
            kind="wiring",
        ),
    ]
    if meter.specification is not None and meter.specified:
        terms += _specification(trace, meter.specification, power_w)
    return [term for term in terms if term.u_result > 0]


def _specification(trace: CleanTrace, specification: Specification, power_w: float) -> list[Contribution]:
    """Compute limit/sqrt(3) of the maker's limits of error, and what the temperature's own uncertainty adds.

    Where the operating point is known, a share of the limit is separated as non-linearity; both in quadrature give the
    limit. A certificate of several points needs no such share: its fit includes the residuals of the points.
    """
    meter = trace.instrument
    conditions = worst_power_factor(specification, meter.conditions, power_w, meter.range_w)
    limits = specification.limit_parts(power_w, meter.range_w, conditions)
    curved = UNSHARED if meter.operating_point else 0.0
    gain = math.sqrt(1 - curved**2)  # in quadrature with the non-linearity this is the whole limit again
    parts = tuple((name, gain * float(limit) / RECTANGULAR) for name, limit in limits.items())
    notes = (specification.source, *specification.assumed(meter.conditions), meter.identity_note)
    term = Contribution(
        f"Specification of {meter.name}",
        math.fsum(part for _, part in parts),
        "B",
        correlation_group=meter.group,
        note="; ".join(note for note in notes if note),
        value=power_w,
        unit="W",
        distribution="rectangular",
        parts=parts,
    )
    u_limit_w = term.u / gain
    return [term, *_non_linearity(meter, curved * u_limit_w), *_temperature(trace, specification, power_w)]


def _non_linearity(meter: Instrument, u_w: float) -> list[Contribution]:
    """Return the non-linearity of a meter at one load [W]; runs of one configuration at one level share it."""
    return [
        Contribution(
            f"Non-linearity of {meter.name} (assumed {100 * UNSHARED:g} % of its limit)",
            u_w,
            "B",
            correlation_group=f"{meter.group}, non-linearity at {meter.operating_point}",
            note="common to the runs of one configuration at one level, not to others",
            unit="W",
            distribution="rectangular",
        )
    ]


def worst_power_factor(
    specification: Specification, conditions: Conditions, power_w: float, range_w: float | None
) -> Conditions:
    """Choose a power factor that was not recorded: 1 or 0.9, whichever has the larger limit of error.

    80 PLUS requires a power factor of at least 0.9 of power supplies at half load and above.
    """
    if conditions.power_factor is not None or not specification.influences.pf0_pct:
        return conditions
    both = [replace(conditions, power_factor=factor) for factor in (1.0, ASSUMED_POWER_FACTOR)]
    return max(both, key=lambda c: float(specification.limit(power_w, range_w, conditions=c)))


def _temperature(trace: CleanTrace, specification: Specification, power_w: float) -> list[Contribution]:
    """Compute the contribution of an uncertain temperature near or beyond the edge of the maker's band: coefficient x
    u(T) x P [W].
    """
    meter, of = trace.instrument, specification.influences
    t_c, u_k = meter.conditions.temperature_c, meter.u_temperature_k
    if not of.temperature_pct_per_k or t_c is None or u_k == 0:
        return []
    celsius, low_c, high_c = float(np.mean(np.asarray(t_c))), of.temperature_low_c or 0.0, of.temperature_high_c or 0.0
    # 2 u(T) is the 95 % interval of the temperature: if all of it is within the band, the coefficient does not apply
    if low_c + 2 * u_k <= celsius <= high_c - 2 * u_k:
        return []
    return [
        Contribution(
            f"Temperature of {meter.name}",
            u_k,
            "B",
            sensitivity=of.temperature_pct_per_k / 100 * power_w,
            correlation_group=f"{meter.group}, temperature" if meter.group else None,
            value=celsius,
            unit="K",
            kind="temperature",
        )
    ]


def _sampling(trace: CleanTrace) -> Contribution:
    """Compute the uncertainty from power between readings that do not cover their whole period [W]."""
    meter = trace.instrument
    if meter.kind == "counter":
        return Contribution(f"Sampling by {meter.name}", 0.0, "A", unit="W", kind="sampling")
    inside = trace.inside
    value = trace.value[inside]
    repeated = repeated_share(value, meter.resolution)
    share = max(trace.uncovered_share, repeated)
    step_s = np.diff(trace.t_s[inside])
    spread = float(np.mean(step_s**3) / np.mean(step_s) ** 3) if len(step_s) else 1.0
    del step_s  # as large as the log
    error = sampling_error(value, share, spread)
    note = f"readings leave {format_number(100 * trace.uncovered_share, 3)} % of the time uncovered"
    note += f", {format_number(100 * repeated, 3)} % of them repeat the one before" if repeated else ""
    return Contribution(f"Sampling by {meter.name}", error.u, "A", error.dof, note=note, unit="W", kind="sampling")


def _stamps(trace: CleanTrace) -> Contribution:
    """Compute the effect of stamp jitter on means of whole cells, whose lengths are the differences of the stamps [W].

    A stamp that is off by d moves d x (reading - next reading) from one cell to the next: u(d)/D times the root of the
    sum of squared differences.
    """
    name = f"Stamps of {trace.instrument.name}"
    if not trace.fills_cells:
        return Contribution(name, 0.0, "B", unit="s", kind="window and clock")
    inside = trace.inside
    jumps_w = float(np.linalg.norm(np.diff(trace.value[inside])))
    step_s = np.diff(trace.t_s[inside])
    off_s = step_s - trace.period_s
    near = np.abs(off_s, out=off_s) < trace.period_s / 2
    del off_s  # as large as the log
    regular = step_s if near.all() else step_s[near]
    del step_s
    # a step is the difference of two stamps, so its variance is twice that of one stamp
    jitter_s = float(regular.std()) / math.sqrt(2.0) if len(regular) > 2 else 0.0
    return Contribution(
        name,
        max(jitter_s, trace.u_t_s),
        "B",
        sensitivity=jumps_w / trace.duration_s,
        unit="s",
        kind="window and clock",
    )


def _swings(trace: CleanTrace) -> Contribution:
    """Compute the effect of power swings in the two cells that the window cuts [W].

    A cut cell with the share f inside is taken by its mean. Fast swings leave f (1 - f) of its variance, whose mean is
    T^2/6 times that of single cells; slow ones act as steps, T^2/30 times the squared difference of neighbours.
    """
    name = f"Swings in cells of {trace.instrument.name} cut by the window"
    value = trace.value[trace.inside]
    if not trace.fills_cells or len(value) < 3:
        return Contribution(name, 0.0, "A", unit="W s", kind="window and clock")
    fast, slow = variogram_parts(value)
    # two cells are cut; `slow` is half a mean squared difference, hence its own factor of 2
    u_ws = trace.period_s * math.sqrt(2 * (fast / 6 + 2 * slow / 30))
    return Contribution(name, u_ws, "A", len(value) - 2.0, 1 / trace.duration_s, unit="W s", kind="window and clock")


def _gaps(trace: CleanTrace, energy: WindowEnergy) -> Contribution:
    """Compute the uncertainty of cells without a good reading: distance to the farther bound, rectangular [W]."""
    lost = energy.losses
    name = f"Readings missing from {trace.instrument.name}"
    return Contribution(
        name,
        (energy.farthest_j or 0.0) / RECTANGULAR,
        "B",
        sensitivity=1 / trace.duration_s,
        note=f"{format_number(lost.lost_s, 3)} s without a good reading: {_bounds_note(trace.instrument, lost)}",
        unit="J",
        distribution="rectangular",
        kind="gaps",
    )


def _bounds_note(meter: Instrument, lost: Losses) -> str:
    """Explain the bounds assumed for the power of missing readings."""
    if meter.most_w is None:
        return "from 0 W to the highest reading, as no range is known"
    low, high = "0 W", f"{meter.most_w:g} W"
    if lost.over_range_s > 0:
        low += ", or over range the highest reading,"
        high += "" if meter.highest_w is not None else f", over range to {OVER_RANGE_REACH:g} times that"
    return f"from {low} to {high}"


def _unfolding(trace: CleanTrace, energy: WindowEnergy) -> Contribution:
    """Compute the uncertainty of power recovered from sliding means [W]."""
    return Contribution(
        f"Sliding mean of {trace.instrument.name}",
        energy.u_unfolding_j,
        "B",
        sensitivity=1 / trace.duration_s,
        note=f"each reading averages over {format_number(trace.sliding_s or 0.0, 4)} s; power is recovered from their "
        "differences",
        unit="J",
        kind="window and clock",
    )


def _register(trace: CleanTrace, energy: WindowEnergy) -> Contribution:
    """Compute the uncertainty from the register's resolution over the window [W]."""
    name = f"Register of {trace.instrument.name}"
    return Contribution(
        name, energy.u_energy_j or 0.0, "B", sensitivity=1 / trace.duration_s, unit="J", kind="window and clock"
    )


def _last_digit(trace: CleanTrace, scatter: TypeA | None) -> Contribution:
    """Compute q/sqrt(12) [W], divided by sqrt(n_eff) only where noise of at least half a digit dithers it.

    Without dither it is common to all quiet runs at one level, and more runs do not reduce it.
    """
    meter = trace.instrument
    name = f"Last digit of {meter.name}"
    if meter.resolution is None or meter.kind == "counter":
        return Contribution(name, 0.0, "B", unit="W", kind="resolution")
    u = resolution_uncertainty(meter.resolution)
    if scatter is not None and scatter.n_eff is not None and scatter.sd >= meter.resolution / 2:
        # n_eff exceeds n where neighbours alternate; the rounding gains nothing from that
        u /= math.sqrt(max(min(scatter.n_eff, scatter.n), 1.0))
        return Contribution(name, u, "B", unit="W", kind="resolution")
    group = f"{meter.group}, last digit at {meter.operating_point}" if meter.operating_point else None
    return Contribution(name, u, "B", correlation_group=group, unit="W", distribution="rectangular", kind="resolution")


def _latency(trace: CleanTrace, energy: WindowEnergy, power_w: float, step_w: float) -> Contribution:
    """Compute step at the edge x u(time)/D; an unshifted window carries the whole latency (method 1).

    What is polled was measured up to a whole period before: an unknown latency lies between 0 and the period. More is
    estimated from the readings; a stated one is used unless the readings contradict it: see
    `seen_delay`. Sliding means that the window's rule uses unchanged lag by half of the excess
    of their averaging time over the period.
    """
    meter, known_s = trace.instrument, trace.instrument.latency_uncertainty_s
    seen = ON_TIME
    if meter.u_latency_s is None or trace.shifted:
        seen = seen_delay(_as_recovered(trace, energy.power), power_w, step_w)
    if meter.u_latency_s is not None and abs(seen.late_s) <= trace.period_s + 2 * known_s:
        seen = seen._replace(late_s=0.0)
    lag_s = 0.0 if trace.unfolds else trace.lag_s
    latency_s = math.hypot(known_s, lag_s) if trace.shifted else math.hypot(known_s, meter.latency_s + lag_s)
    smeared_s = SMEARED * seen.smear_s if meter.u_latency_s is not None else 0.0
    if seen.late_s or smeared_s:
        latency_s = max(latency_s, (DELAY_REACH * max(abs(seen.late_s), smeared_s) + trace.period_s) / RECTANGULAR)
        step_w = max(step_w, seen.step_w)
    u_time_s = math.hypot(latency_s, math.sqrt(2.0) * trace.u_t_s)
    return Contribution(
        f"Latency and clock of {meter.name}",
        u_time_s,
        "B",
        sensitivity=step_w / trace.duration_s,
        correlation_group=f"{meter.group}, latency" if meter.group else None,
        note=f"step of {format_number(step_w, 3)} W at the edge of the window{_latency_note(meter, seen, smeared_s)}",
        value=meter.latency_s,
        unit="s",
        distribution="rectangular" if seen.late_s or smeared_s or meter.u_latency_s is None else "normal",
        kind="window and clock",
    )


def _latency_note(meter: Instrument, seen: Delay, smeared_s: float) -> str:
    """Explain where the latency comes from."""
    if seen.late_s:
        note = f", seen {format_number(abs(seen.late_s), 2)} s {'late' if seen.late_s > 0 else 'early'}"
        return note if meter.u_latency_s is None else f"{note}, although the latency is stated"
    if smeared_s:
        return f", seen over {format_number(seen.smear_s, 2)} s, although each reading is said to average over less"
    return "; latency not known: up to a whole period is taken" if meter.u_latency_s is None else ""


def _shift_step_w(trace: CleanTrace) -> float:
    """Compute what a window loses per second by which readings are late or early [W].

    Late readings begin with power from before the window and miss that of its end, so the difference of the two counts,
    also where power rises all along and differs from its mean at neither edge by as much.
    """
    if trace.instrument.kind == "counter" or (trace.sliding_s is not None and trace.unfolds):
        return 0.0
    t_s, period_s, end_s = trace.t_s, trace.period_s, trace.duration_s
    before = trace.value[_up_to(t_s, -EDGE_PERIODS * period_s, 0.0)]
    begin = trace.value[_up_to(t_s, 0.0, 2 * period_s)]
    end = trace.value[_up_to(t_s, end_s - period_s, end_s + period_s)]
    after = trace.value[_up_to(t_s, end_s + period_s, end_s + (1 + EDGE_PERIODS) * period_s)]
    pairs = [(level, edge) for level, edge in ((before, end), (after, begin)) if len(level) and len(edge)]
    return max((abs(float(edge.mean() - level.mean())) for level, edge in pairs), default=0.0)


class Delay(NamedTuple):
    """Delay of the readings after the marks [s] (negative: early), step at the edge [W], and its duration [s]."""

    late_s: float
    step_w: float
    smear_s: float


ON_TIME = Delay(0.0, 0.0, 0.0)


class _Edge(NamedTuple):
    """A change of power near a mark: time [s after the mark], step [W], whether it had settled, and duration [s];
    0: within a reading or two, or not detectable."""

    late_s: float
    step_w: float
    settled: bool
    smear_s: float


def _as_recovered(trace: CleanTrace, power: PiecewisePower) -> CleanTrace:
    """Return sliding means as the power recovered from them, whose edges are sharp; other readings as they are."""
    if trace.sliding_s is None or not trace.unfolds:
        return trace
    return replace(trace, t_s=power.t_s[1:], value=power.left, sliding_s=None)


def seen_delay(trace: CleanTrace, power_w: float, step_w: float) -> Delay:
    """Find how much later than both marks the readings change from the power before to that after.

    A late meter, or one that averages for longer than declared, delays both edges equally; where the two differ, or
    power also jumps inside the window, the load is the cause. Without a step that exceeds the scatter of the readings
    no delay is found. Real logs show steps 0.9 to 2.6 s after the marks (method 5.2).
    """
    if trace.instrument.kind == "counter" or step_w <= 0:
        return ON_TIME
    edges: list[_Edge] = []
    for span_s in _spans_s(trace):
        if _jumps_inside(trace, step_w, min(span_s, trace.duration_s / 3)):
            continue
        candidates = (_edge(trace, mark_s, span_s, power_w) for mark_s in (0.0, trace.duration_s))
        edges = [edge for edge in candidates if edge is not None]
        if all(edge.settled for edge in edges):
            break
    if not edges:
        return ON_TIME
    latest = max(edges, key=lambda edge: abs(edge.late_s))
    alike = (_comes_with(edge, latest, trace.period_s) for edge in edges)
    if not all(alike):
        return ON_TIME
    return Delay(latest.late_s, max(edge.step_w for edge in edges), min(edge.smear_s for edge in edges))


def _comes_with(edge: _Edge, latest: _Edge, period_s: float) -> bool:
    """Return whether two edges have the same delay; an edge that had not settled shows only part of it."""
    alike = abs(edge.late_s - latest.late_s) <= EDGES_ALIKE * period_s
    return alike or (not edge.settled and edge.late_s * latest.late_s > 0)


def _spans_s(trace: CleanTrace) -> Iterator[float]:
    """Yield increasing spans in which to search for an edge on both sides of a mark [s]."""
    span_s = max(FIRST_SPAN_S, EDGE_PERIODS * trace.period_s, trace.sliding_s or 0.0)
    yield span_s
    while span_s < LONGEST_SPAN * trace.duration_s:
        span_s = min(2 * span_s, LONGEST_SPAN * trace.duration_s)
        yield span_s


def _jumps_inside(trace: CleanTrace, step_w: float, margin_s: float) -> bool:
    """Return whether power also jumps by half of the edge step away from the marks."""
    begin, end = np.searchsorted(trace.t_s, margin_s, "right"), np.searchsorted(trace.t_s, trace.duration_s - margin_s)
    value = trace.value[begin:end]
    if len(value) < 2:
        return False
    jumps = np.diff(value)
    return max(float(jumps.max()), -float(jumps.min())) >= step_w / 2


def _edge(trace: CleanTrace, mark_s: float, span_s: float, power_w: float) -> _Edge | None:
    """Find when power near a mark crosses the midpoint between its levels well before and well after it.

    None where one side has no readings, or power never crosses.
    """
    period_s, reach_s = trace.period_s, EDGE_PERIODS * trace.period_s
    t_s = trace.t_s - mark_s
    t_s -= trace.lag_s
    until = int(np.searchsorted(t_s, 0.0, "right"))
    before, after = trace.value[:until], trace.value[until:]
    if not len(before) or not len(after):
        return None
    old_w = _level_w(trace, t_s, -span_s - reach_s, -span_s, before[:1])
    new_w = _level_w(trace, t_s, span_s, span_s + reach_s, after[-EDGE_PERIODS:])
    later_w = _level_w(trace, t_s, 2 * span_s, 2 * span_s + reach_s, after[-EDGE_PERIODS:])
    step_w = abs(new_w - old_w)
    if step_w < max(LEAST_STEP * power_w, CLEAR_OF_SCATTER * _scatter_w(trace)):
        return _Edge(0.0, 0.0, settled=True, smear_s=0.0)
    near = _up_to(t_s, -span_s, span_s + reach_s)
    changed = np.flatnonzero(np.abs(trace.value[near] - old_w) >= np.abs(trace.value[near] - new_w))
    if not len(changed):
        return None
    # an edge on time changes the reading of the cell that contains the mark, or the next one: one period is no delay
    at_s = float(t_s[near][changed[0]])
    on_time_s = period_s / 2 if trace.fills_cells else 0.0
    late_s = max(at_s - period_s, 0.0) if at_s >= on_time_s else at_s - period_s
    settled = float(t_s[-1]) >= span_s and abs(later_w - new_w) <= SETTLED * abs(later_w - old_w)
    smear_s = _smear_s(t_s[near], (trace.value[near] - old_w) / (new_w - old_w), period_s)
    return _Edge(late_s, step_w, settled, smear_s if step_w >= FAR_FROM_SCATTER * _scatter_w(trace) else 0.0)


def _smear_s(t_s: NDArray[np.float64], share: NDArray[np.float64], period_s: float) -> float:
    """Estimate the duration of a step as twice the time from its first to its third quarter [s]; 0: at once."""
    begun, left = np.flatnonzero(share >= QUARTER), np.flatnonzero(share < 1 - QUARTER)
    if not len(begun) or not len(left):
        return 0.0
    half_s = float(t_s[left[-1]] - t_s[begun[0]])
    return 2 * half_s if half_s > EDGES_ALIKE * period_s else 0.0


def _up_to(t_s: NDArray[np.float64], after_s: float, last_s: float) -> slice:
    """Return the stamps, in rising order, after one instant and up to another, as a slice."""
    begin = int(np.searchsorted(t_s, after_s, "right"))
    return slice(begin, max(begin, int(np.searchsorted(t_s, last_s, "right"))))


def _level_w(
    trace: CleanTrace, t_s: NDArray[np.float64], begin_s: float, end_s: float, otherwise: NDArray[np.float64]
) -> float:
    """Average the readings after ``begin_s`` up to ``end_s`` [W]; ``otherwise`` where there are none."""
    level = trace.value[_up_to(t_s, begin_s, end_s)]
    return float((level if len(level) else otherwise).mean())


def _scatter_w(trace: CleanTrace) -> float:
    """Estimate the scatter of neighbouring readings about a straight course [W]; robust to a few steps."""
    change = np.diff(trace.value[trace.inside], 2)
    np.abs(change, out=change)
    return float(np.median(change, overwrite_input=True)) / MEDIAN_CHANGE if len(change) else 0.0


def _cut_cells(trace: CleanTrace, energy: WindowEnergy, steps_w: tuple[float, float]) -> Contribution:
    """Compute the effect of a step inside the cells at the edges: step x T/sqrt(30)/D for each edge [W].

    A cell with the share f inside the window contributes f (1 - f) T x step less energy than that share really had. The
    root mean square of f (1 - f) over f is 1/sqrt(30). Both edges err in the same direction, so they are added.
    """
    meter = trace.instrument
    cells_s = energy.cells_s or (trace.period_s, trace.period_s)
    longest_s = max(cells_s)
    steps_ws = math.fsum(step_w * cell_s for step_w, cell_s in zip(steps_w, cells_s, strict=True))
    return Contribution(
        f"Cells of {meter.name} cut by the window",
        longest_s / math.sqrt(30.0),
        "B",
        sensitivity=steps_ws / longest_s / trace.duration_s if longest_s else 0.0,
        correlation_group=f"{meter.group}, cut cells" if meter.group else None,
        unit="s",
        kind="window and clock",
    )


def edge_steps(trace: CleanTrace, energy: WindowEnergy, power_w: float) -> tuple[float, float]:
    """Compute the difference between mean power and the power just before and just after the window [W].

    An edge without readings beyond it takes the largest difference anywhere outside the window; without any readings
    outside, the step is the whole power.
    """
    if trace.instrument.kind == "counter":
        return _counted_steps(energy, power_w, trace.duration_s)
    if trace.sliding_s is not None and trace.unfolds:
        return _unfolded_steps(trace, energy.power, power_w)
    t_s, reach_s, after_s = trace.t_s, EDGE_PERIODS * trace.period_s, trace.duration_s + trace.period_s
    outside = (_up_to(t_s, -math.inf, 0.0), _up_to(t_s, after_s, math.inf))
    outside_w = np.concatenate([trace.value[part] for part in outside]) - power_w
    anywhere = float(np.max(np.abs(outside_w))) if len(outside_w) else power_w
    before_w = trace.value[_up_to(t_s, -reach_s, 0.0)] - power_w
    after_w = trace.value[_up_to(t_s, after_s, after_s + reach_s)] - power_w
    begin_w = abs(float(np.mean(before_w))) if len(before_w) else anywhere
    return begin_w, abs(float(np.mean(after_w))) if len(after_w) else anywhere


def _unfolded_steps(trace: CleanTrace, power: PiecewisePower, power_w: float) -> tuple[float, float]:
    """Compute the steps at the edges from power recovered from sliding means [W]."""
    reach_s, end_s = EDGE_PERIODS * trace.period_s, trace.duration_s
    first_s, last_s = max(float(power.t_s[0]), -reach_s), min(float(power.t_s[-1]), end_s + reach_s)
    return _away(power, first_s, 0.0, power_w), _away(power, end_s, last_s, power_w)


def _counted_steps(energy: WindowEnergy, power_w: float, duration_s: float) -> tuple[float, float]:
    """Compute the steps at the edges from the counts outside the window [W]; the whole power where there are none."""
    knots, cells_s = energy.power.t_s, energy.cells_s or (0.0, 0.0)
    begin_s, end_s = float(knots[knots <= 0][-1]), float(knots[knots >= duration_s][0])
    # the count need not change at the first or the last reading: the cells next to them hold an unknown part of a step
    fresh = knots[1:-1]
    earliest_s = float(fresh[0] if len(fresh) and fresh[0] < begin_s else knots[0])
    latest_s = float(fresh[-1] if len(fresh) and fresh[-1] > end_s else knots[-1])
    first_s = max(earliest_s, begin_s - EDGE_PERIODS * cells_s[0])
    last_s = min(latest_s, end_s + EDGE_PERIODS * cells_s[1])
    return _away(energy.power, first_s, begin_s, power_w), _away(energy.power, end_s, last_s, power_w)


def _away(power: PiecewisePower, begin_s: float, end_s: float, power_w: float) -> float:
    """Compute the distance of mean power in a span from ``power_w`` [W]; ``power_w`` itself for an empty span."""
    if end_s <= begin_s:
        return power_w
    return abs(float(power.energy_j(np.array([begin_s]), np.array([end_s]))[0]) / (end_s - begin_s) - power_w)
