"""Counters that wrap, are reset, jump or stand still."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from wattmark_drivers.energy_counter import EnergyCounter

NS = 1_000_000_000
# What Intel's 61 microjoule unit gives: 2^32 units, of which the kernel tells 2^32 - 1 (262143328850 in sysfs).
MODULUS_UJ = 262_143_328_911


def counter(modulus_uj: int | None = MODULUS_UJ, largest_power_w: float = 1000) -> EnergyCounter:
    return EnergyCounter(modulus_uj=modulus_uj, largest_power_w=largest_power_w, shortest_s=0.05)


def test_mean_power_is_energy_over_time():
    zone = counter()
    assert zone.add(5_000_000, 0).mean_w is None
    step = zone.add(5_000_000 + 150_000_000, 2 * NS)
    assert (step.total_uj, step.mean_w, step.stalled) == (155_000_000, 75.0, False)


def test_a_wrap_loses_nothing():
    zone = counter()
    zone.add(MODULUS_UJ - 40_000_000, 0)
    step = zone.add(60_000_000, NS)
    assert step.mean_w == 100.0
    assert step.total_uj == MODULUS_UJ + 60_000_000


def test_a_reset_is_no_wrap_and_the_total_says_so():
    zone = counter()
    zone.add(100_000_000_000, 0)
    step = zone.add(20_000_000, NS)
    assert (step.total_uj, step.mean_w) == (0, None)
    assert zone.add(120_000_000, 2 * NS).mean_w == 100.0


def test_a_counter_without_wrap_that_steps_back_was_reset():
    gpu = counter(None)
    gpu.add(10**15, 0)
    assert gpu.add(5, NS).total_uj == 0
    assert gpu.add(100_000_005, 2 * NS).total_uj == 100_000_000


def test_a_gap_that_may_hold_several_wraps_is_not_bridged():
    zone = counter()
    zone.add(0, 0)
    step = zone.add(10_000_000, 132 * NS)
    assert (step.total_uj, step.mean_w) == (0, None)


def test_a_jump_beyond_the_largest_power_is_no_energy():
    zone = counter()
    zone.add(0, 0)
    assert zone.add(2_000_000_000, NS).mean_w is None


def test_a_number_beyond_the_wrap_never_gives_negative_energy():
    zone = counter()
    zone.add(3 * MODULUS_UJ, 0)
    step = zone.add(12, NS)
    assert (step.total_uj, step.mean_w) == (0, None)


def test_a_standing_counter_is_told():
    zone = counter()
    zone.add(7, 0)
    assert not zone.add(7, NS // 100).stalled
    step = zone.add(7, NS)
    assert step.stalled
    assert step.mean_w == 0.0


def test_polls_in_quick_succession_give_one_mean_over_all_of_them():
    zone = counter()
    zone.add(0, 0)
    assert [zone.add(n * 1_000_000, n * NS // 100).mean_w for n in range(1, 5)] == [None] * 4
    assert zone.add(5_000_000, NS // 20).mean_w == 100.0


@given(
    st.integers(0, MODULUS_UJ - 1),
    st.lists(st.tuples(st.floats(0.1, 60), st.floats(0, 1000)), min_size=1, max_size=40),
)
def test_any_load_is_counted_to_the_microjoule(start_uj, steps):
    zone = counter()
    true_uj, t_ns = start_uj, 0
    begin = zone.add(true_uj % MODULUS_UJ, t_ns).total_uj
    for seconds, watts in steps:
        t_ns += int(seconds * NS)
        true_uj += int(watts * int(seconds * NS) / 1e3)
        step = zone.add(true_uj % MODULUS_UJ, t_ns)
        assert step.mean_w is not None
        assert abs(step.mean_w - watts) < 0.01
        assert step.total_uj - begin == true_uj - start_uj


@example(None, [(0, -50_000_000), (0, -50_050_001), (50_050_001, 0)])  # a clock that steps back lends no time
@given(
    st.none() | st.integers(1, 2**64),
    st.lists(st.tuples(st.integers(0, 2**70), st.integers(-(2**40), 2**70)), max_size=30),
)
def test_whatever_it_reads_no_power_exceeds_the_largest(modulus_uj, looks):
    zone = counter(modulus_uj)
    for raw_uj, t_ns in looks:
        step = zone.add(raw_uj, t_ns)
        assert step.mean_w is None or 0 <= step.mean_w <= 1001
