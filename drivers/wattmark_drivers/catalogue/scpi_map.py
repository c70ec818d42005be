"""The dialogue with a bench analyser: identification, settings, ranges, the measuring request, and what guards it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import ComposedRange, ProtocolMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, ErrorQueue, Fresh, Integration, OverRange, Query
from wattmark_drivers.catalogue.scpi_setting import Setting, close
from wattmark_drivers.catalogue.source import Declared, Fact

ENGINE_OPTIONS = ("elements", "expected_w", "psu_rating_w", "mains_v", "probe_s", "auto_range", "integrate")
"""Options of the engine itself; a declaration adds its settings."""
_RANGE_NAME = re.compile(r"([0-9.]+)V-([0-9.]+)A")


LINE_ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
End = Literal["lf", "crlf", "cr"]


class Identification(Fact):
    """How the device says who it is; ``pattern`` has the groups model, serial and firmware as far as it tells them."""

    ask: str = "*IDN?"
    pattern: str
    simulated: str
    """What the simulator answers; ``{serial}`` is its serial number."""

    @model_validator(mode="after")
    def _pattern_matches(self) -> Self:
        if not re.fullmatch(self.pattern, self.simulated.format(serial="SIMULATED1")):
            raise ValueError("the pattern does not match what the simulator answers")
        return self


class InputRanges(Fact):
    """The ranges of one kind of input by crest factor, and the settings that choose them."""

    setting: str
    auto: str | None = None
    """The setting that lets the device choose by itself."""
    crest: dict[float, tuple[float, ...]] = Field(min_length=1)
    """Nominal ranges [V or A] in ascending order, by the crest factor that each allows at its nominal value."""
    fixed_by_range: bool = False
    """No command ends auto-range: writing the range does."""
    over_pct: float = Field(default=100.0, ge=100)
    """Above this share of a range the device reports over-range [%]."""


class Ranges(Declared):
    """Voltage and current ranges; the power range of an element is their product."""

    voltage: InputRanges
    current: InputRanges
    crest_setting: str | None = None
    """The setting of the crest factor; None where there is one crest factor only."""


class UnusedCommand(Declared):
    """A command of the manual that the driver does not use; the simulator answers it as the device does."""

    command: str
    answer: str | None = None
    """The answer of a query; ``{name}`` is the value of the setting of that name. None: a command without answer."""


class ScpiMap(ProtocolMap):
    """Everything the engine for query-type analysers needs."""

    schemes: ClassVar = ("scpi-tcp", "serial", "vxi11", "hislip", "usbtmc")
    carried: ClassVar = {"scpi-tcp": "serial"}
    engine: Literal["scpi"]
    identification: Identification
    elements: tuple[int, ...] = (1,)
    """Numbers of the input elements that a full instrument has."""
    settings: tuple[Setting, ...] = ()
    """In the order in which they must be set."""
    ranges: Ranges | None = None
    queries: tuple[Query, ...] = Field(min_length=1)
    fresh: Fresh
    over_range: OverRange | None = None
    errors: ErrorQueue | None = None
    integration: Integration | None = None
    update_setting: str | None = None
    """The setting that holds the update period [s]."""
    invalid: tuple[str, ...] = ()
    """Numbers or texts that mean 'no value'; a NaN always does."""
    over: tuple[str, ...] = ()
    """Numbers or texts that mean 'above the range'; an infinity always does."""
    enter: tuple[str, ...] = ()
    """Commands before everything else: remote mode, stop of an endless output."""
    leave: tuple[str, ...] = ()
    """Commands after everything else: local mode."""
    command_gap_s: float = Field(default=0.0, ge=0)
    """Silence that the device wants after a command without answer [s]."""
    acknowledgement: str = ""
    """What the device answers to a command that it accepts, where it answers commands at all."""
    blank_lines: bool = False
    """The device answers a command with an empty line, over some of its ways; empty lines mean nothing then."""
    reply_tail: str = ""
    """What a good answer ends with (a status code); another end is a refusal."""
    send_end: dict[str, End] = {}
    """Line end of what is sent, by scheme; LF where nothing is said."""
    reply_end: dict[str, End] = {}
    """Line end of answers, by scheme; LF where nothing is said, and a CR before it is dropped."""
    handshake: Literal["none", "rts-cts"] = "none"
    """Hardware handshake of the serial line."""
    quiet_gap_s: float = Field(default=0.3, gt=0)
    """Silence after an error before the line is used again [s]."""
    known: tuple[UnusedCommand, ...] = ()

    @property
    def measured(self) -> Sequence[AnswerField]:
        """List the fields of all requests."""
        return [field for query in self.queries for field in query.fields]

    @property
    def option_names(self) -> tuple[str, ...]:
        """Return the settings that a person may choose, and the options of the engine."""
        return (*(item.name for item in self.settings if item.option), *ENGINE_OPTIONS)

    def setting(self, name: str) -> Setting:
        """Find a setting, one of a range with all its ranges as values. Raises KeyError."""
        setting = {item.name: item for item in self.settings}[name]
        kinds = (self.ranges.voltage, self.ranges.current) if self.ranges else ()
        rows = [row for kind in kinds if kind.setting == name for row in kind.crest.values()]
        if not rows:
            return setting
        return setting.model_copy(update={"values": tuple(sorted({value for row in rows for value in row}))})

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the identification, the ranges, and the settings and channels with sources of their own."""
        yield "identification", self.identification
        if self.ranges:
            yield "voltage ranges", self.ranges.voltage
            yield "current ranges", self.ranges.current
        yield from ((f"setting {item.name}", item.evidence) for item in self.settings if item.evidence)
        yield from super().facts()

    def composed_range(self, name: str) -> ComposedRange | None:
        """Read a range named `300V-5A`; None when the device has no such voltage or current range."""
        match = _RANGE_NAME.fullmatch(name)
        if match is None or self.ranges is None:
            return None
        ranges = []
        for text, kind in zip(match.groups(), (self.ranges.voltage, self.ranges.current), strict=True):
            wanted = float(text) if text.count(".") < 2 and text != "." else -1.0
            ranges.append(next((value for row in kind.crest.values() for value in row if close(value, wanted)), None))
        voltage_v, current_a = ranges
        if voltage_v is None or current_a is None:
            return None
        over = self.ranges.voltage.over_pct * self.ranges.current.over_pct / 1e4
        return ComposedRange(voltage_v, current_a, voltage_v * current_a * over if over > 1 else None)

    @property
    def range_form(self) -> str:
        """Show how a range is named; empty where there are none."""
        if self.ranges is None:
            return ""
        lists = [
            ", ".join(f"{value:g}" for value in sorted({value for row in kind.crest.values() for value in row}))
            for kind in (self.ranges.voltage, self.ranges.current)
        ]
        return f"a voltage and a current range such as 300V-5A (V: {lists[0]}; A: {lists[1]})"

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        names = [item.name for item in self.settings]
        if len(set(names)) != len(names) or set(names) & set(ENGINE_OPTIONS):
            raise ValueError("two settings have the same name, or one has the name of an option of the engine")
        wanted = {self.update_setting} - {None}
        if self.ranges:
            kinds = (self.ranges.voltage, self.ranges.current)
            wanted |= {self.ranges.crest_setting, *(kind.auto for kind in kinds)} - {None}
            wanted |= {kind.setting for kind in kinds}
        missing = wanted - set(names)
        if missing:
            raise ValueError(f"there is no setting {', '.join(sorted(map(str, missing)))}")
        return self

    @model_validator(mode="after")
    def _channels_are_told_apart(self) -> Self:
        channels = [field.channel for field in self.measured]
        if len(set(channels)) != len(channels):
            raise ValueError("two fields have the same channel")
        for named in {self.fresh.channel, self.fresh.span} - {"", *channels}:
            raise ValueError(f"there is no channel {named} that counts cycles or gives their length")
        unknown = {item for query in self.queries for item in (f.element for f in query.fields)}
        unknown -= {None, "sum", *self.elements}
        if unknown:
            raise ValueError(f"fields name elements that do not exist: {', '.join(map(str, unknown))}")
        return self
