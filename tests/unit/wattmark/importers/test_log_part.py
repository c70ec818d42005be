"""Logs of a server that idles at 100 W, works at 300 W from 120 s to 240 s, and idles again until 360 s."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.choices import read_choices, read_edge, read_part, read_phases
from wattmark.importers.csv_mapping.csv_import import csv_importer
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Block, ImportedRun, Importer, LogPart, Pending
from wattmark.importers.kinds import importer_of
from wattmark.importers.ptdaemon.ptdaemon_import import PTDAEMON_LOG
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result
from wattmark.runs.disclosure import ChosenPart
from wattmark.runs.record import RunRecord

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
NOON_NS = int(NOON.timestamp()) * 10**9
LENGTH_S, LOAD_S = 360, (120, 240)
WATTS = [300 if LOAD_S[0] < second <= LOAD_S[1] else 100 for second in range(LENGTH_S + 1)]
ROWS = [(NOON + timedelta(seconds=second), watts) for second, watts in enumerate(WATTS)]
AT = "%Y-%m-%d %H:%M:%S"


def ptdaemon(rows: list[tuple[datetime, int]]) -> str:
    return "".join(
        f"Time,{t:%m-%d-%Y %H:%M:%S}.000,Watts,{w}.0,Volts,230.0,Amps,{w / 230:.6f},PF,1.0,Mark,m\n" for t, w in rows
    )


def csv_log(rows: list[tuple[datetime, int]]) -> str:
    return "time,watts\n" + "".join(f"{t:{AT}},{w}\n" for t, w in rows)


def wattsup(rows: list[tuple[datetime, int]]) -> str:
    return "".join(f"{t:{AT}}.000000 {n} {w}.0 117.2 {w / 117.2:.3f}\n" for n, (t, w) in enumerate(rows))


def hwinfo(rows: list[tuple[datetime, int]]) -> str:
    lines = "".join(f"{t.day}.{t.month}.{t.year},{t:%H:%M:%S}.000,{w}.0,\r\n" for t, w in rows)
    return f"Date,Time,Total System Power [W],\r\n{lines}Date,Time,Total System Power [W],\r\n,,System: x,\r\n"


def telegraf(rows: list[tuple[datetime, int]]) -> str:
    return "".join(
        f"ipmi_sensor,name=instantaneous_power_reading,server=n1,unit=watts value={w} {int(t.timestamp())}000000000\n"
        for t, w in rows
    )


def collectd(rows: list[tuple[datetime, int]]) -> str:
    return "".join(f'PUTVAL "n1/nut-ups/power-watt" interval=1 {int(t.timestamp())}.000:{w}\n' for t, w in rows)


MAPPING = CsvMapping.model_validate(
    {
        "name": "plug",
        "time": {"columns": ["time"], "format": AT},
        "zone": "UTC",
        "readings": "averaged",
        "columns": [{"column": "watts", "quantity": "power", "unit": "W"}],
    }
)
KINDS: dict[str, tuple[Callable[[list[tuple[datetime, int]]], str], str | None]] = {
    "ptdaemon": (ptdaemon, None),
    "csv": (csv_log, None),
    "wattsup": (wattsup, None),
    "hwinfo": (hwinfo, "Total System Power [W]"),
    "telegraf": (telegraf, None),
    "collectd": (collectd, "n1/nut-ups/power-watt"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "log.txt"
    path.write_text(text)
    return path


def results(
    storage: Storage, importer: Importer, path: Path, parts: tuple[LogPart, ...], power: str | None = None
) -> list[Result]:
    return [evaluate(run, storage.samples) for run in imported(storage, importer, path, parts, power)]


def imported(
    storage: Storage,
    importer: Importer,
    path: Path,
    parts: tuple[LogPart, ...] = (),
    power: str | None = None,
    zone: str = "UTC",
) -> list[RunRecord]:
    """Import parts of a log, and return their records. Raises what refused one."""
    choices = read_choices(zone, power, parts=parts, chosen_by="Ada")
    records = []
    for outcome in import_source(importer, path, storage.samples, storage.runs, choices):
        if outcome.error is not None:
            raise outcome.error
        record = storage.runs.get(outcome.run_id or "")
        assert record is not None
        records.append(record)
    return records


@pytest.mark.parametrize("kind", KINDS)
def test_the_part_under_load_has_the_power_of_the_load(kind: str, tmp_path: Path, storage: Storage) -> None:
    text, power = KINDS[kind]
    path = written(tmp_path, text(ROWS))
    importer = csv_importer(MAPPING) if kind == "csv" else importer_of("auto", path)
    assert importer.kind == kind
    (whole,) = results(storage, importer, path, (), power)
    assert whole.power is not None
    assert whole.power.value == pytest.approx(100 + 200 / 3, rel=0.01)
    (part,) = results(storage, importer, path, read_part("125", "235"), power)
    assert part.power is not None
    assert part.power.value == pytest.approx(300, rel=1e-9)
    assert part.window_s == pytest.approx(110)
    assert (whole.level, part.level) == ("whole log", "part of the log")
    record = storage.runs.get(part.run_id)
    assert record is not None
    assert record.disclosure.imported is not None
    assert record.disclosure.imported.part == ChosenPart(
        name="part of the log",
        log_begin_ns=NOON_NS,
        log_end_ns=NOON_NS + LENGTH_S * 10**9,
        begin_ns=NOON_NS + 125 * 10**9,
        end_ns=NOON_NS + 235 * 10**9,
        chosen_by="Ada",
    )
    assert record.disclosure.notes[-1] == (
        "A part of the log counts, chosen by Ada: 125 s to 235 s of 360 s, 2024-07-01 12:02:05 to "
        "2024-07-01 12:03:55 UTC."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_readings_that_a_part_lacks_are_lost_however_slow_the_rest_of_the_log_is(
    kind: str, tmp_path: Path, storage: Storage
) -> None:
    """500 readings a minute apart, then one a second for ten minutes of which the last third of each is missing."""
    slow = [(NOON + timedelta(minutes=minute), 100 + minute % 3) for minute in range(500)]
    load = [(NOON + timedelta(minutes=500, seconds=second), 300 + second % 3) for second in range(601)]
    text, power = KINDS[kind]
    path = written(tmp_path, text(slow + [row for second, row in enumerate(load) if second % 60 < 40]))
    importer = csv_importer(MAPPING) if kind == "csv" else importer_of("auto", path)
    parts = (LogPart("slow", 60.0, 29_880.0), LogPart("load", 30_000.0, 30_600.0))
    slow_part, load_part = results(storage, importer, path, parts, power)
    if kind != "collectd":  # its lines declare an interval of 1 s
        assert slow_part.power is not None
        assert slow_part.power.value == pytest.approx(101, abs=0.1)
    assert load_part.power is None
    assert any("no good reading for 200 s of 600 s (one every 1 s" in note for note in load_part.notes)


def test_a_part_is_held_against_the_interval_that_the_log_declares(tmp_path: Path, storage: Storage) -> None:
    """A reading a second, as declared, then every second one is missing."""
    path = written(tmp_path, collectd([row for n, row in enumerate(ROWS) if n < 180 or n % 2]))
    (part,) = results(storage, importer_of("auto", path), path, read_part("200", "340"), "n1/nut-ups/power-watt")
    assert part.power is None


@pytest.mark.parametrize("kind", KINDS)
def test_silence_of_hours_is_no_slower_meter(kind: str, tmp_path: Path, storage: Storage) -> None:
    """Two blocks of one reading a second, an hour apart."""
    seconds = [*range(300), *range(3900, 4200)]
    text, power = KINDS[kind]
    path = written(tmp_path, text([(NOON + timedelta(seconds=second), 300 + second % 3) for second in seconds]))
    importer = csv_importer(MAPPING) if kind == "csv" else importer_of("auto", path)
    (record,) = imported(storage, importer, path, (), power)
    assert [meter.period_s for meter in record.meters] == [1.0]


def test_a_file_of_phases_makes_a_run_each_and_equal_names_repeats(tmp_path: Path, storage: Storage) -> None:
    path = written(tmp_path, ptdaemon(ROWS))
    phases = tmp_path / "phases.csv"
    phases.write_text(
        "name; from; to\nidle;0;115\nload;125;2024-07-01T12:03:00\nload;2024-07-01T14:03:00+02:00;235 s\n"
    )
    parts = results(storage, PTDAEMON_LOG, path, read_phases(phases))
    powers = [part.power and part.power.value for part in parts]
    assert powers == pytest.approx([100, 300, 300])
    assert [(part.level, part.repeat) for part in parts] == [("idle", 1), ("load", 1), ("load", 2)]
    again = results(storage, PTDAEMON_LOG, path, read_phases(phases))
    assert [part.run_id for part in again] == [part.run_id for part in parts]
    assert storage.runs.count() == 3


def test_a_part_of_a_log_is_no_repeat_of_a_part_that_overlaps_it(tmp_path: Path, storage: Storage) -> None:
    path = written(tmp_path, ptdaemon(ROWS))
    imported(storage, PTDAEMON_LOG, path)
    (first,) = imported(storage, PTDAEMON_LOG, path, read_part("125", "180"))
    with pytest.raises(InputError, match=f"Run {first.run_id} .* 125 s to 180 s, which overlaps 179 s to 235 s"):
        imported(storage, PTDAEMON_LOG, path, read_part("179", "235"))
    assert len(imported(storage, PTDAEMON_LOG, path, read_part("180", "235"))) == 1


@pytest.mark.parametrize(
    ("begin", "end", "why"),
    [
        ("0", "361", "not all in the log.*spans 2024-07-01 12:00:00 to 2024-07-01 12:06:00 UTC, 0 s to 360 s"),
        ("2024-07-01T11:59:59Z", "100", "not all in the log"),
        ("200", "100", "not after its start"),
        ("200", "200", "not after its start"),
        ("400", None, "not after its start"),
        ("2024-07-01T12:00:00", None, "not all in the log"),  # 10:00 UTC in Berlin
    ],
)
def test_a_part_outside_of_the_log_is_refused_with_what_it_spans(
    begin: str, end: str | None, why: str, tmp_path: Path, storage: Storage
) -> None:
    berlin = [(t.astimezone(ZoneInfo("Europe/Berlin")), w) for t, w in ROWS]
    with pytest.raises(InputError, match=why):
        imported(
            storage, PTDAEMON_LOG, written(tmp_path, ptdaemon(berlin)), read_part(begin, end), zone="Europe/Berlin"
        )
    assert storage.runs.count() == 0


def test_local_times_are_of_the_zone_of_the_log(tmp_path: Path, storage: Storage) -> None:
    path = written(tmp_path, csv_log([(t.astimezone(ZoneInfo("Europe/Berlin")), w) for t, w in ROWS]))
    mapping = MAPPING.model_copy(update={"zone": "Europe/Berlin"})
    parts = read_part("2024-07-01T14:02:05", "2024-07-01T12:03:55Z")
    (outcome,) = import_source(csv_importer(mapping), path, storage.samples, storage.runs, read_choices(parts=parts))
    record = storage.runs.get(outcome.run_id or "")
    assert record is not None
    assert (record.window_begin_ns, record.window_end_ns) == (NOON_NS + 125 * 10**9, NOON_NS + 235 * 10**9)


def test_a_local_time_needs_a_zone_and_must_come_once(tmp_path: Path, storage: Storage) -> None:
    telegraf_log = written(tmp_path, telegraf(ROWS))
    importer = importer_of("auto", telegraf_log)
    parts = read_part("2024-07-01T12:02:05", None)
    choices = read_choices(parts=parts)
    (outcome,) = import_source(importer, telegraf_log, storage.samples, storage.runs, choices)
    assert outcome.error is not None
    assert "name no time zone" in str(outcome.error)
    berlin = ZoneInfo("Europe/Berlin")
    autumn = [(t.replace(month=10, day=27, hour=2), w) for t, w in ROWS]
    for text, why in (("2024-10-27T02:02:00", "comes twice"), ("2024-03-31T02:30:00", "does not exist")):
        with pytest.raises(InputError, match=why):
            imported(
                storage, PTDAEMON_LOG, written(tmp_path, ptdaemon(autumn)), read_part(text, None), zone=str(berlin)
            )


def test_phases_that_overlap_are_refused_by_name(tmp_path: Path, storage: Storage) -> None:
    parts = (LogPart("b", 100.0, 200.0), LogPart("a", 0.0, 100.5))
    with pytest.raises(InputError, match="Phase 'b' begins at 2024-07-01 12:01:40 UTC, before 'a' ends"):
        imported(storage, PTDAEMON_LOG, written(tmp_path, ptdaemon(ROWS)), parts)


def test_phases_however_many_take_two_passes_over_their_log(tmp_path: Path, storage: Storage) -> None:
    """One for the time between their readings, one for the samples."""
    passes = []

    def counted(pending: Pending) -> Pending:
        item = pending.read()
        assert isinstance(item, ImportedRun)

        def blocks() -> Iterator[Block]:
            passes.append(pending.source)
            return item.blocks()

        return replace(pending, read=lambda: replace(item, blocks=blocks))

    path = written(tmp_path, ptdaemon(ROWS))
    importer = replace(PTDAEMON_LOG, find=lambda path, choices: [counted(p) for p in PTDAEMON_LOG.find(path, choices)])
    parts = tuple(LogPart(f"phase {n}", 20.0 * n, 20.0 * n + 20) for n in range(10))
    together = results(storage, importer, path, parts)
    assert len(passes) == 2
    assert together == [results(storage, PTDAEMON_LOG, path, (part,))[0] for part in parts]
    previews = list(preview_source(importer, path, storage.runs, read_choices("UTC", parts=parts)))
    assert len(passes) == 4
    # a reading a second: 21 in a part, and those of the 60 s on both sides of it that the log has
    assert [seen.samples for seen in previews] == [81, 101, 121, 141, 141, 141, 141, 141, 141, 141]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin with the columns"),
        ("phase,begin,end\na,1,2\n", "does not begin with the columns"),
        ("name,from,to\n", "holds 0 phases"),
        ("name,from,to\na,1\n", "line 2: it is not a name"),
        ("name,from,to\na,1,2,3\n", "line 2: it is not a name"),
        ("name,from,to\na,1,\n", "line 2: it is not a name"),
        ("name,from,to\na,1,2\nb,-3,4\n", "line 3: '-3' is not an instant"),
        ("name,from,to\na\x1b[2J,1,2\n", "line 2: the name"),
    ],
)
def test_a_file_of_phases_that_is_none_is_refused_by_line(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "phases.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        read_phases(path)


@pytest.mark.parametrize(
    "text", ["12:00", "2024-07-01", "-5", "1e3", "nan", "inf", "٣", "2024-13-01T00:00", "0001-01-01T00:00Z"]
)
def test_an_edge_is_seconds_or_a_date_with_a_time(text: str) -> None:
    with pytest.raises(InputError, match="is not an instant of a log"):
        read_edge(text)


def test_what_says_itself_when_it_worked_takes_no_part(make_result: Callable[..., Path], storage: Storage) -> None:
    source = make_result()
    importer = importer_of("mlperf", source)
    with pytest.raises(InputError, match="can be chosen: its files say"):
        list(preview_source(importer, source, storage.runs, read_choices(parts=read_part("1", "2"))))


def test_an_unsteady_log_says_which_part_to_choose_and_that_part_is_steady(tmp_path: Path, storage: Storage) -> None:
    rows = [(t, w + n % 3) for n, (t, w) in enumerate(ROWS)]
    path = written(tmp_path, ptdaemon(rows))
    (whole,) = results(storage, PTDAEMON_LOG, path, ())
    (note,) = [note for note in whole.notes if note.startswith("Power was steady")]
    assert "choose that part of the log with --from " in note
    assert "repeat" not in note
    begin, end = note.partition("--from ")[2].partition(",")[0].split(" --to ")
    (part,) = results(storage, PTDAEMON_LOG, path, read_part(begin, end))
    assert not any("Power was steady from" in note for note in part.notes)


def test_missing_readings_of_a_log_are_left_out_by_another_part(tmp_path: Path, storage: Storage) -> None:
    rows = [row for n, row in enumerate(ROWS) if not 20 <= n < 60]
    path = written(tmp_path, ptdaemon(rows))
    (whole,) = results(storage, PTDAEMON_LOG, path, ())
    (text,) = [note for note in whole.notes if note.startswith("Power is withheld")]
    assert text.endswith("choose a part of the log without them (--from and --to, or on the page Archives).")
    assert "s is usual in this log), more than" in text  # nobody declared it
    (part,) = results(storage, PTDAEMON_LOG, path, read_part("125", "235"))
    assert part.power is not None


def test_the_trace_of_a_preview_shows_the_load_where_it_was(tmp_path: Path, storage: Storage) -> None:
    path = written(tmp_path, csv_log(ROWS))
    (seen,) = preview_source(csv_importer(MAPPING), path, storage.runs, read_choices("UTC"))
    assert seen.trace is not None
    assert (seen.trace.begin_ns, seen.trace.end_ns) == (NOON_NS, NOON_NS + LENGTH_S * 10**9)
    spans = len(seen.trace.mean_w)
    middle_s = (np.arange(spans) + 0.5) * LENGTH_S / spans
    loaded = (middle_s > LOAD_S[0] + 1) & (middle_s < LOAD_S[1] - 1)
    resting = (middle_s < LOAD_S[0] - 1) | (middle_s > LOAD_S[1] + 2)
    for power_w in (seen.trace.mean_w, seen.trace.least_w, seen.trace.most_w):
        assert set(power_w[loaded & ~np.isnan(power_w)]) == {300.0}
        assert set(power_w[resting & ~np.isnan(power_w)]) == {100.0}
    (part,) = preview_source(
        csv_importer(MAPPING), path, storage.runs, read_choices("UTC", parts=read_part("125", "235"))
    )
    assert (part.trace, part.title, part.samples) == (None, "log, part of the log", 231)


def test_the_trace_of_a_log_over_years_is_drawn(tmp_path: Path, storage: Storage) -> None:
    rows = [(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=300 * n), 100 + n) for n in range(6)]
    path = written(tmp_path, ptdaemon(rows))
    (seen,) = preview_source(PTDAEMON_LOG, path, storage.runs, read_choices("UTC"))
    assert seen.trace is not None
    assert seen.trace.mean_w[0] == 100
    assert seen.trace.mean_w[-1] == 105
