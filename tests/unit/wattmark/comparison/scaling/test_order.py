"""Levels in the order of their time: a single sweep says that levels and time changed together, two in turns do not."""

import pytest
from wattmark.comparison.scaling.extrapolated import extrapolated_view
from wattmark.comparison.scaling.load_levels import load_levels_view
from wattmark.comparison.scaling.scaling import scaling_view

from ...pairs import pair

BEGIN_NS, TURN_NS = 1_700_000_000_000_000_000, 600 * 10**9


@pytest.fixture
def sweeps(measure, record):
    """Make runs at levels in an order, with their records."""

    def make(order):
        pairs = []
        for place, count in enumerate(order):
            changes = {
                "level": f"{count} processes",
                "repeat": order[: place + 1].count(count),
                "created_ns": BEGIN_NS + place * TURN_NS,
            }
            run_id = f"{place}-{count}"
            result = measure(run_id, watts=200 + 10.0 * count, work=1000.0 * count, **changes)
            pairs.append((record(run_id, work=1000.0 * count, **changes), result))
        return pairs

    return make


@pytest.mark.parametrize(
    ("order", "said"), [((1, 2, 4), True), ((1, 1, 2, 2, 4, 4), True), ((1, 2, 4, 1, 2, 4), False)]
)
def test_levels_that_were_not_measured_in_turns_say_so(sweeps, order, said):
    pairs = sweeps(order)
    levels = load_levels_view(pairs, "s1/fbdimm-4", "rsa")
    view = scaling_view([result for _, result in pairs], "s1/fbdimm-4", "rsa")
    words = "levels were measured one after the other: everything that changed in between"
    assert (words in " ".join(levels.remarks)) is said
    assert (words in " ".join(view.sentences)) is said


@pytest.mark.parametrize(
    ("order", "said"), [((2000, 2200, 2400), True), ((2000, 2000, 2200, 2200), True), ((2000, 2200, 2000, 2200), False)]
)
def test_clock_steps_that_were_not_measured_in_turns_say_so(order, said):
    pairs = []
    for place, clock_mhz in enumerate(order):
        cpu = {"model": f"at {clock_mhz}", "clock_mhz": float(clock_mhz)}
        run, result = pair(f"c{clock_mhz}", clock_mhz / 5, repeat=order[: place + 1].count(clock_mhz), cpu=cpu)
        pairs.append((run, result.model_copy(update={"created": f"2006-05-01T{place:02}:00:00Z"})))
    words = "The clock steps were measured one after the other: everything that changed in between (room temperature"
    assert (words in " ".join(extrapolated_view(pairs, "clock", 3000.0).remarks)) is said
