"""Metrics of Telegraf, or others in InfluxDB line protocol: which fields are power, and of what.

Fields are known by the plugins' own documents (README.md of each in influxdata/telegraf, plugins/inputs): their names,
units and tags. Fields of the plugins modbus and snmp have the names and units that a person gave them; a person says
which is power.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wattmark_drivers.reading import Kind

from wattmark.core.amounts import MOST
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.units import names_part, no_power, spelled
from wattmark.importers.importer import Choices, Precision
from wattmark.importers.log_stamps import Stamps
from wattmark.importers.logs.chosen_power import NO_SERVER_POWER, WATTS, require_watts, watts_unit
from wattmark.importers.logs.line_protocol import (
    begins,
    escaped,
    is_proven,
    number_of,
    parse_point,
    proven_precision,
    split,
    stamp_ns,
    tags_of,
    unescaped,
)
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_channel import HOST, POWER, LogChannel, Stands, channel_id, quoted
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_reader import UNUSABLE, Line, LogReader, LogRow

CELSIUS = "\N{DEGREE SIGN}C"
_MOST_NAMED = 4
_MOST_HEADS = 10_000
"""Heads that are remembered; more belong to a log whose tags change all the time."""
_MOST_REMEMBERED = 10_000
"""Points among which one that stands twice is found; Telegraf's buffer holds as many."""
_STATES = frozenset({"status", "status_code", "status_desc", "state", "health"})
"""Tags that tell how a source is, and not which one it is."""
_LIKELY = re.compile(r"power|watt|(^|_)(kw|w|p)$", re.IGNORECASE)
"""Undocumented fields whose name indicates power."""
_UNIT_TAGS = ("unit", "units", "unit_of_measurement")
_NAME_TAGS = ("name", "sensor", "sensor_name", "entity_id", "metric", "topic", "type", "type_instance")
"""Tags that tell what a field without a name of its own holds."""
_NO_NAME = frozenset({"value", "gauge", "counter", "mean", "last", "reading", "state", "status"})
"""Fields that tell nothing of what they hold."""
_NUMBER_AS_TEXT = re.compile(r'"\s*[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\s*[A-Za-z]{0,5}\s*"')
_JSON = re.compile(r'\{\s*"(fields|metrics)"\s*:')
_AS_NUMBER = (
    "Write the field as a number: name it under float in [[processors.converter]] with [processors.converter.fields]."
)


@dataclass(frozen=True, slots=True)
class KnownField:
    """A field whose quantity and unit its plugin documents."""

    measurement: str
    field: str
    """Pattern of the whole name."""
    quantity: str
    unit: str
    stands: Stands = "part"
    """Of a field that is a whole server's power."""
    tags: tuple[tuple[str, str], ...] = ()
    """Tags that it must have."""
    source: tuple[str, ...] = ("host",)
    """Tags that distinguish sources."""
    names: tuple[str, ...] = ()
    """Tags that name the channel, in front of the field; none: the field alone."""


_DCMI = (("unit", "watts"), ("name", "instantaneous_power_reading"))
_GPU = ("host", "index", "uuid", "gpu_id")
_IN_HEADS = ",=\\"
"""Signs that need a backslash where a person names a head; a space does not, as the field follows the last one."""


def _ipmi(unit: str, quantity: str, of_product: str) -> KnownField:
    return KnownField(
        "ipmi_sensor", "value", quantity, of_product, "part", (("unit", unit),), ("server", "host"), ("name",)
    )


def _redfish(measurement: str, field: str, quantity: str, unit: str) -> KnownField:
    return KnownField(
        f"redfish_{measurement}", field, quantity, unit, "part", (), ("source", "address"), ("name", "member_id")
    )


KNOWN: tuple[KnownField, ...] = (
    KnownField("ipmi_sensor", "value", "power", "W", "bmc", _DCMI, ("server", "host")),
    _ipmi("watts", "power", "W"),
    _ipmi("volts", "voltage", "V"),
    _ipmi("degrees_c", "temperature", CELSIUS),
    _ipmi("rpm", "fan_speed", "RPM"),
    _redfish("power_powersupplies", "power_(input|output)_watts", "power", "W"),
    _redfish("power_powersupplies", "line_input_voltage", "voltage", "V"),
    _redfish("power_voltages", "reading_volts", "voltage", "V"),
    _redfish("thermal_temperatures", "reading_celsius", "temperature", CELSIUS),
    _redfish("thermal_fans", "reading_rpm", "fan_speed", "RPM"),
    KnownField("nvidia_smi", "power_draw", "power", "W", source=_GPU),
    KnownField("nvidia_smi", "temperature_gpu", "temperature", CELSIUS, source=_GPU),
    KnownField("nvidia_smi", "utilization_gpu", "ratio", "%", source=_GPU),
    KnownField("amd_rocm_smi", "power_draw", "power", "W", source=_GPU),
    KnownField("amd_rocm_smi", "temperature_sensor_.*", "temperature", CELSIUS, source=_GPU),
    KnownField(
        "powerstat_package", "current(_dram)?_power_consumption_watts", "power", "W", source=("host", "package_id")
    ),
    KnownField("cpu", "usage_active", "utilisation", "%", tags=(("cpu", "cpu-total"),)),
)


