"""What the manuals and the logs of real instruments show, byte by byte: Voltech, Chroma, GW Instek."""

import re
from itertools import pairwise

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.reading import Quality

from .scripted import Instrument, opened, read


class Voltech(Instrument):
    """A PM1000+ on Ethernet: a carriage return after each command; new data at every second look (pages 47 and 52)."""

    end, overload = b"\r", 0

    def __init__(self) -> None:
        zeros = dict.fromkeys((":DSE", ":AVG", ":BLK", ":INP:FILT:LPAS"), "0")
        automatic = {":RNG:VLT:AUT": "1", ":RNG:AMP:AUT": "1", ":RNG:VLT": "4", ":RNG:AMP": "2", ":SYST:ZERO": "1"}
        super().__init__({"*IDN?": "VOLTECH,PM1000+,100008001234,1.50"}, zeros | automatic)
        self.looks = 0

    def answer(self, line: str) -> str:
        if line == ":DSR?":
            self.looks += 1
            return str((3 if self.looks % 2 == 0 else 0) | self.overload)
        if line == ":FRD?":
            return "2.3012E2,2.2249,50.01,5.1200E2,5.1200E2,0.0000,1.0000,3.2544E2,3.1465"
        if fixed := re.fullmatch(r"(:RNG:...):FIX (\d+)", line):
            self.stored |= {fixed[1]: fixed[2], f"{fixed[1]}:AUT": "0"}
        elif line.endswith(":AUT"):
            self.stored[line] = "1"
        else:
            return super().answer(line) or ""
        return ""


async def test_a_pm1000_takes_one_command_at_a_time_with_silence_between_them() -> None:
    device = Voltech()
    async with opened(device, "voltech.pm1000", gap_s=0.05, range="1000V-6.25A") as meter:
        first = device.lines.index(":SEL:CLR")
        selected = ["CLR", "VLT", "AMP", "FRQ", "WAT", "VAS", "VAR", "PWF", "VPK+", "APK+"]
        assert device.lines[first : first + 10] == [f":SEL:{item}" for item in selected]
        assert {":SYST:ZERO 0", ":DSE 2", ":RNG:VLT:FIX 4", ":RNG:AMP:FIX 4"} <= set(device.lines)
        readings = await read(meter)
        assert (readings["power"].value, readings["current"].value) == (512.0, 2.2249)
        assert (readings["power"].range, readings["power"].quality) == ("1000V-6.25A", Quality.GOOD)
        device.overload = 8
        assert (await read(meter))["power"].quality & Quality.OVER_RANGE
    sent_s = [at_s for at_s, line in device.heard if not line.endswith("?")]
    assert all(after - before >= 0.045 for before, after in pairwise(sent_s))
    assert not any(";" in line for line in device.lines)
    assert load_catalogue()["voltech.pm1000"].protocol.command_gap_s == 0.5
    assert [device.stored[name] for name in (":RNG:VLT:AUT", ":RNG:AMP:AUT", ":SYST:ZERO")] == ["1", "1", "1"]


async def test_a_range_that_is_found_and_has_no_name_stays_and_is_not_guessed() -> None:
    device = Voltech()
    async with opened(device, "voltech.pm1000") as meter:
        assert ":RNG:AMP:FIX 2" in device.lines
        assert (await read(meter))["power"].range is None


CHROMA = {
    "SYST:HEAD": "OFF", "SOUR:CURR:SHUN": "HIGH", "SOUR:MEAS:MODE": "WINDOW", "SOUR:MEAS:WIND": "1.0",
    "SOUR:TRIG:MODE": "NONE", "SOUR:POW:INT": "0", "SOUR:VOLT:RANG": "V300", "SOUR:CURR:RANG": "A8",
}  # fmt: skip


async def test_a_chroma_66202_tells_over_range_by_minus_three() -> None:
    asked = "MEAS? W,V,I,PF,FREQ"
    answers = {"*IDN?": "Chroma ATE,66202,123456,1.10", asked: "512.0;230.1;2.225;1.0;50.0"}
    device = Instrument(answers, dict(CHROMA))
    async with opened(device, "chroma.66202") as meter:
        readings = await read(meter)
        assert (readings["power"].value, readings["power"].range) == (512.0, "300V-8A")
        device.answers[asked] = "-3,230.1,-3,-3,50.0"
        assert (await read(meter))["current"].quality == Quality.INVALID | Quality.OVER_RANGE
    device.stored["SOUR:CURR:RANG"] = "AUTO"
    with pytest.raises(ConfigurationError, match="stays in auto-range"):
        async with opened(device, "chroma.66202"):
            pass


async def test_a_chroma_66204_answers_for_four_channels_at_once() -> None:
    answers = {
        "*IDN?": "Chroma ATE,66204,66204M000066,1.00,1.00,1.00", "SYST:HEAD?": None,
        "MEAS:POW:REAL? 0": "100.0,200.0,0.0,0.0", "FETC:VOLT:RMS? 0": "230.0,230.0,0.0,0.0",
        "FETC:CURR:RMS? 0": "0.5,1.0,0.0,0.0", "FETC:POW:PFAC? 0": "0.87,0.87,0.0,0.0",
        "FETC:FREQ? 0": "50.0,50.0,0.0,0.0",
    }  # fmt: skip
    device = Instrument(answers)
    async with opened(device, "chroma.66204") as meter:
        assert meter.identity.serial == "66204M000066"
        readings = await read(meter)
        assert (readings["power"].value, readings["power_ch2"].value) == (300.0, 200.0)
        device.answers["MEAS:POW:REAL? 0"] = "100.0,-3,0.0,0.0"
        assert (await read(meter))["power"].quality & Quality.OVER_RANGE


GPM = {
    ":COMM:HEAD": "1", ":INP:MODE": "ACDC", ":INP:CFAC": "3",
    ":INP:VOLT:RANG": "600.0E+00", ":INP:CURR:RANG": "20.0E+00",
}  # fmt: skip


async def test_a_gpm8213_answers_as_the_one_with_firmware_1_05_did() -> None:
    """Identity and values as received by ThermoPower Monitor; settings that nobody confirmed stay without an answer."""
    seen = "127.58E+00,240.02E-03,17.688E+00,30.622E+00,59.993E+00,0.5776E+00,24.997E+00"
    device = Instrument({"*IDN?": "GWInstek,GPM-8213,GES913349,V1.05", ":NUM:NORM:VAL?": seen}, dict(GPM))
    async with opened(device, "gwinstek.gpm8213", range="150V-0.5A") as meter:
        assert (meter.identity.serial, meter.identity.firmware) == ("GES913349", "V1.05")
        readings = await read(meter)
        assert {name: reading.value for name, reading in readings.items()} == {
            "voltage": 127.58, "current": pytest.approx(0.24002), "power": 17.688, "apparent_power": 30.622,
            "frequency": 59.993, "power_factor": 0.5776, "reactive_power": 24.997,
        }  # fmt: skip
    assert {":NUM:NORM:NUMB 7", ":NUM:NORM:ITEM6 LAMBDA", ":INP:VOLT:RANG 150V", ":INP:CURR:RANG 500mA"} <= set(
        device.lines
    )
    assert device.lines[-1] == ":COMM:REM 0"


async def test_an_answer_without_all_its_numbers_is_dropped() -> None:
    answers = {"*IDN?": "GWInstek,GPM-8213,GES913349,V1.05", ":NUM:NORM:VAL?": "127.58E+00,240"}
    device = Instrument(answers, dict(GPM))
    async with opened(device, "gwinstek.gpm8213") as meter:
        with pytest.raises(BadReply, match="2 values for 7"):
            await meter.read()
