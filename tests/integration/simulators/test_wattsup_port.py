"""The dialogue of a Watts Up? over a real pseudo-terminal, with pyserial."""

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import serial
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

PATIENCE_S = 30


def path(lab: SimulatedLab) -> str:
    url = lab.devices["plug"].url
    assert url
    return urlsplit(url).path


@pytest.fixture
def port(lab: SimulatedLab) -> Iterator[serial.Serial]:
    with serial.Serial(path(lab), 115200, timeout=PATIENCE_S) as opened:
        opened.write(b"#L,R,0;")
        until_version(opened)
        yield opened


def record(port: serial.Serial) -> str:
    return bytes(port.read_until(b";\r\n")).decode("ascii", "replace").strip("\0\r\n")


def until_version(port: serial.Serial) -> None:
    """Ask for the version and pass over whatever comes before it."""
    port.write(b"#V,R,0;")
    while line := record(port):
        if "#v" in line:
            return
    pytest.fail("the meter does not answer")


def watts(text: str) -> float:
    return int(text.rstrip(";").split(",")[3]) / 10


def test_version_and_header_are_answered(port: serial.Serial) -> None:
    port.write(b"#V,R,0;")
    port.write(b"#H,R,0;")

    assert record(port) == "#v,-,8,1,8,3,0,3,24,20050531,SIMULATED;"
    assert record(port).startswith("#h,-,18,W,V,A,")


def test_records_are_pushed_once_per_second_with_the_power_of_the_supply(
    lab: SimulatedLab, port: serial.Serial
) -> None:
    port.write(b"#L,W,3,E,,1;")
    record(port)
    begin = time.monotonic()
    texts = [record(port) for _ in range(3)]

    assert time.monotonic() - begin > 2.0
    assert all(watts(text) == pytest.approx(lab.state("steady").psu_power_w[0], rel=0.015) for text in texts)


def test_a_torn_record_has_no_end(lab: SimulatedLab, port: serial.Serial) -> None:
    lab.inject("plug", kind="torn")
    port.write(b"#L,W,3,E,,1;")

    text = record(port)

    assert text.count("#d") == 2
    assert not text.split("#d")[1].endswith(";")


def test_garbage_comes_before_a_whole_record(lab: SimulatedLab, port: serial.Serial) -> None:
    lab.inject("plug", kind="garbage")
    port.write(b"#L,W,3,E,,1;")

    assert "\ufffd" in record(port)
    assert watts(record(port)) > 0


def test_silence_swallows_records(lab: SimulatedLab, port: serial.Serial) -> None:
    lab.inject("plug", kind="silence", count=2)
    begin = time.monotonic()
    port.write(b"#L,W,3,E,,1;")

    assert watts(record(port)) > 0
    assert time.monotonic() - begin > 1.5


def test_unplugging_hangs_up_and_the_path_returns(lab: SimulatedLab, port: serial.Serial) -> None:
    lab.inject("plug", kind="unplug", seconds=0.5)

    with pytest.raises(serial.SerialException):
        port.read(1)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            with serial.Serial(path(lab), 115200, timeout=PATIENCE_S) as again:
                return until_version(again)
        except serial.SerialException:
            time.sleep(0.1)
    pytest.fail("the port did not come back")


def test_a_host_that_does_not_read_does_not_stop_the_meter(lab: SimulatedLab) -> None:
    with serial.Serial(path(lab), 115200, timeout=PATIENCE_S) as port:
        for _ in range(400):
            port.write(b"#H,R,0;")
        time.sleep(0.3)
        port.reset_input_buffer()

        until_version(port)