class _Target(NamedTuple):
    channel: int
    scale: float
    points_of: str = ""
    """Of a server's power: what its tags name, as a person gives it; empty for any other channel."""


@dataclass(slots=True)
class _Tags:
    """Which tags the points of one channel have, and how often they change."""

    sources: dict[str, None] = field(default_factory=dict)
    latest: str = ""
    changes: int = -1

    def add(self, points_of: str) -> None:
        if points_of != self.latest:
            self.changes += 1
            self.latest = points_of
            self.sources[points_of] = None

    @property
    def come_by_turns(self) -> bool:
        """Return whether tags that were left come again and again, as of several sources."""
        return self.changes > 2 * len(self.sources)


class _Repeats:
    """Finds points that stand twice among the latest, as a buffer that is sent again writes them."""

    def __init__(self) -> None:
        self._latest: set[str] = set()
        self._before: set[str] = set()

    def add(self, line: str) -> bool:
        """Take note of a point; return whether it stands twice."""
        if line in self._latest or line in self._before:
            return True
        if len(self._latest) == _MOST_REMEMBERED:
            self._latest, self._before = set(), self._latest
        self._latest.add(line)
        return False


class _Selector(NamedTuple):
    """What a person said: a measurement with some tags, a field, and its unit, if any."""

    measurement: str
    tags: Mapping[str, str]
    field: str
    unit: str

    @property
    def scale(self) -> float:
        return WATTS[self.unit or "W"].factor


