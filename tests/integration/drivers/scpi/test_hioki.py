"""What the manuals of Hioki show, byte by byte: confirmed messages, and marks of what cannot be shown."""

import pytest
from wattmark_drivers.reading import Quality

from .scripted import Instrument, opened, read


class Confirming(Instrument):
    """A Hioki with confirmation messages on."""

    def answer(self, line: str) -> str | None:
        reply = super().answer(line)
        return "000" if reply is None else f"{reply};000"


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


async def test_a_hioki_3334_confirms_each_message_and_names_its_numbers() -> None:
    """The form of the numbers is that of the manual's `V +101.02E+0;A +10.200E+0` (3332, page 92)."""
    shown = (
        "W +1020.0E+0;V +101.02E+0;A +10.200E+0;VA +1030.4E+0;PF +0.9899E+0;FREQ +50.000E+0;VPK +143.1E+0;APK +14.9E+0"
    )
    asked = ":MEAS? W,V,A,VA,PF,FREQ,VPK,APK"
    device = Updating({"*IDN?": "HIOKI,3334,0,V1.04", asked: shown}, dict(HIOKI))
    async with opened(device, "hioki.3334") as meter:
        readings = await read(meter)
        assert (readings["voltage"].value, readings["current"].value) == (101.02, 10.2)
        assert {reading.range for reading in readings.values()} == {"150V-10A"}
        device.esr1 = "2"
        assert (await read(meter))["current"].quality & Quality.OVER_RANGE
        device.esr1 = "0"
        device.answers[asked] = shown.replace("A +10.200E+0;", "A +999.99E+9;", 1)
        over = (await read(meter))["current"]
        assert over.quality & Quality.INVALID
        assert over.quality & Quality.OVER_RANGE
    assert device.lines[0] == ":RS232c:ANSWer ON"


@pytest.mark.parametrize("mark", [";", ","])
async def test_a_hioki_pw3335_marks_what_it_cannot_show(mark: str) -> None:
    """PW3335A985-01, page 68: over range ±999.99E+9, scaling error ±888.88E+9, no data ±777.77E+9."""
    numbers = (
        "P +512.00E+0,U +230.12E+0,I +2.2249E+0,S +512.00E+0,Q +0.0000E+0,"
        "PF +1.0000E+0,FREQU +50.000E+0,UPK +325.4E+0,IPK +3.1E+0"
    )
    asked = ":MEAS:POW? P,U,I,S,Q,PF,FREQU,UPK,IPK"
    device = Instrument({"*IDN?": "HIOKI,PW3335-04,0,V1.00", asked: numbers.replace(",", mark)}, dict(HIOKI))
    async with opened(device, "hioki.pw3335") as meter:
        assert (await read(meter))["power"].value == 512.0
        for text, quality in (
            ("+999.99E+9", Quality.INVALID | Quality.OVER_RANGE),
            ("-999.99E+9", Quality.INVALID | Quality.OVER_RANGE),
            ("+888.88E+9", Quality.INVALID),
            ("+777.77E+9", Quality.INVALID),
        ):
            device.answers[asked] = numbers.replace("P +512.00E+0", f"P {text}", 1).replace(",", mark)
            assert (await read(meter))["power"].quality == quality, text
