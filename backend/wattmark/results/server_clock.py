"""The clock of the machine that carried the load, from the stamps that a run exchanged with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wattmark.analysis.clocks import ClockFit, Exchange, fit_clock
from wattmark.analysis.refusal import Refused
from wattmark.runs.record import RunRecord

CLOCK_EXCHANGES = "clock_exchanges"
"""Key of a run's disclosure: four stamps of each exchange with the server [ns since 1970], in their order."""


@dataclass(frozen=True, slots=True)
class ServerClock:
    """Offset and drift of a server's clock, and how far the marks of its load may be off [s].

    A mark is taken here when the load's line arrives, which is after it was printed by less than a round trip:
    ``u_marks_s`` joins that rectangle (the median round trip over sqrt(3)) with the uncertainty of the clock.
    """

    fit: ClockFit
    u_marks_s: float


def server_clock(run: RunRecord) -> ServerClock | None:
    """Fit the clock of the run's server; None where the load ran under the clock of the readings itself."""
    stamps = run.disclosure.get(CLOCK_EXCHANGES)
    if not stamps:
        return None
    return fit_server_clock([Exchange(*four) for four in stamps])


def clock_notes(run: RunRecord) -> list[str]:
    """Say when the clock of the load's machine could not be compared, or stopped answering during the run."""
    told = run.disclosure.get("clock")
    problem = told.get("problem") if isinstance(told, dict) else None
    if problem is None:
        return []
    if server_clock(run) is None:
        return [f"The clock of {run.server} was not compared, and its part is missing from the ±: {problem}"]
    return [f"The clock of {run.server} did not answer all the time: {problem}"]


def fit_server_clock(exchanges: list[Exchange]) -> ServerClock | None:
    """Fit a server's clock; None where no exchange is usable."""
    try:
        fit = fit_clock(exchanges)
    except Refused:
        return None
    delay_s = float(np.median([one.delay_s for one in exchanges if one.delay_s >= 0]))
    return ServerClock(fit, math.hypot(fit.u_s, delay_s / math.sqrt(3.0)))
