from __future__ import annotations

import pytest
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.identity import identify, may_be_simulated
from wattmark_drivers.settings import MeterSettings


def simulated(serial: str | None, *, declared: bool = False, answered: bool = False) -> bool:
    settings = MeterSettings("m", "eastron.sdm120", "modbus-tcp://127.0.0.1:502/1", simulated=declared)
    return identify(settings, find_model("eastron.sdm120"), serial, simulated=answered).simulated


@pytest.mark.parametrize("serial", [None, "21071234", "A1", "1397312769"])
def test_no_serial_number_alone_tells_a_simulator(serial: str | None) -> None:
    """1397312769 is 0x53494D01, "SIM" and 1: a real meter may have that number too."""
    assert not simulated(serial)
    assert simulated(serial, declared=True)
    assert simulated(serial, answered=True)


def test_the_reserved_word_tells_a_simulator() -> None:
    assert simulated("SIMULATED7")


@pytest.mark.parametrize(
    ("serial", "possible"),
    [(None, True), ("SIMULATED7", True), ("1397312769", True), ("21071234", False), ("A1", False)],
)
def test_devices_that_no_simulator_can_be_are_not_asked(serial: str | None, *, possible: bool) -> None:
    assert may_be_simulated(serial) is possible
