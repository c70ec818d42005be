"""Runs with a BMC only: what a cross-calibration gives them, and when it does not serve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.runs.record import ConditionRecord
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations

BMC = {
    "name": "bmc",
    "model": "ipmi.bmc",
    "title": "BMC",
    "role": "bmc",
    "indicative": True,
    "resolution_w": 1.0,
    "kind": "instantaneous",
    "reading_pct": None,
    "range_pct": None,
    "fixed_w": None,
}
LATE_W = 258 - 1.5 / 100 * (258 - 150)
"""What a BMC shows over a window of 100 s in whose first 1.5 s it still shows idle."""
DAY_NS = 1_699_000_000_000_000_000


@pytest.fixture
def make_record(meter):
    """BMC reads 3 % high and 2 W low: wall = 0.97 BMC + 2 W."""

    def make(**changes):
        fields = {
            "name": "s1/bmc/outlet/1",
            "server": "s1",
            "bmc": meter(**BMC),
            "wall": meter(),
            "recorded_ns": DAY_NS,
            "source": "run r0",
            "gain": 0.97,
            "u_gain": 0.001,
            "gain_U95": 0.002,
            "offset_w": 2.0,
            "u_offset_w": 0.2,
            "offset_U95_w": 0.4,
            "covariance_w": -0.00019,
            "chi_squared": 40.0,
            "dof": 40,
            "residual_w": 0.5,
            "lag_s": 1.5,
            "u_lag_s": 0.1,
            "lag_U95_s": 0.2,
            "correlation": 0.99,
            "low_w": 120.0,
            "high_w": 340.0,
            "good": True,
            "verdicts": (),
            "points": (),
        }
        return CrossCalibrationRecord.model_validate({**fields, **changes})

    return make


@pytest.fixture
def bmc_run(store, record, meter, rng):
    run = record(meters=(meter(**BMC),))
    t = np.arange(-20.0, 121)
    store.add(
        "r1", "bmc", "power", t, np.round(np.where((t > 1) & (t <= 102), 258.0, 150.0) + rng.normal(0, 1, len(t)))
    )
    store.add("r1", "host", "cpu_utilisation", t, np.full(len(t), 99.5), quantity="utilisation", unit="%")
    return run


def test_without_cross_calibration_a_bmc_is_indicative_only(store, bmc_run):
    result = evaluate(bmc_run, store)
    assert result.power.value == pytest.approx(LATE_W, abs=1)
    assert result.power.U95 is None
    assert any(note.startswith("Indicative:") for note in result.notes)


def test_a_cross_calibrated_bmc_shows_the_wall_meter_s_watts_with_their_uncertainty(store, bmc_run, make_record):
    """0.97 x 258 + 2 = 252.3 W; u: wall meter (1.5 % + 0.3 W)/sqrt(3) = 2.36, scatter 0.5, line 0.16 (JCGM 100, 5)."""
    result = evaluate(bmc_run, store, cross_calibration=make_record())
    assert result.power.value == pytest.approx(252.26, abs=0.3)
    line = math.sqrt(0.2**2 + (258 * 0.001) ** 2 - 2 * 258 * 0.00019)
    expected = math.sqrt(((0.015 * 252.26 + 0.3) / math.sqrt(3)) ** 2 + 0.5**2 + line**2)
    lines = [
        line for line in result.power.budget if line.name.startswith(("Specification of bmc", "Non-linearity of bmc"))
    ]
    assert math.hypot(*(line.u for line in lines)) == pytest.approx(expected, rel=0.01)
    assert result.power.U95 is not None
    assert "Cross-calibrated against wall meter outlet on 2023-11-03: " in result.notes[-1]
    assert " ± " in result.notes[-1]
    assert not any(note.startswith("Indicative:") for note in result.notes)
    assert not result.traceable
    assert result.calibrations[0].basis == "none"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"high_w": 200.0}, "outside the 120 to 200 W"),
        ({"wall": {"reading_pct": None, "fixed_w": None}}, "accuracy of the wall meter is not known"),
        ({"wall": {"range_pct": 0.1, "range_w": None}}, "range that the wall meter was in is not known"),
        (
            {"wall": {"influences": {"valid_months": 12}, "conditions": {"calibrated_on": "2022-08-03"}}},
            "apply for 12 months after calibration; 15 have passed",
        ),
        (
            {"wall": {"influences": {"voltage": {"reading_pct": 0.1}, "current": {"reading_pct": 0.1}}}},
            "follow from voltage and current, which were not recorded",
        ),
    ],
)
def test_a_cross_calibration_that_does_not_serve_says_why(store, bmc_run, make_record, meter, changes, words):
    if "wall" in changes:
        changes = {"wall": meter(**changes["wall"])}
    result = evaluate(bmc_run, store, cross_calibration=make_record(**changes))
    assert result.power.value == pytest.approx(LATE_W, abs=1)
    assert result.power.U95 is None
    assert words in " ".join(result.notes)
    assert any(note.startswith("Indicative:") for note in result.notes)


def test_the_wall_meter_has_the_limits_that_it_has_in_results(make_record, meter):
    """WT310, IM WT310-02EN p. 7-7: 0.1 % of reading + 0.1 % of range, the latter doubled at crest factor 6.

    300 W of the BMC are 293 W; (0.293 + 2 x 0.6)/sqrt(3) = 0.862 W, at crest factor 3 (0.293 + 0.6)/sqrt(3) = 0.516 W.
    """
    figures = {"reading_pct": 0.1, "range_pct": 0.1, "fixed_w": 0.0, "range_w": 600.0}
    influences = {"crest_factor_6_range_factor": 2.0, "pf0_pct": 0.2}
    line_w = math.sqrt(0.2**2 + (300 * 0.001) ** 2 - 2 * 300 * 0.00019)
    for conditions, own_w in (({"crest_factor": 6}, 0.862), ({"crest_factor": 3}, 0.516), ({}, 0.862)):
        stated = ConditionRecord.model_validate(conditions)
        record = make_record(wall=meter(**figures, influences=influences, conditions=stated))
        power_w, u_w = record.wall_power(300)
        assert power_w == pytest.approx(293)
        assert u_w == pytest.approx(math.sqrt(line_w**2 + 0.5**2 + own_w**2), rel=0.001)
        assert record.wall_unspecified is None
        assert "power factor not recorded" in record.wall_assumptions
        assert ("crest factor not stated: larger limit assumed" in record.wall_assumptions) is (conditions == {})


class Documents:
    def __init__(self):
        self.kept = {}

    def put_document(self, kind, name, document):
        self.kept[name] = document

    def documents(self, kind, *, whole):
        return self.kept


def test_the_newest_good_record_of_the_bmc_is_in_force(make_record):
    register = CrossCalibrations(Documents())
    register.add(make_record(name="old"))
    register.add(make_record(name="new", recorded_ns=DAY_NS + 10))
    register.add(make_record(name="bad", recorded_ns=DAY_NS + 20, good=False))
    register.add(make_record(name="other", recorded_ns=DAY_NS + 30, server="s2"))
    assert register.in_force("s1", "bmc").name == "new"
    assert register.in_force("s1", "bmc", DAY_NS + 5).name == "old"
    assert register.in_force("s1", "bmc", DAY_NS - 5) is None
    assert register.in_force("s1", "other") is None
    assert [record.name for record in register.all()] == ["old", "new", "bad", "other"]
