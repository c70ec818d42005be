"""A few trials of every scenario of the coverage table: what is stated holds, what cannot be known is not stated.

The seeds are fixed; a fault is one that fewer than one honest interval in ten thousand would show by chance.
"""

import pytest

from tests.coverage.count import SCENARIOS, count, trial_outcomes

TRIALS = 10
CHANCE = 1e-4
SHORT = frozenset(
    {
        "noise 2 W tau 30 s, 240 s",
        "square 60 W, 7.3 s, instantaneous 1 Hz",
        "steps at the marks, instantaneous, 60 s",
        "single run against single run, runs differ by 0.4 %",
        "one boot per configuration, shift 0.3 %, 0.1 % x 3",
        "one boot per configuration, shift 0.3 %, 0.1 % x 10",
        "two labs, meters of one model without serials (A1), x 3",
        "two BMCs without specification (A1), x 3",
        "equal configurations on a whole-watt meter x 5",
        "5 equal configurations x 2",
        "8 equal configurations x 2",
        "12 equal configurations x 2",
        "12 equal configurations x 3",
        "8 equal configurations x 2, unequal scatter",
        "12 equal configurations x 2, unequal scatter",
        "W/DIMM 2,4,8 x 3, re-seating 1 W",
        "W/DIMM 2,4,6,8 x 3, re-seating 1 W",
        "W/DIMM 4,8 x 3, re-seating 1 W",
        "W/DIMM 4,8 x 10, re-seating 1 W",
        "W/DIMM 2,4,8 x 5, whole watts",
        "W/DIMM 4,8 x 5, whole watts",
        "W/DIMM 4,6 x 5, whole watts",
        "W/DIMM 2,4,8 x 3, meter curved by 0.3 W",
        "noise 5 W tau 0.3 s, 0.25 s averaged of 1 s",
        "noise 5 W tau 0.3 s, instantaneous",
        "noise 5 W tau 5 s, instantaneous",
        "fans hunting, 2 W",
        "noise 2 W tau 60 s, 600 s",
        "2 repeated readings in every 10, square 7.3 s",
        "12 equal configurations x 3, scatter 0.05 %",
        "W/DIMM 1,2,4,8,16 x 2, re-seating 0.5 W",
    }
)
"""Scenarios that fall short of the goal; the table says by how much."""


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in SHORT])
def test_scenario(name):
    scenario = SCENARIOS[name]
    rows = count(scenario, trial_outcomes(scenario, 0, TRIALS), chance=CHANCE)
    assert {row.claim: row.faults for row in rows if row.faults} == {}
