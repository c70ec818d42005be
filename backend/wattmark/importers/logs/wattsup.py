"""Logs of a Watts Up? meter: its own serial records, and what four public loggers write.

Sources: the meter's Communications Protocol revision 4.41 (records ``#d``; W, V, Hz and VA in tenths, A in
thousandths, PF in hundredths; ``#L,W,3,E,,n;`` asks for a record each n seconds); kjordahl/Watts-Up--logger and
isaaclino/wattsup (wattsup.py, samples/*.raw, log0.out: "date time number W V A"); Y. Yoon's wattsup.py 0.1.1 (CSV with
"Meter, Time, W, V, A, ..."; its VA is left in tenths); jantman/misc-scripts (watts_up_pro_logger.py: CSV with a Unix
stamp; its amperes are thousandths divided by 10); pyrovski/watts-up (util.c: "[HH:MM:SS] [watts] 61.2, ...").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wattmark_drivers.reading import Kind

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices
from wattmark.importers.logs.log_channel import POWER, LogChannel
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_reader import UNUSABLE, LogReader, LogRow, measured, unix_ns
from wattmark.importers.logs.wall_clock import SECOND_NS, RunningDay, as_if_utc_ns, clock_ns, day_ns

METER = "Watts Up?"
CHANNELS = {
    "W": LogChannel(METER, POWER, "power", "W", "True power", Kind.AVERAGED, "wall"),
    "V": LogChannel(METER, "voltage", "voltage", "V", "Voltage", Kind.AVERAGED),
    "A": LogChannel(METER, "current", "current", "A", "Current", Kind.AVERAGED),
    "PF": LogChannel(METER, "power_factor", "power_factor", "1", "Power factor", Kind.AVERAGED),
    "HZ": LogChannel(METER, "frequency", "frequency", "Hz", "Frequency", Kind.AVERAGED),
    "VA": LogChannel(METER, "apparent_power", "apparent_power", "VA", "Apparent power", Kind.AVERAGED),
}
RECORD = (
    *("W", "V", "A", "WH", "Cost", "WH/Mo", "Cost/Mo"),
    *("Wmax", "Vmax", "Amax", "Wmin", "Vmin", "Amin", "PF", "DC", "PC", "HZ", "VA"),
)
"""Fields of a record, in the order that every meter's own heading gives."""
MAINS_V = (80.0, 280.0)
"""100 to 250 V of its data sheet, with room for a mains that sags and rises."""
SERIAL = {"W": 0.1, "V": 0.1, "A": 0.001, "PF": 0.01, "HZ": 0.1, "VA": 0.1}
"""Scales of the meter's records."""
YOON = {"W": 1.0, "V": 1.0, "A": 1.0, "PF": 0.01, "HZ": 1.0, "VA": 0.1}
JANTMAN = {
    "watts": ("W", 1.0),
    "volts": ("V", 1.0),
    "amps": ("A", 0.01),
    "PowerFactor": ("PF", 0.01),
    "Hz": ("HZ", 1.0),
    "VA": ("VA", 1.0),
}
UTILITY = {
    "watts": ("W", 1.0),
    "volts": ("V", 1.0),
    "amps": ("A", 1.0),
    "power factor": ("PF", 0.01),
    "frequency": ("HZ", 1.0),
    "VA": ("VA", 1.0),
}
_MOST_NAMED = 5
_SPACED = re.compile(r"(\d{4})-(\d\d)-(\d\d) ([\d:.]+) \d+ (\S+) (\S+) (\S+)", re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T]([\d:.]+)", re.ASCII)
_RECORD = re.compile(r"#d,[^,;]*,18,([^;#]*);?")
_EACH_RECORD = re.compile(r"(?=#d)")
_ASKED = re.compile(r"#L,W,3,E,[^,]*,(\d{1,6});?", re.ASCII)
_OTHER_RECORD = re.compile(r"#[a-zA-Z],[^#]*;?")
_UTILITY = re.compile(r"\[(\d\d:\d\d:\d\d)\] (\[[A-Za-z].*)", re.ASCII)
_LABELLED = re.compile(r"\[([^\]]+)\] (\S+?)(?:, |$)")


class _Column(NamedTuple):
    place: int
    channel: int
    scale: float


