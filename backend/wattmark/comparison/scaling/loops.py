"""Response times of a level, checked against its throughput and clients by Little's law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.queueing import LoopRow, check_loop, printed_error
from wattmark.core.interval import Interval95
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result


@dataclass(frozen=True, slots=True)
class Loop:
    """Mean response time of a level [s], the requests in flight that it implies, and whether that can be."""

    response_s: float
    in_flight: float | None
    possible: bool | None
    text: str


def loop_of(clients: int, throughput: Interval95 | None, results: Sequence[Result]) -> Loop | None:
    """Check a level by Little's law with as many clients as its count; None without response times.

    The clients' think time is not known, so only more requests than clients can be found. What the 95 % interval of
    throughput, the spread of the repeats' response times and the rounding of their printed digits allow is not flagged.
    """
    counted = [r for r in results if why_not_ranked(r, "throughput") is None]
    waits = [r.response_times_s["mean"] for r in counted if "mean" in r.response_times_s]
    if not waits:
        return None
    mean_s = math.fsum(waits) / len(waits)
    if throughput is None:
        return Loop(mean_s, None, None, "")
    half = (throughput.high - throughput.low) / 2
    try:
        row = LoopRow(clients, throughput.value, mean_s, half, max(waits) - mean_s + printed_error(waits))
        (check,) = check_loop([row], think_s=None)
    except Refused as refusal:
        return Loop(mean_s, None, None, refusal.text)
    return Loop(mean_s, check.in_flight, check.finding != "impossible", check.text)
