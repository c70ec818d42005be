"""What no load shows, in logs of any kind: watts above the volt-amperes beside them, or at odds with the power factor.

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
_PRODUCT_OFF: Final = 0.02
"""How far watts may be from volts times amperes times power factor, beside their digits [1]."""
_FAR: Final = 2.0
"""How far such a number lies above all others of its log."""
_SOURCE = "active power never exceeds volts times amperes"
_PRODUCT, _LOGGED = "volts times amperes", "the volt-amperes beside them"
Values = NDArray[np.float64]
Limits = dict[str, tuple[Values, Values | float]]


@dataclass(frozen=True, slots=True)
class ElectricalLoad:
    """Readings of one meter at the same stamps; NaN where there is none, None where the log never has any."""

    watts: Values
    volts: Values | None = None
    amperes: Values | None = None
    volt_amperes: Values | None = None
    power_factor: Values | None = None

    @property
    def limits(self) -> Limits:
        """Return what the watts cannot exceed, by its name, and what its last digits leave open [VA]."""
        limits: Limits = {}
        if self.volts is not None and self.amperes is not None:
            open_va = np.abs(self.volts) * half_digit(self.amperes) + np.abs(self.amperes) * half_digit(self.volts)
            limits[_PRODUCT] = np.abs(self.volts * self.amperes), open_va
        if self.volt_amperes is not None:
            limits[_LOGGED] = np.abs(self.volt_amperes), half_digit(self.volt_amperes)
        return limits

    def off_product(self, apparent: Values, open_va: Values | float) -> tuple[Values, Values]:
        """Return how far watts are from volt-amperes times power factor, and what their digits leave open [1].

        Of the lines that have all of them, and a load.
        """
        if self.power_factor is None:
            return np.zeros(0), np.zeros(0)
        watts, factor = np.abs(self.watts), np.abs(self.power_factor)
        live = (watts > LEAST_W) & (apparent > LIVE_VA) & (factor > _SMALLEST_PF) & (factor <= _LARGEST_PF)
        open_share = np.broadcast_to(open_va, apparent.shape)[live] / apparent[live]
        open_share = open_share + half_digit(self.power_factor) / factor[live] + half_digit(self.watts) / watts[live]
        return watts[live] / (apparent[live] * factor[live]) - 1, open_share


class ImpossibleLoads:
    """Judges the readings of one meter, block by block, and then marks them."""

    def __init__(self, meter: str) -> None:
        self._meter = meter
        self._held = self._above = self._far_above = 0
        self._live = self._hardly = 0
        self._most_times = 0.0
        self._most_pf = 0.0
        self._factors = self._factors_above = 0
        self._exceeded: dict[str, None] = {}
        """Names of what watts exceed."""
        self._products = self._more = self._less = 0
        """Lines with volts, amperes and power factor; those with more watts than their product, and with less."""
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
        limits = load.limits
        if not limits:
            return
        off, open_share = load.off_product(*next(iter(limits.values())))
        self._products += len(off)
        self._more += int(np.count_nonzero(off > _PRODUCT_OFF + open_share))
        self._less += int(np.count_nonzero(off < -_PRODUCT_OFF - open_share))
        apparent = reduce(np.fmin, [apparent for apparent, _ in limits.values()])
        held = np.isfinite(load.watts) & np.isfinite(apparent)
        above, far_above = _above(load.watts, limits, MOST_PF), _above(load.watts, limits, IN_TURN_PF)
        if above.any():
            self._exceeded |= {
                name: None for name, limit in limits.items() if _exceeds(load.watts, *limit, MOST_PF).any()
            }
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
        if self._above:
            quality[_above(load.watts, load.limits, self._limit_pf)] |= np.uint16(
                Quality.EXCEEDS_VA | Quality.IMPLAUSIBLE
            )
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
        hardly = self._hardly if 2 * self._hardly > self._live else 0
        return max(marked, self._factors_above, hardly, self._no_product)

    @property
    def _no_product(self) -> int:
        """Return how many lines have other watts than their product: most, and on one side, as no moments do."""
        one_side = max(self._more, self._less)
        return one_side if 2 * one_side > self._products else 0

    @property
    def findings(self) -> list[str]:
        """Return what speaks against the readings, one sentence each, with what to do."""
        findings = []
        marked = self._above if self._limit_pf == MOST_PF else self._far_above
        if marked:
            findings.append(
                f"In {marked} of {self._held} lines {self._meter} shows more watts than {' or '.join(self._exceeded)}, "
                f"up to {format_number(self._most_times, 2)} times as many; these readings are not used. Check the "
                "units; exclude volts and amperes of one phase beside the power of all."
            )
        if self._factors_above:
            findings.append(
                f"In {self._factors_above} of {self._factors} lines the power factor of {self._meter} is above 1, up "
                f"to {format_number(self._most_pf, 3)}. Check whether it is a percentage, or another column."
            )
        if 2 * self._hardly > self._live:
            findings.append(
                f"In {self._hardly} of {self._live} lines {self._meter} shows less than a hundredth of its "
                "volt-amperes as watts, which no server does. Check the units of watts, volts and amperes."
            )
        if self._no_product:
            findings.append(
                f"In {self._no_product} of {self._products} lines the watts of {self._meter} are not the product of "
                f"its volts, amperes and power factor: {'more' if self._more > self._less else 'less'} by over "
                f"{100 * _PRODUCT_OFF:g} %. Check whether they are volt-amperes, of another phase or in another unit, "
                "and whether the power factor is that of the fundamental alone."
            )
        return findings


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


def _above(watts: Values, limits: Limits, most_pf: float) -> NDArray[np.bool_]:
    """Return where watts exceed what is logged beside them, then or one line before or after."""
    above = np.zeros(len(watts), np.bool_)
    for apparent, open_va in limits.values():
        above |= _exceeds(watts, apparent, open_va, most_pf)
    return above


def _exceeds(watts: Values, apparent: Values, open_va: Values | float, most_pf: float) -> NDArray[np.bool_]:
    around = (apparent, np.append(apparent[1:], np.nan), np.append(np.nan, apparent[:-1]))
    most_va = reduce(np.fmax, around)
    with np.errstate(invalid="ignore"):
        above = np.abs(watts) > most_pf * most_va + LEAST_W + open_va
    return np.asarray(above & np.isfinite(watts) & np.isfinite(apparent))
