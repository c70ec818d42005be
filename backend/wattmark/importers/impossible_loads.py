"""What no load shows, in logs of any kind: watts above the volt-amperes beside them, and power factors above 1.

The drivers judge each answer of a meter so when it is recorded; a log is judged when it is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.physics import ENDS, LEAST_W, LIVE_VA, MOST_PF
from wattmark_drivers.reading import Quality

from wattmark.core.numbers import format_number
from wattmark.importers.written_digits import half_digit
from wattmark.runs.record import ImportedVerdict

RULE: Final = "import-volts-amps"
IN_TURN_PF: Final = 2.0
"""Chips that measure volts and amperes in turn may feign such a power factor while the load changes."""
_OFTEN: Final = 0.05
"""Share of the lines that moments of a changing load do not reach."""
_LARGEST_PF: Final = 1.02
_SMALLEST_PF: Final = 0.01
"""Only a bare capacitor has less."""
_FAR: Final = 2.0
"""How far such a number lies above all others of its log."""
_SOURCE = "active power never exceeds volts times amperes"
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ElectricalLoad:
    """Readings of one meter at the same stamps; NaN where there is none, None where the log never has any."""

    watts: Values
    volts: Values | None = None
    amperes: Values | None = None
    volt_amperes: Values | None = None
    power_factor: Values | None = None

    @property
    def apparent(self) -> Values | None:
        """Return what the watts cannot exceed but for rounding [VA]: volts times amperes, else what is logged."""
        if self.volts is None or self.amperes is None:
            return self.volt_amperes
        return np.abs(self.volts * self.amperes)

    @property
    def open_va(self) -> Values | float:
        """Return what the last digits of volts and amperes leave open [VA]."""
        if self.volts is None or self.amperes is None:
            return 0.0 if self.volt_amperes is None else half_digit(self.volt_amperes)
        by_amperes, by_volts = half_digit(self.amperes), half_digit(self.volts)
        return np.abs(self.volts) * by_amperes + np.abs(self.amperes) * by_volts


class ImpossibleLoads:
    """Judges the readings of one meter, block by block, and then marks them."""

    def __init__(self, meter: str) -> None:
        self._meter = meter
        self._held = self._above = self._far_above = 0
        self._live = self._hardly = 0
        self._most_times = 0.0
        self._most_pf = 0.0
        self._factors = self._factors_above = 0
        self._ends = 0
        self._most_w = 0.0
        """Largest power that is not the end of an integer format."""

    def add(self, load: ElectricalLoad) -> None:
        """Take note of a block of readings."""
        ends = np.isin(load.watts, ENDS)
        self._ends += int(np.count_nonzero(ends))
        self._most_w = max(self._most_w, float(np.nanmax(np.where(ends, np.nan, load.watts), initial=0.0)))
        if load.power_factor is not None:
            factor = np.abs(load.power_factor[np.isfinite(load.power_factor)])
            self._factors += len(factor)
            self._factors_above += int(np.count_nonzero(factor > _LARGEST_PF))
            self._most_pf = max(self._most_pf, float(factor.max(initial=0.0)))
        if (apparent := load.apparent) is None:
            return
        held = np.isfinite(load.watts) & np.isfinite(apparent)
        above, far_above = _above(load, MOST_PF), _above(load, IN_TURN_PF)
        self._held += int(np.count_nonzero(held))
        self._above += int(np.count_nonzero(above))
        self._far_above += int(np.count_nonzero(far_above))
        live = held & (apparent > LIVE_VA)
        self._live += int(np.count_nonzero(live))
        self._hardly += int(np.count_nonzero(live & (np.abs(load.watts) < _SMALLEST_PF * apparent)))
        if above.any():
            times = load.watts[above] / np.maximum(apparent[above], 1e-3)
            self._most_times = max(self._most_times, float(times.max()))

    def marks(self, load: ElectricalLoad) -> NDArray[np.uint16]:
        """Return the marks of the powers of a block; 0 where nothing speaks against one."""
        quality = np.zeros(len(load.watts), np.uint16)
        if self._above and load.apparent is not None:
            quality[_above(load, self._limit_pf)] |= np.uint16(Quality.EXCEEDS_VA | Quality.IMPLAUSIBLE)
        if self._ends:
            lone = np.isin(load.watts, ENDS) & (load.watts > _FAR * self._most_w) & (self._most_w > 0)
            quality[lone] |= np.uint16(Quality.NO_VALUE | Quality.IMPLAUSIBLE)
        return quality

    @property
    def _limit_pf(self) -> float:
        """Return the power factor above which power is marked: moments of a changing load are not often."""
        return MOST_PF if self._above > _OFTEN * self._held else IN_TURN_PF

    @property
    def is_judged(self) -> bool:
        """Return whether the log has anything that power can be held against."""
        return bool(self._held or self._factors)

    @property
    def lines(self) -> int:
        """Return how many lines contradict themselves."""
        marked = self._above if self._limit_pf == MOST_PF else self._far_above
        return max(marked, self._factors_above, self._hardly if 2 * self._hardly > self._live else 0)

    @property
    def findings(self) -> list[str]:
        """Return what speaks against the readings, one sentence each, with what to do."""
        found = []
        marked = self._above if self._limit_pf == MOST_PF else self._far_above
        if marked:
            found.append(
                f"In {marked} of {self._held} lines {self._meter} shows more watts than volts times amperes, up to "
                f"{format_number(self._most_times, 2)} times as many; these readings are not used. Check the units; "
                "exclude volts and amperes of one phase beside the power of all."
            )
        if self._factors_above:
            found.append(
                f"In {self._factors_above} of {self._factors} lines the power factor of {self._meter} is above 1, up "
                f"to {format_number(self._most_pf, 3)}. Check whether it is a percentage, or another column."
            )
        if 2 * self._hardly > self._live:
            found.append(
                f"In {self._hardly} of {self._live} lines {self._meter} shows less than a hundredth of its "
                "volt-amperes as watts, which no server does. Check the units of watts, volts and amperes."
            )
        return found


def volts_amps_verdict(meters: Iterable[ImpossibleLoads]) -> tuple[ImportedVerdict, ...]:
    """Return what the meters of a log say of themselves; nothing where none has anything to be held against."""
    judged = [meter for meter in meters if meter.is_judged]
    if not judged:
        return ()
    findings = [finding for meter in judged for finding in meter.findings]
    return (
        ImportedVerdict(
            rule=RULE,
            value=float(sum(meter.lines for meter in judged)),
            limit=0.0,
            unit="lines",
            outcome="fail" if findings else "pass",
            text=" ".join(findings) or "No line has more watts than volts times amperes.",
            source=_SOURCE,
        ),
    )


def _above(load: ElectricalLoad, most_pf: float) -> NDArray[np.bool_]:
    """Return where watts exceed what volts and amperes allow, then or one line before or after."""
    apparent = load.apparent
    if apparent is None:
        return np.zeros(len(load.watts), np.bool_)
    around = (apparent, np.append(apparent[1:], np.nan), np.append(np.nan, apparent[:-1]))
    most_va = reduce(np.fmax, around)
    with np.errstate(invalid="ignore"):
        above = np.abs(load.watts) > most_pf * most_va + LEAST_W + load.open_va
    return np.asarray(above & np.isfinite(load.watts) & np.isfinite(apparent))
