"""What the map must carry besides Yokogawa's way: lines that are pushed, and cycles that are counted."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from wattmark_drivers.errors import ConnectionFailed

from .dialect import HEAD, Script, talking

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


async def test_a_counter_tells_new_cycles_from_old_ones() -> None:
    script = Counting()
    async with talking(script, COUNTED) as meter:
        cycles = [next(r.value for r in await meter.read() if r.channel == "cycle") for _ in range(4)]
    assert cycles == [65535.0, 0.0, 1.0, 2.0]


async def test_lines_that_are_pushed() -> None:
    script = Counting()
    script.pushes = True
    async with talking(script, PUSHED) as meter:
        assert meter.pushes
        taken = [await meter.read() for _ in range(5)]
    assert [{r.channel: r.value for r in readings}["power"] for readings in taken] == [612.51] * 5
    cycles = [readings[0].value for readings in taken]
    assert all((b - a) % 65536 == 1 for a, b in pairwise(cycles))
    assert taken[0][0].u_t_ns > 0
    assert script.heard[-3:] == ["cont off", "*idn?", "*idn?"]


async def _read_until_it_fails(meter: Any) -> None:
    """Take what is still under way, and then what does not come."""
    while True:
        await meter.read()


async def test_a_device_that_stops_pushing_is_told() -> None:
    script = Counting()
    script.pushes = True
    async with talking(script, PUSHED) as meter:
        await meter.read()
        assert script.task is not None
        script.task.cancel()
        with pytest.raises(ConnectionFailed):
            await _read_until_it_fails(meter)
