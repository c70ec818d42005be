"""A cross-calibration as lists show it: how old it is, and until when it serves."""

from __future__ import annotations

from wattmark.core.schema import Schema
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


class CrossCalibrationOut(Schema):
    """A cross-calibration of a BMC by a wall meter at one instant."""

    name: str
    server: str
    """Empty where the devices were named by address."""
    bmc: str
    wall: str
    day: str
    """Of the recording."""
    age_days: int
    last_day: str
    """Last day on which it serves."""
    days_left: int
    expired: bool
    good: bool
    """False: it failed its own rules and is not used."""
    drift: str
    """How far the BMC may have drifted, and what that is based on."""
    simulated: bool


def cross_calibration_out(record: CrossCalibrationRecord, at_ns: int) -> CrossCalibrationOut:
    """Describe a cross-calibration at an instant [UTC ns]."""
    return CrossCalibrationOut(
        name=record.name,
        server=record.server,
        bmc=record.bmc.name,
        wall=record.wall.name,
        day=record.day,
        age_days=record.age_days(at_ns),
        last_day=record.last_day.isoformat(),
        days_left=record.days_left(at_ns),
        expired=record.expired(at_ns),
        good=record.good,
        drift=record.drift_text,
        simulated=record.simulated,
    )
