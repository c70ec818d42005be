"""Calibration points of one range of a meter: reference value, indication and uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from wattmark_calibration.certificate.checks import FILE_RULES, require, require_finite, require_text
from wattmark_calibration.written import written

Reactive = Literal["lagging", "leading"]

BEST_LABORATORY = 1e-6
"""No national laboratory states U below 1e-6 of the power; a smaller figure is in another unit."""
FACTOR_OFF = 0.5
MOST_POINTS = 500
"""A laboratory measures some tens of points; the covariance of many thousands would fill the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One comparison: reference power, indicated power and the expanded uncertainty U = k u of their difference [W].

    ``power_factor`` is a magnitude in (0, 1], None where the certificate does not state it; ``reactive`` says whether
    the current lags or leads. ``limit_w`` is the limit of error that the laboratory judged the point by.
    """

    __pydantic_config__ = FILE_RULES

    reference_w: float
    indication_w: float
    expanded_u_w: float
    k: float
    coverage_probability: float = 0.95
    power_factor: float | None = None
    reactive: Reactive = "lagging"
    frequency_hz: float | None = None
    voltage_v: float | None = None
    temperature_c: float | None = None
    limit_w: float | None = None

    def __post_init__(self) -> None:
        """Refuse figures that no comparison with a reference can give."""
        where = f"Point at {self.reference_w} W"
        require_finite(where, self.reference_w, self.indication_w, self.expanded_u_w, self.k, self.coverage_probability)
        require_finite(where, self.power_factor, self.frequency_hz, self.voltage_v, self.temperature_c, self.limit_w)
        require(
            self.reference_w >= 0, f"{where}: the reference power is negative; give both powers with positive sign."
        )
        require(self.expanded_u_w > 0, f"{where}: the expanded uncertainty must be above 0 W.")
        require(
            1 <= self.k <= 15,
            f"{where}: coverage factor k = {self.k} is not plausible; it must be 1 to 15 and is usually 2.",
        )
        require(
            0.5 <= self.coverage_probability < 1, f"{where}: give the coverage probability as a fraction, such as 0.95."
        )
        require(
            self.power_factor is None or 0 < self.power_factor <= 1,
            f"{where}: power factor {self.power_factor} is not above 0 and at most 1; give its magnitude, and lagging "
            "or leading.",
        )
        require(self.reactive in ("lagging", "leading"), f"{where}: reactive must be lagging or leading.")
        require(self.frequency_hz is None or 0 <= self.frequency_hz <= 1e6, f"{where}: frequency outside 0 to 1 MHz.")
        require(self.voltage_v is None or 0 < self.voltage_v <= 1e6, f"{where}: voltage outside 0 to 1 MV.")
        require(
            self.temperature_c is None or -60 <= self.temperature_c <= 120,
            f"{where}: {self.temperature_c} °C is not a plausible laboratory temperature; check the unit (kelvin?).",
        )
        require(self.limit_w is None or self.limit_w > 0, f"{where}: the limit of error must be above 0 W.")

    @property
    def u_w(self) -> float:
        """Compute the standard uncertainty U/k [W]."""
        return self.expanded_u_w / self.k

    @property
    def error_w(self) -> float:
        """Compute indication - reference [W], exact in the decimals as written: 100.2 - 100 is 0.2."""
        return float(written(self.indication_w) - written(self.reference_w))

    @property
    def reactive_var(self) -> float:
        """Compute Q = P tan(phi) of the reference, above 0 for lagging current; 0 where no factor is stated [var]."""
        return reactive_power(self.reference_w, self.power_factor or 1.0, self.reactive)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonUncertainty:
    """The part of u that is the very same error at every point: the laboratory's reference, as gain and offset.

    Standard uncertainties, already contained in the points' U: ``gain`` relative, ``offset_w`` in watts.
    """

    __pydantic_config__ = FILE_RULES

    gain: float = 0.0
    offset_w: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no standard uncertainty."""
        require_finite("Common uncertainty", self.gain, self.offset_w)
        require(
            0 <= self.gain < 0.1 and self.offset_w >= 0,
            "Common uncertainty: offset and gain must not be negative; gain is relative, such as 2e-4.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedRange:
    """The points of one range. ``name`` is the range as the meter's readings name it ("300V/2A")."""

    __pydantic_config__ = FILE_RULES

    name: str
    points: tuple[Point, ...]
    full_scale_w: float | None = None
    common: CommonUncertainty | None = None

    def __post_init__(self) -> None:
        """Refuse points that are in another unit or contradict each other."""
        require_text("Name of a range", self.name)
        where = f"Range {self.name}"
        require(0 < len(self.points) <= MOST_POINTS, f"{where}: give 1 to {MOST_POINTS} points.")
        require_finite(where, self.full_scale_w)
        require(self.full_scale_w is None or self.full_scale_w > 0, f"{where}: the full scale must be above 0 W.")
        _require_one_unit(where, self.points)
        _require_agreement(where, self.points)
        if self.common is not None:
            _require_room(where, self.points, self.common)


def reactive_power(power_w: float, power_factor: float, reactive: Reactive) -> float:
    """Compute Q = P tan(phi), above 0 for lagging current [var]. ``power_factor`` is a magnitude in (0, 1]."""
    tangent = math.sqrt(1 - power_factor**2) / power_factor
    return power_w * (tangent if reactive == "lagging" else -tangent)


def _require_one_unit(where: str, points: tuple[Point, ...]) -> None:
    """Refuse points whose figures can only come from mixed units (kW, mW, per cent)."""
    loaded = [point for point in points if point.reference_w > 0]
    for point in loaded:
        factor_off = abs(point.error_w) > max(FACTOR_OFF * point.reference_w, 10 * point.expanded_u_w)
        require(
            not factor_off,
            f"{where}: reference {point.reference_w} W and indication {point.indication_w} W differ too much; check "
            "the units of both columns.",
        )
    unsure = [point.expanded_u_w / point.reference_w for point in loaded]
    require(
        not loaded or min(unsure) < 1,
        f"{where}: every expanded uncertainty is larger than its power; check that U is in watts, not in milliwatts or "
        "%.",
    )
    require(
        not loaded or max(unsure) > BEST_LABORATORY,
        f"{where}: every expanded uncertainty is below 1e-6 of its power; check that U is in watts.",
    )


def _require_agreement(where: str, points: tuple[Point, ...]) -> None:
    """Refuse two points at the same place whose errors differ by more than both uncertainties explain."""
    places: dict[tuple[float, ...], list[Point]] = {}
    for point in points:
        surroundings = (point.frequency_hz or 0.0, point.voltage_v or 0.0, point.temperature_c or 0.0)
        key = (point.reference_w, point.reactive_var, *surroundings)
        places.setdefault(key, []).append(point)
    for same in places.values():
        for a, b in combinations(same[:50], 2):
            require(
                abs(a.error_w - b.error_w) <= 2 * (a.expanded_u_w + b.expanded_u_w),
                f"{where}: two points at {a.reference_w} W contradict each other ({a.indication_w} and "
                f"{b.indication_w} W); as found and as left belong in separate lists.",
            )


def _require_room(where: str, points: tuple[Point, ...], common: CommonUncertainty) -> None:
    """Refuse a common part larger than the whole."""
    for point in points:
        require(
            point.u_w > math.hypot(common.gain * point.reference_w, common.offset_w),
            f"{where}: the common uncertainty at {point.reference_w} W exceeds U/k = {point.u_w:.6g} W that "
            "contains it.",
        )
