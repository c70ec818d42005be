"""Field order of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice (proc(5))."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.cpu import CpuUtilisation, read_proc_stat


def reader(*lines: str) -> CpuUtilisation:
    remaining: Iterator[str] = iter(lines)
    return CpuUtilisation(lambda: next(remaining))


def test_busy_time_is_everything_but_idle_and_waiting() -> None:
    cpu = reader("cpu 100 0 100 1000 50 0 0 0 0 0", "cpu 130 5 110 1040 60 3 2 0 0 0")

    assert cpu.sample() == pytest.approx((30 + 5 + 10 + 3 + 2) / (30 + 5 + 10 + 40 + 10 + 3 + 2))


def test_stolen_time_was_not_the_guests_to_use() -> None:
    cpu = reader("cpu 0 0 0 0 0 0 0 0 0 0", "cpu 60 0 0 0 0 0 0 40 0 0")

    assert cpu.sample() == 1.0


def test_guest_time_is_not_counted_twice() -> None:
    cpu = reader("cpu 0 0 0 0 0 0 0 0 0 0", "cpu 50 0 0 50 0 0 0 0 50 0")

    assert cpu.sample() == 0.5


def test_without_new_jiffies_the_last_value_stays() -> None:
    cpu = reader("cpu 0 0 0 0 0 0 0 0", "cpu 30 0 0 70 0 0 0 0", "cpu 30 0 0 70 0 0 0 0")

    assert (cpu.sample(), cpu.sample()) == (0.3, 0.3)


@given(st.lists(st.lists(st.integers(0, 2**40), min_size=8, max_size=10), min_size=2, max_size=5))
def test_any_counters_give_a_fraction(counters: list[list[int]]) -> None:
    cpu = reader(*(f"cpu  {' '.join(map(str, row))}\n" for row in counters))

    assert all(0.0 <= cpu.sample() <= 1.0 for _ in counters[1:])


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="/proc/stat"):
        reader("intr 1 2 3 4 5 6 7 8")


def test_the_kernel_of_this_machine_is_understood() -> None:
    assert 0.0 <= CpuUtilisation(read_proc_stat).sample() <= 1.0
