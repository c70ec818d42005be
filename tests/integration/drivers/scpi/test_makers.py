"""What the manuals and the logs of real instruments show, byte by byte: ZES, Hioki, Voltech, Chroma, GW Instek."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.address import TcpAddress
from wattmark_drivers.scpi.cycles import CyclesLost
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings

LMG95 = """\
10267.0 0.500197 0.0 234.835 0.0 0.0 0.0 9.91e+37 49.9803
10268.0 0.500217 0.0 234.904 0.0 0.0 0.0 9.91e+37 49.9794
10269.0 0.500207 0.0 234.894 0.0 0.0 0.0 9.91e+37 49.9792
10271.0 0.500197 0.0 235.004 0.0 0.0 0.0 9.91e+37 49.9795""".splitlines()
"""Of cuveland/lmgtools, example/lmg95.log: count cycr p utrms itrms (s q: no current) pf freq; 10270 was taken out."""
ONE = "2.316219E+02 0.000000E+00 0.000000E+00 9.910000E+37 4.998982E+01"
NONE = "0.000000E+00 0.000000E+00 0.000000E+00 9.910000E+37 4.998982E+01"
LMG670 = [
    f"2015:01:21D17:20:{second}+0000 {length} {ONE} {NONE} {NONE}"
    for second, length in (
        ("55.437817000", "0.500101824"), ("55.937918000", "0.500101824"), ("56.938122000", "0.500115008"),
    )
]  # fmt: skip
"""Of example/lmg670.log: tsnorm1 durnorm1, then utrms itrms p pf fcyc of channels 1 to 3; 56.438 is left out."""


class Instrument:
    """Keeps what is written to each header, gives it back, and knows some whole lines; None for no answer."""

    end = b"\r\n"

    def __init__(self, known: dict[str, str | None], stored: dict[str, str] | None = None) -> None:
        self.known, self.stored = known, stored or {}
        self.heard: list[tuple[float, str]] = []
        self.left = asyncio.Event()

    @property
    def lines(self) -> list[str]:
        return [line for _, line in self.heard]

    def answer(self, line: str) -> str | None:
        if line in self.known:
            return self.known[line]
        header, _, value = line.partition(" ")
        if header.endswith("?"):
            return self.stored.get(header[:-1])
        self.stored[header] = value
        return None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := (await reader.readline()).decode().strip():
            self.heard.append((asyncio.get_running_loop().time(), line))
            text = self.answer(line)
            if text is not None:
                writer.write(text.encode() + self.end)
        writer.close()
        self.left.set()


@asynccontextmanager
async def opened(instrument: Instrument, model: str, gap_s: float = 0.0, **options: Any) -> AsyncIterator[Any]:
    declaration = load_catalogue()[model]
    server = await asyncio.start_server(instrument.serve, "127.0.0.1", 0)
    one = make_meter(
        MeterSettings("m", model, "", range=options.pop("range", None), options=options),
        declaration,
        declaration.protocol.model_copy(update={"command_gap_s": gap_s, "quiet_gap_s": 0.05}),
        TcpAddress("127.0.0.1", server.sockets[0].getsockname()[1]),
        timeout_s=0.4,
        clock=SystemClock(),
    )
    try:
        await one.open()
        yield one
    finally:
        await one.close()
        await instrument.left.wait()
        server.close()
        await server.wait_closed()


async def read(one: Any) -> dict[str, Any]:
    return {reading.channel: reading for reading in await one.read()}


class Pushing(Instrument):
    """Answers the list with its first line, and after `cont on` sends all lines at once."""

    def __init__(self, rows: list[str], known: dict[str, str | None]) -> None:
        super().__init__(known)
        self.rows = [row.replace(" ", ";") for row in rows]

    def answer(self, line: str) -> str | None:
        if line.startswith("actn;"):
            return self.rows[0]
        return self.end.decode().join(self.rows) if line == "cont on" else super().answer(line)


LMG95_STATE = {"uam": "auto", "urng": "400", "iam": "manual", "irng": "10", "cycl": "0.5"}
LMG670_STATE = {f"{word}{n}": "1" for word in ("uauto", "iauto", "urng", "irng") for n in (1, 2, 3)}


def test_an_lmg95_proves_that_no_cycle_was_lost() -> None:
    async def scenario() -> None:
        device = Pushing(LMG95, {"*idn?": "ZES ZIMMER,LMG95,12345678,3.118"})
        device.stored = dict(LMG95_STATE)
        async with opened(device, "zes.lmg95", range="250V-10A") as one:
            assert device.stored == {**LMG95_STATE, "uam": "manual", "urng": "250", **_sent(device)}
            first = await read(one)
            assert (first["cycle"].value, first["cycle_time"].value) == (10267.0, 0.500197)
            assert (first["voltage"].value, first["frequency"].value) == (234.835, 49.9803)
            assert first["power_factor"].quality is Quality.INVALID
            assert [(await read(one))["cycle"].value for _ in range(2)] == [10268.0, 10269.0]
            with pytest.raises(CyclesLost, match="lost 1 cycle"):
                await one.read()
            after = await read(one)
            assert (after["cycle"].value, after["voltage"].value) == (10271.0, 235.004)
        assert device.lines[:2] == ["syst:lang short", "cont off"]
        assert "actn;count?;cycr?;p?;utrms?;itrms?;s?;q?;pf?;freq?" in device.lines
        assert device.lines[-2:] == ["lang scpi", "gtl"]
        assert (device.stored["uam"], device.stored["urng"]) == ("auto", "400")

    asyncio.run(scenario())


def _sent(device: Instrument) -> dict[str, str]:
    """Give the words that are no settings, as the instrument kept them."""
    return {name: value for name, value in device.stored.items() if name not in LMG95_STATE}


def test_the_count_of_an_lmg95_wraps_without_a_loss() -> None:
    async def scenario() -> None:
        rows = [f"{count}{LMG95[0][7:]}" for count in (65534, 65535, 0, 1)]
        device = Pushing(rows, {"*idn?": "ZES ZIMMER,LMG95,12345678,3.118"})
        device.stored = dict(LMG95_STATE)
        async with opened(device, "zes.lmg95") as one:
            assert [(await read(one))["cycle"].value for _ in range(4)] == [65534.0, 65535.0, 0.0, 1.0]

    asyncio.run(scenario())


def test_an_lmg670_proves_it_by_its_clock_and_the_driver_adds_the_channels_up() -> None:
    async def scenario() -> None:
        device = Pushing(LMG670, {"*idn?": "ZES ZIMMER Electronic Systems GmbH,LMG670,1234,1.009"})
        device.end, device.stored = b"\n", dict(LMG670_STATE)
        async with opened(device, "zes.lmg600", range="250V-10A") as one:
            first = await read(one)
            assert first["cycle_end"].value == pytest.approx(1421860855.437817, abs=1e-6)
            assert first["voltage_l1"].value == pytest.approx(231.6219)
            assert (first["power"].value, first["power"].quality) == (0.0, Quality.GOOD)
            assert (await read(one))["cycle_time"].value == pytest.approx(0.500101824)
            with pytest.raises(CyclesLost, match="lost 1 cycle"):
                await one.read()
            assert (await read(one))["cycle_end"].value == pytest.approx(1421860856.938122, abs=1e-6)
        assert {"uauto1 0", "iauto3 0", "urng2 250", "irng1 10"} <= set(device.lines)

    asyncio.run(scenario())


class Confirming(Instrument):
    """A Hioki with confirmation messages on."""

    def answer(self, line: str) -> str | None:
        said = super().answer(line)
        return "000" if said is None else f"{said};000"


HIOKI = {
    ":HEAD": ":HEADER ON", ":HOLD": ":HOLD OFF", ":PEAKHOLD": ":PEAKHOLD OFF", ":RECT": ":RECTIFIER ACDC",
    ":AVER": ":AVERAGING 1", ":VOLT:AUTO": ":VOLTAGE:AUTO OFF", ":VOLT:RANG": ":VOLTAGE:RANGE 150",
    ":CURR:AUTO": ":CURRENT:AUTO OFF", ":CURR:RANG": ":CURRENT:RANGE 10",
}  # fmt: skip


class Updating(Confirming):
    """Sets bit 7 (DS) of ESR0 at every second look (3332 manual, page 102)."""

    looks, esr1 = 0, "0"

    def answer(self, line: str) -> str | None:
        if line == ":ESR0?":
            self.looks += 1
            return f"{128 * (self.looks % 2 == 0)};000"
        return f"{self.esr1};000" if line == ":ESR1?" else super().answer(line)


def test_a_hioki_3334_confirms_each_message_and_names_its_numbers() -> None:
    """The form of the numbers is that of the manual's `V +101.02E+0;A +10.200E+0` (3332, page 92)."""
    shown = (
        "W +1020.0E+0;V +101.02E+0;A +10.200E+0;VA +1030.4E+0;PF +0.9899E+0;FREQ +50.000E+0;VPK +143.1E+0;APK +14.9E+0"
    )
    asked = ":MEAS? W,V,A,VA,PF,FREQ,VPK,APK"

    async def scenario() -> None:
        device = Updating({"*IDN?": "HIOKI,3334,0,V1.04", asked: shown}, dict(HIOKI))
        async with opened(device, "hioki.3334") as one:
            readings = await read(one)
            assert (readings["voltage"].value, readings["current"].value) == (101.02, 10.2)
            assert {reading.range for reading in readings.values()} == {"150V-10A"}
            device.esr1 = "2"
            assert (await read(one))["current"].quality & Quality.OVER_RANGE
            device.esr1 = "0"
            device.known[asked] = shown.replace("A +10.200E+0;", "A +999.99E+9;", 1)
            over = (await read(one))["current"]
            assert over.quality & Quality.INVALID
            assert over.quality & Quality.OVER_RANGE
        assert device.lines[0] == ":RS232c:ANSWer ON"

    asyncio.run(scenario())


