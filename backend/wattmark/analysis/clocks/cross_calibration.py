"""A BMC beside a wall meter: gain, offset and lag with intervals, and whether a straight line is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from wattmark_calibration import StraightLine, coverage_factor, york_line

from wattmark.analysis.clocks.common_block import CommonBlock
from wattmark.analysis.clocks.common_blocks import Array, PowerTrace, common_blocks
from wattmark.analysis.clocks.lag import Lag, find_lag
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, at_most, not_checked
from wattmark.core.numbers import format_number

LEAST_SPAN = 0.1
RESIDUAL_LIMIT_PCT = 2.0
SCATTER_LIMIT = 3.0
CORRELATION_LIMIT = 0.9
SPAN_LIMIT_PCT = 20.0


@dataclass(frozen=True, slots=True)
class CrossCalibration:
    """wall = offset + gain x BMC, with 95 % half widths; ``lag`` is how much later the BMC shows a change.

    ``residual_w`` is the standard deviation of the blocks around the line [W]; the line holds between ``low_w`` and
    ``high_w`` of the BMC's watts.
    """

    line: StraightLine
    gain_U95: float  # noqa: N815 - the metrologist's symbol
    offset_U95_w: float  # noqa: N815
    lag: Lag
    lag_U95_s: float  # noqa: N815
    residual_w: float
    low_w: float
    high_w: float
    blocks: tuple[CommonBlock, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def good(self) -> bool:
        return all(verdict.outcome != "fail" for verdict in self.verdicts)


def cross_calibrate(wall: PowerTrace, bmc: PowerTrace) -> CrossCalibration:
    """Fit the wall meter's power against the BMC's from a common recording in which the load changes.

    The lag comes first, from the correlation of the traces; then both are averaged over blocks of time, and a York line
    with uncertainties on both axes goes through the blocks. Raises `Refused` where the recording does not determine it.
    """
    lag = find_lag(wall.t_s, wall.power_w, bmc.t_s, bmc.power_w)
    blocks = common_blocks(wall, bmc, lag)
    x, y = np.array([b.bmc_w for b in blocks]), np.array([b.wall_w for b in blocks])
    span = float(np.ptp(x))
    if span < LEAST_SPAN * float(np.max(np.abs(x))):
        raise Refused(
            "no-span",
            f"The BMC's power changed by only {format_number(span, 3)} W, so gain and offset cannot be separated; "
            "record both idle "
            "and full load.",
        )
    try:
        line = york_line(x, y, [b.u_bmc_w for b in blocks], [b.u_wall_w for b in blocks])
    except ValueError as error:
        raise Refused("no-line", str(error)) from None
    residuals = y - line.intercept - line.slope * x
    t95 = coverage_factor(line.dof) * line.scale
    return CrossCalibration(
        line=line,
        gain_U95=t95 * line.u_slope,
        offset_U95_w=t95 * line.u_intercept,
        lag=lag,
        lag_U95_s=lag.of.expanded_u,
        residual_w=math.sqrt(float(residuals @ residuals) / line.dof),
        low_w=float(x.min()),
        high_w=float(x.max()),
        blocks=blocks,
        verdicts=_judge(line, lag, blocks, residuals),
    )


def _judge(line: StraightLine, lag: Lag, blocks: tuple[CommonBlock, ...], residuals: Array) -> tuple[Verdict, ...]:
    x, y = np.array([b.bmc_w for b in blocks]), np.array([b.wall_w for b in blocks])
    noise = 3 * np.hypot([b.u_wall_w for b in blocks], [line.slope * b.u_bmc_w for b in blocks])
    worst = int(np.argmax((np.abs(residuals) - noise) / y))
    worst_pct, noise_pct = float(100 * residuals[worst] / y[worst]), float(100 * noise[worst] / y[worst])
    span_pct = float(100 * np.ptp(x) / x.max())
    short = Verdict(
        "span",
        span_pct,
        SPAN_LIMIT_PCT,
        "%",
        "pass" if span_pct >= SPAN_LIMIT_PCT else "fail",
        f"The power changed by {span_pct:.0f} % of its largest value.",
    )
    following = Verdict(
        "correlation",
        lag.correlation,
        CORRELATION_LIMIT,
        "1",
        "pass" if lag.correlation >= CORRELATION_LIMIT else "fail",
        f"The correlation of the traces at the best lag is {lag.correlation:.3f}.",
    )
    return (
        short,
        following,
        at_most(
            "residual",
            worst_pct,
            RESIDUAL_LIMIT_PCT + noise_pct,
            "%",
            f"The worst point is {worst_pct:+.2f} % off the line; noise explains {format_number(noise_pct, 2)} %.",
        ),
        at_most(
            "scatter",
            line.scale,
            SCATTER_LIMIT,
            "1",
            f"The points scatter {format_number(line.scale, 2)} times as much as the noise of both instruments.",
        ),
        _straight(x, residuals),
    )


def _straight(x: Array, residuals: Array) -> Verdict:
    """Test the residuals for a bend: Student's t of a quadratic term at 99 %."""
    rule = "linear"
    u = (x - x.mean()) / np.ptp(x)
    design = np.column_stack([np.ones_like(u), u, u**2])
    dof = len(x) - 3
    if dof < 2 or np.linalg.matrix_rank(design, tol=1e-6) < 3:
        return not_checked(
            rule, None, "1", "Curvature cannot be tested with two load levels; record a third between them."
        )
    inverse = np.linalg.inv(design.T @ design)
    theta = inverse @ design.T @ residuals
    left = residuals - design @ theta
    u_bend = math.sqrt(float(left @ left) / dof * inverse[2, 2])
    if u_bend == 0:
        return not_checked(rule, None, "1", "The points lie exactly on the line.")
    limit = coverage_factor(dof, 0.99)
    return at_most(rule, float(theta[2] / u_bend), limit, "1", "Curvature of the line, tested by Student's t.")
