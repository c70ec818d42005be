"""Random faults in logs of every kind: the power stays the true one of its window, or something is said.

WATTMARK_FAULTS sets how many faults are injected, WATTMARK_FAULT_SEED where they begin. A line of which only the last
digits of the last number are cut is not among them: no log says how long its numbers are.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import csv_run
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping, CsvTime
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import KINDS
from wattmark.importers.log_lines import with_unread

FAULTS = int(os.environ.get("WATTMARK_FAULTS", "260"))
SEED = int(os.environ.get("WATTMARK_FAULT_SEED", "31"))
T = 1_732_800_000
"""13:20:00 UTC on 28 November 2024."""
COUNT = 40
WITHIN = 0.004
"""A reading left out of forty that differ by 10 % moves the mean by less."""
WALL = "Total System Power [W]"


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of log: its heading, a line of it, and what a person says to import it."""

    kind: str
    line: Callable[[float, float], str]
    head: str = ""
    choices: Choices = Choices(zone=UTC)  # noqa: RUF009 - it never changes
    mapping: CsvMapping | None = None
    channel: str = "power"
    name: str = "log.txt"
    other: tuple[str, str] = ("", "")
    """Text that names the device, and another device."""


@dataclass(slots=True)
class Log:
    """Readings of a log, and the text that a fault may change."""

    form: Form
    stamps: list[float]
    values: list[float]
    lines: list[str]
    encoding: str = "utf-8"
    ended: bool = True
    """Whether the file ends with a line break."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was read: stamps [s] and values that are good, and what was said."""

    t_s: np.ndarray
    value: np.ndarray
    said: str


def wall(t_s: float, form: str) -> str:
    return datetime.fromtimestamp(t_s, UTC).strftime(form)


def hwinfo(t_s: float, watts: float) -> str:
    at = datetime.fromtimestamp(t_s, UTC)
    return f"{at.day}.{at.month}.{at.year},{at:%H:%M:%S}.{at.microsecond // 1000:03d},36.4,{watts:.3f},99.8,"


def mapping(*columns: CsvColumn, form: str = "unix s", delimiter: str = ",") -> CsvMapping:
    return CsvMapping(
        name="own",
        holds="power log",
        delimiter=delimiter,
        time=CsvTime(columns=("time",), format=form),
        columns=columns,
    )


