"""Maker's accuracy of a meter: limits of error and last digit, and the standard uncertainty they imply."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wattmark_calibration.influences import REFERENCE, Conditions, Influences, InputLimit

Array = NDArray[np.float64]
Inputs = tuple[Array, Array, Array, Array, Array, Array]
"""Reading, range, power factor, current [A], voltage [V] and kelvins outside the manufacturer's band."""
RECTANGULAR = math.sqrt(3.0)
BLOCK = 1 << 15
"""Samples processed at once: they fit in the cache of a processor."""


@dataclass(frozen=True, slots=True)
class Specification:
    """Limit of error = reading_pct % of reading + range_pct % of range + fixed + influences, terms added linearly.

    ``source`` names the manual and its page. Without figures from a maker there is no Specification: none may be
    invented.
    """

    reading_pct: float
    range_pct: float = 0.0
    fixed: float = 0.0
    source: str = ""
    influences: Influences = field(default_factory=Influences)

    def __post_init__(self) -> None:
        """Refuse figures that cannot be limits of error."""
        figures = (self.reading_pct, self.range_pct, self.fixed, self.influences.pf0_pct or 0.0)
        stated = any(figures) or self.influences.voltage is not None
        if not all(math.isfinite(x) and x >= 0 for x in figures) or not stated:
            raise ValueError("A specification needs finite limits of error: none negative, at least one above 0.")

    @property
    def needs_range(self) -> bool:
        """Return whether the limits of error depend on the range in use."""
        return self.range_pct != 0 or bool(self.influences.steps)

    def limit(
        self,
        reading: ArrayLike,
        range_value: ArrayLike | None = None,
        power_factor: ArrayLike | None = None,
        conditions: Conditions = REFERENCE,
    ) -> Array:
        """Compute the limit of error [unit of the reading], element by element.

        ``range_value`` is the range in the unit of the reading (300 V x 2 A = 600 W). ``power_factor``, if given,
        replaces that of ``conditions``; None is 1. Raises `ValueError` where a range term lacks its range, for a
        power factor outside (0, 1], and for conditions under which the limits do not hold (`unmet`).
        """
        inputs = self._inputs(reading, range_value, power_factor, conditions)
        return _blockwise(lambda block: _sum(self._terms(block, conditions)), inputs)

    def limit_parts(
        self,
        reading: ArrayLike,
        range_value: ArrayLike | None = None,
        conditions: Conditions = REFERENCE,
    ) -> Mapping[str, Array]:
        """Split the limit of error into its terms by name [unit of the reading]; their sum is `limit`.

        Source of the power factor's part: IM WT310E-02EN p. 7-8, P x [a % + b % x range/S + tan(phi) x c %], which is
        a % P + b % range x PF + c % P tan(phi).
        """
        return self._terms(self._inputs(reading, range_value, None, conditions), conditions)

    def standard_uncertainty(
        self,
        reading: ArrayLike,
        range_value: ArrayLike | None = None,
        power_factor: ArrayLike | None = None,
        conditions: Conditions = REFERENCE,
    ) -> Array:
        """Compute limit/sqrt(3), the limit taken as half width of a rectangle (JCGM 100 4.3.7) [unit of reading]."""
        limit = self.limit(reading, range_value, power_factor, conditions)
        return np.divide(limit, RECTANGULAR, out=limit)

    def unmet(self, conditions: Conditions) -> str | None:
        """Explain which conditions of use break the specification; None where the limits hold."""
        of, hertz, months = self.influences, conditions.frequency_hz, conditions.months
        low_hz, high_hz = of.frequency_low_hz or 0.0, math.inf if of.frequency_high_hz is None else of.frequency_high_hz
        if hertz is not None and not low_hz <= hertz <= high_hz:
            return f"The limits of error apply from {low_hz:g} to {high_hz:g} Hz, not at {hertz:g} Hz."
        low_a, high_a = of.current_low_a or 0.0, math.inf if of.current_high_a is None else of.current_high_a
        amperes = np.asarray(0.0 if conditions.current_a is None else conditions.current_a, dtype=np.float64)
        if conditions.current_a is not None and amperes.size and not low_a <= amperes.min() <= amperes.max() <= high_a:
            worst_a = amperes.min() if amperes.min() < low_a else amperes.max()
            return f"The limits of error hold from {low_a:g} to {high_a:g} A, not at {worst_a:.3g} A."
        if months is not None and months < 0:
            return "The meter was calibrated after it was used; correct the date of calibration."
        inputs = [limit for limit in (of.voltage, of.current) if limit is not None]
        if any(limit.range_pct and limit.range_value is None for limit in inputs):
            return "The limits of error have a term in per cent of range; the ranges in use are not known."
        ends = of.valid_months is not None and of.growth_pct_per_month is None
        if ends and months is not None and months > (of.valid_months or 0.0):
            return (
                f"The limits of error apply for {of.valid_months:g} months after calibration; {months:.3g} have passed."
            )
        if of.voltage is not None and (conditions.voltage_v is None or conditions.current_a is None):
            return "The limits of error follow from voltage and current, which were not recorded."
        if of.temperature_pct_per_k is None and np.any(_outside(of, conditions)):
            return f"The limits of error apply only from {of.temperature_low_c:g} to {of.temperature_high_c:g} °C."
        return None

    def assumed(self, conditions: Conditions) -> tuple[str, ...]:
        """List the conditions that the limits depend on and that are not stated, each with the assumption made."""
        of = self.influences
        wanted = (
            (of.pf0_pct, conditions.power_factor, "power factor not recorded"),
            (of.crest_factor_6_range_factor, conditions.crest_factor, "crest factor not stated: larger limit assumed"),
            (of.line_filter_pct, conditions.line_filter, "line filter not stated: larger limit assumed"),
            (of.heating_pct_per_a2, conditions.current_a, "current not recorded: self-heating not included"),
            (of.current_low_a, conditions.current_a, "current not recorded: assumed within the manufacturer's band"),
            (
                of.temperature_low_c,
                conditions.temperature_c,
                "temperature not stated: assumed within the manufacturer's band",
            ),
            (
                of.frequency_high_hz,
                conditions.frequency_hz,
                "frequency not stated: assumed within the manufacturer's band",
            ),
            (
                of.valid_months,
                conditions.months,
                "time since calibration not stated: assumed within the manufacturer's interval",
            ),
        )
        return tuple(text for term, value, text in wanted if term and value is None)

    def _inputs(
        self,
        reading: ArrayLike,
        range_value: ArrayLike | None,
        power_factor: ArrayLike | None,
        conditions: Conditions,
    ) -> Inputs:
        """Convert the inputs of the terms to arrays. Raises `ValueError` for impossible values."""
        reason = self.unmet(conditions)
        if reason is not None:
            raise ValueError(reason)
        if self.needs_range and range_value is None:
            raise ValueError("This specification has a term in per cent of range; give the range in use.")
        factor = conditions.power_factor if power_factor is None else power_factor
        return (
            np.asarray(reading, dtype=np.float64),
            np.asarray(0.0 if range_value is None else range_value, dtype=np.float64),
            np.asarray(1.0) if self.influences.pf0_pct is None or factor is None else _power_factor(factor),
            np.asarray(0.0 if conditions.current_a is None else conditions.current_a, dtype=np.float64),
            np.asarray(0.0 if conditions.voltage_v is None else conditions.voltage_v, dtype=np.float64),
            _outside(self.influences, conditions),
        )

    def _terms(self, inputs: Inputs, conditions: Conditions) -> dict[str, Array]:
        """Compute every term that is not zero [unit of the reading]."""
        reading, range_value, factor, current_a, voltage_v, kelvin = inputs
        of, value = self.influences, np.abs(reading)
        reading_pct, range_pct = self._at_load(value, np.abs(range_value))
        range_pct = range_pct * _worst(of.crest_factor_6_range_factor, 1.0, conditions.crest_factor == 3)
        filter_pct = _worst(of.line_filter_pct, 0.0, conditions.line_filter is False)
        heating_pct = (of.heating_pct_per_a2 or 0.0) * current_a**2 + (of.heating_pct_per_v2 or 0.0) * voltage_v**2
        late_pct = (of.growth_pct_per_month or 0.0) * max((conditions.months or 0.0) - (of.valid_months or 0.0), 0.0)
        terms = {"reading": reading_pct / 100 * value}
        if np.any(range_pct):
            # the range is one of apparent power: P x b % x range/S is b % of range x power factor (`limit_parts`)
            terms["range"] = range_pct / 100 * np.abs(range_value) * factor
        if self.fixed:
            terms["fixed"] = np.full_like(value, self.fixed)
        if of.pf0_pct and np.any(factor < 1):
            # sqrt(1 - PF^2)/PF is tan(phi), for current that lags or leads
            terms["power factor"] = of.pf0_pct / 100 * value * (np.sqrt(1 - factor * factor) / factor)
        for name, percent in (("line filter", filter_pct), ("months since calibration", late_pct)):
            if percent:
                terms[name] = percent / 100 * value
        if np.any(heating_pct):
            terms["self-heating"] = heating_pct / 100 * value
        if of.temperature_pct_per_k and np.any(kelvin):
            terms["temperature"] = of.temperature_pct_per_k / 100 * kelvin * value
        if of.voltage is not None and of.current is not None:
            terms["voltage"] = _of_input(of.voltage, voltage_v, value, current_a * factor)
            terms["current"] = _of_input(of.current, current_a, value, voltage_v * factor)
        return terms

    def _at_load(self, value: Array, range_value: Array) -> tuple[Array, Array]:
        """Choose the terms of reading and range [%] by the ratio of reading to range."""
        reading_pct, range_pct = np.asarray(self.reading_pct), np.asarray(self.range_pct)
        for step in self.influences.steps:
            reached = value >= step.from_pct / 100 * range_value
            reading_pct = np.where(reached, step.reading_pct, reading_pct)
            range_pct = np.where(reached, step.range_pct, range_pct)
        return reading_pct, range_pct


