"""The footnotes of an in-house calibration."""

from __future__ import annotations

import pytest
from wattmark.results.in_house import InHouseOut
from wattmark.results.tables.certificate_tables import in_house_table

POINT = {
    "reference_w": 100.0,
    "indication_w": 101.0,
    "error_w": 1.0,
    "U_w": 0.5,
    "power_factor": None,
    "reactive": "lagging",
    "frequency_hz": None,
    "voltage_v": None,
    "temperature_c": None,
    "limit_w": None,
    "conformity": None,
    "residual_w": 0.0,
}


@pytest.mark.parametrize(("factors", "words"), [((2, 2), "1.00 ± 0.20 W"), ((2, 2.65), "1.00 ± 0.27 W")])
def test_the_correction_is_expanded_by_the_largest_k_of_the_points(factors, words):
    """EA-4/02 S1: 4.54 degrees of freedom make k 2.65 instead of 2; u = 0.1 W is then 0.265 W."""
    model = {
        "offset_w": 1.0,
        "u_offset_w": 0.1,
        "gain": 0.0,
        "u_gain": 0.001,
        "phase_rad": None,
        "u_phase_rad": None,
        "chi_squared": 1.0,
        "dof": 0,
        "p_value": None,
        "points": 2,
    }
    calibrated = {
        "name": "any",
        "state": "as found",
        "in_use": True,
        "full_scale_w": None,
        "points": [POINT | {"k": k} for k in factors],
        "model": model,
        "refusals": [],
        "curve": [],
    }
    made = InHouseOut.model_validate(
        {
            "certificate_id": "IH-1",
            "traceable": True,
            "reference": "analyser",
            "reference_certificate": "C-1",
            "method": "Compared.",
            "calibrated_on": "2026-03-01",
            "due_on": "2027-03-01",
            "steps": 5,
            "simulated": False,
            "refusals": [],
            "range": calibrated,
            "document": None,
        }
    )
    (note,) = [note for note in in_house_table(made).footnotes if note.startswith("Correction: ")]
    assert note.startswith(f"Correction: {words} + (")
    assert note.endswith(f"from 5 stretches (expanded uncertainty, k = {max(factors):g}).")
