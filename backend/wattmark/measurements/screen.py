"""The figures of a measured command in words, a screen of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.core.numbers import format_alone, format_number, format_uncertain
from wattmark.core.quantity import Quantity
from wattmark.measurements.measurement import Measured
from wattmark.results.plus_minus import why_none
from wattmark.results.result import Result

BARS = "▁▂▃▄▅▆▇█"
COLUMNS = 60
NO_BOUND = "no ±"
"""Words of each note of a result that explains why it has none."""
FEWEST_READINGS, GOOD_READINGS = 3, 20
"""Periods of the meter below which a run is too short, and that show its scatter."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Usable readings of the power that the figures rest on: Unix nanoseconds and watts."""

    t_ns: NDArray[np.int64]
    watts: NDArray[np.float64]
    resolution_w: float | None = None
    """Last digit of a reading [W]; None: not known."""

    @property
    def peak_w(self) -> float | None:
        """Return the largest reading [W]; None where there is none."""
        return float(self.watts.max()) if len(self.watts) else None


@dataclass(frozen=True, slots=True)
class Figures:
    """What a person gets for one run that was measured."""

    measured: Measured
    result: Result
    """As it is stored; that of ``instead`` where no wall meter was read."""
    trace: Trace | None
    """None: several meters add up, or the run has no power."""
    instead: str
    """What was measured in place of the wall; empty: the wall was."""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Return the screen: what each figure is, and its value with ±."""
        result = self.result
        known = [note for note in (self.instead, "simulated" if result.simulated else "") if note]
        where = f" ({'; '.join(known)})" if known else ""
        lines = [(self._what, f"{format_number(self.measured.duration_s, 4)} s{self._how}")]
        lines.append((f"Mean power{where}", _shown(result.power)))
        energy = result.energy
        lines.append(("Energy", format_uncertain(energy.value, energy.U95, "J") if energy else "–"))
        if self.trace is not None and self.trace.peak_w is not None:
            peak = format_alone(self.trace.peak_w, "W", self.trace.resolution_w)
            lines.append(("Peak", f"{peak}, the largest reading"))
        if result.throughput is not None:
            lines += [("Work", _shown(result.throughput)), ("Work per joule", _shown(result.efficiency))]
        if (above := result.idle_subtracted) is not None:
            lines.append(("Idle", _shown(above.idle)))
            lines.append(("Power, idle-subtracted", _shown(above.power)))
            if above.efficiency is not None:
                lines.append(("Work per joule, idle-subtracted", _shown(above.efficiency)))
        if self.trace is not None and len(self.trace.watts) > 1:
            lines.append(("Watts", sparkline(self.trace)))
        return lines

    @property
    def _what(self) -> str:
        return "Command" if self.measured.ended else "Window"

    @property
    def _how(self) -> str:
        ended = self.measured.ended
        if ended is None:
            return ""
        return f", ended by {ended.signal}" if ended.signal else f", exit status {ended.status}"

    @property
    def remarks(self) -> list[str]:
        """Return what speaks against the figures, and what would make them better, one sentence each."""
        result, remarks = self.result, []
        if self.measured.problem is not None:
            remarks.append(self.measured.problem)
        period_s = max(meter.period_s for meter in self.measured.record.meters)
        duration_s = self.measured.duration_s
        if duration_s < FEWEST_READINGS * period_s:
            remarks.append(
                f"The {self._what.lower()} took {format_number(duration_s, 3)} s, too short for a meter that gives a "
                f"reading every {format_number(period_s, 3)} s. Let it work for "
                f"{format_number(GOOD_READINGS * period_s, 3)} s."
            )
        else:
            remarks += [item.text for item in result.withheld if "power" in item.claims]
        remarks += [verdict.text for verdict in result.verdicts if verdict.outcome == "fail"]
        figure = result.efficiency or result.power
        if figure is not None and figure.dominant is not None:
            dominant = figure.dominant
            remarks.append(f"{dominant.share_pct:.0f} % of the ± is {dominant.name}. {dominant.action}")
        elif figure is not None and figure.U95 is None:
            remarks += self._without_bound
        return list(dict.fromkeys(remarks))

    @property
    def _without_bound(self) -> list[str]:
        """Explain why the figures have no ±."""
        if self.result.basis == "none":
            return ["No ± is known: the meter has no certificate and its maker states no limit of error."]
        return [note for note in self.result.notes if NO_BOUND in note] or [why_none([self.result])]


def sparkline(trace: Trace, columns: int = COLUMNS) -> str:
    """Draw power over time, the mean of each column, between the least and the largest of them [W]."""
    begin, end = int(trace.t_ns[0]), int(trace.t_ns[-1]) + 1
    columns = min(columns, len(trace.watts))
    place = ((trace.t_ns - begin) * columns // (end - begin)).astype(np.int64)
    counts = np.bincount(place, minlength=columns)
    means = np.bincount(place, trace.watts, minlength=columns) / np.maximum(counts, 1)
    there = means[counts > 0]
    low, high = float(there.min()), float(there.max())
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    bars = "".join(
        BARS[round((mean - low) * scale)] if count else " " for mean, count in zip(means, counts, strict=True)
    )
    last_digit_w = trace.resolution_w if columns == len(trace.watts) else None  # a mean of several readings is finer
    return f"{bars} {format_alone(low, '', last_digit_w)} to {format_alone(high, 'W', last_digit_w)}"


def _shown(quantity: Quantity | None) -> str:
    return "–" if quantity is None else format_uncertain(quantity.value, quantity.U95, quantity.unit)
