"""What the map must carry besides Yokogawa's way: names in answers, codes at their end, indices, acknowledgements.

The declarations here belong to no maker; they exercise the forms that drivers of other analysers need.
"""

import asyncio
from itertools import pairwise

import pytest
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.reading import Quality

from .dialect import HEAD, Script, talking

NAMED = (
    HEAD
    + """
  identification:
    {ask: "*IDN?", pattern: "SOME,NAMED,(?P<serial>.*),1", simulated: "SOME,NAMED,{serial},1", status: unconfirmed}
  reply_tail: ";000"
  settings: [{name: header, command: ":HEADer", kind: switch, option: false, hold: "on", power_on: "on"}]
  queries:
    - ask: ":MEASure? {items}"
      separator: ";"
      named: true
      fields:
        - {channel: power, quantity: power, unit: W, label: Power, item: P, name: P}
        - {channel: voltage, quantity: voltage, unit: V, label: Voltage, item: U, name: U}
        - {channel: energy, quantity: energy, unit: Wh, label: Energy, item: WH, name: WH, scale: 1000, kind: counter}
  over: ["+9999.9E+9"]
  fresh: {by: wait, ask: "*WAI;*OPC?"}
"""
)


INDEXED = (
    HEAD
    + """
  identification:
    {ask: "*IDN?", pattern: "SOME,INDEXED,(?P<serial>.*),1", simulated: "SOME,INDEXED,{serial},1", status: unconfirmed}
  acknowledgement: OK
  command_gap_s: 0.05
  settings:
    - {name: voltage_range, command: ":RNG:VLT:FIX", unit: V, tokens: {"200": "6", "500": "7"}, power_on: 500}
    - {name: current_range, command: ":RNG:AMP:FIX", unit: A, tokens: {"1": "4", "5": "6"}, power_on: 5}
  ranges:
    voltage: {setting: voltage_range, crest: {3: [200, 500]}, status: unconfirmed}
    current: {setting: current_range, crest: {3: [1, 5]}, status: unconfirmed}
  queries:
    - ask: ":FRD?"
      select: ":SEL:{item}"
      fields:
        - {channel: power, quantity: power, unit: W, label: Power, item: WAT}
        - {channel: voltage, quantity: voltage, unit: V, label: Voltage, item: VLT}
  fresh: {by: event, ask: ":DSR?", bit: 1}
"""
)


class Named(Script):
    def __init__(self, shown: str = "P +612.51E+0;U +230.12E+0;WH +1.5E+0", tail: str = ";000") -> None:
        super().__init__()
        self.shown, self.tail = shown, tail

    def answer(self, line: str) -> str | None:
        replies = {"*IDN?": "SOME,NAMED,7,1", ":HEAD?": "ON", "*WAI;*OPC?": "1", ":MEAS? P,U,WH": self.shown}
        return replies[line] + (self.tail if line.startswith(":MEAS") else ";000") if line in replies else None


async def test_named_numbers_with_a_code_at_their_end() -> None:
    async with talking(Named(), NAMED) as meter:
        readings = {reading.channel: reading for reading in await meter.read()}
        assert {name: reading.value for name, reading in readings.items()} == {
            "power": 612.51, "voltage": 230.12, "energy": 1500.0,
        }  # fmt: skip
        assert meter.identity.serial == "7"
    async with talking(Named("P +9999.9E+9;U +230.12E+0;WH +1.5E+0"), NAMED) as meter:
        power = next(reading for reading in await meter.read() if reading.channel == "power")
        assert power.quality == Quality.INVALID | Quality.OVER_RANGE


@pytest.mark.parametrize("script", [Named("U +230.12E+0;P +612.51E+0;WH +1.5E+0"), Named(tail=";104")])
async def test_an_answer_for_another_question_or_a_refusal_gives_no_reading(script: Named) -> None:
    async with talking(script, NAMED) as meter:
        with pytest.raises(BadReply):
            await meter.read()


class Indexed(Script):
    def __init__(self, refuse: str = "") -> None:
        super().__init__()
        self.stored = {":RNG:VLT:FIX": "7", ":RNG:AMP:FIX": "6"}
        self.refuse, self.looks = refuse, 0
        self.times: list[float] = []

    def answer(self, line: str) -> str | None:
        header, _, value = line.partition(" ")
        if line == "*IDN?":
            return "SOME,INDEXED,7,1"
        if line == ":DSR?":
            self.looks += 1
            return "2" if self.looks % 2 == 0 else "0"
        if line == ":FRD?":
            return "612.51,230.12"
        if header.endswith("?"):
            return self.stored[header[:-1]]
        self.times.append(asyncio.get_running_loop().time())
        if header == self.refuse:
            return "NO"
        if value:
            self.stored[header] = value
        return "OK"


async def test_range_indices_acknowledged_commands_and_the_gap_between_them() -> None:
    script = Indexed()
    async with talking(script, INDEXED, range="200V-1A") as meter:
        assert script.stored == {":RNG:VLT:FIX": "6", ":RNG:AMP:FIX": "4"}
        readings = await meter.read()
        assert [reading.value for reading in readings] == [612.51, 230.12]
        assert {reading.range for reading in readings} == {"200V-1A"}
    assert script.stored == {":RNG:VLT:FIX": "7", ":RNG:AMP:FIX": "6"}
    assert all(b - a >= 0.045 for a, b in pairwise(script.times))


async def test_a_refused_command_is_told() -> None:
    with pytest.raises(BadReply, match="rejected a command"):
        async with talking(Indexed(":RNG:AMP:FIX"), INDEXED, range="200V-1A"):
            pass


async def test_auto_range_and_probe_need_an_auto_range() -> None:
    with pytest.raises(ConfigurationError, match="no auto-range"):
        async with talking(Indexed(), INDEXED, probe_s=1):
            pass
