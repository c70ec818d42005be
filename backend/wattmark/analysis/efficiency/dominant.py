"""The dominant contribution to an uncertainty, and the change that would halve the uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from wattmark_calibration import Contribution, Kind, UncertainValue

from wattmark.core.numbers import format_number

MOST = 16.0
"""No advice asks for more than this many times the window or the repeats."""


@dataclass(frozen=True, slots=True)
class DominantContribution:
    """The dominant contribution, what to change, and the standard uncertainty after the change.

    ``halves`` is False if the remaining contributions alone exceed half of the uncertainty.
    """

    name: str
    share_pct: float
    action: str
    u: float
    halves: bool


@dataclass(frozen=True, slots=True)
class _Target:
    """What the dominating term must shrink to: ``u`` [unit of the result]; value and unit of the result."""

    term: Contribution
    u: float
    value: float
    unit: str

    @property
    def factor(self) -> float:
        """Compute the factor by which the term must shrink [1]."""
        return self.term.u_result / self.u


def dominant_contribution(value: UncertainValue) -> DominantContribution | None:
    """Return the largest contribution of a budget, what to change about it, and the u that this leaves.

    None for a budget without contributions. The change is as large as it must be to halve the combined uncertainty, at
    most 16 times the window or the repeats. Where the other contributions do not allow that, the term is brought down
    to half of them together, beyond which hardly anything is gained, and to half of itself at least.
    """
    term = max(value.contributions, key=lambda c: c.u_result, default=None)
    if term is None or term.u_result == 0:
        return None
    rest = math.fsum(c.u_result**2 for c in value.contributions if c is not term)
    allowed = value.u**2 / 4 - rest
    halves = allowed > 0
    wanted = math.sqrt(allowed) if halves else min(math.sqrt(rest), term.u_result) / 2
    target = _Target(term, wanted, value.value, value.unit)
    action, left = _ACTIONS.get(term.kind, _instrument)(target)
    u = math.sqrt(rest + left**2)
    return DominantContribution(
        term.name, 100 * term.u_result**2 / value.u**2, action, u, u <= value.u / 2 * (1 + 1e-9)
    )


def _longer_scatter(to: _Target) -> tuple[str, float]:
    times = min(to.factor**2, MOST)
    return (
        f"Measure {format_number(times, 2)} times as long: scatter falls with the square root of the duration.",
        _shrunk(to, times**0.5),
    )


def _more_repeats(to: _Target) -> tuple[str, float]:
    times = min(to.factor**2, MOST)
    return (
        f"Make {format_number(times, 2)} times as many repeats: scatter falls with the square root of their number.",
        _shrunk(to, times**0.5),
    )


def _longer_edges(to: _Target) -> tuple[str, float]:
    times = min(to.factor, MOST)
    text = (
        f"Measure {format_number(times, 2)} times as long, settle under load before the window, or measure the "
        "meter's latency."
    )
    return text, _shrunk(to, times)


def _longer_count(to: _Target) -> tuple[str, float]:
    times = min(to.factor, MOST)
    return f"Measure {format_number(times, 2)} times as long, or have the workload count in smaller steps.", _shrunk(
        to, times
    )


def _finer_digit(to: _Target) -> tuple[str, float]:
    times = min(to.factor, MOST)
    return f"Use a range or a meter with {format_number(times, 2)} times finer resolution, or measure longer.", _shrunk(
        to, times
    )


def _instrument(to: _Target) -> tuple[str, float]:
    """Choose the advice: a lower range where the range's part is the largest, else a sufficient calibration."""
    scale = abs(to.term.sensitivity)
    parts = {name: scale * u for name, u in to.term.parts}
    in_range = parts.get("range", 0.0)
    if in_range > 0 and in_range >= max(parts.values()):
        # parts of a limit of error add linearly, so the other parts stay in full
        others = to.term.u_result - in_range
        wanted = min(in_range / (to.u - others), 4.0) if to.u > others else 4.0
        times = format_number(wanted, 2)
        text = f"Use a range {times} times smaller, or a meter that has one, if the peak current of the load allows it."
        return text, others + in_range / wanted
    return f"Have the meter calibrated at this power with an expanded uncertainty (k = 2) of {_calibration(to)}.", to.u


def _calibration(to: _Target) -> str:
    """Write the expanded uncertainty of a calibration as certificates do: in watts, and in percent of the reading.

    Work per joule changes by the same percentage as power.
    """
    # certificates state U = 2 u, and per cent are hundredths: hence 200
    relative = f"{format_number(200 * to.u / abs(to.value), 2)} % of the reading" if to.value else ""
    unit = to.term.unit or to.unit
    if unit != "W":
        return relative or f"{format_number(2 * to.u, 2)} {to.unit}"
    scale = abs(to.term.sensitivity) if to.term.unit else 1.0
    watts = f"{format_number(2 * to.u / scale, 2)} W"
    return f"{watts} ({relative})" if relative else watts


def _removed(text: str) -> Callable[[_Target], tuple[str, float]]:
    return lambda _: (text, 0.0)


def _shrunk(to: _Target, times: float) -> float:
    return to.term.u_result / times


_ACTIONS: dict[Kind, Callable[[_Target], tuple[str, float]]] = {
    "scatter": _longer_scatter,
    "repeats": _more_repeats,
    "sampling": _longer_scatter,
    "instrument": _instrument,
    "resolution": _finer_digit,
    "drift": _removed("Have the meter calibrated again, so that no drift has to be assumed."),
    "temperature": _removed(
        "Keep the room within the meter's temperature band, or record the temperature with a smaller uncertainty."
    ),
    "power factor": _removed("Have the meter calibrated at this power factor, and record it."),
    "window and clock": _longer_edges,
    "gaps": _removed("Repeat the run, or choose a part of its log, without gaps in the readings."),
    "wiring": _removed("Measure the wiring loss, or connect the meter so that its reading includes none."),
    "throughput": _longer_count,
}
