"""Every analyser of the catalogue, read from a server that is not ours over TCP and over a serial line.

The server keeps what is written to each header and answers a measuring request with the numbers put in; of the
declaration it knows the words, and nothing of the driver's or the simulator's code.
"""

import asyncio
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.catalogue import Declaration, load_catalogue
from wattmark_drivers.catalogue.scpi_map import LINE_ENDS, ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, FreshBy, Query
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.address import SCHEMES
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings

MODELS = {name: item for name, item in load_catalogue().items() if isinstance(item.protocol, ScpiMap)}
WAYS = [(name, way) for name in sorted(MODELS) for way in ("scpi-tcp", "serial") if MODELS[name].transport(way)]


class Declared:
    """An instrument that takes any word of its declaration, and shows the numbers that were put in."""

    def __init__(self, declaration: Declaration) -> None:
        self.table: Any = declaration.protocol
        self.stored: dict[str, str] = {}
        for item in self.table.settings:
            for element in self.table.elements if "<x>" in item.command else (None,):
                self.stored[_key(item.command, element)] = item.written(item.normal(item.power_on))
        self.numbers: dict[str, str] = {}
        self.chosen: dict[int, str] = {}
        self.asked: tuple[Query, str]
        self.cycle = 0
        self.push = False
        self.looks = 0

    def handle(self, line: str) -> str | None:
        table = self.table
        if table.fresh.by is FreshBy.PUSH and line == table.fresh.start:
            return self._answer(*self.asked)
        if line == table.identification.ask:
            return str(table.identification.simulated.format(serial="R1")) + str(table.reply_tail)
        answer = self._measure(line) or self._status(line) or self._setting(line)
        if answer is None:
            return table.acknowledgement or None
        return answer + str(table.reply_tail)

    def _measure(self, line: str) -> str | None:
        for query in self.table.queries:
            head, _, tail = query.ask.partition("{items}")
            if _key(line) == _key(query.ask) or (
                tail != query.ask and "{items}" in query.ask and _key(line).startswith(_key(head.rstrip()))
            ):
                items = _key(line)[len(_key(head)) :] if "{items}" in query.ask else ""
                return self._answer(query, items.strip())
        return None

    def _answer(self, query: Query, items: str) -> str:
        self.cycle += 1
        self.asked = (query, items)
        if query.select:
            fields = [self._find(query, self.chosen[n]) for n in sorted(self.chosen)]
        elif items:
            fields = [self._find(query, item) for item in items.split(query.joiner)]
        else:
            texts = ["0"] * (query.length or len(query.answered))
            for number, field in enumerate(query.answered):
                texts[number if field.index is None else field.index] = self._text(query, field)
            return query.separator[0].join(texts)
        return query.separator[0].join(self._text(query, field) for field in fields)

    def _find(self, query: Query, item: str) -> AnswerField:
        return next(field for field in query.fields if _key(field.item) == _key(item))

    def _text(self, query: Query, field: AnswerField) -> str:
        text = str(self.cycle) if field.channel == self.table.fresh.channel else self.numbers[field.channel]
        return f"{field.name} {text}" if query.named else text

    def _status(self, line: str) -> str | None:
        fresh, over, errors = self.table.fresh, self.table.over_range, self.table.errors
        if fresh.by is FreshBy.EVENT and _key(line) == _key(fresh.ask):
            self.looks += 1
            return str((self.looks % 2 == 0) << fresh.bit)
        if fresh.by is FreshBy.WAIT and _key(line) in {_key(fresh.ask), _key(fresh.clear)}:
            return "1"
        if over and _key(line) == _key(over.ask):
            return "0"
        if errors and _key(line) == _key(errors.ask):
            return f'{errors.none},"none"'
        return None

    def _setting(self, line: str) -> str | None:
        for item in self.table.settings:
            for value, whole in item.commands.items():
                if _key(whole) == _key(line):
                    self.stored[_key(item.command)] = item.tokens.get(value, value)
                    return None
        for query in self.table.queries:
            if query.clear and _key(line) == _key(query.clear):
                self.chosen.clear()
                return None
            if query.select and (fields := _fits(query.select, line)):
                self.chosen[int(fields.get("n") or len(self.chosen) + 1)] = fields["item"]
                return None
            if query.selected and (fields := _fits(query.selected, line)):
                return self.chosen.get(int(fields["n"]), "NONE")
        header, _, value = line.partition(" ")
        if header.endswith("?"):
            asked = next(
                (setting for setting in self.table.settings if setting.query and _key(setting.query) == _key(line)),
                None,
            )
            return self.stored.get(_key(asked.command) if asked else _key(header[:-1]), "1")
        self.stored[_key(header)] = value
        self._end_auto_range(_key(header))
        return None

    def _end_auto_range(self, header: str) -> None:
        """Do as the instruments do that end auto-range when a range is written, and have no command for it."""
        ranges = self.table.ranges
        for kind in (ranges.voltage, ranges.current) if ranges else ():
            commands = {item.name: _key(item.command) for item in self.table.settings}
            if kind.fixed_by_range and commands[kind.setting] == header != commands[kind.auto]:
                self.stored[commands[kind.auto]] = "0"


