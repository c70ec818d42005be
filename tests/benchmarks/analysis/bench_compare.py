"""Comparing 10 thousand runs, and all pairs of 40 configurations, in milliseconds and in sorts of as many floats."""

import sys
import time
from collections.abc import Callable

import numpy as np
from wattmark.results.compare import compare
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Budget, Result

RUNS = 10_000
CONFIGURATIONS = 40


def seconds(work: Callable[[], object]) -> float:
    """Measure the best of three rounds."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def result(k: int, watts: float) -> Result:
    """Make a finished result of one of the configurations."""
    efficiency = 8000 / watts
    meter = Budget(name="meter", evaluation="B", u=0.01 * watts, dof=None, share_pct=99, correlation_group="m")
    own = Budget(name="scatter", evaluation="A", u=0.002 * watts, dof=50, share_pct=1)
    scaled = [line.model_copy(update={"u": line.u * efficiency / watts}) for line in (meter, own)]
    return Result(
        run_id=str(k),
        server="s",
        configuration=f"c{k % CONFIGURATIONS}",
        workload="w",
        level="all",
        repeat=k,
        status=RunStatus.COMPLETE,
        created="2026-01-01T00:00:00+00:00",
        throughput=8000.0,
        throughput_u=0.1,
        throughput_unit="signs/s",
        power_w=watts,
        power_u_w=0.01 * watts,
        efficiency=efficiency,
        efficiency_u=0.01 * efficiency,
        efficiency_unit="signs/J",
        meter="m",
        simulated=False,
        traceable=True,
        source="measured",
        power_budget=(meter, own),
        efficiency_budget=tuple(scaled),
    )


def main() -> None:
    """Print the time of one comparison beside that of sorting a thousand floats for each run."""
    rng = np.random.default_rng(0)
    results = [result(k, 250 + k % CONFIGURATIONS + rng.normal(0, 0.5)) for k in range(RUNS)]
    values = rng.random(1000 * RUNS)
    sort = seconds(lambda: np.sort(values))
    ours = seconds(lambda: compare(results, "w", "all"))
    sys.stdout.write(
        f"{RUNS:_} runs of {CONFIGURATIONS} configurations: {ours * 1e3:.0f} ms, "
        f"{ours / sort:.2f} of sorting {len(values):_} floats ({sort * 1e3:.0f} ms)\n"
    )


if __name__ == "__main__":
    main()
