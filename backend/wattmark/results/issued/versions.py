"""Bases of two versions of a result and their differences, in words."""

from __future__ import annotations

import math
from typing import Any

from wattmark.core.numbers import format_alone, format_uncertain, signed_number
from wattmark.core.quantity import value_of
from wattmark.results.result import MeterCalibration, Result

SAME = 1e-12
"""Relative difference that the order of additions makes."""
ALIKE = 1e-9
"""Relative difference that another processor or another numpy makes."""
_WORDS = frozenset(
    {"text", "note", "notes", "action", "reason", "software", "configuration_title", "meter"}
    | {"source", "server", "result_version", "issued", "correlation_group", "meter_identities"}
)
"""Fields at any depth of a result that only name, explain or locate it."""


def label(calibration: MeterCalibration) -> str:
    """Describe the basis of a meter's power in a few words."""
    if calibration.basis != "certificate":
        return "specification" if calibration.basis == "specification" else "not traceable"
    as_found = " as found" if calibration.as_found else ""
    overridden = ", overridden" if calibration.overridden else ""
    return f"certificate {calibration.certificate_id} v{calibration.certificate_version}{as_found}{overridden}"


def labels(result: Result) -> list[str]:
    """List the basis of each meter's power; meters are named where there are several."""
    if len(result.calibrations) == 1:
        return [label(result.calibrations[0])]
    return [f"{calibration.meter}: {label(calibration)}" for calibration in result.calibrations]


def difference(before: Result, after: Result) -> str:
    """Describe in a sentence what changed from one version to the next; empty without a change."""
    old, new = "; ".join(labels(before)), "; ".join(labels(after))
    parts = [] if old == new else [f"{_capital(new)} instead of {old}"]
    parts += _power(before, after)
    return ": ".join([parts[0], ", ".join(parts[1:])]) + "." if len(parts) > 1 else f"{parts[0]}." if parts else ""


def same_figures(result: Result, other: Result) -> bool:
    """Return whether figures, verdicts and basis of two results agree, whatever their wording."""
    return _alike(result.model_dump(mode="json"), other.model_dump(mode="json"))


def _alike(value: Any, other: Any) -> bool:
    if isinstance(value, dict) and isinstance(other, dict):
        names = (value.keys() | other.keys()) - _WORDS
        return all(_alike(value.get(name), other.get(name)) for name in names)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_alike, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, rel_tol=ALIKE)
    return bool(value == other)


def _power(before: Result, after: Result) -> list[str]:
    """Compare mean power and its ± at 95 %; nothing where both are the same but for the order of additions."""
    mean_w, new_w = value_of(before.power), value_of(after.power)
    half_w, new_half_w = (None if result.power is None else result.power.U95 for result in (before, after))
    if _same(mean_w, new_w) and _same(half_w, new_half_w):
        return []
    old, new = _watts(before), _watts(after)
    if old == new:
        return ["mean power differs by less than its last digit"]
    return [f"mean power {new} instead of {old}{_change(mean_w, new_w)}"]


def _same(old: float | None, new: float | None) -> bool:
    return old == new or (old is not None and new is not None and abs(new - old) <= SAME * abs(old))


def _change(old: float | None, new: float | None) -> str:
    return (
        ""
        if old is None or new is None or not old or _same(old, new)
        else f" ({signed_number(100 * (new / old - 1), 3)} %)"
    )


def _watts(result: Result) -> str:
    if result.power is None:
        return "not known"
    if result.power.U95 is None:
        return f"{format_alone(result.power.value, 'W')} without ±"
    return format_uncertain(result.power.value, result.power.U95, "W")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
