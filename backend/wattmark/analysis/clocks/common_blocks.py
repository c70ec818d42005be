"""Two traces averaged over the same blocks of time, each mean with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.clocks.common_block import CommonBlock
from wattmark.analysis.clocks.lag import Lag
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
LEAST_BLOCK_S = 10.0
BLOCK_PERIODS = 5
LEAST_BLOCKS = 5
LEAST_LEVELS = 3
LEAST_IN_BLOCK = 3
STEADY_SHARE = 0.003
"""A block is steady when its two halves differ by no more than noise, or by less than this share of the whole span."""


@dataclass(frozen=True, slots=True)
class PowerTrace:
    """Usable samples of one instrument in order of time: stamps [s], power [W], resolution [W] (0: not stated)."""

    t_s: Array
    power_w: Array
    resolution_w: float = 0.0


class _Pair(NamedTuple):
    wall: Array
    bmc: Array


def common_blocks(wall: PowerTrace, bmc: PowerTrace, lag: Lag) -> tuple[CommonBlock, ...]:
    """Average both traces over equal stretches, the BMC's moved back by the lag; steady ones where there are enough.

    Raises `Refused` where the recording has too few stretches or levels.
    """
    bmc_t = bmc.t_s - lag.value_s
    begin, end = max(wall.t_s[0], bmc_t[0]), min(wall.t_s[-1], bmc_t[-1])
    length = max(LEAST_BLOCK_S, BLOCK_PERIODS * max(_period(wall.t_s), _period(bmc.t_s)))
    edges = begin + length * np.arange(int((end - begin) / length) + 1)
    pairs = [_Pair(_cut(wall.t_s, wall.power_w, a, length), _cut(bmc_t, bmc.power_w, a, length)) for a in edges[:-1]]
    pairs = [pair for pair in pairs if min(len(pair.wall), len(pair.bmc)) >= LEAST_IN_BLOCK]
    steady = _steady(pairs)
    chosen = steady if len(steady) >= LEAST_BLOCKS else pairs
    if len(chosen) < LEAST_BLOCKS:
        raise Refused(
            "few-blocks",
            f"The common recording gives {len(chosen)} segments of {length:.0f} s; {LEAST_BLOCKS} are needed.",
        )
    wall_sd, bmc_sd = _pooled_sd([p.wall for p in chosen]), _pooled_sd([p.bmc for p in chosen])
    blocks = [
        CommonBlock(
            bmc_w=float(b.mean()),
            wall_w=float(w.mean()),
            u_bmc_w=math.hypot(_u_mean(bmc_sd, len(b), bmc.resolution_w), lag.u_s * _drift(b) / length),
            u_wall_w=_u_mean(wall_sd, len(w), wall.resolution_w),
        )
        for w, b in chosen
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


def _by_level(blocks: list[CommonBlock], resolution_w: float) -> list[CommonBlock]:
    """Merge blocks in which the BMC shows the same power: its rounding errs alike in all, so they are one point."""
    levels: list[list[CommonBlock]] = []
    for block in sorted(blocks, key=lambda b: b.bmc_w):
        if not levels or block.bmc_w - levels[-1][0].bmc_w > resolution_w:
            levels.append([])
        levels[-1].append(block)
    if len(levels) < LEAST_LEVELS:
        raise Refused(
            "few-levels",
            f"The BMC reported only {len(levels)} different values; record at least {LEAST_LEVELS} load levels.",
        )
    return [_joined(level, resolution_w / math.sqrt(12)) for level in levels]


def _joined(level: list[CommonBlock], u_rounding_w: float) -> CommonBlock:
    n = len(level)
    noise = math.sqrt(sum(b.u_bmc_w**2 - u_rounding_w**2 for b in level if b.u_bmc_w > u_rounding_w)) / n
    return CommonBlock(
        bmc_w=math.fsum(b.bmc_w for b in level) / n,
        wall_w=math.fsum(b.wall_w for b in level) / n,
        u_bmc_w=math.hypot(noise, u_rounding_w),
        u_wall_w=math.sqrt(sum(b.u_wall_w**2 for b in level)) / n,
    )


def _cut(t_s: Array, values: Array, begin: float, length: float) -> Array:
    return values[(t_s >= begin) & (t_s < begin + length)]


def _drift(x: Array) -> float:
    """Compute the difference between the means of the two halves of a block [unit of x]."""
    half = len(x) // 2
    return abs(float(x[-half:].mean() - x[:half].mean())) if half else 0.0


def _pooled_sd(blocks: list[Array]) -> float:
    """Compute the scatter of single samples inside blocks by the median block, enlarged for alike neighbours.

    The median excludes blocks with a step in them.
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
    """Return whether the scatter of the samples exceeds half a step, so that rounding acts as more scatter."""
    return sd >= resolution_w / 2


def _period(t_s: Array) -> float:
    return float(np.median(np.diff(t_s))) if len(t_s) > 1 else 0.0