WATTS = CsvColumn(column="power", quantity="power", unit="W", meter="plug")
FORMS = {
    "ptdaemon": Form(
        "ptdaemon",
        lambda t, w: f"Time,{wall(t, '%m-%d-%Y %H:%M:%S')}.000,Watts,{w:.6f},Volts,230.1,Amps,1.2,PF,-1.0,Mark,m",
    ),
    "ptdaemon analyzers": Form(
        "ptdaemon",
        lambda t, w: (
            f"Time,{(s := wall(t, '%m-%d-%Y %H:%M:%S') + '.000')},Watts,{w:.3f},Volts,-1,Amps,-1,PF,-1,Mark,m,"
            f"Analyzer1,Time,{s},Watts,{w / 4:.3f},Volts,230.1,Amps,1.2,PF,0.9,Mark,m,"
            f"Analyzer2,Time,{s},Watts,{w * 3 / 4:.3f},Volts,230.1,Amps,1.2,PF,0.9,Mark,m"
        ),
    ),
    "wattsup spaced": Form("wattsup", lambda t, w: f"{wall(t, '%Y-%m-%d %H:%M:%S')}.414022 11 {w:.1f} 117.2 2.000"),
    "wattsup csv": Form(
        "wattsup",
        lambda t, w: f"ttyUSB0, {wall(t, '%Y-%m-%d %H:%M:%S')}.250000, {w:.1f}, 120.0, 2.335, 91, 60.0, 2802",
        "Meter, Time, W, V, A, PF, HZ, VA",
        other=("ttyUSB0", "ttyUSB1"),
    ),
    "wattsup unix": Form(
        "wattsup",
        lambda t, w: f"{wall(t, '%Y-%m-%dT%H:%M:%S')},{t:.3f},{w:.1f},120.0,233.5",
        "datetime,timestamp,watts,volts,amps",
    ),
    "wattsup records": Form(
        "wattsup",
        lambda _, w: f"#d,-,18,{w * 10:.0f},1199,2750,79,0,34,2,112,1202,275,0,1199,0,{w / 3.297:.0f},0,0,600,3297;",
        "#L,W,3,E,,1;",
        Choices(zone=UTC, begin=datetime(2024, 11, 28, 13, 20)),  # noqa: DTZ001 - a wall clock
    ),
    "hwinfo": Form(
        "hwinfo",
        hwinfo,
        f'Date,Time,"Physical Memory Load [%]","{WALL}","Bus Clock [MHz]",',
        Choices(zone=UTC, power=WALL),
    ),
    "telegraf": Form(
        "telegraf",
        lambda t, w: (
            f"ipmi_sensor,host=a,name=instantaneous_power_reading,server=a,unit=watts value={w:.1f} {t * 1e9:.0f}"
        ),
        other=("server=a", "server=b"),
    ),
    "collectd": Form(
        "collectd",
        lambda t, w: f"{t:.3f},{w:.3f}",
        "epoch,value",
        Choices(power="a/ipmi/power-total"),
        name="data/a/ipmi/power-total-2024-11-28",
    ),
    "collectd putval": Form(
        "collectd",
        lambda t, w: f"PUTVAL a/ipmi/power-total interval=1.000 {t:.3f}:{w:.3f}",
        choices=Choices(power="a/ipmi/power-total"),
        other=("a/ipmi", "b/ipmi"),
    ),
    "sar": Form(
        "sar",
        lambda t, w: f"a;1;{wall(t, '%Y-%m-%d %H:%M:%S')} UTC;-1;{w / 5:.2f};0.00;0.00;0.00;0.00;{100 - w / 5:.2f}",
        "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle",
        channel="cpu_utilisation",
        other=("a;1", "b;1"),
    ),
    "csv": Form("csv", lambda t, w: f"{t:.3f},{w:.2f},20.5", "time,power,temp", mapping=mapping(WATTS), name="log.csv"),
    "csv semicolon": Form(
        "csv",
        lambda t, w: f"{wall(t, '%Y-%m-%d %H:%M:%S')};{w:.2f};20.5",
        "time;power;temp",
        mapping=mapping(WATTS, form="iso 8601", delimiter=";"),
        name="log.csv",
    ),
}


def log_of(form: Form, random_: random.Random) -> Log:
    stamps = [float(T + i) for i in range(COUNT)]
    values = [round(random_.uniform(238, 262), 1) for _ in range(COUNT)]
    return Log(form, stamps, values, [form.line(t, w) for t, w in zip(stamps, values, strict=True)])


Fault = Callable[[Log, random.Random], None]


def drop(log: Log, r: random.Random) -> None:
    del log.lines[r.randrange(COUNT)]


def drop_many(log: Log, r: random.Random) -> None:
    if log.form.choices.begin is not None:  # records without stamps do not show that one is missing
        return
    begin = r.randrange(COUNT - 8)
    del log.lines[begin : begin + 6]


def repeat(log: Log, r: random.Random) -> None:
    place = r.randrange(COUNT)
    log.lines.insert(place, log.lines[place])


def swap(log: Log, r: random.Random) -> None:
    place = r.randrange(COUNT - 1)
    log.lines[place : place + 2] = log.lines[place : place + 2][::-1]


def step(log: Log, r: random.Random) -> None:
    place, by = r.randrange(5, COUNT - 5), r.choice([-100, -7, -3, 3, 60, 86400])
    log.lines[place:] = [log.form.line(t + by, w) for t, w in zip(log.stamps[place:], log.values[place:], strict=True)]


def unset_clock(log: Log, r: random.Random) -> None:
    count = r.randrange(1, COUNT)
    log.lines[:count] = [log.form.line(t - T, w) for t, w in zip(log.stamps[:count], log.values[:count], strict=True)]


def number_of(line: str, watts: float) -> str | None:
    return next(
        (text for text in (f"{watts:.6f}", f"{watts:.3f}", f"{watts:.2f}", f"{watts:.1f}") if text in line), None
    )


def rewritten(log: Log, places: list[int], change: Callable[[str], str]) -> None:
    for place in places:
        if text := number_of(log.lines[place], log.values[place]):
            log.lines[place] = log.lines[place].replace(text, change(text), 1)