class TelegrafReader(LogReader):
    """Reads points; only those fields that are known, and the one that a person chose."""

    local = False
    stamp_s = 0.0
    late = True

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._precision: Precision | None = choices.precision
        self._selector = _selector(choices.power)
        self._heads: dict[str, dict[str, _Target | None]] = {}
        self._numbers: dict[LogChannel, int] = {}
        self._tags: defaultdict[int, _Tags] = defaultdict(_Tags)
        self._repeats = _Repeats()

    def read(self, line: str) -> Sequence[LogRow]:
        """Read a point. Raises ValueError for what is none."""
        if line.startswith("#"):
            return ()
        _refuse_json(line)
        line = line.removeprefix("> ")  # as `telegraf --test` prints it
        self.of = self._of_head(line)
        point = parse_point(line)
        targets = self._targets_of(point.head)
        channels, values = [], []
        for key, text in point.fields:
            number = number_of(text)
            if number is None:
                self._note_text(point.head, key, text)
            elif key not in targets:
                targets[key] = self._target(point.head, key)
            target = targets.get(key)
            if target is None:
                continue
            if number is not None and abs(number * target.scale) > MOST:
                self.at = self._stamp_ns(point.stamp)
                raise ValueError(f"{text[:40]!r} is not a plausible measured value")
            if target.points_of:
                self._tags[target.channel].add(target.points_of)
            channels.append(target.channel)
            values.append(UNUSABLE if number is None else number * target.scale)
        if not channels:
            return ()
        if self._repeats.add(line):
            self.repeated += 1
            return ()
        return [LogRow(self._stamp_ns(point.stamp), tuple(channels), values)]

    def require_one_series(self, file: str, t_ns: Stamps, lines: Sequence[Line], /) -> None:
        """Refuse points of several sources that one name stands for. Raises `InputError`."""
        self._require_one_source()
        super().require_one_series(file, t_ns, lines)

    def take(self, parts: Sequence[ChannelPart]) -> Sequence[ChannelPart]:
        """Take note of a block of readings. Raises `InputError` for power of several sources under one name."""
        self._require_one_source()
        return super().take(parts)

    def _require_one_source(self) -> None:
        for channel, tags in self._tags.items():
            if tags.come_by_turns:
                raise InputError(
                    f"Points of {self.channels[channel].source[:80]!r} come in turn from {len(tags.sources)} sources, "
                    "which other tags distinguish.",
                    f"Choose one with --power: {quoted(list(tags.sources)[:_MOST_NAMED])}.",
                )

    def _targets_of(self, head: str) -> dict[str, _Target | None]:
        """Return where the fields of a head go, as far as they came up. Raises ValueError for what is not a head."""
        targets = self._heads.get(head)
        if targets is None:
            if len(self._heads) == _MOST_HEADS:
                self._heads.clear()
            tags_of(head)
            targets = self._heads[head] = {}
        return targets

    def _note_text(self, head: str, key: str, text: str) -> None:
        """Report a power that is written as text, with what to do."""
        if _NUMBER_AS_TEXT.fullmatch(text) and self._is_power(head, key):
            self.unusable.append(f"{unescaped(key)[:80]} is text and not a number: {text[:40]}")
            self.remedy = _AS_NUMBER

    def _of_head(self, line: str) -> tuple[int, ...]:
        """Return the channels of the lines that begin as this one does, as far as it can be read."""
        targets = self._heads.get(line.partition(" ")[0], {})
        return tuple(target.channel for target in targets.values() if target is not None)

    def _stamp_ns(self, stamp: str) -> int:
        if self._precision is None:
            self._precision = proven_precision(stamp)
            if self._precision is None:
                raise ValueError("its stamp does not prove its unit; say it with --precision")
        if self.choices.precision and (proven := proven_precision(stamp)) not in (None, self._precision):
            self.remedy = "Leave --precision out: the stamps prove their unit."
            raise ValueError(f"its stamp is not in {self._precision}, as --precision says, but in {proven}")
        t_ns = stamp_ns(stamp, self._precision)
        if self.choices.precision is None and not is_proven(t_ns):
            raise ValueError(f"its stamp is not in {self._precision} as those before it")
        return t_ns

    def _is_power(self, head: str, key: str) -> bool:
        """Return whether a field is the one that a person chose, or one of power by its plugin or its name."""
        measurement, tags = tags_of(head)
        field = unescaped(key)
        if self._selector is not None and _fits(self._selector, measurement, tags, field):
            return True
        known = next((item for item in KNOWN if _is(item, measurement, tags, field)), None)
        return _may_be_power(measurement, tags, field) if known is None else known.quantity == "power"

    def _target(self, head: str, key: str) -> _Target | None:
        measurement, tags = tags_of(head)
        field = unescaped(key)
        known = next((item for item in KNOWN if _is(item, measurement, tags, field)), None)
        if self._selector and _fits(self._selector, measurement, tags, field):
            self._require_power(known, measurement, tags, self._selector)
            distinct = sorted(tags) if known is None else (*known.source, *known.names)
            source = _source(measurement, [tags[name] for name in distinct if name in tags])
            stands: Stands = "wall" if known is None else "bmc"
            channel = LogChannel(source, POWER, "power", "W", f"{field} of {source}"[:200], stands=stands)
            is_part = known is not None and known.stands == "part"
            self.take_for_server(channel.label, is_part=is_part or names_part(f"{_what(measurement, tags)} {field}"))
            return _Target(self._number(channel), self._selector.scale, _points_of(measurement, tags, field))
        if known.quantity == "power" if known is not None else _may_be_power(measurement, tags, field):
            self.offer(f"{_written(measurement, tags)} {escaped(field)}")
        if known is None:
            self.exclude(f"{measurement} {field}"[:80])
            return None
        channel = _channel(known, tags, field, chosen=self._selector is not None)
        of_power = _points_of(measurement, tags, field) if channel.id == POWER else ""
        return _Target(self._number(channel), 1.0, of_power)

    @staticmethod
    def _require_power(
        known: KnownField | None, measurement: str, tags: Mapping[str, str], selector: _Selector
    ) -> None:
        """Refuse a chosen series that is no power by its plugin, its tags or its name. Raises `InputError`."""
        what = f"{selector.field} of {_written(measurement, tags)}"[:120]
        documented = known.unit if known is not None else next((tags[tag] for tag in _UNIT_TAGS if tag in tags), "")
        if documented:
            unit = documented if documented in WATTS else spelled(documented)
            if unit not in WATTS or (known is not None and known.quantity != "power"):
                raise InputError(
                    f"{what!r} is in {documented}: {NO_SERVER_POWER}.",
                    "Name a series of power with --power, or import the log without it.",
                )
            if WATTS[unit].factor != selector.scale:
                raise InputError(
                    f"{what!r} is in {documented}, and --power reads it in {selector.unit or 'W'}.",
                    "Name no unit behind the field." if unit == "W" else f"Name {unit} behind the field.",
                )
        if not selector.unit:
            field = selector.field
            require_watts(_what(measurement, tags) if field in _NO_NAME else field, f"... {field}")

    def _number(self, channel: LogChannel) -> int:
        if channel not in self._numbers:
            self._numbers[channel] = self.channels.number(channel)
        return self._numbers[channel]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading."""
        if self.choices.precision:
            read = f"Stamps were read in {self.choices.precision}, as the person who imported it said."
        else:
            read = f"Stamps were read in {self._precision}: in any other unit they lie outside the years 2000 to 2100."
        twice = f"{self.repeated} points stand twice, as a buffer that is sent again writes them; each counts once."
        return (*super().notes, read, *([twice] if self.repeated else []))


def _is_json(line: str) -> bool:
    """Return whether a line begins as metrics do that Telegraf writes as JSON."""
    return line.startswith("{") and _JSON.match(line) is not None


def _refuse_json(line: str) -> None:
    """Refuse metrics that are written as JSON. Raises `InputError`."""
    if _is_json(line):
        raise InputError(
            "The metrics are written as JSON, and line protocol is read.",
            'Have Telegraf write them with data_format = "influx" in [[outputs.file]].',
        )


def _begins(lines: Sequence[str]) -> bool:
    """Return whether a file begins with points, or with metrics as JSON, which are refused with what to do."""
    return begins(lines) or any(_is_json(line) for line in lines[:1])


def _selector(text: str | None) -> _Selector | None:
    """Read "measurement,tag=value field [unit]"; None where nobody chose."""
    if text is None:
        return None
    parts = list(split(text.strip(), " "))
    unit = watts_unit(parts[-1]) if len(parts) > 2 else ""
    words = parts[:-1] if unit else parts
    head, field = " ".join(words[:-1]), words[-1]
    try:
        measurement, tags = tags_of(head)
    except ValueError:
        measurement, tags = head, {}
    return _Selector(measurement, tags, unescaped(field), unit)


def _fits(selector: _Selector, measurement: str, tags: Mapping[str, str], field: str) -> bool:
    return (
        selector.measurement == measurement
        and selector.field == field
        and all(tags.get(key) == value for key, value in selector.tags.items())
    )


def _is(known: KnownField, measurement: str, tags: Mapping[str, str], field: str) -> bool:
    return (
        known.measurement == measurement
        and re.fullmatch(known.field, field) is not None
        and all(tags.get(key) == value for key, value in known.tags)
    )


def _channel(known: KnownField, tags: Mapping[str, str], field: str, *, chosen: bool) -> LogChannel:
    source = _source(known.measurement, [tags[key] for key in known.source if key in tags])
    if known.measurement == "cpu":
        source = f"{HOST}.{tags['host']}"[:120] if "host" in tags else HOST
        return LogChannel(source, "cpu_utilisation", known.quantity, known.unit, "CPU utilisation", Kind.AVERAGED)
    if known.stands != "part" and not chosen:
        return LogChannel(source, POWER, known.quantity, known.unit, f"Power of {source}"[:200], stands=known.stands)
    names = [tags[key] for key in known.names if key in tags]
    name = " ".join([*names, *([] if field == "value" and names else [field])])
    wanted = channel_id(name)
    taken = wanted in (POWER, "energy", "dcmi_power", "energy_import")
    return LogChannel(source, f"{wanted}_part" if taken else wanted, known.quantity, known.unit, name[:200])


def _may_be_power(measurement: str, tags: Mapping[str, str], field: str) -> bool:
    """Return whether an undocumented series is power by its name, or by a tag with its unit."""
    unit = next((tags[tag] for tag in _UNIT_TAGS if tag in tags), "")
    if unit and (unit if unit in WATTS else spelled(unit)) not in WATTS:
        return False
    name = _what(measurement, tags) if field in _NO_NAME else field
    return bool(unit or _LIKELY.search(name)) and not no_power(name)


def _what(measurement: str, tags: Mapping[str, str]) -> str:
    """Return the words of a head that tell what it is of, and not of which machine."""
    return " ".join([measurement, *(tags[tag] for tag in _NAME_TAGS if tag in tags)])


def _points_of(measurement: str, tags: Mapping[str, str], field: str) -> str:
    """Write what a person names to choose the points with these tags, but for those of their state."""
    lasting = {key: value for key, value in tags.items() if key not in _STATES}
    return f"{_written(measurement, lasting)} {escaped(field)}"


def _source(measurement: str, tags: Sequence[str]) -> str:
    return " ".join([measurement, *tags])[:120]


def _written(measurement: str, tags: Mapping[str, str]) -> str:
    """Write a head as it is read again, with its spaces as they are."""
    pairs = (f"{escaped(key, _IN_HEADS)}={escaped(value, _IN_HEADS)}" for key, value in tags.items())
    return ",".join([escaped(measurement, _IN_HEADS), *pairs])


TELEGRAF = LogFormat(
    kind="telegraf",
    title="Log in InfluxDB line protocol",
    takes="a file of points, as Telegraf's outputs.file writes it",
    time_zone="in the files",
    begins=_begins,
    reader=TelegrafReader,
)
