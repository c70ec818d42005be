"""A CSV log becomes a run: readings, units, stamps, throughput, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping import csv_import
from wattmark.importers.csv_mapping.csv_import import csv_importer, read_csv
from wattmark.importers.csv_mapping.kept import KeptMappings
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices
from wattmark.importers.logs import log_rows
from wattmark.importers.published_imports import PublishedImports
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import Samples
from wattmark_drivers.reading import Quality

from .conftest import HS100, hs100_mapping

LONDON = Choices(zone=ZoneInfo("Europe/London"))
BEGIN_NS = int(datetime(2018, 4, 21, 16, 38, 37, tzinfo=UTC).timestamp()) * 10**9
NOON_NS = int(datetime(2024, 7, 1, 12, tzinfo=UTC).timestamp()) * 10**9


def imported(storage: Storage, path: Path, mapping: CsvMapping | None, choices: Choices = LONDON) -> RunRecord:
    """Import the one run of a file."""
    kind = "csv" if mapping else "auto"
    done = PublishedImports(storage, Evaluations(storage), None).bring_in(kind, path, choices, mapping)
    (outcome,) = done.outcomes
    assert outcome.error is None, outcome.error
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return run


def samples(storage: Storage, run: RunRecord) -> dict[str, Samples]:
    """Read all samples by channel."""
    return {s.key.channel: storage.samples.read(s.id) for s in storage.samples.list_series(run.run_id)}


def log_mapping(**changes: Any) -> CsvMapping:
    """Return a mapping of a file with the columns t and p."""
    time = {"columns": ["t"], "format": "iso 8601"}
    columns = [{"column": "p", "quantity": "power", "unit": "W"}]
    return CsvMapping.model_validate({"name": "any", "time": time, "columns": columns} | changes)


def test_the_energy_of_the_readings_is_what_the_counter_of_the_plug_counted(
    storage: Storage, hs100: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rows, "_VALUES", 20)
    run = imported(storage, hs100, hs100_mapping())
    assert (run.window_begin_ns, run.window_end_ns) == (BEGIN_NS, BEGIN_NS + 493 * 10**9)
    (meter,) = run.meters
    assert (meter.name, meter.kind, meter.period_s) == ("plug", "instantaneous", 31.0)
    assert (meter.resolution_w, meter.register_resolution_wh) == (1e-6, 1.0)
    read = samples(storage, run)
    assert read["voltage"].value[0] == 244.256196
    counted_wh = read["energy"].value[-1] - read["energy"].value[0]
    assert counted_wh == pytest.approx(9.0)
    result = Evaluations(storage).listed(run)
    assert result.energy_j is not None
    assert abs(result.energy_j / 3600 - counted_wh) < 1.0  # both ends of the counter are cut to 1 Wh


def test_a_kept_mapping_is_found_by_the_header_and_asks_for_the_zone(storage: Storage, hs100: Path) -> None:
    imports = PublishedImports(storage, Evaluations(storage), None)
    with pytest.raises(InputError, match="its columns must be described once"):
        imports.preview("auto", hs100, LONDON)
    KeptMappings(storage.runs).keep(hs100_mapping())
    _, (previewed,) = imports.preview("auto", hs100, Choices())
    assert "name no time zone" in str(previewed.error)
    importer, (previewed,) = imports.preview("auto", hs100, LONDON)
    assert (importer.kind, importer.title) == ("csv", "CSV by the mapping HS110")
    assert (previewed.samples, previewed.stored) == (68, False)
    KeptMappings(storage.runs).keep(hs100_mapping(zone="Europe/London"))
    assert imported(storage, hs100, None, Choices()).window_begin_ns == BEGIN_NS


def test_a_folder_with_too_many_files_is_refused_and_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_import, "_MOST_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("t,p\n2024-07-01T12:00:00Z,1\n")
    importer = csv_importer(log_mapping())
    with pytest.raises(InputError, match="holds more than 2 files"):
        importer.find(tmp_path, Choices())


def test_a_folder_gives_a_run_for_each_file_with_the_header(storage: Storage, hs100: Path) -> None:
    (hs100.parent / "b").mkdir()
    (hs100.parent / "b/second.csv").write_text(HS100.replace("2018-04-21", "2018-04-22"))
    (hs100.parent / "notes.txt").write_text("not a log\n")
    pendings = csv_importer(hs100_mapping()).find(hs100.parent, LONDON)
    assert [pending.source for pending in pendings] == ["b/second.csv", "examplelog.csv"]


@pytest.mark.parametrize(
    ("text", "changes", "watts"),
    [
        ("t;p\n01.07.2024 12:00:00;1,5\n01.07.2024 12:00:01;1.002,5\n", {"format": "%d.%m.%Y %H:%M:%S"}, [1.5, 1002.5]),
        ("t;p\n1719835200,5;2\n1719835201.5;3\n", {"format": "unix s"}, None),
        ("t;p\n1719835200.25;2\n1719835201;3\n", {"format": "unix s", "shift_ns": 250_000_000}, [2.0, 3.0]),
        ("t;p\n1719835200000;2 W\n1719835201000;3 W\n", {"format": "unix ms"}, [2.0, 3.0]),
        ("t;p\n7/1/2024 12:00:00 PM;2\n7/1/2024 1:00:00 PM;3\n", {"format": "%m/%d/%Y %I:%M:%S %p"}, [2.0, 3.0]),
        ("t;p\n2024-07-01T14:00:00+02:00;2\n2024-07-01T12:00:01Z;3\n", {"format": "iso 8601"}, [2.0, 3.0]),
        ("t;p\n2024-07-01T12:00:00Z;\n2024-07-01T12:00:01Z;unavailable\n2024-07-01T12:00:02Z;1\n", {}, None),
    ],
)
def test_forms_of_stamps_and_numbers(
    tmp_path: Path, storage: Storage, text: str, changes: dict[str, Any], watts: list[float] | None
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    decimal = "," if "," in text else "."
    form = changes.get("format", "iso 8601")
    mapping = log_mapping(delimiter=";", decimal=decimal, time={"columns": ["t"], "format": form})
    if watts is None:
        with pytest.raises(InputError, match=r"were not understood|two at different times are needed"):
            read_csv(path, mapping, Choices(zone=UTC))
        return
    run = imported(storage, path, mapping, Choices(zone=UTC))
    assert run.window_begin_ns == NOON_NS + changes.get("shift_ns", 0)
    assert samples(storage, run)["power"].value.tolist() == watts


def test_units_sentinels_and_lines_not_understood(tmp_path: Path, storage: Storage) -> None:
    path = tmp_path / "log.csv"
    stamps = [f"2024-07-01T12:00:{second:02d}Z" for second in range(8)]
    lines = ["t,p,c,f,u", f"{stamps[0]},1500,20,,230000", f"{stamps[1]},-1,nan,68,230000", f"{stamps[2]},torn"]
    lines += [
        "2024-07-01T12:00:02.5Z,x,20,68,1",
        f"{stamps[1]},1500,20,68,1",
        f'{stamps[3]},"1,500.0",20,68,1',
        "2024,1,2,3,4",
        "",
    ]
    lines += [f"{stamps[4]},1,1,212,1", f"{stamps[5]},1,1,212,1", f'{stamps[6]},"1,1,1,1']
    path.write_text("\n".join(lines), encoding="utf-16")
    columns = [("p", "power", "mW", "a"), ("c", "temperature", "K", "a"), ("f", "temperature", "°F", "b")]
    mapping = log_mapping(
        encoding="utf-16",
        columns=[
            *({"column": c, "quantity": q, "unit": u, "meter": m} for c, q, u, m in columns),
            {"column": 5, "quantity": "voltage", "unit": "mV", "meter": "a"},
        ],
    )
    log = read_csv(path, mapping, Choices())
    assert [(line.line, line.why) for line in log.unread.first] == [
        (4, "it has 2 columns, and 5 are needed"),
        (5, "'x' is not a number (column 'p')"),
        (8, "'2024' is not a stamp of the form 'iso 8601'"),
        (12, "a quoted text does not end in this line"),
        (6, "its stamp is before that of an earlier line"),
    ]
    run = imported(storage, path, mapping, Choices())
    power = samples(storage, run)["power"]
    nan = float("nan")
    assert power.value.tolist() == pytest.approx([1.5, -0.001, nan, nan, 1.5, 1.5, 0.001, 0.001], nan_ok=True)
    assert (power.quality == Quality.INVALID).tolist() == [False, True, True, True, True, False, False, False]
    verdicts = {verdict.rule: verdict for verdict in run.evidence}
    assert (verdicts["import-clock-steps"].outcome, verdicts["import-clock-steps"].value) == ("fail", 2)
    assert verdicts["import-unread-lines"].outcome == "fail"
    assert run.disclosure.imported is not None
    assert run.disclosure.imported.lines_not_understood == 5
    assert any("5 lines were not understood (log.csv line 4: it has 2 columns" in n for n in run.disclosure.notes)
    by_source = {
        (s.key.source, s.key.channel): storage.samples.read(s.id).value.tolist()
        for s in storage.samples.list_series(run.run_id)
    }
    assert by_source["a", "voltage"][0] == pytest.approx(230.0)
    assert by_source["b", "temperature"] == pytest.approx([20.0, nan, 20.0, 20.0, 20.0, 100.0, 100.0], nan_ok=True)


@pytest.mark.parametrize(("unit", "amounts"), [("1/s", [60.0, 120.0]), ("1/min", [1.0, 2.0]), ("count", [6.0, 12.0])])
def test_throughput_becomes_work_between_the_stamps(
    tmp_path: Path, storage: Storage, unit: str, amounts: list[float]
) -> None:
    path = tmp_path / "log.csv"
    rows = [(0, 99), (10, 6), (20, 12)]
    path.write_text("t,p,ops\n" + "".join(f"2024-07-01T12:00:{s:02d}Z,100,{ops}\n" for s, ops in rows))
    mapping = log_mapping(
        holds="power log with throughput",
        work_unit="signs",
        columns=[
            {"column": "p", "quantity": "power", "unit": "W"},
            {"column": "ops", "quantity": "throughput", "unit": unit},
        ],
    )
    run = imported(storage, path, mapping, Choices())
    assert run.unit == "signs"
    assert [interval.amount for interval in run.throughput] == amounts
    assert [(i.begin_ns, i.end_ns) for i in run.throughput] == [
        (NOON_NS, NOON_NS + 10 * 10**9),
        (NOON_NS + 10 * 10**9, NOON_NS + 20 * 10**9),
    ]
    result = Evaluations(storage).listed(run)
    assert result.efficiency is not None
    assert result.efficiency.value == pytest.approx(sum(amounts) / 20 / 100)


def throughput_mapping(unit: str, work_unit: str) -> CsvMapping:
    return log_mapping(
        holds="power log with throughput",
        work_unit=work_unit,
        columns=[
            {"column": "p", "quantity": "power", "unit": "W"},
            {"column": "ops", "quantity": "throughput", "unit": unit},
        ],
    )


def throughput_log(path: Path, *cells: str) -> Path:
    path.write_text("t,p,ops\n" + "".join(f"2024-07-01T12:00:{10 * i:02d}Z,100,{c}\n" for i, c in enumerate(cells)))
    return path


@pytest.mark.parametrize(
    ("unit", "cells", "amounts"),
    [
        ("1/s", ("6 ops/s", "6 ops/s", "720 ops/min"), [60.0, 120.0]),
        ("1/s", ("6/s", "6 op/s", "12 ops per second"), [60.0, 120.0]),
        ("1/min", ("6", "6 ops/min", "12 ops/s"), [1.0, 120.0]),
        ("count", ("6 ops", "6 ops", "12"), [6.0, 12.0]),
    ],
)
def test_a_rate_that_is_written_in_a_cell_decides_what_it_is(
    tmp_path: Path, unit: str, cells: tuple[str, ...], amounts: list[float]
) -> None:
    log = read_csv(throughput_log(tmp_path / "log.csv", *cells), throughput_mapping(unit, "ops"), Choices())
    assert [interval.amount for interval in log.reader.throughput] == pytest.approx(amounts)
    assert log.unread.count == 0


@pytest.mark.parametrize(
    ("unit", "cell", "says"),
    [
        ("1/s", "10 hits/s", r"counts 'hits', and the mapping 'ops': write its work_unit as the cells do"),
        ("1/s", "10 requests/s", r"counts 'requests', and the mapping 'ops'"),
        ("1/s", "10 ops", r"is an amount, and the unit of the column a rate, 1/s"),
        ("count", "10 ops/s", r"is a rate.* Give the column the unit '1/s'"),
        ("total", "10/min", r"is a rate.* Give the column the unit '1/min'"),
    ],
)
def test_work_that_is_written_otherwise_than_the_mapping_says_is_refused_with_what_to_do(
    tmp_path: Path, unit: str, cell: str, says: str
) -> None:
    path = throughput_log(tmp_path / "log.csv", cell, cell, cell)
    with pytest.raises(InputError, match=says):
        read_csv(path, throughput_mapping(unit, "ops"), Choices())


def test_a_long_log_has_as_many_intervals_as_a_record_holds_and_all_its_work(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,p,ops\n" + "".join(f"{1_719_835_200 + i},100,1\n" for i in range(20_001)))
    mapping = log_mapping(
        holds="power log with throughput",
        time={"columns": ["t"], "format": "unix s"},
        columns=[
            {"column": "p", "quantity": "power", "unit": "W"},
            {"column": "ops", "quantity": "throughput", "unit": "count"},
        ],
    )
    log = read_csv(path, mapping, Choices())
    assert len(log.reader.throughput) <= 8192
    assert sum(interval.amount for interval in log.reader.throughput) == 20_000
    assert all(a.end_ns == b.begin_ns for a, b in zip(log.reader.throughput, log.reader.throughput[1:], strict=False))


def test_the_hour_that_comes_twice_is_told_apart_by_the_order_of_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    stamps = ["01:59:00", "02:30:00", "02:59:00", "02:00:00", "02:30:00", "03:01:00"]
    path.write_text("t,p\n" + "".join(f"2024-10-27 {stamp},1\n" for stamp in stamps))
    log = read_csv(path, log_mapping(), Choices(zone=ZoneInfo("Europe/Berlin")))
    assert log.unread.count == 0
    assert (log.end_ns - log.begin_ns) / 60e9 == 122


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "0 lines with a reading"),
        (b"t,p\n", "0 lines with a reading"),
        (b"time,p\n2024-07-01T12:00:00Z,1\n", "no column 't' in row 1; the columns there are: time, p"),
        (b"t,p,p\n2024-07-01T12:00:00Z,1,2\n", "2 columns named 'p'"),
        (b"t,p\n2024-07-01T12:00:00Z,1\n", "1 lines with a reading, and two at different times are needed"),
        (b"t,p\n2024-07-01T12:00:00Z,1e308\n" * 3, "not a plausible value"),
        (b"t,p\n" + b"x" * 100_000, "longer than 65536 characters"),
        (b"t,p\n" + b"\xff\xfe\x00" * 100, "were not understood"),
        (b"t,p\n2024-07-01 12:00:00,1\n2024-07-01 12:00:01,1\n", "name no time zone"),
    ],
)
def test_what_cannot_be_read_ends_in_one_line_that_says_what_to_do(tmp_path: Path, content: bytes, named: str) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_csv(path, log_mapping(), Choices())
    assert named in raised.value.cause
    assert raised.value.remedy
    assert "\n" not in str(raised.value)


def test_work_that_was_counted_between_stamps_that_were_cut_is_refused(tmp_path: Path, storage: Storage) -> None:
    """A line each 1.3 s, stamped in whole seconds: whose work a repeated stamp ended, no span says."""
    path = tmp_path / "log.csv"
    path.write_text("t,p,n\n" + "".join(f"2024-07-01T12:00:{int(1.3 * n):02d}Z,100,130\n" for n in range(40)))
    columns = [
        {"column": "p", "quantity": "power", "unit": "W"},
        {"column": "n", "quantity": "throughput", "unit": "count"},
    ]
    mapping = log_mapping(holds="power log with throughput", columns=columns)
    (outcome,) = PublishedImports(storage, Evaluations(storage), None).bring_in("csv", path, LONDON, mapping).outcomes
    assert "cuts its stamps to whole seconds, and its column 'n'" in str(outcome.error)
