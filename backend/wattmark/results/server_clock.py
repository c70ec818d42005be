"""The clock of the server, from the stamps that a run exchanged with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wattmark.analysis.clocks.clocks import ClockFit, Exchange, fit_clock
from wattmark.analysis.refusal import Refused
from wattmark.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class ServerClock:
    """Offset and drift of a server's clock, and the standard uncertainty of the marks of its load [s].

    A mark is stamped here when its line arrives, less than a round trip after the load printed it:
    ``u_marks_s`` joins that rectangle (the median round trip over sqrt(3)) with the uncertainty of the clock.
    """

    fit: ClockFit
    u_marks_s: float


def server_clock(run: RunRecord) -> ServerClock | None:
    """Fit the clock of the run's server; None where the load ran under the clock of the readings itself."""
    stamps = run.disclosure.clock.exchanges
    if not stamps:
        return None
    return fit_server_clock([Exchange(*stamp) for stamp in stamps])


def fit_server_clock(exchanges: list[Exchange]) -> ServerClock | None:
    """Fit a server's clock; None where no exchange is usable."""
    try:
        fit = fit_clock(exchanges)
    except Refused:
        return None
    delay_s = float(np.median([exchange.delay_s for exchange in exchanges if exchange.delay_s >= 0]))
    return ServerClock(fit, math.hypot(fit.u_s, delay_s / math.sqrt(3.0)))