def decimal_comma(log: Log, r: random.Random) -> None:
    places = list(range(COUNT)) if r.random() < 0.5 else [r.randrange(COUNT)]
    rewritten(log, places, lambda text: text.replace(".", ","))


def thousands(log: Log, r: random.Random) -> None:
    rewritten(log, [r.randrange(COUNT)], lambda text: f"{text[0]},{text[1:]}")


def unit_in_cell(log: Log, r: random.Random) -> None:
    rewritten(log, [r.randrange(COUNT)], lambda text: f"{float(text) / 1000:.6f} kW")


def unit_in_heading(log: Log, r: random.Random) -> None:
    unit = r.choice(["kW", "mW", "VA"])
    head = log.form.head.replace(WALL, WALL.replace("[W]", f"[{unit}]")).replace("power", f"power [{unit}]")
    if head != log.form.head:
        log.form = replace(log.form, head=head)
        rewritten(log, list(range(COUNT)), lambda text: f"{float(text) / 1000:.6f}")


def tear_line(log: Log, r: random.Random) -> None:
    """A line ends early, and the next one follows at once."""
    place = r.randrange(COUNT - 1)
    cut = log.lines[place][: r.randrange(1, len(log.lines[place]))]
    log.lines[place : place + 2] = [cut + log.lines[place + 1]]


def lose_fields(log: Log, r: random.Random) -> None:
    place = r.randrange(COUNT)
    for mark in (",", ";", " "):
        if mark in log.lines[place]:
            fields = log.lines[place].split(mark)
            log.lines[place] = mark.join(fields[: r.randrange(1, len(fields))])
            return


def tear_file(log: Log, r: random.Random) -> None:
    kept = r.randrange(5, COUNT)
    cut = r.randrange(len(log.lines[kept]))
    if log.form.mapping is not None:  # what is left of a CSV file may end in a shorter number, and nothing shows it
        cut = r.choice([0, 5, len(log.lines[kept]) - 2])
    log.lines[kept:] = [log.lines[kept][:cut]]
    log.ended = False


def garbage(log: Log, r: random.Random) -> None:
    place = r.randrange(COUNT)
    log.lines[place] = "".join(r.choice("0123456789,;.:#xyz \N{DEGREE SIGN}") for _ in range(r.randrange(1, 60)))


def stacked(log: Log, r: random.Random) -> None:
    if log.form.choices.begin is not None:  # records without stamps do not show whose they are
        return
    shift = r.choice([0, 0.3, -1000])
    own_name, other_name = log.form.other if r.random() < 0.5 else ("", "")
    more = [
        log.form.line(t + shift, w * 2).replace(own_name, other_name) if own_name else log.form.line(t + shift, w * 2)
        for t, w in zip(log.stamps, log.values, strict=True)
    ]
    if r.random() < 0.5:
        log.lines += more
    else:
        log.lines = [line for pair in zip(log.lines, more, strict=True) for line in pair]


def encoding(log: Log, r: random.Random) -> None:
    log.encoding = r.choice(["utf-16", "utf-8-sig", "latin-1", "utf-16-le", "utf-32"])


def crlf(log: Log, r: random.Random) -> None:
    log.lines = [f"{line}\r" for line in log.lines]


def zeros(log: Log, r: random.Random) -> None:
    place = r.randrange(COUNT)
    at = r.randrange(len(log.lines[place]) + 1)
    log.lines[place] = log.lines[place][:at] + "\0" * r.randrange(1, 30) + log.lines[place][at:]


def columns_swapped(log: Log, r: random.Random) -> None:
    mark = ";" if ";" in log.lines[0] else "," if "," in log.lines[0] else " "
    fields = len(log.lines[0].rstrip(mark).split(mark))
    if fields < 3:
        return
    first, second = sorted(r.sample(range(1, fields), 2))

    def changed(line: str) -> str:
        cells = line.split(mark)
        if len(cells) > second:
            cells[first], cells[second] = cells[second], cells[first]
        return mark.join(cells)

    if log.form.head:
        log.form = replace(log.form, head=changed(log.form.head))
        log.lines = [changed(line) for line in log.lines]


def heading_in_the_middle(log: Log, r: random.Random) -> None:
    log.lines.insert(r.randrange(COUNT), log.form.head)


def absent(log: Log, r: random.Random) -> None:
    rewritten(log, [r.randrange(COUNT)], lambda _: r.choice(["", "nan", "-1", "N/A", "9.91E+37", "1e40", "--"]))


