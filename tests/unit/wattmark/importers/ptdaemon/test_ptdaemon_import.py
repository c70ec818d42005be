from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

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