def resolution_uncertainty(step: float) -> float:
    """Compute step/sqrt(12), the standard uncertainty of one rounded indication (JCGM 100 F.2.2.1) [unit of step]."""
    return step / math.sqrt(12.0)


def counter_uncertainty(step: float) -> float:
    """Compute step/sqrt(6), the standard uncertainty of the difference of two rounded readings [unit of step]."""
    return step / math.sqrt(6.0)


def _of_input(limit: InputLimit, size: Array, power: Array, per_unit: Array) -> Array:
    """Convert the limit of one input [V or A] to power [W]: limit x P/input; ``per_unit`` where that is 0."""
    size = np.abs(size)
    of_range = 0.0 if limit.range_value is None else limit.range_pct / 100 * limit.range_value
    error = limit.reading_pct / 100 * size + of_range + limit.fixed
    # without an input, power over it is 0/0: the sensitivity is then the other input x power factor
    idle = np.array(np.broadcast_to(per_unit, np.broadcast(power, size).shape))
    return error * np.divide(power, size, out=idle, where=size > 0)


def _worst(term: float | None, neutral: float, known_neutral: bool) -> float:
    """Return a setting's term, or the neutral one where the setting is known to be neutral."""
    return neutral if term is None or known_neutral else term


def _outside(of: Influences, conditions: Conditions) -> Array:
    """Compute how far the temperature lies outside the maker's band [K]; 0 where either is not known."""
    if of.temperature_low_c is None or of.temperature_high_c is None or conditions.temperature_c is None:
        return np.asarray(0.0)
    t_c = np.asarray(conditions.temperature_c, dtype=np.float64)
    return np.maximum(np.maximum(of.temperature_low_c - t_c, t_c - of.temperature_high_c), 0.0)