def _key(text: str, element: int | None = None) -> str:
    """Bring a command of the notation, or what was sent, to one form: capitals of the short words, no brackets."""
    header, space, data = re.sub(r"<x>", str(element or ""), text).partition(" ")
    bare = header.replace("[", "").replace("]", "")
    return re.sub("[A-Za-z]+", lambda word: _short(word[0]), bare) + space + data


def _short(word: str) -> str:
    return "".join(char for char in word if char.isupper()) or word


def _fits(pattern: str, line: str) -> dict[str, str] | None:
    named = re.escape(_key(pattern)).replace(r"\{n\}", r"(?P<n>\d+)").replace(r"\{item\}", "(?P<item>.+)")
    match = re.fullmatch(named, _key(line))
    return match.groupdict() if match else None


def planted_values(table: Any) -> dict[str, float]:
    """Choose a number for each channel, all different, and such that volts, amperes and watts belong together."""
    numbers = {}
    for field in table.measured:
        n = field.element if isinstance(field.element, int) else 7
        volts, amperes, factor = 220.0 + n, 1.5 + n / 10, 0.9 + n / 200
        apparent = volts * amperes
        numbers[field.channel] = {
            "voltage": volts, "current": amperes, "power_factor": factor, "apparent_power": apparent,
            "power": apparent * factor, "reactive_power": apparent * math.sqrt(1 - factor**2),
            "frequency": 50.0 + n / 100,
            "voltage_peak": volts * 1.5, "current_peak": amperes * 2, "energy": 1000.0 + n, "duration": 0.25,
        }.get(field.quantity, 1.0 + n / 1000)  # fmt: skip
    for total in (field for field in table.measured if field.summed):
        parts = [f for f in table.measured if f.quantity == total.quantity and isinstance(f.element, int)]
        numbers[total.channel] = sum(numbers[part.channel] for part in parts)
    return numbers


class Ended:
    """Ends each answer as this way does, and acknowledges commands by an empty line where the device does."""

    def __init__(self, device: Declared, way: str) -> None:
        self.device = device
        self.end = LINE_ENDS[device.table.reply_end.get(way, "lf")]

    def handle(self, line: str) -> bytes | None:
        answer = self.device.handle(line)
        if answer is None and self.device.table.blank_lines:
            answer = ""
        return None if answer is None else answer.encode() + self.end


def make(declaration: Declaration, url: str, options: dict[str, Any]) -> Any:
    """Make the meter without the silences that a device wants between commands; others prove those."""
    if not getattr(declaration.protocol, "command_gap_s", 0.0):
        return create_meter(MeterSettings("m", declaration.id, url, options=options))
    parts = urlsplit(url)
    transport = declaration.transport(parts.scheme)
    assert transport is not None
    return make_meter(
        MeterSettings("m", declaration.id, url, options=options),
        declaration,
        declaration.protocol.model_copy(update={"command_gap_s": 0.0}),
        SCHEMES[parts.scheme].parse(parts, transport),
        timeout_s=transport.timeout_s,
        clock=SystemClock(),
    )


@pytest.mark.parametrize(("model", "way"), WAYS)
def test_every_channel_is_read_back(model: str, way: str, tmp_path: Path, servers: Sequence[Any]) -> None:
    declaration, table = MODELS[model], MODELS[model].protocol
    device = Declared(declaration)
    numbers = planted_values(table)
    device.numbers = {f.channel: f"{numbers[f.channel] / f.scale:.6E}" for f in table.measured}
    ended = Ended(device, way)
    server = servers[0](ended) if way == "scpi-tcp" else servers[1](ended, tmp_path / "port")
    server.start()
    options: dict[str, Any] = {"integrate": "on"} if table.integration else {}
    if table.integration:
        device.stored[_key(table.integration.state)[:-1]] = table.integration.running

    async def scenario() -> dict[str, Any]:
        meter = make(declaration, server.url, options)
        await meter.open()
        try:
            return {reading.channel: reading for reading in await meter.read()}
        finally:
            await meter.close()

    try:
        readings = asyncio.run(scenario())
    finally:
        server.stop()

    assert set(readings) == {field.channel for field in table.measured}
    for field in table.measured:
        if field.channel == table.fresh.channel:
            continue
        reading = readings[field.channel]
        assert reading.value == pytest.approx(numbers[field.channel], rel=1e-6), field.channel
        assert (reading.quality, reading.unit) == (Quality.GOOD, field.unit), field.channel
