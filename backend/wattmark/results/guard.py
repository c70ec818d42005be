"""How well the edges of a run's window are known in the meters' time."""

from __future__ import annotations

from wattmark.results.series import instrument, result_meters
from wattmark.runs.record import RunRecord


def guard_s(run: RunRecord) -> float:
    """Compute the standard uncertainty of the window's edges on the power axis: the worst meter's latency [s].

    0 where no meter took part. Stamp uncertainties of single readings are in the power budget.
    """
    return max((instrument(run, m).latency_uncertainty_s for m in result_meters(run)), default=0.0)
