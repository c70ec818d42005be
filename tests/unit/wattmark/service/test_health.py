"""What keeps an appliance from measuring, in words."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from wattmark.service.health import (
    LONGEST_WRITE_S,
    bench_notes,
    folder_problems,
    meter_problems,
    place_notes,
    rebuilt_notes,
    source_notes,
    write_problems,
)
from wattmark.service.metrics.timed import TimedSamples
from wattmark.store.sample_store import Samples
from wattmark_drivers.clock import SystemClock


def test_a_service_is_ready_while_one_meter_answers() -> None:
    assert meter_problems([], {"bmc": "gone"}) == [], "a bench without meters has none that could answer"
    assert meter_problems(["a", "b"], {"a": "gone", "b": None}) == []
    assert meter_problems(["a", "b"], {"a": "gone"}) == [], "b was not asked yet"
    assert meter_problems(["a", "b"], {"a": "No connection.", "b": "gone"}) == ["No meter answers. a: No connection."]


def test_a_service_whose_meters_all_repeat_a_reading_is_not_ready() -> None:
    """Row 4 of the review: a meter that hangs answers, and measures nothing."""
    assert meter_problems(["a", "b"], {"a": None, "b": None}, {"a": "Nothing has changed."}) == []
    assert meter_problems(["a"], {"a": None}, {"a": "Nothing has changed."}) == [
        "No meter gives a new reading. a: Nothing has changed."
    ]
    assert meter_problems(["a", "b"], {"a": None, "b": "gone"}, {"a": "Nothing has changed."}) == [
        "No meter gives a new reading. a: Nothing has changed."
    ]


def test_what_does_not_work_beside_meters_that_measure_is_a_note_without_addresses() -> None:
    lost = {"wall": None, "bmc": "No connection to 10.0.0.7.", "secondary": "gone"}
    assert source_notes(lost, {"wall": "61 readings", "secondary": "old"}) == [
        "bmc does not answer.",
        "secondary does not answer.",
        "wall repeats a reading.",
    ]
    assert source_notes({"wall": None}, {}) == []


def test_places_that_are_taken_by_nobody_are_a_note_with_a_remedy() -> None:
    assert place_notes({"file": (2, 0), "page": (4, 0)}) == []
    (note,) = place_notes({"file": (2, 0), "comparison": (2, 1)})
    assert note.startswith("1 of 2 places for answers of the kind comparison are taken although nobody asks")
    assert "restart the service when no campaign runs" in note


def test_a_rebuilt_database_is_a_note_until_the_damaged_file_is_deleted() -> None:
    assert rebuilt_notes([]) == []
    (note,) = rebuilt_notes(["wattmark.db.damaged-1", "wattmark.db.damaged-2"])
    assert note.startswith("The database was damaged and has been rebuilt")
    assert "wattmark.db.damaged-2" in note


def test_a_bench_that_cannot_be_edited_is_a_note(tmp_path: Path) -> None:
    """Row 24 of the review: both packaged forms had the bench where the service may not write, and nobody said so."""
    assert bench_notes(None) == []
    (note,) = bench_notes(tmp_path / "bench.yaml")
    assert note.startswith(f"The bench file {tmp_path / 'bench.yaml'} cannot be written")


def test_a_refusal_and_a_write_without_end_are_told() -> None:
    assert write_problems(None, 0.2) == []
    assert write_problems("No space.", 0.0) == ["No space."]
    (problem,) = write_problems(None, LONGEST_WRITE_S + 1)
    assert problem.startswith("A write to the data folder has lasted 11 s")


def test_a_write_that_hangs_is_seen_from_outside() -> None:
    class Hanging:
        """A disk that takes a write and never ends it, as a lost network drive does."""

        series = enter = seal = staticmethod(lambda _: None)

        def append(self, _: Sequence[tuple[int, Samples]]) -> None:
            taken.set()
            released.wait(20)

    taken, released = threading.Event(), threading.Event()
    samples = TimedSamples(Hanging(), SystemClock())  # type: ignore[arg-type]
    assert samples.lasts_s == 0
    writing = threading.Thread(target=samples.append, args=([],))
    writing.start()
    assert taken.wait(20)
    assert samples.lasts_s > 0
    released.set()
    writing.join(20)
    assert samples.lasts_s == 0


@pytest.mark.parametrize(("files", "limit", "problems"), [(0, 40, 1), (15, 40, 1), (16, 40, 0), (0, 0, 0)])
def test_a_disk_without_room_for_files_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, limit: int, problems: int
) -> None:
    assert folder_problems(tmp_path) == []
    plenty = os.statvfs(tmp_path)
    values = {name: getattr(plenty, name) for name in dir(plenty) if name.startswith("f_")}
    scarce = SimpleNamespace(**{**values, "f_favail": files, "f_files": limit})
    monkeypatch.setattr(os, "statvfs", lambda _: scarce)
    assert [f"only {files} more files" in problem for problem in folder_problems(tmp_path)] == [True] * problems
