"""What two versions of a result rest on, and how they differ, in words."""

from __future__ import annotations

from wattmark.runs.record import MeterCalibration, Result

SAME = 1e-12
"""Relative difference that the order of additions makes."""


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
    parts += _figure("mean power", before.power_w, after.power_w)
    parts += _figure("its ± (95 %)", before.power_U95_w, after.power_U95_w)
    return ": ".join([parts[0], ", ".join(parts[1:])]) + "." if len(parts) > 1 else f"{parts[0]}." if parts else ""


def _figure(name: str, old: float | None, new: float | None) -> list[str]:
    if old == new or (old is not None and new is not None and abs(new - old) <= SAME * abs(old)):
        return []
    if old is None or new is None:
        return [f"{name} {_watts(new)} instead of {_watts(old)}"]
    change = f" ({100 * (new / old - 1):+.3g} %)" if old else ""
    return [f"{name} {_watts(new)} instead of {_watts(old)}{change}"]


def _watts(value: float | None) -> str:
    return "not known" if value is None else f"{value:.7g} W"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
