"""Which older results an as-found calibration puts in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from wattmark_calibration.certificate.conformity import Outcome, judge_range
from wattmark_calibration.certificate.points import CalibratedRange
from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.certificate.status import utc_day

LimitsOf = Callable[[CalibratedRange], Sequence[float]]
"""Limits of error of a range's points [W], from the manufacturer's specification."""


@dataclass(frozen=True, slots=True)
class Used:
    """A result as the review sees it: which meter and range it used, and when."""

    result: str
    serial: str
    range_name: str
    measured_at: datetime


@dataclass(frozen=True, slots=True)
class Review:
    """Outcome of a review.

    ``since`` is the day of the last good calibration (None: there is none, all older results count), ``until`` the
    day of the as-found calibration. ``ranges`` are out of tolerance; ``unexamined`` were calibrated before, but the
    as-found certificate does not mention them, so their results are in doubt as well.
    """

    serial: str
    since: date | None
    until: date
    outcomes: dict[str, Outcome]
    ranges: tuple[str, ...]
    unexamined: tuple[str, ...]

    @property
    def needed(self) -> bool:
        """Return whether any older result is in doubt."""
        return bool(self.ranges or self.unexamined)

    def affects(self, used: Used) -> bool:
        """Return whether a result is in doubt: same meter, range in doubt, measured from ``since`` to ``until``."""
        day = utc_day(used.measured_at)
        in_time = (self.since is None or day >= self.since) and day <= self.until
        return used.serial == self.serial and used.range_name in self.ranges + self.unexamined and in_time

    def affected(self, results: Iterable[Used]) -> list[Used]:
        """List the results in doubt, in the order given."""
        return [used for used in results if self.affects(used)]


def review(as_found: Certificate, history: Iterable[Certificate], limits_of: LimitsOf) -> Review:
    """Find, from as-found points, which results are in doubt (ISO/IEC 17025:2017 7.10, method 6.1).

    A range is in doubt when its as-found error exceeds the limit (conditional fail or fail). The last good calibration
    is the latest earlier one of the same meter, not revoked, whose points in use were within tolerance. Raises
    `ValueError` when the certificate holds no as-found points: as-left points do not describe the past.
    """
    if not as_found.as_found:
        raise ValueError(
            f"Certificate {as_found.name} has no as-found points, which are needed to review older results."
        )
    earlier = [c for c in history if _precedes(c, as_found)]
    good = [c for c in earlier if all(_worst(r, limits_of).within_tolerance for r in c.in_use)]
    last = max(good, key=lambda c: c.calibrated_on, default=None)
    outcomes = {r.name: _worst(r, limits_of) for r in as_found.as_found}
    before = {r.name for c in (earlier if last is None else [last]) for r in c.in_use}
    return Review(
        serial=as_found.meter.serial,
        since=last.calibrated_on if last else None,
        until=as_found.calibrated_on,
        outcomes=outcomes,
        ranges=tuple(name for name, outcome in outcomes.items() if not outcome.within_tolerance),
        unexamined=tuple(sorted(before - outcomes.keys())),
    )


def _precedes(other: Certificate, certificate: Certificate) -> bool:
    same_meter = other.meter.serial == certificate.meter.serial and other.id != certificate.id
    return same_meter and other.calibrated_on < certificate.calibrated_on and other.revocation is None


def _worst(calibrated: CalibratedRange, limits_of: LimitsOf) -> Outcome:
    return judge_range(calibrated, limits_of(calibrated))
