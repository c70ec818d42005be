"""The independent client mbpoll (libmodbus) reads the simulated meters."""

import os
import re
import struct
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab


def mbpoll(lab: SimulatedLab, device: str, *options: str) -> dict[int, str]:
    """Read once from 0-based addresses; return address to printed value."""
    url = lab.devices[device].url
    assert url
    address = urlsplit(url)
    argv = ["mbpoll", "-m", "tcp", "-p", str(address.port), "-0", "-1", *options, str(address.hostname)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode:
        raise ConnectionError(done.stderr)
    return {int(where): value for where, value in re.findall(r"^\[(\d+)\]:\s+(\S+)", done.stdout, re.MULTILINE)}


def floats(lab: SimulatedLab, device: str, count: int = 38) -> dict[int, float]:
    values = mbpoll(lab, device, "-a", "1", "-t", "3:float", "-B", "-r", "0", "-c", str(count))
    return {address: float(value) for address, value in values.items()}


def energy_kwh(lab: SimulatedLab, device: str) -> float:
    """Read the imported energy bit by bit: mbpoll prints no more than six digits of a float."""
    words = mbpoll(lab, device, "-a", "1", "-t", "3:hex", "-r", "72", "-c", "2")
    packed = b"".join(struct.pack(">H", int(value, 16)) for value in words.values())
    return float(struct.unpack(">f", packed)[0])


def test_volts_amps_power_factor_and_watts_fit_each_other_and_the_model(lab: SimulatedLab) -> None:
    values = floats(lab, "wall")

    assert values[12] == pytest.approx(lab.state("steady").wall_power_w, rel=0.01)  # class 1
    assert values[0] == pytest.approx(230, abs=1.5)
    assert values[0] * values[6] * values[30] == pytest.approx(values[12], rel=0.002)
    assert values[18] ** 2 == pytest.approx(values[12] ** 2 + values[24] ** 2, rel=0.002)
    assert values[70] == 50.0


def test_two_supplies_lie_on_two_phases_and_the_third_reads_zero(lab: SimulatedLab) -> None:
    values = floats(lab, "phases")

    assert values[12] / (values[12] + values[14]) == pytest.approx(0.6, abs=0.02)
    assert values[16] == values[4] == 0.0
    assert values[52] == pytest.approx(values[12] + values[14], abs=0.2)


def test_more_dimms_show_at_the_wall(lab: SimulatedLab) -> None:
    before_w = floats(lab, "wall")[12]

    lab.set_dimms("steady", 16)
    try:
        true_w = lab.state("steady").wall_power_w
        deadline = time.monotonic() + 30
        while abs((after_w := floats(lab, "wall")[12]) / true_w - 1) > 0.01 and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        lab.set_dimms("steady", 4)

    assert after_w == pytest.approx(true_w, rel=0.01)
    assert after_w - before_w == pytest.approx(12 * 5.5 / 0.83, rel=0.15)  # 80 PLUS bronze supplies


def test_the_serial_number_register_says_sim(lab: SimulatedLab) -> None:
    words = mbpoll(lab, "wall", "-a", "1", "-t", "4:hex", "-r", str(0xFC00), "-c", "2")

    serial = b"".join(struct.pack(">H", int(value, 16)) for value in words.values())
    assert serial == b"SIM\x02"  # the second device of the specification


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-a", "1", "-t", "3", "-r", "0", "-c", "3"], "Illegal data value"),
        (["-a", "1", "-t", "3", "-r", "0", "-c", "82"], "Illegal data value"),
        (["-a", "1", "-t", "3", "-r", "5000", "-c", "2"], "Illegal data address"),
        (["-a", "1", "-t", "0", "-r", "0", "-c", "2"], "Illegal function"),
        (["-a", "9", "-t", "3", "-r", "0", "-c", "2"], "Target device failed to respond"),
    ],
)
def test_requests_that_the_real_meter_refuses(lab: SimulatedLab, options: list[str], message: str) -> None:
    with pytest.raises(ConnectionError, match=message):
        mbpoll(lab, "wall", *options)


def test_the_energy_register_moves_as_power_times_time(lab: SimulatedLab) -> None:
    """3.5 kW move a register of 1 Wh steps once per second; each end is off by one step and one update."""
    power_w = floats(lab, "heat")[12]
    first_kwh, begin = energy_kwh(lab, "heat"), time.monotonic()
    time.sleep(6)
    last_kwh, end = energy_kwh(lab, "heat"), time.monotonic()

    assert power_w > 3000
    assert (last_kwh - first_kwh) * 1000 == pytest.approx(power_w * (end - begin) / 3600, abs=2.5)


def test_power_follows_the_load_of_this_machine(lab: SimulatedLab) -> None:
    idle_w = 1.01 * (180 + 4 * 5.5 + 2 * 8) / 0.7
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        deadline = time.monotonic() + 60
        while (loaded_w := floats(lab, "loaded")[12]) <= 400 and time.monotonic() < deadline:
            time.sleep(0.2)
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()

    assert loaded_w > 400 > idle_w
