"""What the map must carry besides Yokogawa's way: names in answers, codes at their end, pushed lines, counted cycles.

The declarations here belong to no maker; they exercise the forms that drivers of other analysers need.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from wattmark_drivers.catalogue import parse_declaration
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.address import TcpAddress
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings

HEAD = """
id: some.meter
maker: Some
model: Meter
title: Some meter
sources: {}
transports: [{scheme: scpi-tcp, timeout_s: 0.5, status: unconfirmed}]
rhythm: {kind: averaged, update_period_s: 0.1, status: unconfirmed}
protocol:
  engine: scpi
  status: unconfirmed
"""
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
PUSHED = (
    HEAD
    + """
  identification:
    {ask: "*idn?", pattern: "SOME,PUSHED,(?P<serial>.*),1", simulated: "SOME,PUSHED,{serial},1", status: unconfirmed}
  queries:
    - ask: "actn;{items}"
      joiner: ";"
      separator: ";"
      fields:
        - {channel: cycle, quantity: count, unit: "1", label: Cycles, item: "count?", kind: counter}
        - {channel: power, quantity: power, unit: W, label: Power, item: "p?"}
        - {channel: voltage, quantity: voltage, unit: V, label: Voltage, item: "utrms?"}
  fresh: {by: push, start: "cont on", stop: "cont off"}
"""
)
COUNTED = PUSHED.replace('{by: push, start: "cont on", stop: "cont off"}', "{by: counter, channel: cycle}").replace(
    "PUSHED", "COUNTED"
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


class Script:
    """A server in the loop of the test: `answer` gives what is sent back for each line, None for nothing."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.writers: list[asyncio.StreamWriter] = []

    def answer(self, line: str) -> str | None:
        raise NotImplementedError

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        while line := (await reader.readline()).decode().strip():
            self.heard.append(line)
            if (text := self.answer(line)) is not None:
                writer.write(text.encode() + b"\r\n")
        writer.close()


@asynccontextmanager
async def talking(script: Script, text: str, **options: Any) -> AsyncIterator[Any]:
    declaration = parse_declaration(text, "some.meter.yaml")
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    choice = options.pop("range", None)
    one = make_meter(
        MeterSettings("m", "some.meter", "", period_s=0.1, range=choice, options=options),
        declaration,
        declaration.protocol,
        TcpAddress("127.0.0.1", port),
        timeout_s=0.5,
        clock=SystemClock(),
    )
    try:
        await one.open()
        yield one
    finally:
        await one.close()
        for writer in script.writers:
            writer.close()
        server.close()
        await server.wait_closed()


class Named(Script):
    def __init__(self, shown: str = "P +612.51E+0;U +230.12E+0;WH +1.5E+0", tail: str = ";000") -> None:
        super().__init__()
        self.shown, self.tail = shown, tail

    def answer(self, line: str) -> str | None:
        replies = {"*IDN?": "SOME,NAMED,7,1", ":HEAD?": "ON", "*WAI;*OPC?": "1", ":MEAS? P,U,WH": self.shown}
        return replies[line] + (self.tail if line.startswith(":MEAS") else ";000") if line in replies else None


def test_named_numbers_with_a_code_at_their_end() -> None:
    async def scenario() -> None:
        async with talking(Named(), NAMED) as one:
            readings = {reading.channel: reading for reading in await one.read()}
            assert {name: reading.value for name, reading in readings.items()} == {
                "power": 612.51, "voltage": 230.12, "energy": 1500.0,
            }  # fmt: skip
            assert one.identity.serial == "7"
        async with talking(Named("P +9999.9E+9;U +230.12E+0;WH +1.5E+0"), NAMED) as one:
            power = next(reading for reading in await one.read() if reading.channel == "power")
            assert power.quality == Quality.INVALID | Quality.OVER_RANGE

    asyncio.run(scenario())


