"""Limits of error that an as-found calibration is judged by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from wattmark_calibration import CalibratedRange
from wattmark_calibration.certificate.review import LimitsOf

from wattmark.errors import InputError
from wattmark.results.series import specification
from wattmark.runs.record import MeterRecord


def limits_by(meters: Sequence[MeterRecord]) -> LimitsOf:
    """Give the limits of a range's points [W]: those that the certificate states, else the maker's.

    ``meters`` are records of the calibrated meter, latest first. The rule raises `InputError` for a range of which
    neither knows limits: nothing can be judged then.
    """

    def limits(one: CalibratedRange) -> list[float]:
        stated = [point.limit_w for point in one.points if point.limit_w is not None]
        if len(stated) == len(one.points):
            return stated
        meter = next((m for m in meters if m.range_name in (one.name, None) and specification(m) is not None), None)
        known = None if meter is None else specification(meter)
        if meter is None or known is None or (known.range_pct and meter.range_w is None):
            raise InputError(
                f"No limits of error are known for range {one.name}.",
                "State limit_w of every point in the certificate, as a new version.",
            )
        powers = np.array([point.reference_w for point in one.points])
        factors = np.array([point.power_factor or 1.0 for point in one.points])
        found = [float(limit) for limit in known.limit(powers, meter.range_w, factors)]
        if min(found) <= 0:
            raise InputError(
                f"The maker states no limit of error at 0 W for range {one.name}.",
                "State limit_w of every point in the certificate, as a new version.",
            )
        return found

    return limits
