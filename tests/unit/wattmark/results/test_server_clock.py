"""Stamps exchanged with a server: its clock's part in the budget of a run."""

import math

import numpy as np
import pytest
from wattmark.analysis.clocks.clocks import fit_server_clock
from wattmark.analysis.energy.power import MARKS
from wattmark.results.evaluate import evaluate
from wattmark.results.latency import server_clock

from ..conftest import BEGIN_NS


def exchanges(delay_s, *, ahead_s=7.0, drift=39e-6, asymmetry=0.5):
    made = []
    for t_s in np.arange(-60.0, 161, 20):
        there_s = t_s + delay_s * asymmetry + ahead_s + drift * t_s
        made.append([BEGIN_NS + round(x * 1e9) for x in (t_s, there_s, there_s, t_s + delay_s)])
    return made


@pytest.fixture
def watts(store, rng):
    t = np.arange(-20.0, 121)
    store.add("r1", "outlet", "power", t, np.where((t > 0) & (t <= 100), 250.0, 150) + rng.normal(0, 0.5, len(t)))
    return store


@pytest.mark.parametrize("delay_s", [0.0004, 0.06])
def test_the_clock_of_the_server_enters_the_budget(record, watts, delay_s):
    """A step of 100 W at the edge of 100 s: 1 W/s; marks arrive up to a round trip late (rectangle, /sqrt(3))."""
    run = record(disclosure={"clock": {"exchanges": exchanges(delay_s)}})
    result = evaluate(run, watts)
    line = next(line for line in result.power.budget if line.name == MARKS)
    assert line.u == pytest.approx(math.hypot(delay_s / 2 / math.sqrt(3), delay_s / math.sqrt(3)), rel=0.02)
    assert line.u_result == pytest.approx(line.u * 1.0, rel=0.02)
    assert result.power.u == pytest.approx(math.sqrt(sum(line.u_result**2 for line in result.power.budget)))


def test_a_load_under_the_clock_of_the_readings_has_no_such_line(record, watts):
    for facts in ({}, {"clock": {"exchanges": []}}):
        run = record(disclosure=facts)
        assert server_clock(run) is None
        assert all(line.name != MARKS for line in evaluate(run, watts).power.budget)


def test_offset_and_drift_are_those_planted(record):
    clock = server_clock(record(disclosure={"clock": {"exchanges": exchanges(0.001)}}))
    assert clock.fit.offset_at(BEGIN_NS) == pytest.approx(7.0, abs=1e-5)
    assert clock.fit.drift == pytest.approx(39e-6, abs=1e-7)
    assert not clock.fit.stepped


def test_a_clock_too_coarse_to_compare_gives_no_fit():
    assert fit_server_clock([]) is None


def test_a_clock_that_was_not_compared_is_told(record, watts):
    for stamps, words in (
        ([], "its contribution is missing from the ±"),
        (exchanges(0.001), "stopped answering for a time"),
    ):
        facts = {"clock": {"problem": "The connection was lost.", "exchanges": stamps}}
        (note,) = (n for n in evaluate(record(disclosure=facts), watts).notes if "The clock of s1" in n)
        assert words in note
        assert "The connection was lost." in note