@pytest.mark.parametrize("script", [Named("U +230.12E+0;P +612.51E+0;WH +1.5E+0"), Named(tail=";104")])
def test_an_answer_for_another_question_or_a_refusal_gives_no_reading(script: Named) -> None:
    async def scenario() -> None:
        async with talking(script, NAMED) as one:
            with pytest.raises(BadReply):
                await one.read()

    asyncio.run(scenario())


class Counting(Script):
    """Counts cycles; pushes a line each 20 ms after `cont on`."""

    def __init__(self) -> None:
        super().__init__()
        self.cycle, self.asked = 65534, 0
        self.task: asyncio.Task[None] | None = None

    def line(self) -> str:
        return f"{self.cycle % 65536};612.51;230.12"

    def answer(self, line: str) -> str | None:
        if line == "*idn?":
            return "SOME,COUNTED,7,1" if self.task is None and not self.pushes else "SOME,PUSHED,7,1"
        if line == "cont on":
            self.task = asyncio.create_task(self.push())
        elif line == "cont off" and self.task:
            self.task.cancel()
        elif line.startswith("actn;"):
            self.asked += 1
            self.cycle += self.asked % 3 == 0
            return self.line()
        return None

    pushes = False

    async def push(self) -> None:
        while True:
            await asyncio.sleep(0.02)
            self.cycle += 1
            self.writers[-1].write(self.line().encode() + b"\n")


def test_a_counter_tells_new_cycles_from_old_ones() -> None:
    async def scenario() -> None:
        script = Counting()
        async with talking(script, COUNTED) as one:
            cycles = [next(r.value for r in await one.read() if r.channel == "cycle") for _ in range(4)]
        assert cycles == [65535.0, 0.0, 1.0, 2.0]

    asyncio.run(scenario())


def test_lines_that_are_pushed() -> None:
    async def scenario() -> None:
        script = Counting()
        script.pushes = True
        async with talking(script, PUSHED) as one:
            assert one.pushes
            taken = [await one.read() for _ in range(5)]
        assert [{r.channel: r.value for r in readings}["power"] for readings in taken] == [612.51] * 5
        cycles = [readings[0].value for readings in taken]
        assert all((b - a) % 65536 == 1 for a, b in pairwise(cycles))
        assert taken[0][0].u_t_ns > 0
        assert script.heard[-3:] == ["cont off", "*idn?", "*idn?"]

    asyncio.run(scenario())


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


def test_range_indices_acknowledged_commands_and_the_gap_between_them() -> None:
    async def scenario() -> None:
        script = Indexed()
        async with talking(script, INDEXED, range="200V-1A") as one:
            assert script.stored == {":RNG:VLT:FIX": "6", ":RNG:AMP:FIX": "4"}
            readings = await one.read()
            assert [reading.value for reading in readings] == [612.51, 230.12]
            assert {reading.range for reading in readings} == {"200V-1A"}
        assert script.stored == {":RNG:VLT:FIX": "7", ":RNG:AMP:FIX": "6"}
        assert all(b - a >= 0.045 for a, b in pairwise(script.times))

    asyncio.run(scenario())


def test_a_refused_command_is_told() -> None:
    async def scenario() -> None:
        with pytest.raises(BadReply, match="refuses"):
            async with talking(Indexed(":RNG:AMP:FIX"), INDEXED, range="200V-1A"):
                pass

    asyncio.run(scenario())


def test_auto_range_and_probe_need_an_auto_range() -> None:
    async def scenario() -> None:
        with pytest.raises(ConfigurationError, match="no auto-range"):
            async with talking(Indexed(), INDEXED, probe_s=1):
                pass

    asyncio.run(scenario())


async def _read_until_it_fails(one: Any) -> None:
    """Take what is still under way, and then what does not come."""
    while True:
        await one.read()


def test_a_device_that_stops_pushing_is_told() -> None:
    async def scenario() -> None:
        script = Counting()
        script.pushes = True
        async with talking(script, PUSHED) as one:
            await one.read()
            assert script.task is not None
            script.task.cancel()
            with pytest.raises(ConnectionFailed):
                await _read_until_it_fails(one)

    asyncio.run(scenario())