ALL: tuple[Fault, ...] = (
    *(drop, drop_many, repeat, swap, step, unset_clock, decimal_comma, thousands, unit_in_cell, unit_in_heading),
    *(tear_line, lose_fields, tear_file, garbage, stacked, encoding, crlf, zeros, columns_swapped),
    *(heading_in_the_middle, absent),
)


def text_of(log: Log) -> bytes:
    lines = [log.form.head, *log.lines] if log.form.head else log.lines
    return ("\n".join(lines) + ("\n" if log.ended else "")).encode(log.encoding, "replace")


def run_of(path: Path, form: Form) -> ImportedRun:
    (pending,) = KINDS[form.kind].find(path, form.choices)
    item = pending.read()
    assert isinstance(item, ImportedRun)
    return item


def read(path: Path, form: Form) -> Result:
    """Import a log and put together what is said of it."""
    try:
        item = with_unread(csv_run(path, form.mapping, form.choices) if form.mapping else run_of(path, form))
        blocks = [(key, samples) for block in item.blocks() for key, samples in block]
    except InputError as error:
        return Result(np.zeros(0), np.zeros(0), str(error))
    said = [verdict.text for verdict in item.record.evidence if verdict.outcome == "fail"]
    said += [note for note in item.notes if "without a line break" in note or "machines" in note]
    if item.unread.count:
        said.append(f"{item.unread.count} lines were not understood")
    deciding = {meter.name for meter in item.record.meters if not meter.partial} or {"host", "host.a"}
    chosen = [(key, samples) for key, samples in blocks if key.channel == form.channel and key.source in deciding]
    if len({(key.source, key.channel) for key, _ in chosen}) != 1:
        return Result(np.zeros(0), np.zeros(0), "; ".join([*said, "no series decides the power"]))
    t_s = np.concatenate([samples.t_ns for _, samples in chosen]) / 1e9
    value = np.concatenate([samples.value for _, samples in chosen])
    good = np.concatenate([samples.quality for _, samples in chosen]) == 0
    if not good.all():
        said.append(f"{np.count_nonzero(~good)} readings are invalid")
    if np.any(np.diff(t_s[good]) > 2.5):
        said.append("no good reading for some time")
    return Result(t_s[good], value[good], "; ".join(said))


def truth(log: Log, result: Result, scale: float) -> float:
    """Compute the mean of the true readings in the window of a result."""
    begin, end = result.t_s.min() - 0.6, result.t_s.max() + 0.6
    of_window = [w for t, w in zip(log.stamps, log.values, strict=True) if begin <= t <= end]
    return scale * sum(of_window) / len(of_window) if of_window else float("nan")


def write(path: Path, log: Log) -> Path:
    file = path / log.form.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text_of(log))
    return path / log.form.name.partition("/")[0]


@pytest.mark.parametrize("name", FORMS)
def test_a_log_without_a_fault_gives_its_truth_and_no_remark(tmp_path: Path, name: str) -> None:
    log = log_of(FORMS[name], random.Random(1))
    result = read(write(tmp_path, log), log.form)
    scale = 0.2 if log.form.kind == "sar" else 1.0
    assert (result.said, len(result.value)) == ("", COUNT)
    assert result.value.mean() == pytest.approx(truth(log, result, scale), rel=1e-3)


def test_no_fault_of_a_log_changes_its_power_without_a_word(tmp_path: Path) -> None:
    silent: list[str] = []
    counted: Counter[str] = Counter()
    for case in range(FAULTS):
        r = random.Random(f"{SEED} {case}")
        name = list(FORMS)[case % len(FORMS)]
        fault = r.choice(ALL)
        log = log_of(FORMS[name], r)
        fault(log, r)
        result = read(write(tmp_path, log), log.form)
        scale = 0.2 if log.form.kind == "sar" else 1.0
        if result.said:
            counted["said"] += 1
        elif len(result.value) > 1 and abs(result.value.mean() / truth(log, result, scale) - 1) < WITHIN:
            counted["true"] += 1
        else:
            counted["silent"] += 1
            silent.append(f"{case} {name} {fault.__name__}")
    assert silent == [], f"seed {SEED}, {FAULTS} faults: {dict(counted)}"
