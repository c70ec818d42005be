"""Little's law and closed loops: whether throughput, response time and clients of a table are consistent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from wattmark.analysis.comparison.measured import require_positive
from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number

Finding = Literal["consistent", "impossible", "too few in flight"]


@dataclass(frozen=True, slots=True)
class LoopRow:
    """One row: clients, throughput [1/s], response time [s], and the largest error of the two (half of the last
    printed digit, or expanded uncertainty)."""

    clients: float
    throughput_per_s: float
    response_s: float
    throughput_error: float = 0.0
    response_error_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LoopCheck:
    """Requests in flight that a row implies, with their limits by its errors, and the finding."""

    row: LoopRow
    in_flight: float
    low: float
    high: float
    finding: Finding
    text: str


def in_flight(throughput_per_s: float, response_s: float) -> float:
    """Compute requests in the system N = X R (Little 1961) [requests]."""
    rate, wait = require_positive([throughput_per_s, response_s], "Throughput and response time")
    return float(rate * wait)


def printed_error(values: Sequence[float]) -> float:
    """Compute half a unit of the last digit of figures that a program printed alike [unit of the values].

    [4.7e-05, 1.203e-04] gives 5e-08. Taken from the one with most decimals: zeros at an end do not show.
    """
    printed = (Decimal(f"{value:.12g}").normalize() for value in require_positive(values, "Printed figures"))
    exponents = [exponent for number in printed if isinstance(exponent := number.as_tuple().exponent, int)]
    return float(Decimal(5).scaleb(min(exponents) - 1))


def check_loop(rows: Sequence[LoopRow], think_s: float | None = 0.0) -> tuple[LoopCheck, ...]:
    """Check every row of a closed loop against N = X (R + Z) (Little 1961; Denning and Buzen 1978).

    ``think_s`` is the clients' think time Z [s]; None: not known, and then only "more in flight than there are
    clients" can be found. "impossible": no values within the errors satisfy the row.
    """
    if think_s is not None and not 0 <= think_s < float("inf"):
        raise Refused("negative", f"Think time is {think_s:g} s; it must not be negative.")
    if not rows:
        raise Refused("empty", "The table has no rows.")
    return tuple(_check(row, think_s) for row in rows)


def _check(row: LoopRow, think_s: float | None) -> LoopCheck:
    require_positive([row.clients, row.throughput_per_s, row.response_s], "Clients, throughput and response time")
    errors = (row.throughput_error, row.response_error_s)
    if not all(0 <= error < float("inf") for error in errors):
        raise Refused("negative-uncertainty", "Errors of throughput and response time must be finite and not negative.")
    low, middle, high = (
        (row.throughput_per_s + sign * errors[0]) * (row.response_s + sign * errors[1] + (think_s or 0.0))
        for sign in (-1, 0, 1)
    )
    finding = _finding(row.clients, low, high, think_s)
    return LoopCheck(row, middle, low, high, finding, _text(row.clients, middle, finding))


def _finding(clients: float, low: float, high: float, think_s: float | None) -> Finding:
    # 1e-12: the rounding of a product must not decide
    if low > clients * (1 + 1e-12):
        return "impossible"
    if think_s is not None and high < clients * (1 - 1e-12):
        return "too few in flight"
    return "consistent"


def _text(clients: float, implied: float, finding: Finding) -> str:
    seen = f"Throughput x time is {format_number(implied, 4)} requests for {clients:g} clients"
    return {
        "consistent": f"{seen}: consistent.",
        "impossible": f"{seen}: impossible, more requests than clients; the values are of different runs or windows.",
        "too few in flight": f"{seen}: clients were idle, or their think time is not stated.",
    }[finding]
