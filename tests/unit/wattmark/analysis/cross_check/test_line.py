"""Gain and offset over the levels of a run, with the published comparison of a POWER9 server as truth."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from wattmark.analysis.cross_check.levels import Level
from wattmark.analysis.cross_check.line import fit_line
from wattmark.analysis.refusal import Refused
from wattmark_calibration import Contribution, UncertainValue

POWER9 = Path(__file__).parents[5] / "../shared/data/psu-comparison/it01_run03.tsv"
SUPPLIES = ("taurus.taurusml5.ps0.power", "taurus.taurusml5.ps1.power")


def levels_of(source_w, reference_w, u_w):
    return [
        Level("level", y, x, UncertainValue(x - y, "W", (Contribution("scatter", u_w, "A", 50.0),)))
        for x, y in zip(source_w, reference_w, strict=True)
    ]


@pytest.mark.skipif(not POWER9.exists(), reason="the recording tud-zih-energy/2022-power9-occ is not here")
def test_308_operating_points_of_a_power9_server_give_the_published_line() -> None:
    """Its README: supplies = 1.078675 x OCC + 144.770 W, mean absolute error 3.169 W."""
    with POWER9.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    occ_w = [float(row["occ_power_system_bulk.0.power_from_energy"]) for row in rows]
    supplies_w = [math.fsum(float(row[name]) for name in SUPPLIES) for row in rows]
    line = fit_line(levels_of(occ_w, supplies_w, u_w=4.0))
    assert len(rows) == 308
    assert line.gain.value == pytest.approx(1.078675, abs=1e-6)
    assert line.offset.value == pytest.approx(144.770, abs=5e-4)
    misses_w = [abs(y - line.offset.value - line.gain.value * x) for x, y in zip(occ_w, supplies_w, strict=True)]
    assert math.fsum(misses_w) / 308 == pytest.approx(3.169, abs=5e-4)
    assert line.gain.U95 < 0.01
    # 10 of the points, spread over the load, tell the same within their intervals
    few = fit_line(levels_of(occ_w[:10:9] + occ_w[50::31], supplies_w[:10:9] + supplies_w[50::31], u_w=4.0))
    assert abs(few.gain.value - 1.078675) <= few.gain.U95
    assert abs(few.offset.value - 144.770) <= few.offset.U95


def test_two_levels_give_the_line_through_them() -> None:
    """By hand: gain 100/96; u(gain) = 0.5 sqrt(2)/96; u(offset) = 0.5 hypot(200, 104)/96."""
    line = fit_line(levels_of([104.0, 200.0], [100.0, 200.0], u_w=0.5))
    assert line.gain.value == pytest.approx(100 / 96)
    assert line.gain.u == pytest.approx(0.5 * math.sqrt(2) / 96)
    assert line.offset.value == pytest.approx(200 - 200 * 100 / 96)
    assert line.offset.u == pytest.approx(0.5 * math.hypot(200, 104) / 96)
    assert (line.levels, line.low_w, line.high_w) == (2, 104.0, 200.0)


def test_levels_off_the_line_widen_its_interval() -> None:
    straight = fit_line(levels_of([100.0, 150.0, 200.0], [100.0, 150.0, 200.0], u_w=0.1))
    bent = fit_line(levels_of([100.0, 150.0, 200.0], [100.0, 155.0, 200.0], u_w=0.1))
    assert bent.gain.U95 > 50 * straight.gain.U95


@pytest.mark.parametrize(("source_w", "code"), [([200.0], "one-level"), ([200.0, 230.0, 231.0], "no-span")])
def test_levels_that_are_close_give_no_line(source_w: list[float], code: str) -> None:
    with pytest.raises(Refused) as refused:
        fit_line(levels_of(source_w, source_w, u_w=0.1))
    assert refused.value.reason == code


def test_the_interval_of_the_gain_holds_the_planted_one() -> None:
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        wall = np.array([150.0, 250.0, 350.0])
        source = (wall - 6.0) / 0.95 + rng.normal(0, 0.4, 3)
        line = fit_line(levels_of(source.tolist(), wall.tolist(), u_w=0.4))
        inside += abs(line.gain.value - 0.95) <= line.gain.U95
    assert inside >= 0.9 * 400