@pytest.mark.parametrize("mark", [";", ","])
def test_a_hioki_pw3335_marks_what_it_cannot_show(mark: str) -> None:
    """PW3335A985-01, page 68: over range ±999.99E+9, scaling error ±888.88E+9, no data ±777.77E+9."""
    numbers = (
        "P +512.00E+0,U +230.12E+0,I +2.2249E+0,S +512.00E+0,Q +0.0000E+0,"
        "PF +1.0000E+0,FREQU +50.000E+0,UPK +325.4E+0,IPK +3.1E+0"
    )
    asked = ":MEAS:POW? P,U,I,S,Q,PF,FREQU,UPK,IPK"

    async def scenario() -> None:
        device = Instrument({"*IDN?": "HIOKI,PW3335-04,0,V1.00", asked: numbers.replace(",", mark)}, dict(HIOKI))
        async with opened(device, "hioki.pw3335") as one:
            assert (await read(one))["power"].value == 512.0
            for text, quality in (
                ("+999.99E+9", Quality.INVALID | Quality.OVER_RANGE),
                ("-999.99E+9", Quality.INVALID | Quality.OVER_RANGE),
                ("+888.88E+9", Quality.INVALID),
                ("+777.77E+9", Quality.INVALID),
            ):
                device.known[asked] = numbers.replace("P +512.00E+0", f"P {text}", 1).replace(",", mark)
                assert (await read(one))["power"].quality == quality, text

    asyncio.run(scenario())


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


