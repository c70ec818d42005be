"""Every line of a log is accounted for: an invalid reading at its stamp, a count and a verdict, or a refusal."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from wattmark.importers.csv_mapping.csv_import import csv_run
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices
from wattmark.importers.logs import log_rows
from wattmark.importers.published_imports import PublishedImports
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result

from .test_csv_log import imported

NOON_S = 1_732_800_000
NOTHING_SAID = Choices()
POWER = [{"column": "power", "quantity": "power", "unit": "W"}]


def mapping(form: str = "iso 8601", columns: list[dict[str, Any]] = POWER, **changes: Any) -> CsvMapping:
    time = {"columns": ["time"], "format": form}
    return CsvMapping.model_validate({"name": "any", "time": time, "columns": columns, "zone": "UTC"} | changes)


def result(storage: Storage, path: Path, lines: list[str], form: CsvMapping, choices: Choices = NOTHING_SAID) -> Result:
    path = path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    return Evaluations(storage).listed(imported(storage, path, form, choices))


def refusal(storage: Storage, path: Path, lines: list[str], form: CsvMapping, choices: Choices = NOTHING_SAID) -> str:
    path = path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    done = PublishedImports(storage, Evaluations(storage), None).bring_in("csv", path, choices, form)
    (outcome,) = done.outcomes
    return str(outcome.error)


CLOCK_BACK = ["time,power,ops"] + [
    f"{NOON_S + i - (100 if i >= 300 else 0)},{300 if i < 300 else 400}.{i % 3},{1000 + i % 3}" for i in range(600)
]
TWO_HOSTS = ["name,tags,time,power"] + [
    f'power,"host={host}",{(NOON_S + 10 * i) * 10**9},{watts}'
    for host, watts in (("a", 200.0), ("b", 300.0))
    for i in range(60)
]
TWO_GPUS = ["time, index, power"] + [
    f"2026/03/07 00:{s // 60:02}:{s % 60:02}.000, {gpu}, {watts + s % 3 * 0.1:.2f} W"
    for s in range(120)
    for gpu, watts in ((0, 300), (1, 690))
]
FOUR_GPUS = ["time,power"] + [
    f"2026-03-07T00:{s // 60:02}:{s % 60:02}.{3 * gpu:03}Z,{450 + gpu}" for s in range(120) for gpu in range(4)
]
ENTITIES = ["entity_id,power,time"] + [
    line
    for i in range(40)
    for minute, second in [divmod(15 * i, 60)]
    for line in (
        f"sensor.p,{'unavailable' if i == 20 else 350.1 + 2.3 * (i % 2)},2026-01-10T12:{minute:02}:{second:02}.123Z",
        f"sensor.u,{230 + 0.1 * (i % 3):.1f},2026-01-10T12:{minute:02}:{second:02}.130Z",
    )
]
COUNTER = ["entity_id,power,time"] + [
    f"sensor.{name},{value},2026-01-10T12:{5 * i // 60:02}:{5 * i % 60:02}Z"
    for i in range(80)
    for name, value in [(("p", 351.1), ("kwh", 812.4))[i % 2]]
]
FIELDS = ["_time,time,_field,power"] + [
    f",2026-01-10T12:{i // 60:02}:{i % 60:02}Z,{name},{value}"
    for i in range(60)
    for name, value in (("current", 1.83), ("power", 421 + i % 2))
]
TURBOSTAT = ["time\tPackage\tpower"] + [
    f"{NOON_S + i}.{k:03}\t{package}\t{watts}"
    for i in range(60)
    for k, (package, watts) in enumerate((("-", 300), ("0", 150), ("1", 150)))
]


@pytest.mark.parametrize(
    ("lines", "form", "named"),
    [
        (
            CLOCK_BACK,
            mapping("unix s"),
            r"line 302: its stamp is before that .* 100 of 600 lines; the stamps step back 1",
        ),
        (TWO_HOSTS, mapping("unix ns"), r"its column 'tags' changes between 'host=a', 'host=b'"),
        (TWO_GPUS, mapping("%Y/%m/%d %H:%M:%S"), r"its column 'index' changes between '0', '1'"),
        (FOUR_GPUS, mapping(), r"alternates between 0\.003 s and 0\.991 s: 4 series"),
        (ENTITIES, mapping(), r"line 3 its column 'entity_id' changes from 'sensor\.p' to 'sensor\.u'"),
        (COUNTER, mapping(), r"its column 'entity_id' changes"),
        (FIELDS, mapping(), r"the column '_field' of its lines names current"),
        (TURBOSTAT, mapping("unix s", delimiter="\t"), r"its column 'Package' changes between '-', '0', '1'"),
    ],
    ids=["clock back", "hosts", "gpus", "gpus apart", "entities", "counter", "fields", "turbostat"],
)
def test_series_that_stand_in_one_column_and_clocks_that_stepped_are_refused(
    tmp_path: Path, storage: Storage, lines: list[str], form: CsvMapping, named: str
) -> None:
    assert re.search(named, refusal(storage, tmp_path, lines, form))


@pytest.mark.parametrize(
    ("lines", "form", "watts"),
    [
        (ENTITIES, mapping(where={"entity_id": "sensor.p"}), None),
        (COUNTER, mapping(where={"entity_id": "sensor.p"}), 351.1),
        (FIELDS, mapping(where={"_field": "power"}), 421.5),
        (TURBOSTAT, mapping("unix s", delimiter="\t", where={"Package": "-"}), 300.0),
        (TWO_HOSTS, mapping("unix ns", columns=[
            {**POWER[0], "meter": host, "where": {"tags": f"host={host}"}} for host in "ab"
        ]), 500.0),
        (TWO_GPUS, mapping("%Y/%m/%d %H:%M:%S", columns=[
            {**POWER[0], "meter": f"gpu {gpu}", "where": {"index": gpu}} for gpu in (0, 1)
        ]), 990.2),
    ],
    ids=["entity", "beside a counter", "field", "package", "hosts", "gpus"],
)  # fmt: skip
def test_a_series_is_chosen_by_its_name_and_devices_add_up(
    tmp_path: Path, storage: Storage, lines: list[str], form: CsvMapping, watts: float | None
) -> None:
    got = result(storage, tmp_path, lines, form)
    if watts is None:
        assert next(v for v in got.verdicts if v.rule == "import-unread-lines").value == pytest.approx(100 / 40)
        assert got.power is None or got.power.value == pytest.approx(351.2, abs=0.2)
        return
    assert got.power is not None
    assert got.power.value == pytest.approx(watts, abs=0.15)


def test_a_unit_that_is_written_in_a_cell_decides_its_value(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [
        f"2026-01-10 12:{i // 60:02}:{i % 60:02},{'1.9 kW' if i % 130 == 5 else f'{600 + i % 5} W'}" for i in range(800)
    ]
    truth = np.mean([1900 if i % 130 == 5 else 600 + i % 5 for i in range(800)])
    got = result(storage, tmp_path, lines, mapping())
    assert got.power is not None
    assert got.power.value == pytest.approx(truth, abs=0.1)
    lines[10] = "2026-01-10 12:00:09,2.7 A"
    assert "A is not a unit of power" in refusal(storage, tmp_path, lines, mapping())


def test_a_cell_that_is_no_number_is_a_bad_sample_and_not_a_line_less(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [f"{NOON_S + i},{'??' if i == 100 else 300}" for i in range(600)]
    got = result(storage, tmp_path, lines, mapping("unix s"))
    verdicts = {verdict.rule: verdict for verdict in got.verdicts}
    assert (verdicts["bad-samples"].value, verdicts["import-unread-lines"].outcome) == (
        pytest.approx(100 / 599, rel=0.01),
        "pass",
    )
    assert any("log.csv line 102: '??' is not a number (column 'power')" in note for note in got.notes + tuple(
        v.text for v in got.verdicts
    ))  # fmt: skip


def test_power_below_0_is_said_to_be_negative_and_not_to_be_no_number(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [f"{NOON_S + i},-{300 + i % 7}" for i in range(60)]
    got = result(storage, tmp_path, lines, mapping("unix s"))
    assert [withheld.text for withheld in got.withheld] == [
        "meter has no usable sample near the window (60 negative); a current transformer is reversed, or supply and "
        "load are swapped."
    ]


@pytest.mark.parametrize("unit", ["count", "1/s"])
def test_work_below_0_is_work_that_is_not_known(tmp_path: Path, storage: Storage, unit: str) -> None:
    """1000 operations each second, of which every 20th line says -1: 5 % of the work is not known."""
    lines = ["time,power,ops"] + [
        f"{NOON_S + i},{300 + i % 7},{-1 if i % 20 == 7 else 1000 + i % 3}" for i in range(600)
    ]
    ops = {"column": "ops", "quantity": "throughput", "unit": unit}
    got = result(storage, tmp_path, lines, mapping("unix s", columns=[*POWER, ops], holds="power log with throughput"))
    verdict = next(verdict for verdict in got.verdicts if verdict.rule == "import-unread-lines")
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(5.0))
    assert "'-1' is not an amount of work (column 'ops')" in verdict.text


@pytest.mark.parametrize(("empty", "noted"), [("nan", True), ("", True), ("0", False)])
def test_work_that_some_lines_lack_is_noted(tmp_path: Path, storage: Storage, empty: str, noted: bool) -> None:
    """1000 operations each second, of which every 20th line says nothing."""
    lines = ["time,power,ops"] + [
        f"{NOON_S + i},{300 + i % 7},{empty if i % 20 == 7 else 1000 + i % 3}" for i in range(600)
    ]
    ops = {"column": "ops", "quantity": "throughput", "unit": "count"}
    got = result(storage, tmp_path, lines, mapping("unix s", columns=[*POWER, ops], holds="power log with throughput"))
    assert any(note.startswith("30 of 600 lines state no throughput") for note in got.notes) is noted


def test_work_that_is_logged_every_tenth_line_is_whole(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power,ops"] + [
        f"{NOON_S + i},{300 + i % 7},{10000 + i % 3 if i % 10 == 9 else ''}" for i in range(600)
    ]
    ops = {"column": "ops", "quantity": "throughput", "unit": "count"}
    got = result(storage, tmp_path, lines, mapping("unix s", columns=[*POWER, ops], holds="power log with throughput"))
    assert any("540 of 600 lines state no throughput: that of each other line was taken" in n for n in got.notes)
    assert got.throughput.value == pytest.approx(1000, rel=1e-3)


def test_one_line_that_stands_twice_is_a_verdict(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [f"{NOON_S + i},300" for i in range(600)]
    lines.insert(200, lines[199])
    got = result(storage, tmp_path, lines, mapping("unix s"))
    verdict = next(verdict for verdict in got.verdicts if verdict.rule == "import-clock-steps")
    assert (verdict.outcome, verdict.value) == ("fail", 1)


@pytest.mark.parametrize("power", ["0,250", "1,234"])
def test_a_comma_that_may_be_a_decimal_one_is_asked_for(tmp_path: Path, storage: Storage, power: str) -> None:
    lines = ["time;power"] + [f"{NOON_S + i};{power}" for i in range(60)]
    form = mapping("unix s", delimiter=";", columns=[{"column": "power", "quantity": "power", "unit": "kW"}])
    why = refusal(storage, tmp_path, lines, form)
    assert "is not a number" in why or "may separate thousands or decimals" in why
    got = result(storage, tmp_path, lines, form.model_copy(update={"decimal": ","}))
    assert got.power is not None
    assert got.power.value == pytest.approx(1000 * float(power.replace(",", ".")))
    if power == "1,234":
        lines += [f"{NOON_S + 60};999.5"]
        grouped = result(storage, tmp_path, lines, form)
        assert grouped.power is not None
        assert grouped.power.value == pytest.approx(1_234_000, rel=0.01)


def test_stamps_that_count_from_the_start_need_its_instant(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [f"{i / 2:.3f},{250 + i % 2}" for i in range(60)]
    assert "say with --begin" in refusal(storage, tmp_path, lines, mapping("unix s"))
    begun = Choices(zone=ZoneInfo("Europe/Berlin"), begin=datetime(2024, 7, 1, 14))  # noqa: DTZ001 - a wall clock
    got = result(storage, tmp_path, lines, mapping("unix s"), begun)
    run = storage.runs.get(got.run_id)
    assert run is not None
    assert run.window_begin_ns == int(datetime(2024, 7, 1, 12, tzinfo=UTC).timestamp()) * 10**9
    assert run.disclosure.imported is not None
    assert run.disclosure.imported.clock.decided_by == "the person who imported it: Europe/Berlin"
    dated = ["time,power", *(f"2024-07-01 12:00:{i:02},1" for i in range(9))]
    assert "need no --begin" in refusal(storage, tmp_path, dated, mapping(), begun)


def test_a_wall_clock_that_the_zone_skips_is_refused(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power"] + [f"2024-03-31 02:{i:02}:00,100" for i in range(30)]
    why = refusal(storage, tmp_path, lines, mapping(zone="Europe/Berlin"))
    assert "2024-03-31 02:00:00, which does not exist in Europe/Berlin" in why


def test_joules_of_intervals_are_power_and_spaces_separate_columns(tmp_path: Path, storage: Storage) -> None:
    lines = ["time energy"] + [f"{(NOON_S + i) * 10**6} {250_000_000 + i % 2 * 1_000_000}" for i in range(61)]
    columns = [{"column": "energy", "quantity": "energy since the line before", "unit": "µJ"}]
    got = result(storage, tmp_path, lines, mapping("unix us", columns=columns, delimiter=" "))
    assert got.power is not None
    assert got.power.value == pytest.approx(250.5, abs=0.01)


def test_a_running_total_is_not_work_since_the_line_before(tmp_path: Path, storage: Storage) -> None:
    lines = ["time,power,ops"] + [f"{NOON_S + i},200,{1000 * i + 7}" for i in range(301)]

    def form(unit: str) -> CsvMapping:
        ops = {"column": "ops", "quantity": "throughput", "unit": unit}
        return mapping("unix s", columns=[*POWER, ops], holds="power log with throughput")

    assert "it is a running total" in refusal(storage, tmp_path, lines, form("count"))
    got = result(storage, tmp_path, lines, form("total"))
    assert got.efficiency is not None
    assert got.efficiency.value == pytest.approx(5.0)


def test_stamps_cut_to_the_second_are_no_silence(tmp_path: Path, storage: Storage) -> None:
    """As in a Green500 log: 2,133 readings in 2,136 s, some seconds with two and as many with none."""
    random = np.random.default_rng(7)
    true_s = NOON_S + 0.5 + 1.0014 * np.arange(2133) + random.uniform(-0.1, 0.1, 2133)
    lines = ["time,power"] + [f"{int(second)},{149_143 + i % 5}" for i, second in enumerate(true_s)]
    got = result(storage, tmp_path, lines, mapping("unix s"))
    assert got.power is not None
    assert got.power.value == pytest.approx(149_145, abs=1)
    run = storage.runs.get(got.run_id)
    assert run is not None
    assert any("cuts its stamps to whole seconds" in note for note in run.disclosure.notes)


@pytest.mark.parametrize("place", range(1, 8))
def test_a_line_that_stands_twice_is_an_invalid_reading_wherever_a_block_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setattr(log_rows, "_VALUES", 4)
    lines = ["time,power"] + [f"{NOON_S + i},{300 + i}" for i in range(9)]
    lines.insert(place + 1, lines[place])
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    blocks = [samples for block in csv_run(path, mapping("unix s"), NOTHING_SAID).blocks() for _, samples in block]
    quality = np.concatenate([samples.quality for samples in blocks])
    assert np.flatnonzero(quality).tolist() == [place]


def test_cut_stamps_of_two_devices_that_come_by_turns_are_no_clock_steps(tmp_path: Path, storage: Storage) -> None:
    random = np.random.default_rng(7)
    lines = ["host,time,power"]
    for true_s in NOON_S + 0.5 + 1.0014 * np.arange(1000):
        lines += [f"{host},{int(true_s + random.uniform(-0.1, 0.1))},{200 + i}" for i, host in enumerate("ab")]
    columns = [{**POWER[0], "meter": host, "where": {"host": host}} for host in "ab"]
    got = result(storage, tmp_path, lines, mapping("unix s", columns=columns))
    assert next(v for v in got.verdicts if v.rule == "import-clock-steps").outcome == "pass"
    assert got.power is not None
    assert got.power.value == pytest.approx(401, abs=0.01)


def test_energy_of_intervals_is_held_against_volts_times_amperes(tmp_path: Path, storage: Storage) -> None:
    """250 J a second beside 230 V and 0.5 A, which carry 115 W at most."""
    lines = ["time,energy,volts,amps"] + [f"{NOON_S + i},{250 + i % 2},230.0,0.50" for i in range(60)]
    columns = [
        {"column": "energy", "quantity": "energy since the line before", "unit": "J"},
        {"column": "volts", "quantity": "voltage", "unit": "V"},
        {"column": "amps", "quantity": "current", "unit": "A"},
    ]
    got = result(storage, tmp_path, lines, mapping("unix s", columns=columns))
    assert next(v for v in got.verdicts if v.rule == "import-volts-amps").outcome == "fail"


@pytest.mark.parametrize(
    ("line", "invalid"), [("1732?00100,307", [100]), (",307", [100]), ("# started again", []), ("resumed", [])]
)
def test_a_reading_whose_stamp_is_lost_stands_between_its_neighbours_and_a_remark_is_none(
    tmp_path: Path, line: str, invalid: list[int]
) -> None:
    lines = ["time,power"] + [f"{NOON_S + i},{300 + i % 7}" for i in range(300)]
    lines[101] = line
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    item = csv_run(path, mapping("unix s"), NOTHING_SAID)
    ((_, samples),) = [part for block in item.blocks() for part in block]
    assert ((samples.t_ns[samples.quality != 0] // 10**9) - NOON_S).tolist() == invalid
    assert (len(samples), item.unread.count) == (299 + len(invalid), 1)
