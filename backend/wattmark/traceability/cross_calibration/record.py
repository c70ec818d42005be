"""The record of a cross-calibration of a BMC by a wall meter."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Self

from wattmark_calibration import Conditions, StraightLine

from wattmark.analysis.verdict import Verdict
from wattmark.core.amounts import Instant
from wattmark.core.schema import Record
from wattmark.runs.limits_of_error import specification, stated_conditions
from wattmark.runs.origin import at_lab
from wattmark.runs.record import MeterRecord

BEYOND = 0.1
"""Share of the recorded span by which a power may lie outside it."""


class CrossCalibrationPoint(Record):
    """One stretch of the common recording: mean powers with standard uncertainties [W]."""

    bmc_w: float
    wall_w: float
    u_bmc_w: float
    u_wall_w: float


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
    points: tuple[CrossCalibrationPoint, ...]

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
        return datetime.fromtimestamp(self.recorded_ns / 1e9, tz=UTC).date().isoformat()

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
        """List what the wall meter's limits of error depend on and nobody stated."""
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
        """Compute what the wall meter would show and its standard uncertainty, the wall meter's own included [W].

        Raises `ValueError` where the wall meter's limits of error do not serve (`wall_unspecified`).
        """
        own, reason = specification(self.wall), self.wall_unspecified
        if own is None or reason is not None:
            raise ValueError(reason)
        line = StraightLine(
            self.offset_w, self.gain, self.u_offset_w, self.u_gain, self.covariance_w, self.chi_squared, self.dof
        )
        power_w, u_line_w = line.predict(bmc_w)
        u_wall_w = float(own.standard_uncertainty(power_w, self.wall.range_w, conditions=self._wall_conditions))
        return power_w, math.sqrt(u_line_w**2 + self.residual_w**2 + u_wall_w**2)
