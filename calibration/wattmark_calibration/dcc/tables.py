"""Calibration points in a DCC: which tables there are, before or after an adjustment, and for which range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from wattmark_calibration.certificate.points import CalibratedRange, Point
from wattmark_calibration.dcc.quantities import DCC, DccQuantity, Uncertainty, at, read_quantity
from wattmark_calibration.dcc.texts import english
from wattmark_calibration.errors import CertificateError

REFERENCE, MEASURED, ERROR = "basic_referenceValue", "basic_measuredValue", "basic_measurementError"
SIDE_QUANTITIES = {"powerfactor": "1", "frequency": "Hz", "voltage": "V", "temperature": "°C"}
"""Quantities beside the powers, by the end of their refType ("..._powerFactor"), and their units."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Ranges as found and as left; ``adjusted`` where the DCC speaks of an adjustment."""

    as_found: tuple[CalibratedRange, ...]
    as_left: tuple[CalibratedRange, ...]
    adjusted: bool


def read_tables(root: Element, range_names: Mapping[str, str]) -> Tables:
    """Sort the tables of all measurement results into as found and as left.

    The status of the influence condition basic_adjustment decides: data under beforeAdjustment are as found, the
    results beside them as left; results of a measurement marked before or after belong there. ``range_names``
    translates the DCC's names of tables into the names of the meter's ranges.
    """
    as_found: list[CalibratedRange] = []
    left: list[CalibratedRange] = []
    plain: list[CalibratedRange] = []
    for measurement in root.iterfind(f"{DCC}measurementResults/{DCC}measurementResult"):
        ambient = _ambient_temperature(measurement)
        results = [
            table
            for result in measurement.iterfind(f"{DCC}results/{DCC}result")
            for table in _ranges(result, range_names, ambient, english(result.find(f"{DCC}name")))
        ]
        condition, status = _adjustment(measurement)
        # the condition itself is named "Adjustment"; a single range has the same name as in the results
        only = results[0].name if len(results) == 1 else None
        before = [] if condition is None else _ranges(condition, range_names, ambient, only)
        if status.startswith("before"):
            as_found += before or results
            left += results if before else []
        else:
            (left if status.startswith("after") else plain).extend(results)
    if plain and (as_found or left):
        raise CertificateError("The DCC marks some results as before or after adjustment but not others.")
    return Tables(tuple(as_found or plain), tuple(left), bool(left))


def _adjustment(measurement: Element) -> tuple[Element | None, str]:
    """Find the influence condition that speaks of an adjustment, and its status."""
    for condition in measurement.iterfind(f"{DCC}influenceConditions/{DCC}influenceCondition"):
        status = (condition.findtext(f"{DCC}status") or "").strip()
        if status:
            return condition, status
    return None, ""


def _ranges(
    part: Element, range_names: Mapping[str, str], ambient: float | None, name: str | None
) -> list[CalibratedRange]:
    """Read every table (a list with reference and measured values) below a result or an influence condition.

    ``name`` serves where a single table does not name its range itself.
    """
    data = part.find(f"{DCC}data")
    if data is None:
        return []
    tables = [
        table for table in (data, *data.iterfind(f"{DCC}list")) if _by_type(table).keys() >= {REFERENCE, MEASURED}
    ]
    out = []
    for table in tables:
        label = english(table.find(f"{DCC}name")) or (name if len(tables) == 1 else None)
        if label is None:
            raise CertificateError("A table of points in the DCC has no name; it must name the range of the meter.")
        out.append(CalibratedRange(name=range_names.get(label, label), points=_points(_by_type(table), ambient)))
    return out


def _by_type(table: Element) -> dict[str, Element]:
    """Index the quantities of a table by each of their refTypes."""
    out: dict[str, Element] = {}
    for quantity in table.iterfind(f"{DCC}quantity"):
        for name in quantity.get("refType", "").split():
            if name in out:
                raise CertificateError(f"A table of the DCC has the quantity {name[:80]} twice.")
            out[name] = quantity
    return out


