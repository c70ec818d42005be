"""From declaration and bench file to the meter's record in a run."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from math import sqrt
from pathlib import Path

import pytest
import wattmark.bench
from wattmark.bench.load import load_bench
from wattmark.instruments.instruments import build_meters, meter_record, meter_records
from wattmark.results.meters import specification
from wattmark_calibration import Conditions, Influences
from wattmark_drivers.catalogue.declaration import AccuracyTerm
from wattmark_drivers.catalogue.influences import Influences as Declared
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter, find_model
from wattmark_drivers.identity import power_accuracy
from wattmark_drivers.settings import MeterSettings

EXAMPLE = Path(wattmark.bench.__file__).parent / "examples" / "s5000-fbdimm.yaml"


def test_what_the_operator_states_reaches_the_record() -> None:
    bench = load_bench(EXAMPLE)
    meters = build_meters(bench, SystemClock(), {"S5000_BMC_PASSWORD": "x"})
    stated, silent = meter_records(bench, meters, "s5000")[1::-1]
    assert stated.conditions.temperature_c == 23.5
    assert stated.conditions.frequency_hz == 50
    assert stated.conditions.calibrated_on == date(2026, 5, 4)
    assert stated.conditions.crest_factor is None
    assert silent.conditions.temperature_c is None


def test_a_declared_influence_reaches_the_identity() -> None:
    """IM WT310E-02EN p. 7-8: 0.1 % of apparent power at power factor 0."""
    term = AccuracyTerm.model_validate(
        {"quantity": "power", "reading_pct": 0.1, "influences": {"pf0_pct": 0.1}, "status": "unconfirmed"}
    )
    model = find_model("peacefair.pzem016").model_copy(update={"accuracy": (term,)})
    accuracy = power_accuracy(model, "10A")
    assert accuracy is not None
    assert accuracy.influences.pf0_pct == 0.1
    assert accuracy.range_name == "10A"


def test_the_influences_of_a_declared_model_reach_its_limits_of_error() -> None:
    """IM WT310E-02EN p. 7-7, 7-8: 0.1 % of reading, 0.05 % of range x PF, tan(phi) x 0.1 %; line filter on: 0.3 %."""
    settings = MeterSettings(name="wall", model="yokogawa.wt310e", url="scpi-tcp://127.0.0.1:10733", range="300V-2A")
    record = meter_record(create_meter(settings, SystemClock()), "wall", settings)
    limits = specification(record)
    assert limits is not None
    used = Conditions(power_factor=0.5, crest_factor=3, line_filter=True)
    expected_w = 0.6 + 0.5 * 0.3 + 0.6 * sqrt(3) + 1.8
    assert float(limits.limit(600.0, 600.0, conditions=used)) == pytest.approx(expected_w, rel=1e-12)


def test_a_declaration_and_the_record_of_a_run_know_the_same_influences() -> None:
    declared = Declared(pf0_pct=0.1, temperature_pct_per_k=0.03, temperature_low_c=18, temperature_high_c=28)
    assert asdict(Influences(**declared.model_dump())) == declared.model_dump()
