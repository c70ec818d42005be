"""What all kinds of logs share: blocks, time, hostile files, and a run in the store."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import KINDS
from wattmark.importers.local_time import LocalClock
from wattmark.importers.logs import log_reader, log_rows
from wattmark.importers.logs.log_formats import LOG_FORMATS
from wattmark.results.data_folder import Storage
from wattmark_drivers.reading import Quality

from tests.examples import examples

POINT = "ipmi_sensor,name=instantaneous_power_reading,server=a,unit=watts value={} {}\n"
T = 1517125513
SAID = read_choices("UTC", begin="2020-01-01")
WORDS = st.sampled_from(
    [
        *(
            "#d,-,18,",
            "391,",
            "Meter, Time, W, V, A,",
            "datetime,timestamp,watts",
            "[00:00:01] [watts] ",
            "2016-12-02 ",
        ),
        *("Date,Time,", '"CPU Package Power [W]",', "13.8.2025,", "13:58:50.898,", "\N{DEGREE SIGN}", ",,", "1e308"),
        *("ipmi_sensor,unit=watts ", "value=", "power_draw=1i", " 1517125513", "\\ ", '"', "=", "nan", "inf", "-1"),
        *("epoch,value", "PUTVAL a/ipmi/power-x ", "1517125513:1", "Linux 1 (a) 04/18/19 x (1 CPU)", "all 1 2 3"),
        *(
            "13:20:09 CPU %idle",
            "13:20:19 AM all 82.88",
            "# hostname;interval;timestamp;CPU;%idle",
            "a;1;1517125513;-1;9",
        ),
        *("\n", "\n", "\n", ",", " ", ";", ":", "\0", "\r", "٣", "\x85"),
    ]
)


@pytest.mark.parametrize("kind", [form.kind for form in LOG_FORMATS])
@given(text=st.lists(WORDS | st.text(max_size=8), max_size=30).map("".join))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_or_refused_in_one_line(tmp_path: Path, kind: str, text: str) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    KINDS[kind].recognises(path)
    try:
        (pending,) = KINDS[kind].find(path, SAID)
        item = pending.read()
    except InputError as error:
        refusal = str(error)
    else:
        refusal = ""
    assert "\n" not in refusal
    if refusal:
        return
    assert isinstance(item, ImportedRun)
    for block in item.blocks():
        for _, samples in block:
            assert (np.diff(samples.t_ns) >= 0).all()
            assert (np.isfinite(samples.value) | (samples.quality == Quality.INVALID)).all()


HOSTILE = {
    "empty": b"",
    "zeros": b"\0" * 100_000,
    "one line": b"x" * (log_reader.LONGEST_LINE + 2**17),
    "utf-16": "ipmi_sensor value=1 1\n".encode("utf-16"),
    "binary": bytes(range(256)) * 50,
    "too large": (POINT.format("1e308", T) + POINT.format("1e31", T + 1)).encode(),
}


@pytest.mark.parametrize("kind", [form.kind for form in LOG_FORMATS])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_one_line(tmp_path: Path, storage: Storage, kind: str, name: str) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(HOSTILE[name])
    try:
        (outcome,) = import_source(KINDS[kind], path, storage.samples, storage.runs, SAID)
        error = outcome.error
    except InputError as refused:
        error = refused
    assert error is not None
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    assert storage.runs.ids() == []


def test_a_log_is_previewed_stored_and_replaced(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rows, "_VALUES", 3)
    path = tmp_path / "points.txt"
    watts = ["167", "nan", "169", "170", "1e31", "172", "173"]
    text = "".join(POINT.format(value, T + i) for i, value in enumerate(watts)).replace("value=nan", "value=1e31")
    path.write_text(text)
    (preview,) = preview_source(KINDS["telegraf"], path, storage.runs)
    assert (preview.samples, preview.stored, preview.unread.count) == (7, False, 2)
    for _ in range(2):
        (outcome,) = import_source(KINDS["telegraf"], path, storage.samples, storage.runs)
        assert outcome.error is None
        (run_id,) = storage.runs.ids()
        (series,) = storage.samples.list_series(run_id)
        samples = storage.samples.read(series.id)
        assert samples.value.tolist() == pytest.approx([167, math.nan, 169, 170, math.nan, 172, 173], nan_ok=True)
        assert (samples.quality == Quality.INVALID).tolist() == [False, True, False, False, True, False, False]
    run = storage.runs.get(run_id)
    assert run is not None
    assert (run.window_begin_ns, run.window_end_ns) == (T * 10**9, (T + 6) * 10**9)


def test_two_samples_that_lie_many_years_apart_are_a_log(tmp_path: Path, storage: Storage) -> None:
    """A clock that was set: the period of a meter in the record has a bound."""
    path = tmp_path / "points.txt"
    path.write_text(POINT.format(1, 946_684_800) + POINT.format(2, 4_000_000_000))
    (outcome,) = import_source(KINDS["telegraf"], path, storage.samples, storage.runs)
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    assert run.meters[0].period_s == 1e7
    spl = tmp_path / "spl.txt"
    spl.write_text("".join(f"Time,07-01-{year} 12:00:00.000,Watts,10.0,Mark,m\n" for year in (2001, 2024)))
    (outcome,) = import_source(KINDS["ptdaemon"], spl, storage.samples, storage.runs, SAID)
    assert outcome.error is None


def test_a_log_is_read_once_and_its_digest_is_of_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "points.txt"
    path.write_text("".join(POINT.format(1, T + i) for i in range(3)))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (pending,) = KINDS["telegraf"].find(path, Choices())
    item = pending.read()
    assert isinstance(item, ImportedRun)
    path.write_text("".join(POINT.format(2, T + i) for i in range(3)))
    ((_, samples),) = [part for block in item.blocks() for part in block]
    assert samples.value.tolist() == [1.0, 1.0, 1.0]
    assert item.record.disclosure.imported is not None
    assert [note.sha256 for note in item.record.disclosure.imported.files] == [digest]


def test_a_log_with_a_new_series_in_each_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "points.txt"
    path.write_text("".join(POINT.format(1, T).replace("server=a", f"server={i}") for i in range(5000)))
    (pending,) = KINDS["telegraf"].find(path, Choices())
    with pytest.raises(InputError, match="more than 4000 series"):
        pending.read()


def test_blocks_hold_no_more_than_they_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_rows, "_VALUES", 100)
    path = tmp_path / "points.txt"
    path.write_text("".join(POINT.format(i % 500, T + i) for i in range(1050)))
    (pending,) = KINDS["telegraf"].find(path, Choices())
    item = pending.read()
    assert isinstance(item, ImportedRun)
    assert [sum(len(samples) for _, samples in block) for block in item.blocks()] == [*[100] * 10, 50]


def test_the_hour_that_comes_twice_is_distinguished_by_the_step_back() -> None:
    """Berlin, 2024-10-27: 02:00 to 03:00 is shown twice; 01:30 UTC is in the second of the two."""
    clock = LocalClock(ZoneInfo("Europe/Berlin"))
    first = int(datetime(2024, 10, 26, 23, 30, tzinfo=UTC).timestamp())
    utc = np.arange(first, first + 4 * 3600, 600, dtype=np.int64) * 10**9
    shift = np.where(utc < int(datetime(2024, 10, 27, 1, tzinfo=UTC).timestamp()) * 10**9, 2, 1) * 3600 * 10**9
    local = utc + shift
    for size in (1, 7, len(local)):
        clock = LocalClock(ZoneInfo("Europe/Berlin"))
        parts = [clock.to_utc(local[i : i + size]) for i in range(0, len(local), size)]
        assert np.concatenate(parts).tolist() == utc.tolist()
        assert len(clock.notes) == 1
    clock = LocalClock(ZoneInfo("Europe/Berlin"))
    clock.to_utc(local[10:14])
    assert "4 stamps lie in an hour that comes twice" in clock.notes[1]


@pytest.mark.parametrize(
    ("zone", "wall", "later"),
    [
        ("Europe/Berlin", "2024-10-27T02:30", "+01:00"),
        ("America/St_Johns", "2024-11-03T01:30", "-03:30"),
        ("Australia/Lord_Howe", "2024-04-07T01:45", "+10:30"),
    ],
)
def test_who_logged_the_hour_the_second_time_is_told_how_to_say_so(zone: str, wall: str, later: str) -> None:
    """Offsets of standard time from UTC, by the IANA time zone database."""
    clock = LocalClock(ZoneInfo(zone))
    clock.to_utc(np.array([int(datetime.fromisoformat(f"{wall}Z").timestamp()) * 10**9], dtype=np.int64))
    assert clock.notes[1].endswith(f"if they are the second, import the log with --zone {later}.")


@pytest.mark.parametrize("begin", ["yesterday", "2020-01-01T00:00:00Z", "1969-12-31", "9999-01-01"])
def test_what_is_no_date_is_refused(begin: str) -> None:
    with pytest.raises(InputError, match="Write a date such as"):
        read_choices(begin=begin)
