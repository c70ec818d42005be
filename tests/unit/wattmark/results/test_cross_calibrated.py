"""Runs with a BMC only: what a cross-calibration gives them, and when it does not serve."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.runs.record import ConditionRecord
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations
from wattmark.traceability.cross_calibration.views import cross_calibration_out

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
    """0.97 x 258 + 2 = 252.3 W; u: wall meter (1.5 % + 0.3 W)/sqrt(3) = 2.36, scatter 0.5, line 0.16 (JCGM 100, 5).

    The BMC may drift by 1 %, within which nothing is known: 2.52/sqrt(3) = 1.46 W.
    """
    result = evaluate(bmc_run, store, cross_calibration=make_record())
    assert result.power.value == pytest.approx(252.26, abs=0.3)
    line = math.sqrt(0.2**2 + (258 * 0.001) ** 2 - 2 * 258 * 0.00019)
    drift = 0.01 * 252.26 / math.sqrt(3)
    expected = math.sqrt(((0.015 * 252.26 + 0.3) / math.sqrt(3)) ** 2 + 0.5**2 + line**2 + drift**2)
    lines = [
        line for line in result.power.budget if line.name.startswith(("Specification of bmc", "Non-linearity of bmc"))
    ]
    assert math.hypot(*(line.u for line in lines)) == pytest.approx(expected, rel=0.01)
    assert result.power.U95 is not None
    assert "Cross-calibrated against wall meter outlet on 2023-11-03: " in result.notes[-1]
    assert "(12 days away, valid until 2024-11-02, drift of at most 1 % assumed)" in result.notes[-1]
    assert " ± " in result.notes[-1]
    assert not any(note.startswith("Indicative:") for note in result.notes)
    assert not result.traceable
    assert result.calibrations[0].basis == "none"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"high_w": 200.0}, "outside the 120 to 200 W"),
        ({"valid_until": "2023-11-10"}, "expired: it served until 2023-11-10. Cross-calibrate the BMC again."),
        ({"recorded_ns": DAY_NS - 400 * 86_400 * 10**9}, "expired: it served until"),
        ({"recorded_ns": DAY_NS + 400 * 86_400 * 10**9}, "expired: it served until"),
        ({"bmc": {"firmware": "2.1"}}, "is not the one that was cross-calibrated on 2023-11-03: firmware 2.1, now 2.2"),
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
    if "bmc" in changes:
        changes = {"bmc": meter(**BMC, **changes["bmc"])}
        bmc_run = bmc_run.model_copy(update={"meters": (meter(**BMC, firmware="2.2"),)})
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
        drift_w = 2.93 / math.sqrt(3)
        assert u_w == pytest.approx(math.sqrt(line_w**2 + 0.5**2 + own_w**2 + drift_w**2), rel=0.001)
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


def test_three_changes_of_a_bmc_tell_its_drift(make_record):
    """Gains of 0.97, 0.98, 0.97 and 0.975 at 2 W of offset; at 230 W the power was 225.1, 227.4, 225.1, 226.25 W."""
    register = CrossCalibrations(Documents())
    gains = (0.97, 0.98, 0.97, 0.975)
    kept = [register.add(make_record(name=str(i), gain=gain, recorded_ns=DAY_NS + i)) for i, gain in enumerate(gains)]
    powers = [2 + 230 * gain for gain in gains]
    expected = [100 * (after / before - 1) for before, after in pairwise(powers)]
    assert kept[-1].changes_pct == pytest.approx(expected)
    assert [len(record.changes_pct) for record in kept] == [0, 1, 2, 3]
    # fewer than three changes: 1 % of the power, of which nothing else is known
    assert [record.u_drift_pct for record in kept[:3]] == pytest.approx([1 / math.sqrt(3)] * 3)
    rms_pct = math.sqrt(sum(change**2 for change in expected) / 3)
    # Student's t of three degrees of freedom, 3.182, by that of many, 1.960
    assert kept[-1].u_drift_pct == pytest.approx(rms_pct * 3.182 / 1.960, rel=1e-3)
    assert register.in_force("s1", "bmc").changes_pct == pytest.approx(expected)


def test_other_firmware_and_fits_that_are_not_good_tell_no_drift(make_record, meter):
    register = CrossCalibrations(Documents())
    register.add(make_record(name="old", bmc=meter(**BMC, firmware="1.0"), gain=0.9))
    register.add(
        make_record(name="bad", bmc=meter(**BMC, firmware="2.0"), gain=0.9, good=False, recorded_ns=DAY_NS + 1)
    )
    new = register.add(make_record(name="new", bmc=meter(**BMC, firmware="2.0"), recorded_ns=DAY_NS + 2))
    assert new.changes_pct == ()


def test_noise_and_rounding_of_the_points_are_not_counted_as_scatter_as_well(make_record):
    """Points that scatter by 0.5 W: of that 0.3 W at the wall and 0.97 x 0.4 W of the BMC are their own."""
    point = {"bmc_w": 200.0, "wall_w": 196.0, "u_bmc_w": 0.4, "u_wall_w": 0.3}
    plain, explained = make_record(), make_record(points=(point, point, point))
    smaller = plain.wall_power(300)[1] ** 2 - explained.wall_power(300)[1] ** 2
    assert smaller == pytest.approx(0.3**2 + (0.97 * 0.4) ** 2, rel=1e-6)
    assert make_record(residual_w=0.1, points=(point,)).wall_power(300)[1] < plain.wall_power(300)[1]


def test_lists_show_age_last_day_and_what_is_left(make_record):
    """Recorded on 2023-11-03 UTC: 30 days later it is 30 days old and has 335 of 365 left."""
    record = make_record()
    shown = cross_calibration_out(record, DAY_NS + 30 * 86_400 * 10**9)
    assert (shown.day, shown.age_days, shown.last_day, shown.days_left) == ("2023-11-03", 30, "2024-11-02", 335)
    assert (shown.expired, shown.good) == (False, True)
    late = cross_calibration_out(record, DAY_NS + 370 * 86_400 * 10**9)
    assert (late.days_left, late.expired) == (-5, True)
    assert shown.drift == "drift of at most 1 % assumed"


def test_a_damaged_record_is_named_and_hides_no_other(make_record, storage):
    register = CrossCalibrations(storage.runs)
    register.add(make_record())
    storage.runs.put_document("cross_calibration", "broken", {"name": "broken"})
    records, unreadable = register.readable()
    assert [record.name for record in records] == ["s1/bmc/outlet/1"]
    assert len(unreadable) == 1
    assert unreadable[0].startswith("Cross-calibration broken cannot be read")
