"""The record of a cross-calibration of a BMC by a wall meter."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import Self

from wattmark_calibration import Conditions, StraightLine, coverage_factor
from wattmark_calibration.specification import RECTANGULAR

from wattmark.analysis.clocks.common_block import CommonBlock
from wattmark.analysis.verdict import Verdict
from wattmark.core.amounts import Instant
from wattmark.core.schema import Record
from wattmark.runs.limits_of_error import specification, stated_conditions
from wattmark.runs.origin import at_lab
from wattmark.runs.record import MeterRecord

BEYOND = 0.1
"""Share of the recorded span by which a power may lie outside it."""
VALID_DAYS = 365
"""Default validity: as long as makers state limits of error for most meters."""
ASSUMED_DRIFT_PCT = 1.0
"""Assumed drift of a BMC [% of its power], from the start: makers state neither drift nor temperature coefficient,
and its sensor is in the warm air of the server. wattmark's own limit; three changes of the BMC itself replace it."""
LEAST_CHANGES = 3
NS_PER_DAY = 86_400 * 10**9


class CrossCalibrationRecord(Record):
    """wall = offset + gain x BMC; standard uncertainties ``u_*``, half widths at 95 % ``*_U95``."""

    name: str
    server: str
    """Empty where the devices were named by address and not by a bench file."""
    bmc: MeterRecord
    wall: MeterRecord
    recorded_ns: Instant
    source: str
    """ "run ID", or "live, N s"."""
    gain: float
    u_gain: float
    gain_U95: float  # noqa: N815 - the metrologist's symbol
    offset_w: float
    u_offset_w: float
    offset_U95_w: float  # noqa: N815
    covariance_w: float
    chi_squared: float
    dof: int
    residual_w: float
    lag_s: float
    u_lag_s: float
    lag_U95_s: float  # noqa: N815
    correlation: float
    low_w: float
    high_w: float
    good: bool
    verdicts: tuple[Verdict, ...]
    points: tuple[CommonBlock, ...]
    changes_pct: tuple[float, ...] = ()
    """By how much the BMC changed from each cross-calibration to the next, this one the last [% of the power]."""
    valid_until: date | None = None
    """Last day on which it serves, by its owner; None: `VALID_DAYS` after the recording."""

    @property
    def last_day(self) -> date:
        """Return the last day on which it serves (UTC)."""
        return self.valid_until or self._recorded.date() + timedelta(days=VALID_DAYS)

    @property
    def u_drift_pct(self) -> float:
        """Compute the standard uncertainty from drift since the recording [% of the power].

        From three changes on their root mean square, enlarged for their number; else the assumed limit.
        """
        n = len(self.changes_pct)
        if n < LEAST_CHANGES:
            return ASSUMED_DRIFT_PCT / RECTANGULAR
        rms_pct = math.sqrt(math.fsum(change**2 for change in self.changes_pct) / n)
        return rms_pct * coverage_factor(n) / coverage_factor(math.inf)

    @property
    def drift_text(self) -> str:
        """Describe how far the BMC may have drifted, and the basis of that estimate."""
        if len(self.changes_pct) < LEAST_CHANGES:
            return f"drift of at most {ASSUMED_DRIFT_PCT:g} % assumed"
        return f"drift u {self.u_drift_pct:.2g} %, from {len(self.changes_pct)} changes between cross-calibrations"

    def age_days(self, at_ns: int) -> int:
        """Return how many days lie between the recording and an instant [UTC ns], whichever came first."""
        return round(abs(at_ns - self.recorded_ns) / NS_PER_DAY)

    def expired(self, at_ns: int) -> bool:
        """Return whether it does not serve at an instant [UTC ns]: after its last day, or as long before it."""
        validity_days = (self.last_day - self._recorded.date()).days
        day = datetime.fromtimestamp(at_ns / 1e9, tz=UTC).date()
        return day > self.last_day or (self._recorded.date() - day).days > validity_days

    def days_left(self, at_ns: int) -> int:
        """Return how many days lie between an instant [UTC ns] and the last day; negative once it has passed."""
        return (self.last_day - datetime.fromtimestamp(at_ns / 1e9, tz=UTC).date()).days

    @property
    def _recorded(self) -> datetime:
        return datetime.fromtimestamp(self.recorded_ns / 1e9, tz=UTC)

    def at_lab(self, lab: str) -> Self:
        """Return the record as that of a server of another lab; its name in budgets stays."""
        return self.model_copy(update={"server": at_lab(self.server, lab)})

    @property
    def simulated(self) -> bool:
        """Return whether one of the two was a simulator."""
        return self.bmc.simulated or self.wall.simulated

    @property
    def day(self) -> str:
        """Return the day of the recording (UTC) as ISO 8601."""
        return self._recorded.date().isoformat()

    @property
    def wall_unspecified(self) -> str | None:
        """Explain why the wall meter's own limits of error do not serve; None where they do."""
        own = specification(self.wall)
        if own is None:
            return "The accuracy of the wall meter is not known."
        if own.needs_range and self.wall.range_w is None:
            return "The range that the wall meter was in is not known."
        return own.unmet(self._wall_conditions)

    @property
    def wall_assumptions(self) -> tuple[str, ...]:
        """List the unstated conditions on which the wall meter's limits of error depend."""
        own = specification(self.wall)
        return () if own is None else own.assumed(self._wall_conditions)

    @property
    def _wall_conditions(self) -> Conditions:
        # voltage, current and power factor of the recording are not kept: limits that need them are refused or assumed
        return stated_conditions(self.wall, self.recorded_ns)

    def covers(self, bmc_w: float) -> bool:
        """Return whether a BMC power [W] lies in the recorded span or at most a tenth of it beyond."""
        margin = BEYOND * (self.high_w - self.low_w)
        return self.low_w - margin <= bmc_w <= self.high_w + margin

    def wall_power(self, bmc_w: float) -> tuple[float, float]:
        """Compute the indication of the wall meter and its standard uncertainty, with the wall meter's own [W].

        The scatter of the points counts as far as their own noise and rounding do not explain it: these are in the
        line, and a run brings its own. Raises `ValueError` where the wall meter's limits of error do not serve
        (`wall_unspecified`).
        """
        own, reason = specification(self.wall), self.wall_unspecified
        if own is None or reason is not None:
            raise ValueError(reason)
        line = StraightLine(
            self.offset_w, self.gain, self.u_offset_w, self.u_gain, self.covariance_w, self.chi_squared, self.dof
        )
        power_w, u_line_w = line.predict(bmc_w)
        u_wall_w = float(own.standard_uncertainty(power_w, self.wall.range_w, conditions=self._wall_conditions))
        u_drift_w = self.u_drift_pct / 100 * abs(power_w)
        return power_w, math.hypot(u_line_w, self._unexplained_w(), u_wall_w, u_drift_w)

    def _unexplained_w(self) -> float:
        """Compute the scatter around the line that noise and rounding of its points do not explain [W]."""
        if not self.points:
            return self.residual_w
        explained = math.fsum(p.u_wall_w**2 + (self.gain * p.u_bmc_w) ** 2 for p in self.points) / len(self.points)
        return math.sqrt(max(self.residual_w**2 - explained, 0.0))
