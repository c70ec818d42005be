from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers import rows_on_disk
from wattmark.importers.bring_in import import_source
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import importer_of
from wattmark.importers.ptdaemon import ptdaemon_import
from wattmark.importers.ptdaemon.ptdaemon_import import PTDAEMON_LOG
from wattmark.results.data_folder import Storage
from wattmark_drivers.reading import Quality


def log(path: Path, watts: list[str], junk: str = "") -> Path:
    """Write a log of one sample a second from noon of a summer day."""
    lines = [
        f"Time,07-01-2024 12:00:{i:02d}.000,Watts,{w},Volts,230.0,Amps,1.0,PF,1.0,Mark,m\n" for i, w in enumerate(watts)
    ]
    path.write_text("".join(lines) + junk)
    return path


def test_a_log_without_a_zone_is_refused_and_never_guessed(tmp_path: Path, storage: Storage) -> None:
    path = log(tmp_path / "spl.txt", ["1.0", "2.0"])
    assert importer_of("auto", path) is PTDAEMON_LOG
    with pytest.raises(InputError, match="name no time zone"):
        import_source(PTDAEMON_LOG, path, storage.samples, storage.runs)


def test_samples_come_in_blocks_and_in_the_zone_that_was_said(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ptdaemon_import, "_SAMPLES", 3)
    path = log(tmp_path / "spl.txt", ["10", "11", "-1", "nan", "14"], "torn line\n")
    choices = Choices(zone=ZoneInfo("Europe/Berlin"))
    (outcome,) = import_source(PTDAEMON_LOG, path, storage.samples, storage.runs, choices)
    assert outcome.error is None
    assert (outcome.unread.count, outcome.unread.first[0].line) == (1, 6)
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    noon_ns = int(datetime(2024, 7, 1, 10, tzinfo=UTC).timestamp()) * 10**9
    assert (run.window_begin_ns, run.window_end_ns) == (noon_ns, noon_ns + 4 * 10**9)
    (series,) = storage.samples.list_series(run.run_id)
    samples = storage.samples.read(series.id)
    assert samples.t_ns.tolist() == [noon_ns + i * 10**9 for i in range(5)]
    assert (samples.quality == Quality.INVALID).tolist() == [False, False, True, True, False]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"x" * 20000, b"Time,07-01-2024 12:00:00.000,Watts,1e308\n"])
def test_what_is_no_log_ends_in_one_line(tmp_path: Path, storage: Storage, content: bytes) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(content)
    (outcome,) = import_source(PTDAEMON_LOG, path, storage.samples, storage.runs, Choices(zone=UTC))
    assert outcome.error is not None
    assert "\n" not in str(outcome.error)