def _points(quantities: Mapping[str, Element], ambient: float | None) -> tuple[Point, ...]:
    """Read the points of one table."""
    reference = read_quantity(_values_only(quantities[REFERENCE]), "W")
    measured = read_quantity(_values_only(quantities[MEASURED]), "W")
    error = read_quantity(_values_only(quantities[ERROR]), "W") if ERROR in quantities else None
    count = max(len(reference.values), len(measured.values))
    unsure = _comparison_uncertainty(measured, error)
    sides = {name: _side(quantities, name) for name in SIDE_QUANTITIES}
    points = tuple(_point(i, count, reference, measured, unsure, sides, ambient) for i in range(count))
    if error is None:
        return points
    _require_errors(points, error)
    return tuple(replace(point, limit_w=_limit(quantities[ERROR], i, count)) for i, point in enumerate(points))


def _point(
    i: int,
    count: int,
    reference: DccQuantity,
    measured: DccQuantity,
    unsure: Uncertainty,
    sides: Mapping[str, DccQuantity | None],
    ambient: float | None,
) -> Point:
    """Build the i-th of ``count`` points."""
    side = {name: at(q.values, i, count, name) if q else None for name, q in sides.items()}
    factor = side["powerfactor"]
    return Point(
        reference_w=at(reference.values, i, count, "reference values"),
        indication_w=at(measured.values, i, count, "measured values"),
        expanded_u_w=at(unsure.expanded, i, count, "uncertainties"),
        k=at(unsure.k, i, count, "coverage factors"),
        coverage_probability=at(unsure.probability, i, count, "coverage probabilities"),
        power_factor=None if factor is None else abs(factor),
        reactive="leading" if factor is not None and math.copysign(1, factor) < 0 else "lagging",
        frequency_hz=side["frequency"],
        voltage_v=side["voltage"],
        temperature_c=ambient if side["temperature"] is None else side["temperature"],
    )


def _comparison_uncertainty(measured: DccQuantity, error: DccQuantity | None) -> Uncertainty:
    """Return U of the error, else of the measured value; U of the reference alone is not that of the comparison."""
    for quantity in (error, measured):
        if quantity is not None and quantity.uncertainty is not None:
            return quantity.uncertainty
    raise CertificateError(
        "A table of the DCC states no expanded uncertainty, neither of the error nor of the measured value."
    )


def _require_errors(points: tuple[Point, ...], error: DccQuantity) -> None:
    """Refuse stated errors that are not measured - reference."""
    for i, point in enumerate(points):
        stated = at(error.values, i, len(points), "errors")
        if abs(stated - point.error_w) > point.expanded_u_w / 2:
            raise CertificateError(
                f"The DCC states an error of {stated:.6g} W at {point.reference_w:.6g} W, but its values differ by "
                f"{point.error_w:.6g} W."
            )


def _limit(error: Element, i: int, count: int) -> float | None:
    """Return the limit of error of a point, the nearer of the two tolerance limits; None where the DCC states none."""
    limits = [
        abs(at(read_quantity(quantity, "W").values, i, count, "tolerance limits"))
        for quantity in error.iter(f"{DCC}quantity")
        if quantity.get("refType") in ("basic_toleranceLimitLower", "basic_toleranceLimitUpper")
    ]
    return min(limits, default=None)


def _side(quantities: Mapping[str, Element], name: str) -> DccQuantity | None:
    """Find a quantity beside the powers by the end of its refType."""
    for kind, element in quantities.items():
        if kind.rpartition("_")[2].lower() == name:
            return read_quantity(_values_only(element), SIDE_QUANTITIES[name])
    return None


def _ambient_temperature(measurement: Element) -> float | None:
    """Return the middle of the laboratory's temperature [°C]; None where the DCC states none."""
    for condition in measurement.iterfind(f"{DCC}influenceConditions/{DCC}influenceCondition"):
        if "basic_temperature" in condition.get("refType", "").split():
            quantities = condition.findall(f"{DCC}data/{DCC}quantity")
            values = [x for q in quantities for x in read_quantity(_values_only(q), "°C").values]
            return (min(values) + max(values)) / 2 if values else None
    return None


def _values_only(quantity: Element) -> Element:
    """Return the quantity without its meta data, which holds further lists (nominal values, limits)."""
    out = Element(quantity.tag)
    out.extend(part for part in quantity if part.tag != f"{DCC}measurementMetaData")
    return out
