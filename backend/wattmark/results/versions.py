"""What two versions of a result rest on, and how they differ, in words."""

from __future__ import annotations

import math
from typing import Any

from wattmark.reports.numbers import format_number, format_uncertain
from wattmark.runs.result import MeterCalibration, Result

SAME = 1e-12
"""Relative difference that the order of additions makes."""
ALIKE = 1e-9
"""Relative difference that another processor or another numpy makes."""
_WORDS = frozenset(
    {"text", "note", "notes", "action", "reason", "software", "configuration_title", "meter"}
    | {"source", "server", "result_version", "stated", "correlation_group", "meter_identities"}
)
"""Fields at any depth of a result that only name or explain it, or say where it lies."""


def label(one: MeterCalibration) -> str:
    """Say in a few words what a meter's power rests on."""
    if one.basis != "certificate":
        return "specification" if one.basis == "specification" else "not traceable"
    found = " as found" if one.as_found else ""
    overridden = ", overridden" if one.overridden else ""
    return f"certificate {one.certificate_id} v{one.certificate_version}{found}{overridden}"


def labels(result: Result) -> list[str]:
    """Say for each meter what its power rests on; the meter is named where there are several."""
    if len(result.calibrations) == 1:
        return [label(result.calibrations[0])]
    return [f"{one.meter}: {label(one)}" for one in result.calibrations]


def difference(before: Result, after: Result) -> str:
    """Say in a sentence what changed from one version to the next; empty where nothing did."""
    old, new = "; ".join(labels(before)), "; ".join(labels(after))
    parts = [] if old == new else [f"{_capital(new)} instead of {old}"]
    parts += _power(before, after)
    return ": ".join([parts[0], ", ".join(parts[1:])]) + "." if len(parts) > 1 else f"{parts[0]}." if parts else ""


def same_figures(one: Result, other: Result) -> bool:
    """Tell whether two results say the same in figures, verdicts and what they rest on, in whatever words."""
    return _alike(one.model_dump(mode="json"), other.model_dump(mode="json"))


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        names = (one.keys() | other.keys()) - _WORDS
        return all(_alike(one.get(name), other.get(name)) for name in names)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=ALIKE)
    return bool(one == other)


def _power(before: Result, after: Result) -> list[str]:
    """Compare mean power and its ± at 95 %; nothing where both are the same but for the order of additions."""
    if _same(before.power_w, after.power_w) and _same(before.power_U95_w, after.power_U95_w):
        return []
    old, new = _watts(before), _watts(after)
    if old == new:
        return ["mean power differs by less than its last digit"]
    return [f"mean power {new} instead of {old}{_change(before.power_w, after.power_w)}"]


def _same(old: float | None, new: float | None) -> bool:
    return old == new or (old is not None and new is not None and abs(new - old) <= SAME * abs(old))


def _change(old: float | None, new: float | None) -> str:
    return "" if old is None or new is None or not old or _same(old, new) else f" ({100 * (new / old - 1):+.3g} %)"


def _watts(result: Result) -> str:
    if result.power_w is None:
        return "not known"
    if result.power_U95_w is None:
        return f"{format_number(result.power_w, unit='W')} without ±"
    return format_uncertain(result.power_w, result.power_U95_w, "W")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
