"""A BMC beside a wall meter: gain, offset and lag with intervals, and whether a straight line is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from wattmark_calibration import StraightLine, york_line

from wattmark.analysis.lag import Lag, find_lag
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, at_most, not_applicable

Array = NDArray[np.float64]
LEAST_BLOCK_S = 10.0
BLOCK_PERIODS = 5
LEAST_BLOCKS = 5
LEAST_LEVELS = 3
LEAST_IN_BLOCK = 3
STEADY_SHARE = 0.003
"""A block is steady when its two halves differ by no more than noise, or by less than this share of the whole span."""
LEAST_SPAN = 0.1
RESIDUAL_LIMIT_PCT = 2.0
SCATTER_LIMIT = 3.0
CORRELATION_LIMIT = 0.9
SPAN_LIMIT_PCT = 20.0


@dataclass(frozen=True, slots=True)
class PowerTrace:
    """Usable samples of one instrument in order of time: stamps [s], power [W], resolution [W] (0: not stated)."""

    t_s: Array
    power_w: Array
    resolution_w: float = 0.0


@dataclass(frozen=True, slots=True)
class Block:
    """Mean powers of both instruments over one stretch of time, with standard uncertainties [W]."""

    t_s: float
    bmc_w: float
    wall_w: float
    u_bmc_w: float
    u_wall_w: float


@dataclass(frozen=True, slots=True)
class Reconciliation:
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
    blocks: tuple[Block, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def good(self) -> bool:
        """Tell whether no verdict fails."""
        return all(verdict.outcome != "fail" for verdict in self.verdicts)


class _Pair(NamedTuple):
    t_s: float
    wall: Array
    bmc: Array


def reconcile(wall: PowerTrace, bmc: PowerTrace) -> Reconciliation:
    """Fit the wall meter's power against the BMC's from a common recording in which the load changes.

    The lag comes first, from the correlation of the traces; then both are averaged over blocks of time, and a York
    line with uncertainties on both axes goes through the blocks. Raises `Refused` where the recording does not tell.
    """
    lag = find_lag(wall.t_s, wall.power_w, bmc.t_s, bmc.power_w)
    blocks = _blocks(wall, bmc, lag)
    x, y = np.array([b.bmc_w for b in blocks]), np.array([b.wall_w for b in blocks])
    span = float(np.ptp(x))
    if span < LEAST_SPAN * float(np.max(np.abs(x))):
        raise Refused(
            "no-span",
            f"The BMC's power changed by {span:.3g} W only, so gain and offset cannot be told apart; "
            "record idle and full load together.",
        )
    try:
        line = york_line(x, y, [b.u_bmc_w for b in blocks], [b.u_wall_w for b in blocks])
    except ValueError as error:
        raise Refused("no-line", str(error)) from None
    residuals = y - line.intercept - line.slope * x
    t95 = float(scipy.special.stdtrit(line.dof, 0.975)) * line.scale
    return Reconciliation(
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


def _blocks(wall: PowerTrace, bmc: PowerTrace, lag: Lag) -> tuple[Block, ...]:
    """Average both traces over equal stretches, the BMC's moved back by the lag; steady ones where there are enough."""
    bmc_t = bmc.t_s - lag.value_s
    begin, end = max(wall.t_s[0], bmc_t[0]), min(wall.t_s[-1], bmc_t[-1])
    length = max(LEAST_BLOCK_S, BLOCK_PERIODS * max(_period(wall.t_s), _period(bmc.t_s)))
    edges = begin + length * np.arange(int((end - begin) / length) + 1)
    pairs = [
        _Pair(float(a + length / 2), _cut(wall.t_s, wall.power_w, a, length), _cut(bmc_t, bmc.power_w, a, length))
        for a in edges[:-1]
    ]
    pairs = [pair for pair in pairs if min(len(pair.wall), len(pair.bmc)) >= LEAST_IN_BLOCK]
    steady = _steady(pairs)
    chosen = steady if len(steady) >= LEAST_BLOCKS else pairs
    if len(chosen) < LEAST_BLOCKS:
        raise Refused(
            "few-blocks",
            f"The common recording gives {len(chosen)} stretches of {length:.0f} s; {LEAST_BLOCKS} are needed.",
        )
    wall_sd, bmc_sd = _pooled_sd([p.wall for p in chosen]), _pooled_sd([p.bmc for p in chosen])
    blocks = [
        Block(
            t_s=t,
            bmc_w=float(b.mean()),
            wall_w=float(w.mean()),
            u_bmc_w=math.hypot(_u_mean(bmc_sd, len(b), bmc.resolution_w), lag.u_s * _drift(b) / length),
            u_wall_w=_u_mean(wall_sd, len(w), wall.resolution_w),
        )
        for t, w, b in chosen
    ]
    return tuple(blocks if _averages_out(bmc_sd, bmc.resolution_w) else _by_level(blocks, bmc.resolution_w))


