"""Where the watts of two servers cross, in words."""

import re

import pytest
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.core.errors import InputError


def statement(*asked):
    return break_even_view(*asked).statement


@pytest.fixture
def server(measure, rng):
    """Three populations of a server, twice each, on one line of watts against DIMMs."""

    def make(name, base_w, per_dimm_w, counts=(4, 8, 16), **changes):
        return [
            measure(
                f"{name}-{d}-{k}", watts=base_w + per_dimm_w * d + rng.normal(0, 0.2), dimms=d, server=name, **changes
            )
            for d in counts
            for k in (1, 2)
        ]

    return make


def test_crossing_of_two_lines(server):
    """240 + 7 n and 290 + 2 n cross at 50/5 = 10 modules."""
    text = statement([*server("fb", 240, 7), *server("reg", 290, 2)], ("reg", "fb"), "rsa", "all")
    assert text.startswith("fb draws less without DIMMs, reg adds less per DIMM. The advantage ends at ")
    low, high = map(float, re.findall(r"(\d+\.\d) to (\d+\.\d) modules", text)[0])
    assert low <= 10 <= high
    assert high - low < 2


def test_crossing_beyond_the_measured_counts_is_called_extrapolated(server):
    text = statement([*server("fb", 240, 7, (1, 2, 4)), *server("reg", 290, 2, (1, 2, 4))], ("fb", "reg"), "rsa", "all")
    assert "(extrapolated, not measured)." in text


def test_a_server_that_is_frugal_in_both_never_loses_its_advantage(server):
    text = statement([*server("a", 240, 2), *server("b", 290, 7)], ("a", "b"), "rsa", "all")
    assert text.startswith("No break-even of a and b: Lead without modules ")


def test_one_population_has_no_slope(server):
    text = statement([*server("a", 240, 2), *server("b", 290, 7, (4,))], ("a", "b"), "rsa", "all")
    assert text.startswith("No break-even of a and b: ")


def test_simulated_power_is_said(server, meter):
    runs = [*server("fb", 240, 7, simulated=True, meters=(meter(simulated=True),)), *server("reg", 290, 2)]
    assert statement(runs, ("fb", "reg"), "rsa", "all").startswith("Simulated power of fb: ")


def test_unknown_and_equal_servers_are_wrong_input(server):
    runs = server("a", 240, 2)
    with pytest.raises(InputError, match="'b' did not run rsa at all"):
        statement(runs, ("a", "b"), "rsa", "all")
    with pytest.raises(InputError, match="with itself"):
        statement(runs, ("a", "a"), "rsa", "all")


def test_the_numbers_of_a_crossing(server):
    """240 + 7 n and 290 + 2 n: 10 modules, 5 W more per module, 240 and 290 W without any."""
    view = break_even_view([*server("fb", 240, 7), *server("reg", 290, 2)], ("reg", "fb"), "rsa", "all")
    assert view.crossing.count.low < 10 < view.crossing.count.high
    assert (view.crossing.first_whole, view.crossing.extrapolated) in {(10, False), (11, False)}
    assert [line.server for line in view.lines] == ["fb", "reg"]
    assert [line.watts_without_parts for line in view.lines] == pytest.approx([240, 290], abs=1.5)
    for line, planted in zip(view.lines, (7, 2), strict=True):
        assert line.watts_per_part.low < planted < line.watts_per_part.high
    assert view.slope_difference.low < 5 < view.slope_difference.high


def test_without_lines_there_are_no_numbers(server):
    view = break_even_view([*server("a", 240, 2), *server("b", 290, 7, (4,))], ("a", "b"), "rsa", "all")
    assert (view.lines, view.crossing, view.slope_difference) == ([], None, None)