def test_a_pm1000_takes_one_command_at_a_time_with_silence_between_them() -> None:
    async def scenario() -> None:
        device = Voltech()
        async with opened(device, "voltech.pm1000", gap_s=0.05, range="1000V-6.25A") as one:
            at = device.lines.index(":SEL:CLR")
            selected = ["CLR", "VLT", "AMP", "FRQ", "WAT", "VAS", "VAR", "PWF", "VPK+", "APK+"]
            assert device.lines[at : at + 10] == [f":SEL:{item}" for item in selected]
            assert {":SYST:ZERO 0", ":DSE 2", ":RNG:VLT:FIX 4", ":RNG:AMP:FIX 4"} <= set(device.lines)
            readings = await read(one)
            assert (readings["power"].value, readings["current"].value) == (512.0, 2.2249)
            assert (readings["power"].range, readings["power"].quality) == ("1000V-6.25A", Quality.GOOD)
            device.overload = 8
            assert (await read(one))["power"].quality & Quality.OVER_RANGE
        told = [at_s for at_s, line in device.heard if not line.endswith("?")]
        assert all(after - before >= 0.045 for before, after in pairwise(told))
        assert not any(";" in line for line in device.lines)
        assert load_catalogue()["voltech.pm1000"].protocol.command_gap_s == 0.5
        assert [device.stored[name] for name in (":RNG:VLT:AUT", ":RNG:AMP:AUT", ":SYST:ZERO")] == ["1", "1", "1"]

    asyncio.run(scenario())


def test_a_range_that_is_found_and_has_no_name_stays_and_is_not_guessed() -> None:
    async def scenario() -> None:
        device = Voltech()
        async with opened(device, "voltech.pm1000") as one:
            assert ":RNG:AMP:FIX 2" in device.lines
            assert (await read(one))["power"].range is None

    asyncio.run(scenario())


