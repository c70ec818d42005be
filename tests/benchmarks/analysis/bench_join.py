"""Energy of intervals of a thousand samples each against one numpy sum; 10 million samples or as many as asked for."""

import math
import os
import sys
import tracemalloc

import numpy as np
from numpy.typing import NDArray
from wattmark.analysis.energy import piecewise

from tests.benchmarks.ratio import shortest_s, tell

N = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
INTERVALS = N // 1000
ROUNDS = 7
CHECKED = 50
Array = NDArray[np.float64]


def series() -> tuple[Array, Array]:
    """Make knots about a second apart and watts between them."""
    rng = np.random.default_rng(0)
    t_s, watts = np.empty(N + 1), np.empty(N)
    t_s[0] = 0.0
    rng.random(out=t_s[1:])
    np.cumsum(0.9 + 0.2 * t_s[1:], out=t_s[1:])
    rng.standard_normal(out=watts)
    watts *= 5
    watts += 300
    return t_s, watts


def exactly(t_s: Array, watts: Array, begin: float, end: float) -> float:
    """Integrate one interval piece by piece, rounding once."""
    low, high = int(np.searchsorted(t_s, begin, "right")) - 1, int(np.searchsorted(t_s, end, "left"))
    cells = zip(t_s[low:high].tolist(), t_s[low + 1 : high + 1].tolist(), watts[low:high].tolist(), strict=True)
    return math.fsum(w * (min(b, end) - max(a, begin)) for a, b, w in cells)


def main() -> None:
    """Print times, the memory taken beyond the columns, and the greatest relative error of some intervals."""
    t_s, watts = series()
    edges = np.linspace(t_s[0] + 3.3, t_s[-1] - 2.2, INTERVALS + 1)
    begin, end = edges[:-1], edges[1:]
    limit = shortest_s(lambda: (t_s.sum(), watts.sum()), ROUNDS)
    beside, lines = "a numpy sum over both columns", list[str]()
    for cores in {os.cpu_count(): None, 1: None}:
        piecewise.LONG = piecewise.LONG if cores != 1 else N + 1
        elapsed_s = shortest_s(lambda: piecewise.integrate(t_s, watts, watts, begin, end), ROUNDS)
        straight = shortest_s(lambda: piecewise.integrate(t_s[:-1], watts[:-1], watts[1:], begin, end), ROUNDS)
        subject = f"energy of {INTERVALS:_} intervals, {N:_} samples, {cores} cores"
        tell(f"{subject}: backward hold", elapsed_s * 1e3, limit * 1e3, "ms", beside)
        tell(f"{subject}: trapezoid", straight * 1e3, limit * 1e3, "ms", beside)
    tracemalloc.start()
    energies_j = piecewise.integrate(t_s, watts, watts, begin, end)
    lines.append(f"memory beyond the columns: {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB")
    picked = range(0, INTERVALS, max(INTERVALS // CHECKED, 1))
    worst = max(abs(energies_j[k] / exactly(t_s, watts, begin[k], end[k]) - 1) for k in picked)
    lines.append(f"greatest relative error of {len(picked)} intervals: {worst:.1e}")
    sys.stdout.write("\n".join(lines) + f"\nload average {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
