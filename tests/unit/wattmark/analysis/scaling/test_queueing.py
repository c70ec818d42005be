"""Little's law and closed loops on the figures of the fourth article."""

import math

import pytest
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.queueing import (
    LoopRow,
    check_loop,
    in_flight,
    printed_error,
)


@pytest.mark.parametrize(
    ("rate", "ms", "requests"),
    [(303, 105, 31.815), (728, 44, 32.032), (35, 907, 31.745), (50, 626, 31.3), (65.6333, 271, 17.786624)],
)
def test_article_003_population(rate, ms, requests):
    assert in_flight(rate, ms / 1000) == pytest.approx(requests, rel=1e-6)


def printed(clients, rate, ms):
    return LoopRow(clients, rate, ms / 1000, 0.5, 0.0005)


def test_article_003_rows_against_their_clients():
    """32 clients fit; 821/s x 24 ms reach 20 within rounding; 685/s x 30 ms do not: 20.19 at the very least."""
    cpu, memory, disk = check_loop([printed(32, 728, 44), printed(20, 821, 24), printed(20, 685, 30)])
    assert [cpu.finding, memory.finding, disk.finding] == ["consistent", "consistent", "impossible"]
    assert disk.low == pytest.approx(684.5 * 0.0295)
    assert "more requests than clients" in disk.text


def test_clients_that_think():
    row = LoopRow(10, 5.0, 1.0)
    assert check_loop([row])[0].finding == "too few in flight"
    assert check_loop([row], think_s=1.0)[0].finding == "consistent"
    assert check_loop([row], think_s=None)[0].finding == "consistent"
    assert check_loop([LoopRow(10, 11.0, 1.0)], think_s=None)[0].finding == "impossible"


def test_rounding_of_printed_figures_is_no_contradiction():
    """ab -c 1: "Requests per second: 21298.94", "Time per request: 0.047 [ms]" are 1.001 requests for 1 client."""
    assert printed_error([0.047 * 1e-3, 0.05 * 1e-3]) == pytest.approx(0.0005e-3)
    (check,) = check_loop([LoopRow(1, 21298.94, 0.047 * 1e-3, 0.005, printed_error([0.047 * 1e-3]))], think_s=None)
    assert check.in_flight == pytest.approx(1.001, abs=1e-4)
    assert check.finding == "consistent"


@pytest.mark.parametrize(
    ("row", "think_s", "reason"),
    [
        (LoopRow(0, 1, 1), 0.0, "zero"),
        (LoopRow(1, math.nan, 1), 0.0, "not-finite"),
        (LoopRow(1, 1, -1), 0.0, "negative"),
        (LoopRow(1, 1, 1, -0.5), 0.0, "negative-uncertainty"),
        (LoopRow(1, 1, 1), -1.0, "negative"),
        (LoopRow(1, 1, 1), math.nan, "negative"),
    ],
)
def test_rows_that_cannot_be_checked(row, think_s, reason):
    with pytest.raises(Refused) as refusal:
        check_loop([row], think_s)
    assert refusal.value.reason == reason


def test_an_empty_table():
    with pytest.raises(Refused):
        check_loop([])