class WattsUpReader(LogReader):
    """Reads the lines of one log; which logger wrote it shows in each line, or in its heading."""

    single_table = True

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._numbers = {name: self.channels.number(channel) for name, channel in CHANNELS.items()}
        self._names = [name for name in RECORD if name in SERIAL]
        self._columns: list[_Column] = []
        self._width = 0
        self._row_of: Callable[[str], LogRow | None] | None = None
        self._torn = 0
        self._step_s = 1
        self._latest_ns: int | None = None
        """When the latest record was taken."""
        self._steps_s: dict[int, None] = {}
        """Seconds between records, in the order in which they were asked for."""
        self._day: RunningDay | None = None
        self._unstamped = False
        self._meter: str | None = None

    def read(self, line: str) -> Sequence[LogRow]:
        """Read a line of any of the loggers. Raises ValueError for what it does not understand."""
        if line.startswith("#"):
            return self._serial(line)
        if match := _SPACED.fullmatch(line):
            year, month, day, clock, *values = match.groups()
            t_ns = day_ns(int(year), int(month), int(day)) + clock_ns(clock)
            return [self._row(t_ns, ["W", "V", "A"], values, {})]
        if line.startswith("["):
            return [self._of_utility(line)]
        if line.startswith(("Meter,", "datetime,")):
            self._begin_table(line)
            return ()
        if self._row_of is None:
            raise ValueError("no logger of a Watts Up? writes such a line")
        row = self._row_of(line)
        return () if row is None else [row]

    def _row(self, t_ns: int, names: Sequence[str], texts: Sequence[str], scales: dict[str, float]) -> LogRow:
        self.at, self.of = t_ns, tuple(self._numbers[name] for name in names)
        values = [measured(text, scales.get(name, 1.0)) for name, text in zip(names, texts, strict=True)]
        _require_mains(dict(zip(names, values, strict=True)).get("V"))
        return LogRow(t_ns, self.of, values)

    def _serial(self, line: str) -> Sequence[LogRow]:
        if asked := _ASKED.fullmatch(line):
            self._step_s = max(int(asked[1]), 1)
            return ()
        if not line.startswith("#d"):
            if _OTHER_RECORD.fullmatch(line):
                return ()
            raise ValueError("it is not a record of 18 fields")
        return [self._record(record) for record in _EACH_RECORD.split(line) if record]

    def _record(self, record: str) -> LogRow:
        """Read one record; a torn one keeps its second, and its power is invalid there."""
        t_ns = self._latest_ns = self._next_ns()
        try:
            return self._whole_record(record, t_ns)
        except ValueError as error:
            self.unusable.append(str(error))
            self._torn += 1
            return LogRow(t_ns, (self._numbers["W"],), [UNUSABLE])

    def _whole_record(self, record: str, t_ns: int) -> LogRow:
        match = _RECORD.fullmatch(record.strip())
        if match is None:
            raise ValueError("it is not a record of 18 fields")
        fields = match[1].split(",")
        if len(fields) != len(RECORD):
            raise ValueError(f"the record has {len(fields)} of 18 fields")
        texts = dict(zip(RECORD, fields, strict=True))
        names = [name for name in self._names if texts[name].strip() != "_"]  # a field that is switched off
        return self._row(t_ns, names, [texts[name] for name in names], SERIAL)

    def _next_ns(self) -> int:
        """Return when a record was taken: a step after the latest one, which may be another than before."""
        self._steps_s[self._step_s] = None
        if self._latest_ns is not None:
            return self._latest_ns + self._step_s * SECOND_NS
        if self.choices.begin is None:
            raise InputError(
                "The records of the meter have no stamps.",
                "Say with --begin when the first was taken, such as 2016-12-02T14:19:08, and its --zone.",
            )
        self._unstamped = True
        return as_if_utc_ns(self.choices.begin)

    def _of_utility(self, line: str) -> LogRow:
        match = _UTILITY.fullmatch(line)
        if match is None:
            raise ValueError("its values have no labels, or no time; log with -t and -l")
        fields = [field for field in _LABELLED.findall(match[2]) if field[0] in UTILITY]
        if not fields:
            raise ValueError("it has neither watts nor another value that is known")
        names = [UTILITY[label][0] for label, _ in fields]
        scales = {UTILITY[label][0]: UTILITY[label][1] for label, _ in fields}
        if self._day is None:
            if self.choices.begin is None:
                raise InputError(
                    "The log tells the time of day and no date.", "Say with --begin on which day it began: 2016-12-02."
                )
            self._day = RunningDay(day_ns(*self.choices.begin.timetuple()[:3]))
        return self._row(self._day.at(clock_ns(match[1])), names, [text for _, text in fields], scales)

    def _begin_table(self, heading: str) -> None:
        names = [name.strip() for name in heading.split(",")]
        self._width = len(names)
        if names[:2] == ["Meter", "Time"]:
            known = {name: (name, scale) for name, scale in YOON.items()}
            self._row_of = self._of_yoon
        elif names[:2] == ["datetime", "timestamp"]:
            known = JANTMAN
            self._row_of = self._of_jantman
            self.local = False
        else:
            raise ValueError("it is the heading of no logger that is known")
        self._columns = [
            _Column(place, self._numbers[known[name][0]], known[name][1])
            for place, name in enumerate(names)
            if name in known
        ]

    def _of_yoon(self, line: str) -> LogRow | None:
        fields = [field.strip() for field in line.split(",")]
        match = _DAY.fullmatch(fields[1]) if len(fields) > 1 else None
        if match is None:
            raise ValueError("its second field is not a date with a time")
        self.at = day_ns(int(match[1]), int(match[2]), int(match[3])) + clock_ns(match[4])
        if not self._is_of_meter(fields[0]):
            return None
        return self._of_table(self.at, fields)

    def _is_of_meter(self, name: str) -> bool:
        """Return whether a line is of the meter that was chosen, or of the only one. Raises `InputError`."""
        if self.choices.power is not None:
            return self.is_chosen(name, says="")
        if self._meter not in (None, name):
            raise InputError(
                f"The log has lines of the meters {self._meter!r:.80} and {name!r:.80}.",
                "Say with --power which one measured the server.",
            )
        self._meter = name
        return True

    def _of_jantman(self, line: str) -> LogRow:
        fields = line.split(",")
        if len(fields) < 2:
            raise ValueError("it has no Unix stamp")
        return self._of_table(unix_ns(fields[1]), fields)

    def _of_table(self, t_ns: int, fields: Sequence[str]) -> LogRow:
        self.at, self.of = t_ns, tuple(column.channel for column in self._columns)
        if any(fields[self._width :]):
            raise ValueError(f"it has {len(fields)} of {self._width} fields")
        if len(fields) <= max((column.place for column in self._columns), default=0):
            raise ValueError(f"it has only {len(fields)} fields")
        values = [measured(fields[column.place], column.scale) for column in self._columns]
        return LogRow(t_ns, self.of, values)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading."""
        if not self._unstamped:
            return super().notes
        steps = " s, then ".join(map(str, list(self._steps_s)[:_MOST_NAMED]))
        torn = f" {self._torn} torn records keep their second, with an invalid reading." if self._torn else ""
        return (
            *super().notes,
            f"The records have no stamps: one each {steps} s was assumed from {self.choices.begin}.{torn}",
        )


def _require_mains(volts: float | None) -> None:
    """Refuse a line whose volts are no mains voltage: its columns stand in another order. Raises ValueError."""
    if volts is not None and 0 < volts < UNUSABLE and not MAINS_V[0] <= volts <= MAINS_V[1]:
        raise ValueError(f"{volts:g} V is not a mains voltage: the columns are not those of a Watts Up?")


def begins(lines: Sequence[str]) -> bool:
    """Return whether a log begins as one of the loggers writes."""
    return any(
        _RECORD.fullmatch(line)
        or _SPACED.fullmatch(line)
        or re.match(r"Meter, Time, W, V, A,|datetime,timestamp,.*\bwatts\b", line)
        or (_UTILITY.fullmatch(line) and "[watts]" in line)
        for line in lines[:10]
    )


WATTS_UP = LogFormat(
    kind="wattsup",
    title="Log of a Watts Up? meter",
    takes="its serial records (#d,...), or the file of a logger for it",
    time_zone="asked for",
    begins=begins,
    reader=WattsUpReader,
)
