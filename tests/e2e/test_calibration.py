"""A meter's owner in a browser: certificate, error curve, review, budget and check standard on a real service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import MeterRecord
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.views import NewReading
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run, store_readings

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
S = 10**9
CERTIFICATE = """\
id,CAL-E2E
number,K-1
manufacturer,Example
model,PM1
serial,SN-1
laboratory,Example Laboratory
method,Comparison with a power standard
calibrated_on,2026-03-02
due_on,2027-03-02

range,state,reference_w,indication_w,expanded_u_w,k,power_factor,frequency_hz,temperature_c,limit_w
300V/5A,as_found,50,50.21,0.0515,2,1,50,23,0.4
300V/5A,as_found,100,100.31,0.0675,2,1,50,23,0.5
300V/5A,as_found,250,250.62,0.1403,2,1,50,23,0.5
300V/5A,as_found,500,501.14,0.2701,2,1,50,23,0.8
300V/5A,as_found,1000,1002.21,0.5389,2,1,50,23,1.2
"""


def _store_run(storage: Storage) -> None:
    """Keep a run of two minutes at 240 W, measured before the calibration."""
    begin = int(datetime(2026, 2, 20, 10, tzinfo=UTC).timestamp()) * S
    meter = MeterRecord(
        name="wall",
        model="any.meter",
        title="Power meter",
        serial="SN-1",
        range_name="300V/5A",
        reading_pct=0.5,
        fixed_w=0.5,
        accuracy_source="data sheet",
    )
    run = make_run(
        "r1", begin_ns=begin, window_s=120, amount=6000, configuration="fbd4", workload="rsa", level="2 processes",
        full_load_limit_pct=None, meters=(meter,),
    )  # fmt: skip
    storage.runs.put(run)
    t_s = np.arange(-5, 126)
    store_readings(storage, run, t_s, 240 + np.random.default_rng(1).normal(0, 0.5, len(t_s)))
    store_readings(storage, run, t_s, np.ones(len(t_s)), "power_factor", "1")


def _store_check_standard(storage: Storage) -> None:
    """Keep a check standard whose baseline is just complete."""
    room = CheckStandards(storage.check_standards, SystemClock())
    room.add(NewCheckStandard(name="bulb", meter="wall", nominal_w=100, description="heater bulb"))
    for week in range(10):
        reading = NewReading(power_w=100 + (-1) ** week * 0.1, operator="E. Bauer")
        room.record_by_hand("bulb", reading, datetime(2026, 1, 5 + week, tzinfo=UTC))


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Start a service on a data folder with one run and one check standard."""
    storage = open_storage(tmp_path / "data")
    _store_run(storage)
    _store_check_standard(storage)
    storage.close()
    with serving(tmp_path / "data") as address:
        yield address


def test_a_meters_owner_at_work(url: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "kilowatts.csv"
    good.write_text(CERTIFICATE)
    bad.write_text(CERTIFICATE.replace("1000,1002.21", "1,1002.21"))
    pictures = tmp_path / "pictures"
    seen: dict[str, Any] = browse("calibration.mjs", url, str(pictures), str(good), str(bad))
    job, looks = seen["job"], seen["looks"]
    assert_well(job, refused="422")
    assert "What the ± of each meter is based on" in job["before"]
    assert "differ too much" in job["refusal"]
    assert "K-1" in job["added"]
    assert job["curve"] == "5 calibration points; worst verdict: Fail."
    assert "Conditional fail" in job["points"]
    assert "0.21" in job["table"]
    assert job["unsigned"].count("Required") == 2
    assert re.search(r"−0\.2\d\s%", job["review"])
    assert "as-found points" in job["versions"]
    assert "Found out of tolerance" in job["versions"]
    assert "dominates" in job["dominates"]
    assert "Share of variance" in job["budget"]
    assert "Enter a number" in job["incomplete"]
    assert "100 W of this load" in job["refusedReading"]
    assert "1 point beyond 3 s" in job["chart"]
    assert_well(looks)
    assert len(list(pictures.glob("*.png"))) == 4 * len(looks["pages"])
