"""From declaration and bench file to the meter's record in a run."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from math import sqrt
from pathlib import Path

import pytest
import wattmark.bench
from pydantic import TypeAdapter
from wattmark.bench.load import load_bench
from wattmark.instruments.instruments import build_meters, meter_record, meter_records
from wattmark.runs.limits_of_error import specification
from wattmark_calibration import Conditions, Influences
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.declaration import AccuracyTerm
from wattmark_drivers.catalogue.influences import Influences as Declared
from wattmark_drivers.catalogue.influences import InputLimit as DeclaredInput
from wattmark_drivers.catalogue.influences import LoadStep as DeclaredStep
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
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


def test_the_limits_of_the_inputs_reach_the_limits_of_error_with_their_ranges() -> None:
    """Voltech PM1000+ manual p. 79, 60 Hz: 0.1012 % of reading, 0.1 % of range, 4 mV or 1 mA; here 1000 V, 6.25 A."""
    settings = MeterSettings(name="wall", model="voltech.pm1000", url="scpi-tcp://127.0.0.1:10733", range="1000V-6.25A")
    limits = specification(meter_record(create_meter(settings, SystemClock()), "wall", settings))
    assert limits is not None
    voltage_v, current_a = 0.001012 * 120 + 1.0 + 0.004, 0.001012 * 2.5 + 0.00625 + 0.001
    expected_w = 240 * (voltage_v / 120 + current_a / 2.5)
    used = Conditions(power_factor=0.8, voltage_v=120, current_a=2.5)
    assert float(limits.limit(240.0, conditions=used)) == pytest.approx(expected_w, rel=1e-9)
    assert limits.unmet(Conditions()) == "The limits of error follow from voltage and current, which were not recorded."


@pytest.mark.parametrize(("update_s", "reading_pct"), [(0.1, 0.15), (0.2, 0.1), (1.0, 0.1)])
def test_a_short_update_interval_adds_to_the_limit(update_s: float, reading_pct: float) -> None:
    """Yokogawa IM 760201-01E p. 14-8: WT500, 0.1 % of reading, 0.05 % more at 100 ms."""
    accuracy = power_accuracy(find_model("yokogawa.wt500"), "300V-5A", update_s)
    assert accuracy is not None
    assert accuracy.reading_pct == pytest.approx(reading_pct)


def test_limits_by_load_reach_the_limits_of_error() -> None:
    """Hioki PW3336 catalogue p. 8, active power, 45 Hz to 66 Hz, on 600 W: 0.6 W below 300 W, 0.45 W from there."""
    settings = MeterSettings(name="wall", model="hioki.pw3336", url="scpi-tcp://127.0.0.1:10733", range="300V-2A")
    limits = specification(meter_record(create_meter(settings, SystemClock()), "wall", settings))
    assert limits is not None
    assert limits.limit([299.0, 300.0, 600.0], 600.0) == pytest.approx([0.599, 0.45, 0.9])


def test_a_declaration_and_the_record_of_a_run_know_the_same_influences() -> None:
    inputs = DeclaredInput(reading_pct=0.1, range_pct=0.1, fixed=0.004, range_value=300)
    declared = Declared(
        pf0_pct=0.1,
        temperature_pct_per_k=0.03,
        temperature_low_c=18,
        temperature_high_c=28,
        current_low_a=0.25,
        current_high_a=65,
        voltage=inputs,
        current=inputs,
        steps=(DeclaredStep(from_pct=50, reading_pct=0.15),),
    )
    record = TypeAdapter(Influences).validate_python(declared.model_dump())
    assert asdict(record) == declared.model_dump()
    plain = Declared(pf0_pct=0.1)
    assert asdict(Influences(**plain.model_dump())) == plain.model_dump()
