"""Makers' limits of error of the Yokogawa WT300 family, with the range found in the daemon's console."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt

from wattmark.importers.ptdaemon.ptdaemon_console import ConsoleSettings

_HEAT_PER_A2_PCT = 0.00013
_HEAT_PER_V2_PCT = 1e-7
_LINE_FILTER_PCT = 0.3


@dataclass(frozen=True, slots=True)
class _Specification:
    models: re.Pattern[str]
    reading_pct: float
    range_pct: float
    reactive_pct: float
    source: str


_SPECIFICATIONS = (
    _Specification(re.compile(r"WT310E|WT332E|WT333E"), 0.1, 0.05, 0.1, "Yokogawa IM WT310E-02EN pages 7-7 and 7-8"),
    _Specification(re.compile(r"WT310|WT330|WT332|WT333"), 0.1, 0.1, 0.2, "Yokogawa IM WT310-02EN page 7-7"),
)


@dataclass(frozen=True, slots=True)
class YokogawaLimits:
    """Limit of error of active power = reading_pct % of reading + range_pct % of range_w + fixed_w (12 months)."""

    reading_pct: float
    range_pct: float
    range_w: float
    fixed_w: float
    source: str


def power_limits(
    model: str, settings: ConsoleSettings, watts: float, volts: float, amps: float
) -> YokogawaLimits | None:
    """Return the limits for active power at 45-66 Hz; None when the model, its ranges, crest factor or line
    filter are not known.

    ``watts``, ``volts`` and ``amps`` are typical of the window. ``fixed_w`` holds the power-factor influence on the
    reactive power and the self-heating. A crest factor of 6 doubles the range term; the line filter adds to the
    reading term.
    """
    specification = next((s for s in _SPECIFICATIONS if s.models.fullmatch(model)), None)
    if specification is None or settings.volt_range is None or settings.amp_range is None:
        return None
    if settings.crest_factor is None or settings.line_filter is None:
        return None
    reactive_var = sqrt(max((volts * amps) ** 2 - watts**2, 0.0))
    heating_pct = _HEAT_PER_A2_PCT * amps**2 + _HEAT_PER_V2_PCT * volts**2
    return YokogawaLimits(
        specification.reading_pct + (_LINE_FILTER_PCT if settings.line_filter else 0.0),
        specification.range_pct * (1 if settings.crest_factor == "3" else 2),
        settings.volt_range * settings.amp_range,
        specification.reactive_pct / 100 * reactive_var + heating_pct / 100 * watts,
        specification.source,
    )
