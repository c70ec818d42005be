"""A point of a cross-calibration, apart from what computes it: records are read without that."""

from __future__ import annotations

from wattmark.core.schema import Record


class CommonBlock(Record):
    """Mean powers of both instruments over one stretch of the common recording, with standard uncertainties [W]."""

    bmc_w: float
    wall_w: float
    u_bmc_w: float
    u_wall_w: float
