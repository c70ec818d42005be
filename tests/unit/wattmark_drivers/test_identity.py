from __future__ import annotations

import pytest
from wattmark_drivers.factory import find_model
from wattmark_drivers.identity import identify
from wattmark_drivers.settings import MeterSettings


@pytest.mark.parametrize(
    ("serial", "declared", "simulated"),
    [
        (None, False, False),
        ("21071234", False, False),
        ("1397312769", False, True),
        (None, True, True),
        ("A1", False, False),
    ],
)
def test_a_simulator_is_known_by_its_serial_number(serial: str | None, *, declared: bool, simulated: bool) -> None:
    """The simulators' README gives 0x53494D01 as the first simulated Modbus meter's serial number."""
    settings = MeterSettings("m", "eastron.sdm120", "modbus-tcp://127.0.0.1:502/1", simulated=declared)
    assert identify(settings, find_model("eastron.sdm120"), serial).simulated is simulated
