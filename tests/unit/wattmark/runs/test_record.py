from __future__ import annotations

from datetime import date

import pytest
from pydantic import ValidationError
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
    "not_traceable": None,
    "latency_s": 0.0,
    "u_latency_s": None,
}


def test_a_meter_stored_before_influences_were_recorded_still_loads() -> None:
    meter = MeterRecord.model_validate(BEFORE)
    assert meter.influences.pf0_pct is None
    assert meter.conditions.calibrated_on is None
    assert meter.conditions.wiring_loss_w == 0


@pytest.mark.parametrize("value", ["Infinity", "NaN", "1e200", "-1", '"much"'])
def test_a_stored_influence_that_no_maker_can_mean_is_refused(value: str) -> None:
    text = MeterRecord.model_validate(BEFORE).model_dump_json().replace('"pf0_pct":null', f'"pf0_pct":{value}')
    with pytest.raises(ValidationError, match="influences"):
        MeterRecord.model_validate_json(text)


def test_a_stored_influence_of_another_name_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"influences\.humidity_pct"):
        MeterRecord.model_validate(BEFORE | {"influences": {"humidity_pct": 0.1}})


def test_conditions_survive_storage() -> None:
    meter = MeterRecord.model_validate(
        BEFORE | {"conditions": {"calibrated_on": "2026-05-04", "crest_factor": 6}, "influences": {"pf0_pct": 0.1}}
    )
    again = MeterRecord.model_validate_json(meter.model_dump_json())
    assert again == meter
    assert again.conditions.calibrated_on == date(2026, 5, 4)
