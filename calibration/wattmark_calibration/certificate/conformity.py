"""Conformity with a limit of error, guarded by the expanded uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from wattmark_calibration.certificate.points import CalibratedRange
from wattmark_calibration.written import written


class Outcome(StrEnum):
    """Non-binary statement of conformity (ILAC-G8:09/2019, 4.2.3), from best to worst."""

    PASS = "pass"  # noqa: S105 - a verdict
    CONDITIONAL_PASS = "conditional pass"  # noqa: S105 - a verdict
    CONDITIONAL_FAIL = "conditional fail"
    FAIL = "fail"

    @property
    def within_tolerance(self) -> bool:
        """Return whether the error itself does not exceed the limit."""
        return self in (Outcome.PASS, Outcome.CONDITIONAL_PASS)


def judge(error_w: float, expanded_u_w: float, limit_w: float) -> Outcome:
    """Evaluate one error by its limit L with guard band w = U (ILAC-G8:09/2019, 4.2.3).

    |e| <= L - U pass, <= L conditional pass, <= L + U conditional fail, beyond fail, all in the decimals as written:
    0.2 W keeps 0.3 W - 0.1 W. Raises `ValueError` for a limit or an uncertainty that is not above 0.
    """
    if not (limit_w > 0 and expanded_u_w > 0):
        raise ValueError("Conformity needs a limit of error and an expanded uncertainty above 0.")
    size, expanded, limit = written(abs(error_w)), written(expanded_u_w), written(limit_w)
    if size <= limit - expanded:
        return Outcome.PASS
    if size <= limit:
        return Outcome.CONDITIONAL_PASS
    return Outcome.CONDITIONAL_FAIL if size <= limit + expanded else Outcome.FAIL


def judge_points(calibrated: CalibratedRange, limits_w: Sequence[float]) -> list[Outcome]:
    """Evaluate each point of a range against its own limit [W]."""
    return [
        judge(point.error_w, point.expanded_u_w, limit)
        for point, limit in zip(calibrated.points, limits_w, strict=True)
    ]


def judge_range(calibrated: CalibratedRange, limits_w: Sequence[float]) -> Outcome:
    """Return the worst outcome of a range's points."""
    return max(judge_points(calibrated, limits_w), key=list(Outcome).index)
