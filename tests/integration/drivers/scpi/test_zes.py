"""What the logs of two ZES meters show, byte by byte: no cycle is lost without being told."""

import pytest
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.fresh import CyclesLost

from .scripted import Instrument, opened, read

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
"""Of example/lmg670.log: tsnorm1 durnorm1, then utrms itrms p pf fcyc of channels 1 to 3; 56.438 is excluded."""


class Pushing(Instrument):
    """Answers the list with its first line, and after `cont on` sends all lines at once."""

    def __init__(self, rows: list[str], answers: dict[str, str | None]) -> None:
        super().__init__(answers)
        self.rows = [row.replace(" ", ";") for row in rows]

    def answer(self, line: str) -> str | None:
        if line.startswith("actn;"):
            return self.rows[0]
        return self.end.decode().join(self.rows) if line == "cont on" else super().answer(line)


LMG95_STATE = {"uam": "auto", "urng": "400", "iam": "manual", "irng": "10", "cycl": "0.5"}
LMG670_STATE = {f"{word}{n}": "1" for word in ("uauto", "iauto", "urng", "irng") for n in (1, 2, 3)}


async def test_an_lmg95_proves_that_no_cycle_was_lost() -> None:
    device = Pushing(LMG95, {"*idn?": "ZES ZIMMER,LMG95,12345678,3.118"})
    device.stored = dict(LMG95_STATE)
    async with opened(device, "zes.lmg95", range="250V-10A") as meter:
        assert device.stored == {**LMG95_STATE, "uam": "manual", "urng": "250", **_sent(device)}
        first = await read(meter)
        assert (first["cycle"].value, first["cycle_time"].value) == (10267.0, 0.500197)
        assert (first["voltage"].value, first["frequency"].value) == (234.835, 49.9803)
        assert first["power_factor"].quality is Quality.INVALID
        assert [(await read(meter))["cycle"].value for _ in range(2)] == [10268.0, 10269.0]
        with pytest.raises(CyclesLost, match="lost 1 cycle"):
            await meter.read()
        after = await read(meter)
        assert (after["cycle"].value, after["voltage"].value) == (10271.0, 235.004)
    assert device.lines[:2] == ["syst:lang short", "cont off"]
    assert "actn;count?;cycr?;p?;utrms?;itrms?;s?;q?;pf?;freq?" in device.lines
    assert device.lines[-2:] == ["lang scpi", "gtl"]
    assert (device.stored["uam"], device.stored["urng"]) == ("auto", "400")


def _sent(device: Instrument) -> dict[str, str]:
    """Give the words that are no settings, as the instrument kept them."""
    return {name: value for name, value in device.stored.items() if name not in LMG95_STATE}


async def test_the_count_of_an_lmg95_wraps_without_a_loss() -> None:
    rows = [f"{count}{LMG95[0][7:]}" for count in (65534, 65535, 0, 1)]
    device = Pushing(rows, {"*idn?": "ZES ZIMMER,LMG95,12345678,3.118"})
    device.stored = dict(LMG95_STATE)
    async with opened(device, "zes.lmg95") as meter:
        assert [(await read(meter))["cycle"].value for _ in range(4)] == [65534.0, 65535.0, 0.0, 1.0]


async def test_an_lmg670_proves_it_by_its_clock_and_the_driver_adds_the_channels_up() -> None:
    device = Pushing(LMG670, {"*idn?": "ZES ZIMMER Electronic Systems GmbH,LMG670,1234,1.009"})
    device.end, device.stored = b"\n", dict(LMG670_STATE)
    async with opened(device, "zes.lmg600", range="250V-10A") as meter:
        first = await read(meter)
        assert first["cycle_end"].value == pytest.approx(1421860855.437817, abs=1e-6)
        assert first["voltage_l1"].value == pytest.approx(231.6219)
        assert (first["power"].value, first["power"].quality) == (0.0, Quality.GOOD)
        assert (await read(meter))["cycle_time"].value == pytest.approx(0.500101824)
        with pytest.raises(CyclesLost, match="lost 1 cycle"):
            await meter.read()
        assert (await read(meter))["cycle_end"].value == pytest.approx(1421860856.938122, abs=1e-6)
    assert {"uauto1 0", "iauto3 0", "urng2 250", "irng1 10"} <= set(device.lines)
