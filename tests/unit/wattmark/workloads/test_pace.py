"""Levels that are rates: what was done against what was asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.marks import Mark
from wattmark.workloads.pace import remark_on_pace
from wattmark.workloads.parsers.work import MarkedWork, interval

At = Callable[[float], Mark]


def done(mark_at: At, amount: float, seconds: float = 10) -> MarkedWork:
    begin, end = mark_at(0), mark_at(seconds)
    return MarkedWork(begin, end, (interval(begin, end, amount),))


@pytest.mark.parametrize(("amount", "held"), [(50_000, True), (49_100, True), (50_900, True), (48_900, False)])
def test_a_level_is_held_within_two_per_cent(amount: float, held: bool, mark_at: At) -> None:
    said = remark_on_pace(load_catalogue()["memory-bandwidth.triad"], 5000, done(mark_at, amount))
    assert (said is None) == held


def test_what_was_asked_for_and_what_was_done_are_said(mark_at: At) -> None:
    said = remark_on_pace(load_catalogue()["memory-bandwidth.triad"], 5000, done(mark_at, 45_000))
    assert said == (
        "The level was not held: it asks for 5\u202f000 MB/s, and 4\u202f500 MB/s were done (-10.0 %; limit 2 %)."
    )


def test_five_requests_of_a_connection_are_asked_for(mark_at: At) -> None:
    """web.by-rate: 100 connections a second with five requests each are 5,000 replies in 10 s."""
    declaration = load_catalogue()["web.by-rate"]
    assert remark_on_pace(declaration, 100, done(mark_at, 5000)) is None
    assert remark_on_pace(declaration, 100, done(mark_at, 1000)) is not None


@pytest.mark.parametrize(("workload", "level"), [("fractal", 2), ("memory-bandwidth.triad", 10_000_000), ("7zip", 2)])
def test_levels_that_are_no_rates_or_ask_for_the_most_are_not_judged(workload: str, level: int, mark_at: At) -> None:
    assert remark_on_pace(load_catalogue()[workload], level, done(mark_at, 1000)) is None