def test_a_full_temporary_folder_refuses_the_log_and_says_what_to_free(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    path = log(tmp_path / "spl.txt", ["10", "11"])
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr(rows_on_disk, "SpooledTemporaryFile", lambda _size: full)
        (outcome,) = import_source(PTDAEMON_LOG, path, storage.samples, storage.runs, Choices(zone=UTC))
    assert outcome.error is not None
    assert "No space left" in str(outcome.error)
    assert storage.runs.ids() == []


def test_a_log_is_stored_as_it_was_when_its_digest_was_taken(tmp_path: Path) -> None:
    path = log(tmp_path / "spl.txt", ["10", "11", "12"])
    (pending,) = PTDAEMON_LOG.find(path, Choices(zone=UTC))
    item = pending.read()
    assert isinstance(item, ImportedRun)
    log(path, ["20", "21", "22"])
    for _ in range(2):
        assert [part.value.tolist() for block in item.blocks() for _, part in block] == [[10.0, 11.0, 12.0]]


T = datetime(2024, 7, 1, 12, tzinfo=UTC)


def samples(watts: Sequence[float], fields: str = "", marks: Sequence[str] = ("m",)) -> list[str]:
    """Write a line a second, whose marks follow each other."""
    return [
        f"Time,{T + timedelta(seconds=i):%m-%d-%Y %H:%M:%S}.000,Watts,{w:.3f}{fields},Mark,"
        f"{marks[i * len(marks) // len(watts)]}"
        for i, w in enumerate(watts)
    ]


def analyzers(i: int, first: float, second: float, behind_s: int = 0) -> str:
    """Write a line of two analyzers, of which the second was read some seconds earlier."""
    at, late = (f"{T + timedelta(seconds=i - by_s):%m-%d-%Y %H:%M:%S}.000" for by_s in (0, behind_s))
    parts = f"Analyzer1,Time,{at},Watts,{first:.3f},Mark,m,Analyzer2,Time,{late},Watts,{second:.3f},Mark,m"
    return f"Time,{at},Watts,{first + second:.3f},Mark,m,{parts}"


def run_of(tmp_path: Path, lines: Sequence[str], power: str | None = None) -> ImportedRun:
    path = tmp_path / "spl.txt"
    path.write_text("\n".join(lines) + "\n")
    (pending,) = PTDAEMON_LOG.find(path, Choices(zone=UTC, power=power))
    item = pending.read()
    assert isinstance(item, ImportedRun)
    return item


def verdict(item: ImportedRun, rule: str) -> str:
    return next(verdict.outcome for verdict in item.record.evidence if verdict.rule == rule)


@pytest.mark.parametrize("step_w", [0.056, 0.01], ids=["watt-hours", "a maximum that rises"])
def test_watts_that_only_rise_are_no_power(tmp_path: Path, step_w: float) -> None:
    with pytest.raises(InputError, match="the power never falls in 300 lines and rises in 299: it is a running total"):
        run_of(tmp_path, samples([200 + step_w * i for i in range(300)]))


def test_a_maximum_that_is_held_fails_and_a_load_passes(tmp_path: Path) -> None:
    """The highest of all readings so far, as an analyzer in MAX hold shows it."""
    load = 200 + np.random.default_rng(3).normal(0, 5, 3000) + np.linspace(0, 40, 3000)
    held = run_of(tmp_path, samples(np.maximum.accumulate(load).tolist()))
    assert verdict(held, "import-held-maximum") == "fail"
    assert verdict(run_of(tmp_path, samples(load.tolist())), "import-held-maximum") == "pass"
    steady = samples([200.0 + (i > 100) + (i > 200) - (i > 250) for i in range(300)])
    assert verdict(run_of(tmp_path, steady), "import-held-maximum") == "not-checked"


def test_the_marks_of_a_log_that_count_together_are_named(tmp_path: Path) -> None:
    watts = [200 + i % 7 for i in range(300)]
    (note,) = [note for note in run_of(tmp_path, samples(watts, marks=("ranging", "testing"))).notes if "marks" in note]
    assert note.startswith("The log has lines of 2 marks (ranging, testing), and all of them count.")
    assert not any("marks" in note for note in run_of(tmp_path, samples(watts)).notes)


def test_analyzers_that_were_read_at_other_times_are_not_added_up(tmp_path: Path) -> None:
    apart = [analyzers(i, 200 + i % 7, 100, behind_s=30) for i in range(300)]
    with pytest.raises(InputError, match=r"up to 30 s from that of their line, and so in 300 of 300 lines.*Analyzer1"):
        run_of(tmp_path, apart)
    chosen = run_of(tmp_path, apart, "Analyzer1")
    assert any("up to 30 s from that of their line; the stamps of the lines count" in note for note in chosen.notes)
    together = run_of(tmp_path, [analyzers(i, 200 + i % 7, 100, behind_s=1) for i in range(300)])
    assert not any("from that of their line" in note for note in together.notes)


@pytest.mark.parametrize(
    "lines",
    [
        [*samples([200], ",Volts,230.0"), *samples([200 + i % 7 for i in range(300)], ",Volts,230.0,Amps,1.0")[1:]],
        [samples([200])[0], *(analyzers(i, 200 + i % 7, 100) for i in range(1, 300))],
    ],
    ids=["fewer numbers", "no analyzers"],
)
def test_a_first_line_with_fewer_fields_is_lost_and_not_all_others(tmp_path: Path, lines: list[str]) -> None:
    item = run_of(tmp_path, lines)
    assert [(line.line, line.why) for line in item.unread.first] == [
        (1, "it has other fields than most of the first lines")
    ]
    quality = np.concatenate([part.quality for block in item.blocks() for _, part in block])
    assert np.flatnonzero(quality).tolist() == [0]


def test_a_log_of_which_most_lines_are_not_understood_is_refused_by_line(tmp_path: Path) -> None:
    lines = [
        line if i % 3 == 0 else line.replace(".000,Watts", ".000;Watts") for i, line in enumerate(samples([1] * 9))
    ]
    with pytest.raises(InputError, match=r"spl.txt line 2: .*; 6 of 9 lines were not understood"):
        run_of(tmp_path, lines)