def _steady(pairs: list[_Pair]) -> list[_Pair]:
    """Choose the blocks in which neither trace drifts by more than its noise or a small share of the whole span."""
    for trace in (_wall, _bmc):
        limit = STEADY_SHARE * float(np.ptp([trace(pair).mean() for pair in pairs])) if pairs else 0.0
        noise = _pooled_sd([trace(pair) for pair in pairs]) if pairs else 0.0
        pairs = [p for p in pairs if _drift(trace(p)) <= max(limit, 6 * noise / math.sqrt(len(trace(p))))]
    return pairs


def _wall(pair: _Pair) -> Array:
    return pair.wall


def _bmc(pair: _Pair) -> Array:
    return pair.bmc


def _by_level(blocks: list[Block], resolution_w: float) -> list[Block]:
    """Join blocks in which the BMC shows the same: rounding errs alike in all of them, so they are one point."""
    levels: list[list[Block]] = []
    for block in sorted(blocks, key=lambda one: one.bmc_w):
        if not levels or block.bmc_w - levels[-1][0].bmc_w > resolution_w:
            levels.append([])
        levels[-1].append(block)
    if len(levels) < LEAST_LEVELS:
        raise Refused(
            "few-levels",
            f"The BMC shows {len(levels)} different values only; record at least {LEAST_LEVELS} levels of load.",
        )
    return [_joined(level, resolution_w / math.sqrt(12)) for level in levels]


def _joined(level: list[Block], u_rounding_w: float) -> Block:
    n = len(level)
    noise = math.sqrt(sum(b.u_bmc_w**2 - u_rounding_w**2 for b in level if b.u_bmc_w > u_rounding_w)) / n
    return Block(
        t_s=level[0].t_s,
        bmc_w=math.fsum(b.bmc_w for b in level) / n,
        wall_w=math.fsum(b.wall_w for b in level) / n,
        u_bmc_w=math.hypot(noise, u_rounding_w),
        u_wall_w=math.sqrt(sum(b.u_wall_w**2 for b in level)) / n,
    )


def _cut(t_s: Array, values: Array, begin: float, length: float) -> Array:
    return values[(t_s >= begin) & (t_s < begin + length)]


def _drift(x: Array) -> float:
    """Compute by how much the two halves of a block differ."""
    half = len(x) // 2
    return abs(float(x[-half:].mean() - x[:half].mean())) if half else 0.0


def _pooled_sd(blocks: list[Array]) -> float:
    """Compute the scatter of single samples inside blocks by the median block, enlarged for alike neighbours.

    The median leaves out blocks with a step in them.
    """
    centred = [x - x.mean() for x in blocks]
    n = float(np.median([len(x) for x in blocks]))
    squares = np.array([float(c @ c) / (len(c) - 1) for c in centred])
    variance = float(np.median(squares)) / (1 - 2 / (9 * (n - 1))) ** 3
    if variance == 0:
        return 0.0
    quiet = [c for c, square in zip(centred, squares, strict=True) if 0 < square <= 4 * variance]
    rho = float(np.mean([c[1:] @ c[:-1] / (c @ c) for c in quiet])) + 1 / n if quiet else 0.0
    rho = min(max(rho, 0.0), 0.95)
    return math.sqrt(variance * (1 + rho) / (1 - rho))


def _u_mean(sd: float, n: int, resolution_w: float) -> float:
    """Compute the standard uncertainty of a block mean; rounding averages out only where the scatter exceeds it."""
    rounding = 0.0 if _averages_out(sd, resolution_w) else resolution_w / math.sqrt(12)
    return max(math.hypot(sd / math.sqrt(n), rounding), 1e-9)


def _averages_out(sd: float, resolution_w: float) -> bool:
    """Tell whether the scatter of the samples exceeds half a step, so that rounding acts as more scatter."""
    return sd >= resolution_w / 2


def _period(t_s: Array) -> float:
    return float(np.median(np.diff(t_s))) if len(t_s) > 1 else 0.0


def _judge(line: StraightLine, lag: Lag, blocks: tuple[Block, ...], residuals: Array) -> tuple[Verdict, ...]:
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
        f"The traces correlate by {lag.correlation:.3f} at the lag found.",
    )
    return (
        short,
        following,
        at_most(
            "residual",
            worst_pct,
            RESIDUAL_LIMIT_PCT + noise_pct,
            "%",
            f"The worst point is {worst_pct:+.2f} % off the line; noise explains {noise_pct:.2g} %.",
        ),
        at_most(
            "scatter",
            line.scale,
            SCATTER_LIMIT,
            "1",
            f"The points scatter {line.scale:.2g} times as much as the noise of both instruments.",
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
        return not_applicable(rule, None, "1", "Two levels of load cannot show a bend; record a third between them.")
    inverse = np.linalg.inv(design.T @ design)
    theta = inverse @ design.T @ residuals
    left = residuals - design @ theta
    u_bend = math.sqrt(float(left @ left) / dof * inverse[2, 2])
    if u_bend == 0:
        return not_applicable(rule, None, "1", "The points lie on the line without any scatter.")
    limit = float(scipy.special.stdtrit(dof, 0.995))
    return at_most(rule, float(theta[2] / u_bend), limit, "1", "A bend in the line is tested by Student's t.")
