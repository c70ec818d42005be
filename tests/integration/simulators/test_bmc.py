"""ipmitool reads OpenIPMI's ipmi_sim as the lab runs it."""

import csv
import os
import re
import shutil
import stat
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab

ONLY_A_BMC = {
    "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimms": 0}},
    "devices": {
        "bmc": {"model": "ipmi.bmc", "measures": ["sut"]},
        "wall": {"model": "eastron.sdm120", "measures": ["sut"]},
    },
}


def ipmitool(bmc: SimulatedDevice, *command: str) -> str:
    assert bmc.url
    assert bmc.username
    address = urlsplit(bmc.url)
    session = ["-I", "lanplus", "-C", "3", "-H", str(address.hostname), "-p", str(address.port), "-U", bmc.username]
    argv = ["ipmitool", *session, "-f", str(bmc.password_file), "-N", "1", "-R", "2", *command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=240, check=True).stdout


def dcmi_w(bmc: SimulatedDevice) -> int:
    match = re.search(r"Instantaneous power reading: +(\d+) Watts", ipmitool(bmc, "dcmi", "power", "reading"))
    assert match
    return int(match[1])


def sensors(bmc: SimulatedDevice) -> dict[str, float]:
    rows = csv.reader(ipmitool(bmc, "-c", "sdr", "elist").splitlines())
    return {name: float(value) for name, value, _, _ in rows}


def test_dcmi_reads_three_percent_high(lab: SimulatedLab) -> None:
    assert dcmi_w(lab.devices["bmc"]) == pytest.approx(1.03 * lab.state("steady").wall_power_w, rel=0.007, abs=1)


def test_sensors_follow_the_model_in_steps_of_eight_bits(lab: SimulatedLab) -> None:
    values, state = sensors(lab.devices["bmc"]), lab.state("steady")

    assert values["PSU1 Input Power"] == pytest.approx(1.03 * state.psu_power_w[0], rel=0.007, abs=4)
    assert values["PSU2 Input Power"] == pytest.approx(1.03 * state.psu_power_w[1], rel=0.007, abs=4)
    assert values["Pwr Consumption"] == pytest.approx(1.03 * state.wall_power_w, rel=0.007, abs=4)
    assert values["Inlet Temp"] == 23
    assert 40 <= values["CPU1 Temp"] <= 68
    assert 5300 <= values["FAN1"] <= 10800


def test_more_dimms_show_in_dcmi_and_in_the_sensor(lab: SimulatedLab) -> None:
    bmc = lab.devices["bmc"]
    before_w = dcmi_w(bmc)
    lab.set_dimms("steady", 16)
    try:
        true_w = lab.state("steady").wall_power_w
        deadline = time.monotonic() + 30
        while abs((after_w := dcmi_w(bmc)) / (1.03 * true_w) - 1) > 0.01 and time.monotonic() < deadline:
            time.sleep(0.1)
        while abs((sensor_w := sensors(bmc)["Pwr Consumption"]) - after_w) > 8 and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        lab.set_dimms("steady", 4)

    assert after_w - before_w == pytest.approx(12 * 5.5 / 0.83 * 1.03, rel=0.2)
    assert sensor_w == pytest.approx(after_w, abs=8)


def test_statistics_frame_the_present_power(lab: SimulatedLab) -> None:
    text = ipmitool(lab.devices["bmc"], "dcmi", "power", "reading")

    now_w, least_w, greatest_w, mean_w = (int(watts) for watts in re.findall(r"(\d+) Watts", text))
    assert least_w <= min(now_w, mean_w)
    assert greatest_w >= max(now_w, mean_w)
    assert "activated" in text


def test_the_time_stamp_is_that_of_the_reading(lab: SimulatedLab) -> None:
    words = ipmitool(lab.devices["bmc"], "raw", "0x2c", "2", "0xdc", "1", "0", "0").split()

    seconds = int.from_bytes(bytes(int(word, 16) for word in words[9:13]), "little")
    assert time.time() - 30 < seconds <= time.time() + 1


def test_inventory_and_asset_tag_say_simulated(lab: SimulatedLab) -> None:
    assert "SIMULATED" in ipmitool(lab.devices["bmc"], "fru", "print")
    assert "SIMULATED" in ipmitool(lab.devices["bmc"], "dcmi", "asset_tag")


@pytest.mark.parametrize("request_bytes", ["0x2c 2 0xdc", "0x2c 2 0xdc 9 0 0", "0x2c 1 0xdc 7", "0x2c 6 0xdc 90 16"])
def test_malformed_dcmi_requests_are_refused(lab: SimulatedLab, request_bytes: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        ipmitool(lab.devices["bmc"], "raw", *request_bytes.split())

    assert re.search(r"rsp=0x(c7|cc)", caught.value.stderr)


def test_the_password_is_new_each_time_and_private(lab: SimulatedLab) -> None:
    password_file = lab.devices["bmc"].password_file
    assert password_file
    with SimulatedLab(ONLY_A_BMC) as other:
        second = other.devices["bmc"].password_file
        assert second
        assert second.read_text() != password_file.read_text()

    assert stat.S_IMODE(password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(password_file.parent.parent.stat().st_mode) == 0o700
    assert not second.exists()


def test_a_wrong_password_is_refused(lab: SimulatedLab, tmp_path: Path) -> None:
    wrong = tmp_path / "password"
    wrong.write_text("wrong")
    bmc = lab.devices["bmc"]

    with pytest.raises(subprocess.CalledProcessError, match="ipmitool"):
        ipmitool(SimulatedDevice(bmc.url, bmc.username, wrong), "mc", "info")


def test_without_ipmi_sim_the_reason_is_given_and_the_rest_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with SimulatedLab(ONLY_A_BMC) as lab:
        assert lab.devices["bmc"].url is None
        assert lab.devices["bmc"].problem == "The BMC simulator needs ipmi_sim. Install it: apt-get install openipmi"
        assert lab.devices["wall"].url


def test_without_a_compiler_the_bmc_has_sensors_but_no_dcmi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for program in ("ipmi_sim", "sdrcomp", "ipmitool"):
        (tmp_path / program).symlink_to(shutil.which(program) or "")
    monkeypatch.setenv("PATH", str(tmp_path))

    with SimulatedLab(ONLY_A_BMC) as lab:
        bmc = lab.devices["bmc"]

        assert "gcc" in (bmc.note or "")
        assert sensors(bmc)["Pwr Consumption"] > 300
        with pytest.raises(subprocess.CalledProcessError, match="ipmitool"):
            dcmi_w(bmc)


def test_a_broken_compiler_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "gcc"
    compiler.write_text("#!/bin/sh\necho 'OpenIPMI/serv.h: No such file' >&2; exit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with SimulatedLab(ONLY_A_BMC) as lab:
        assert "OpenIPMI/serv.h: No such file" in (lab.devices["bmc"].note or "")
        assert lab.devices["bmc"].url
