"""Any table gives a figure or a named refusal: no other error, no NaN."""

import math
from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.comparison.specpower import LoadLevel, overall_ratio
from wattmark.analysis.parts.break_even import break_even_range
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.extrapolation import extrapolate
from wattmark.analysis.scaling.proportionality import proportionality
from wattmark.analysis.scaling.queueing import LoopRow, check_loop
from wattmark.analysis.scaling.scaling_fit import fit_amdahl, fit_usl
from wattmark.analysis.scaling.speed_up import speed_up
from wattmark.analysis.scaling.sweep import knee, mean_from, peak, saturation, sweep
from wattmark.core.part_words import DIMM

from tests.examples import examples

ODD = st.sampled_from([0.0, -1.0, math.nan, math.inf, 1e-300, 1e300, 1.0, 1.0])
FIGURE = st.floats(0.01, 1e6) | ODD
LEVEL = st.sampled_from([1.0, 2.0, 4.0, 8.0, 16.0, 100.0]) | st.floats(0.5, 1e4) | ODD
TABLE = st.lists(st.tuples(LEVEL, FIGURE), max_size=6)
U = st.none() | st.floats(0, 1e5)


def numbers(result):
    """Walk through a result and give every float in it."""
    if isinstance(result, float):
        yield result
    elif is_dataclass(result):
        for each in fields(result):
            yield from numbers(getattr(result, each.name))
    elif isinstance(result, tuple):
        for each in result:
            yield from numbers(each)


def answers(function, *given_to):
    """Call; a refusal is an answer, and no answer holds NaN."""
    try:
        result = function(*given_to)
    except Refused:
        return
    assert not any(math.isnan(x) for x in numbers(result))


def figures(values, u=None):
    return [Measured(v, u) for v in values]


@given(TABLE, U)
def test_sweeps_and_speed_ups(table, u):
    levels, values = [n for n, _ in table], [v for _, v in table]
    for function in (peak, knee, saturation, lambda curve: mean_from(curve, 5)):
        answers(lambda f=function: f(sweep(levels, figures(values, u))))
    answers(lambda: speed_up(levels, figures(values, u)))
    answers(lambda: [row.interval for row in speed_up(levels, figures(values, u))])


@given(TABLE, U, LEVEL)
def test_extrapolations(table, u, target):
    answers(lambda: extrapolate([n for n, _ in table], figures((v for _, v in table), u), target))


@pytest.mark.parametrize("fit", [fit_amdahl, fit_usl])
@given(table=st.lists(st.tuples(LEVEL, FIGURE), min_size=3, max_size=8))
@settings(max_examples=examples(60), deadline=None)
def test_scaling_fits(fit, table):
    answers(fit, [n for n, _ in table], [v for _, v in table])


@given(TABLE)
def test_load_levels(table):
    answers(proportionality, [n for n, _ in table], [v for _, v in table])
    answers(overall_ratio, [LoadLevel(n, v, w) for (n, v), (_, w) in zip(table, table[::-1], strict=True)])


@given(FIGURE, FIGURE, FIGURE, FIGURE)
def test_loops_and_break_even(a, b, c, d):
    answers(check_loop, [LoopRow(a, b, c, d)])
    answers(break_even_range, (a, b), (c, d), DIMM)
