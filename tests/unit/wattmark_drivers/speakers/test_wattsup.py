"""Commands, field names and units of the Watts Up? PRO serial protocol (tenths of W, V, Wh, Hz, VA; mA; percent)."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.serial.wattsup_dialogue import WattsUpDialogue

HEADER = [
    *("W", "V", "A", "WH", "Cost", "WH/Mo", "Cost/Mo", "Wmax", "Vmax"),
    *("Amax", "Wmin", "Vmin", "Amin", "PF", "DC", "PC", "HZ", "VA"),
]
START = b"#L,W,3,E,,1;"


def indication(power_w: float = 612.5, energy_wh: float = 0.0) -> Indication:
    total = {
        "voltage": 230.1,
        "current": 2.720,
        "power": power_w,
        "apparent_power": 625.9,
        "reactive_power": 128.0,
        "power_factor": 0.98,
        "frequency": 49.9,
    }
    return Indication((total,), total, energy_wh)


def fields(record: bytes) -> dict[str, str]:
    text = record.decode().strip("\0\r\n")
    assert re.fullmatch(r"#d,-,18,.*;", text)
    return dict(zip(HEADER, text.rstrip(";").split(",")[3:], strict=True))


def test_the_header_names_all_fields() -> None:
    answer = WattsUpDialogue(HEADER).receive(b"#H,R,0;")

    assert answer == f"#h,-,18,{','.join(HEADER)};\r\n".encode()


def test_the_version_is_that_of_a_pro_and_says_simulated() -> None:
    answer = WattsUpDialogue(HEADER).receive(b"#V,R,0;").decode()

    assert answer.startswith("#v,-,8,1,")
    assert "SIMULATED" in answer


def test_nothing_is_pushed_before_logging_starts_and_after_it_stops() -> None:
    meter = WattsUpDialogue(HEADER)

    silent = meter.second(indication())
    meter.receive(START)
    record = meter.second(indication())
    meter.receive(b"#L,R,0;")

    assert silent == meter.second(indication()) == b""
    assert record


def test_the_documented_example_comes_out_in_its_units() -> None:
    """612.5 W, 230.1 V, 2.720 A, PF 0.98, 49.9 Hz, 625.9 VA are 6125, 2301, 2720, 98, 499, 6259."""
    meter = WattsUpDialogue(HEADER)
    meter.receive(START)

    values = fields(meter.second(indication()))

    assert [values[name] for name in ("W", "V", "A", "PF", "HZ", "VA")] == ["6125", "2301", "2720", "98", "499", "6259"]


def test_energy_and_extremes_count_from_the_clear() -> None:
    meter = WattsUpDialogue(HEADER)
    meter.receive(START)
    meter.second(indication(900.0, 500.0))
    meter.receive(b"#R,W,0;")
    meter.second(indication(600.0, 501.0))
    values = fields(meter.second(indication(610.0, 502.7)))

    assert (values["WH"], values["Wmax"], values["Wmin"]) == ("17", "6100", "6000")


def test_masked_fields_are_underscores() -> None:
    meter = WattsUpDialogue(HEADER)
    mask = ["1" if name in {"W", "VA"} else "0" for name in HEADER]
    meter.receive(f"#C,W,18,{','.join(mask)};".encode() + START)

    values = fields(meter.second(indication()))

    assert values["W"] == "6125"
    assert values["VA"] == "6259"
    assert {values[name] for name in HEADER if name not in {"W", "VA"}} == {"_"}


def test_a_longer_interval_leaves_seconds_out() -> None:
    meter = WattsUpDialogue(HEADER)
    meter.receive(b"#L,W,3,E,,3;")

    assert [bool(meter.second(indication())) for _ in range(6)] == [False, False, True] * 2


def test_stray_nul_bytes_are_in_the_stream() -> None:
    meter = WattsUpDialogue(HEADER)
    meter.receive(START)

    stream = b"".join(meter.second(indication()) for _ in range(20))

    assert b"\0" in stream


@pytest.mark.parametrize(
    "command", [b"#L,W,3,E,,0;", b"#L,W,3,E,,x;", b"#C,W,2,1,0;", b"V,R,0;", b"#;", b";;;", b"#X;"]
)
def test_commands_that_it_does_not_know_change_nothing(command: bytes) -> None:
    meter = WattsUpDialogue(HEADER)

    assert meter.receive(command) == b""
    assert not meter.logging


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=4))
def test_no_noise_on_the_line_stops_it(noise: bytes, cuts: list[int]) -> None:
    meter = WattsUpDialogue(HEADER)
    bounds = [0, *sorted(cuts), len(noise)]
    for begin, end in itertools.pairwise(bounds):
        meter.receive(noise[begin:end])

    meter.receive(b";" + START)

    assert meter.logging
