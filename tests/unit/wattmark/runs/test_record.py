from __future__ import annotations

from datetime import date

from wattmark.runs.record import MeterRecord

BEFORE = {
    "name": "wall",
    "model": "wattsup.pro",
    "title": "Watts Up? PRO",
    "role": "wall",
    "serial": None,
    "reading_pct": 1.5,
    "range_pct": 0.0,
    "fixed_w": 0.3,
    "range_w": None,
    "accuracy_source": "manual",
    "untraceable": None,
    "latency_s": 0.0,
    "u_latency_s": None,
}


def test_a_meter_stored_before_influences_were_recorded_still_loads() -> None:
    meter = MeterRecord.model_validate(BEFORE)
    assert meter.influences.pf0_pct is None
    assert meter.conditions.calibrated_on is None
    assert meter.conditions.wiring_loss_w == 0


def test_conditions_survive_storage() -> None:
    meter = MeterRecord.model_validate(
        BEFORE | {"conditions": {"calibrated_on": "2026-05-04", "crest_factor": 6}, "influences": {"pf0_pct": 0.1}}
    )
    again = MeterRecord.model_validate_json(meter.model_dump_json())
    assert again == meter
    assert again.conditions.calibrated_on == date(2026, 5, 4)
