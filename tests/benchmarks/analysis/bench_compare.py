"""Comparing 10 thousand runs, and all pairs of 40 configurations, in milliseconds and in sorts of as many floats."""

import math
from typing import Any

import numpy as np
from wattmark.comparison.compare.compare import compare
from wattmark.core.quantity import BudgetLine
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.record import RunStatus

from tests.benchmarks.ratio import shortest_s, tell

RUNS = 10_000
CONFIGURATIONS = 40


def figure(value: float, unit: str, k: int) -> BudgetedQuantity:
    """Make a figure with the error of the meter that all runs share, 1 %, and a scatter of its own, 0.2 %."""
    shared, own = 0.01 * value, 0.002 * value
    u = math.hypot(shared, own)
    common: dict[str, Any] = {"sensitivity": 1.0, "share_pct": 0.0}
    budget = (
        BudgetLine(name="meter", evaluation="B", u=shared, u_result=shared, dof=None, correlation_group="m", **common),
        BudgetLine(name=f"scatter {k}", evaluation="A", u=own, u_result=own, dof=50, kind="scatter", **common),
    )
    return BudgetedQuantity(value=value, unit=unit, u=u, k95=1.96, budget=budget)


def result(k: int, watts: float) -> Result:
    """Make a finished result of one of the configurations."""
    return Result(
        run_id=str(k),
        server="s",
        configuration=f"c{k % CONFIGURATIONS}",
        workload="w",
        level="all",
        repeat=k,
        status=RunStatus.COMPLETE,
        created="2026-01-01T00:00:00+00:00",
        unit="signs",
        throughput=figure(8000.0, "signs/s", k),
        power=figure(watts, "W", k),
        efficiency=figure(8000 / watts, "signs/J", k),
        meter="m",
        simulated=False,
        traceable=True,
        source="measured",
    )


def main() -> None:
    """Print the time of one comparison beside that of sorting a thousand floats for each run."""
    rng = np.random.default_rng(0)
    results = [result(k, 250 + k % CONFIGURATIONS + rng.normal(0, 0.5)) for k in range(RUNS)]
    values = rng.random(1000 * RUNS)
    sort = shortest_s(lambda: np.sort(values))
    ours = shortest_s(lambda: compare(results, "w", "all"))
    name = f"comparing {RUNS:_} runs of {CONFIGURATIONS} configurations"
    tell(name, ours * 1e3, sort * 1e3, "ms", f"sorting {len(values):_} floats")


if __name__ == "__main__":
    main()
