"""Energy of intervals of a thousand samples each, 10 million or as many as are asked for, against one numpy sum."""

import sys
import time
from collections.abc import Callable

import numpy as np
from wattmark.analysis.piecewise import integrate

N = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
INTERVALS = N // 1000
ROUNDS = 7


def seconds(work: Callable[[], object]) -> float:
    """Measure the best of some rounds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    """Print both kinds of integration and the error of the sum of all intervals."""
    rng = np.random.default_rng(0)
    t_s = np.cumsum(rng.uniform(0.9, 1.1, N + 1))
    watts = rng.normal(300, 5, N)
    edges = np.linspace(t_s[0] + 3.3, t_s[-1] - 2.2, INTERVALS + 1)
    begin, end = edges[:-1], edges[1:]
    limit = seconds(lambda: (t_s.sum(), watts.sum()))
    held = seconds(lambda: integrate(t_s, watts, watts, begin, end))
    lines = seconds(lambda: integrate(t_s[:-1], watts[:-1], watts[1:], begin, end))
    parts = float(integrate(t_s, watts, watts, begin, end).sum())
    whole = float(integrate(t_s, watts, watts, edges[:1], edges[-1:])[0])
    sys.stdout.write(
        f"{N:_} samples, {INTERVALS:_} intervals; one sum over both columns {limit * 1e3:.1f} ms\n"
        f"backward hold {held * 1e3:7.1f} ms = {held / limit:.1f} x the sum\n"
        f"trapezoid     {lines * 1e3:7.1f} ms = {lines / limit:.1f} x the sum\n"
        f"parts against whole: relative difference {abs(parts / whole - 1):.1e}\n"
    )


if __name__ == "__main__":
    main()