def _power_factor(power_factor: ArrayLike) -> Array:
    """Return the magnitude of the power factor; refuse values outside (0, 1] [1]."""
    factor = np.abs(np.asarray(power_factor, dtype=np.float64))
    if factor.size and not (factor.min() > 0 and factor.max() <= 1):
        raise ValueError("A power factor must be above 0 and at most 1.")
    return factor


def _sum(terms: Mapping[str, Array]) -> Array:
    first, *others = terms.values()
    total = np.array(first)
    for term in others:
        total = total + term
    return total


def _blockwise(function: Callable[[Inputs], Array], inputs: Inputs) -> Array:
    """Apply a function element by element, block by block, so that its intermediate arrays stay in the cache."""
    shape = np.broadcast_shapes(*(x.shape for x in inputs))
    size = math.prod(shape)
    if size <= BLOCK:
        return np.array(np.broadcast_to(function(inputs), shape))
    a, b, c, d, e, f = (x if x.ndim == 0 else np.broadcast_to(x, shape).reshape(-1) for x in inputs)
    out = np.empty(size)
    for begin in range(0, size, BLOCK):
        cut = slice(begin, begin + BLOCK)
        out[cut] = function((_at(a, cut), _at(b, cut), _at(c, cut), _at(d, cut), _at(e, cut), _at(f, cut)))
    return out.reshape(shape)


def _at(x: Array, cut: slice) -> Array:
    return x if x.ndim == 0 else x[cut]
