"""What DIMM counts that were installed once each do not tell."""

import pytest
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_view


def disclosure_of(installation):
    return {"disclosure": {"installation": installation, "host": {"boot_id": "b"}}}


def test_memory_says_what_two_counts_fitted_once_do_not_tell(measure):
    results = [
        measure(f"{d}-{k}", watts=230 + 5.3 * d + 0.1 * k, dimms=d, **disclosure_of(f"i{d}"))
        for d in (4, 8)
        for k in range(5)
    ]
    view = memory_view(results, "s1", "rsa", "all")
    assert view.watts_per_part.value == pytest.approx(5.3, abs=0.1)
    assert not view.watts_per_part.complete
    assert (view.line, view.claim) == ([], None)
    assert (
        "There is no ±. With only two DIMM counts, each installed once, the effect of re-installing the modules"
        in view.statement
    )
    assert "95 % interval" not in view.statement


def test_memory_says_where_its_interval_comes_from(measure):
    def view(name, counts=(2, 4, 8)):
        runs = [
            measure(f"{d}-{k}-{name}{counts}", watts=230 + 5 * d + 0.1 * k, dimms=d, **disclosure_of(name.format(d, k)))
            for d in counts
            for k in range(3)
        ]
        return memory_view(runs, "s1", "rsa", "all").statement

    assert "the scatter of the 3 means about the line (1 degree of freedom); re-seating between repeats" in view("{}")
    assert "(2 degrees of freedom)" in view("{}", (2, 4, 6, 8))
    assert "fitted once" not in view("{}-{}")


def test_a_break_even_that_nothing_bounds_has_no_ends(measure):
    results = [
        measure(
            f"{server}{d}-{k}", watts=base + cost * d + 0.1 * k, dimms=d, server=server, **disclosure_of(f"{server}{d}")
        )
        for server, base, cost in (("fb", 200.0, 10.4), ("reg", 250.0, 4.4))
        for d in (4, 12)
        for k in range(3)
    ]
    view = break_even_view(results, ("fb", "reg"), "rsa", "all")
    assert view.crossing.count.value == pytest.approx(50 / 6, rel=0.02)
    assert (*view.crossing.count.ends, view.slope_difference) == (None, None, None)
    assert "with no bound either way" in view.statement
