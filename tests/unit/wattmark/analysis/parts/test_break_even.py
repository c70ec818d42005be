"""Break-even of modules: the claim on buffered memory, two fitted lines, coverage."""

import math

import numpy as np
import pytest
from wattmark.analysis.parts.break_even import break_even, break_even_range
from wattmark.analysis.parts.fit import CountedRun, fit_counts
from wattmark.analysis.refusal import Refused
from wattmark.core.part_words import DIMM, part_words


@pytest.mark.parametrize(
    ("cpus", "warm_w", "cool_w", "modules", "first"),
    [
        (1, 89, 65, 4.8, 5),
        (1, 89, 80, 1.8, 2),
        (1, 92, 65, 5.4, 6),
        (1, 92, 80, 2.4, 3),
        (2, 89, 65, 9.6, 10),
        (2, 89, 80, 3.6, 4),
        (2, 92, 65, 10.8, 11),
        (2, 92, 80, 4.8, 5),
    ],
)
def test_the_claim_on_buffers_of_five_watts(cpus, warm_w, cool_w, modules, first):
    advantage_w = cpus * (warm_w - cool_w)
    crossing = break_even_range((advantage_w, advantage_w), (5, 5), DIMM)
    assert (crossing.count.value, crossing.first_whole) == (pytest.approx(modules), first)


def test_the_two_cpu_claim_is_9_6_to_10_8_and_needs_6_to_6_75_watts_for_8():
    crossing = break_even_range((48, 54), (5, 5), DIMM)
    assert crossing.count.ends == (pytest.approx(9.6), pytest.approx(10.8))
    assert crossing.text == "The advantage ends at 9.6 to 10.8 modules (extrapolated, not measured)."
    eight = break_even_range((48, 54), (6.0, 6.75), DIMM)
    assert eight.count.low <= 8 <= eight.count.high


def test_a_break_even_from_limits_names_what_is_counted():
    crossing = break_even_range((48, 54), (6, 6), part_words("drive"))
    assert crossing.text == "The advantage ends at 8.0 to 9.0 drives (extrapolated, not measured)."
    with pytest.raises(Refused, match="Watts per drive"):
        break_even_range((48, 54), (-5, 5), part_words("drive"))


def server(base_w, per_module_w, noise, counts=(2, 4, 8, 12), repeats=3, shared=None):
    n = np.repeat(counts, repeats)
    watts = base_w + per_module_w * n + noise.normal(0, 1, len(n))
    return fit_counts(
        [
            CountedRun(
                int(c), float(p), None, (shared or {}) and {k: v * p for k, v in shared.items()}, installation=str(i)
            )
            for i, (c, p) in enumerate(zip(n, watts, strict=True))
        ],
        DIMM,
    )


def test_crossing_of_two_lines():
    noise = np.random.default_rng(10)
    crossing = break_even(server(200, 10.4, noise), server(250, 4.4, noise))
    assert crossing.count.low < 50 / 6 < crossing.count.high
    assert crossing.first_whole == math.ceil(crossing.count.value)
    assert not crossing.extrapolated


def test_beyond_the_counts_it_is_extrapolated():
    noise = np.random.default_rng(11)
    crossing = break_even(server(200, 10.4, noise, counts=(1, 2, 4)), server(250, 4.4, noise))
    assert crossing.extrapolated
    assert "extrapolated, not measured" in crossing.text


def test_coverage_of_the_interval():
    noise = np.random.default_rng(12)
    hits = 0
    for _ in range(300):
        crossing = break_even(server(200, 10.4, noise), server(250, 4.4, noise))
        hits += crossing.count.low <= 50 / 6 <= crossing.count.high
    assert hits / 300 >= 0.93


def test_a_gain_error_of_the_same_meter_does_not_move_the_crossing():
    """Both servers draw the same power there, so the same relative error moves both alike."""
    plain = break_even(server(200, 10.4, np.random.default_rng(13)), server(250, 4.4, np.random.default_rng(14)))
    same, other = ({"gain": 0.01}, {"other gain": 0.01})
    shared = break_even(
        server(200, 10.4, np.random.default_rng(13), shared=same),
        server(250, 4.4, np.random.default_rng(14), shared=same),
    )
    apart = break_even(
        server(200, 10.4, np.random.default_rng(13), shared=same),
        server(250, 4.4, np.random.default_rng(14), shared=other),
    )
    assert shared.count.ends == pytest.approx(plain.count.ends, rel=0.02)
    assert apart.count.U95 > 1.5 * plain.count.U95


@pytest.mark.parametrize(("base", "cost"), [((250, 10.4), (200, 4.4)), ((200, 4.4), (250, 10.4))])
def test_lines_that_do_not_cross(base, cost):
    noise = np.random.default_rng(15)
    with pytest.raises(Refused) as refusal:
        break_even(server(*base, noise), server(*cost, noise))
    assert refusal.value.reason == "no-crossing"


@pytest.mark.parametrize(
    ("advantage", "per_module", "reason"),
    [
        ((54, 48), (5, 5), "limits-swapped"),
        ((0, 54), (5, 5), "zero"),
        ((48, 54), (-5, 5), "negative"),
        ((48, math.nan), (5, 5), "not-finite"),
        ((1e6, 1e6), (5, 5), "no-crossing"),
    ],
)
def test_limits_that_are_refused(advantage, per_module, reason):
    with pytest.raises(Refused) as refusal:
        break_even_range(advantage, per_module, DIMM)
    assert refusal.value.reason == reason


def drifting(order, w_per_run=0.5):
    """Two servers, 200 + 10 n and 250 + 5 n W: the lines cross at 10 modules; all runs drift alike."""
    noise = np.random.default_rng(15)
    lines = {"a": (200, 10), "b": (250, 5)}
    runs = {name: [] for name in lines}
    for place, name in enumerate(order):
        base_w, per_module_w = lines[name]
        count = (4, 12, 8, 16)[len(runs[name]) % 4]
        watts = base_w + per_module_w * count + w_per_run * place + noise.normal(0, 0.2)
        runs[name].append(CountedRun(count, float(watts), None, {}, installation=str(place), made_s=600.0 * place))
    return break_even(fit_counts(runs["a"], DIMM), fit_counts(runs["b"], DIMM))


def test_servers_measured_one_after_the_other_hold_the_trend_in_the_interval():
    """8 runs each: the second server seems 8 x 0.5 W worse, which moves the crossing by 4 W/(5 W per module)."""
    crossing, turns = drifting("a" * 8 + "b" * 8), drifting("ab" * 8)
    assert crossing.count.value == pytest.approx(10.8, abs=0.15)
    assert crossing.count.low < 10 < crossing.count.high
    assert turns.count.low < 10 < turns.count.high
    assert turns.count.U95 < 0.5 * crossing.count.U95