CHROMA = {
    "SYST:HEAD": "OFF", "SOUR:CURR:SHUN": "HIGH", "SOUR:MEAS:MODE": "WINDOW", "SOUR:MEAS:WIND": "1.0",
    "SOUR:TRIG:MODE": "NONE", "SOUR:POW:INT": "0", "SOUR:VOLT:RANG": "V300", "SOUR:CURR:RANG": "A8",
}  # fmt: skip


def test_a_chroma_66202_tells_over_range_by_minus_three() -> None:
    async def scenario() -> None:
        asked = "MEAS? W,V,I,PF,FREQ"
        known = {"*IDN?": "Chroma ATE,66202,123456,1.10", asked: "512.0;230.1;2.225;1.0;50.0"}
        device = Instrument(known, dict(CHROMA))
        async with opened(device, "chroma.66202") as one:
            readings = await read(one)
            assert (readings["power"].value, readings["power"].range) == (512.0, "300V-8A")
            device.known[asked] = "-3,230.1,-3,-3,50.0"
            assert (await read(one))["current"].quality == Quality.INVALID | Quality.OVER_RANGE
        device.stored["SOUR:CURR:RANG"] = "AUTO"
        with pytest.raises(ConfigurationError, match="stays in auto-range"):
            async with opened(device, "chroma.66202"):
                pass

    asyncio.run(scenario())


def test_a_chroma_66204_answers_for_four_channels_at_once() -> None:
    async def scenario() -> None:
        known = {
            "*IDN?": "Chroma ATE,66204,66204M000066,1.00,1.00,1.00", "SYST:HEAD?": None,
            "MEAS:POW:REAL? 0": "100.0,200.0,0.0,0.0", "FETC:VOLT:RMS? 0": "230.0,230.0,0.0,0.0",
            "FETC:CURR:RMS? 0": "0.5,1.0,0.0,0.0", "FETC:POW:PFAC? 0": "0.87,0.87,0.0,0.0",
            "FETC:FREQ? 0": "50.0,50.0,0.0,0.0",
        }  # fmt: skip
        device = Instrument(known)
        async with opened(device, "chroma.66204") as one:
            assert one.identity.serial == "66204M000066"
            readings = await read(one)
            assert (readings["power"].value, readings["power_ch2"].value) == (300.0, 200.0)
            device.known["MEAS:POW:REAL? 0"] = "100.0,-3,0.0,0.0"
            assert (await read(one))["power"].quality & Quality.OVER_RANGE

    asyncio.run(scenario())


GPM = {
    ":COMM:HEAD": "1", ":INP:MODE": "ACDC", ":INP:CFAC": "3",
    ":INP:VOLT:RANG": "600.0E+00", ":INP:CURR:RANG": "20.0E+00",
}  # fmt: skip


def test_a_gpm8213_answers_as_the_one_with_firmware_1_05_did() -> None:
    """Identity and values as received by ThermoPower Monitor; settings that nobody confirmed stay without an answer."""
    seen = "127.58E+00,240.02E-03,17.688E+00,30.622E+00,59.993E+00,0.5776E+00,24.997E+00"

    async def scenario() -> None:
        device = Instrument({"*IDN?": "GWInstek,GPM-8213,GES913349,V1.05", ":NUM:NORM:VAL?": seen}, dict(GPM))
        async with opened(device, "gwinstek.gpm8213", range="150V-0.5A") as one:
            assert (one.identity.serial, one.identity.firmware) == ("GES913349", "V1.05")
            readings = await read(one)
            assert {name: reading.value for name, reading in readings.items()} == {
                "voltage": 127.58, "current": pytest.approx(0.24002), "power": 17.688, "apparent_power": 30.622,
                "frequency": 59.993, "power_factor": 0.5776, "reactive_power": 24.997,
            }  # fmt: skip
        assert {":NUM:NORM:NUMB 7", ":NUM:NORM:ITEM6 LAMBDA", ":INP:VOLT:RANG 150V", ":INP:CURR:RANG 500mA"} <= set(
            device.lines
        )
        assert device.lines[-1] == ":COMM:REM 0"

    asyncio.run(scenario())


def test_an_answer_without_all_its_numbers_is_dropped() -> None:
    async def scenario() -> None:
        known = {"*IDN?": "GWInstek,GPM-8213,GES913349,V1.05", ":NUM:NORM:VAL?": "127.58E+00,240"}
        device = Instrument(known, dict(GPM))
        async with opened(device, "gwinstek.gpm8213") as one:
            with pytest.raises(BadReply, match="2 values for 7"):
                await one.read()

    asyncio.run(scenario())
