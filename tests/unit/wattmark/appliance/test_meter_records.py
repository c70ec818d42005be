"""From declaration and bench file to the meter's record in a run."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import wattmark.inventory
from wattmark.appliance.instruments import build_meters, meter_records
from wattmark.inventory.load import load_bench
from wattmark_drivers.catalogue.declaration import AccuracyTerm
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import find_model
from wattmark_drivers.identity import power_accuracy

EXAMPLE = Path(wattmark.inventory.__file__).parent / "examples" / "s5000-fbdimm.yaml"


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
