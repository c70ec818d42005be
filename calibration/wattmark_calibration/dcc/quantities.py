"""Quantities of a DCC: lists of numbers with a D-SI unit and an expanded uncertainty."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from wattmark_calibration.errors import CertificateError

DCC = "{https://ptb.de/dcc}"
SI = "{https://ptb.de/si}"
MOST_VALUES = 10_000
PREFIXES = {"": 1.0, "\\milli": 1e-3, "\\kilo": 1e3, "\\mega": 1e6}
UNIT = re.compile(r"(\\milli|\\kilo|\\mega)?(\\watt|\\hertz|\\volt)")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Expanded uncertainties with their coverage; a single value applies to all points."""

    expanded: Values
    k: Values
    probability: Values


@dataclass(frozen=True, slots=True)
class DccQuantity:
    """Values in the requested unit."""

    values: Values
    uncertainty: Uncertainty | None


def read_quantity(element: Element, unit: str) -> DccQuantity:
    """Read a dcc:quantity in ``unit`` (W, Hz, V, °C or 1): si:real, si:constant, si:realListXMLList or si:hybrid.

    Raises `CertificateError` where the quantity is in no unit that converts, or holds no finite numbers. Source:
    D-SI, the same in the versions 1.3 (si:expandedUncXMLList) and 2.x (si:measurementUncertaintyUnivariateXMLList).
    """
    seen = []
    for node in element.iter():
        if node.tag not in (f"{SI}real", f"{SI}constant", f"{SI}realListXMLList"):
            continue
        ending = "XMLList" if node.tag.endswith("XMLList") else ""
        units = (node.findtext(f"{SI}unit{ending}") or "").split()
        convert = _converter(units, unit)
        if convert is None:
            seen += units or ["none"]
            continue
        values = tuple(convert(x) for x in _numbers(node.findtext(f"{SI}value{ending}")))
        return DccQuantity(values, _uncertainty(node, ending, convert))
    units_text = ", ".join(sorted({name[:80] for name in seen})) or "nothing"
    raise CertificateError(f"A quantity of the DCC must be in {unit} but is in {units_text}.")


def at(values: Values, i: int, count: int, title: str) -> float:
    """Return the i-th of ``count`` values; a single one applies to all."""
    if len(values) not in (1, count):
        raise CertificateError(f"The DCC gives {len(values)} {title} for {count} points.")
    return values[0] if len(values) == 1 else values[i]


def _uncertainty(node: Element, ending: str, convert: Callable[[float], float]) -> Uncertainty | None:
    """Read the expanded uncertainty; None where the quantity states none."""
    old = node.find(f"{SI}expandedUnc{ending}")
    new = node.find(f"{SI}measurementUncertaintyUnivariate{ending}/{SI}expandedMU{ending}")
    for part, name in ((old, "uncertainty"), (new, "valueExpandedMU")):
        if part is not None:
            expanded = _numbers(part.findtext(f"{SI}{name}{ending}"))
            return Uncertainty(
                tuple(convert(x) - convert(0.0) for x in expanded),
                _numbers(part.findtext(f"{SI}coverageFactor{ending}")),
                _numbers(part.findtext(f"{SI}coverageProbability{ending}")),
            )
    return None


def _converter(units: list[str], wanted: str) -> Callable[[float], float] | None:
    """Return the conversion to the unit wanted; None where there is none."""
    if len(set(units)) != 1:
        return None
    unit = units[0]
    if wanted == "1":
        return _scaled({"\\one": 1.0, "\\percent": 0.01}.get(unit))
    if wanted == "°C":
        offset = {"\\degreecelsius": 0.0, "\\kelvin": 273.15}.get(unit)
        return None if offset is None else lambda x: x - offset
    match = UNIT.fullmatch(unit)
    base = {"W": "\\watt", "Hz": "\\hertz", "V": "\\volt"}[wanted]
    return _scaled(PREFIXES[match[1] or ""] if match and match[2] == base else None)


def _scaled(factor: float | None) -> Callable[[float], float] | None:
    return None if factor is None else lambda x: x * factor


def _numbers(text: str | None) -> Values:
    """Read a list of decimal numbers separated by white space."""
    words = (text or "").split()
    if not 0 < len(words) <= MOST_VALUES:
        raise CertificateError(f"A list in the DCC has {len(words)} numbers; 1 to {MOST_VALUES} are accepted.")
    for word in words:
        if not NUMBER.fullmatch(word) or not math.isfinite(float(word)):
            raise CertificateError(f"{word[:80]!r} in a list of the DCC is not a finite number.")
    return tuple(float(word) for word in words)
