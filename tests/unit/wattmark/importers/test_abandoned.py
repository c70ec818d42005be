"""An import that nobody waits for any more ends at its next step, whatever its kind, and leaves nothing."""

from __future__ import annotations

import io
import itertools
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.wanted import Abandoned, require_wanted, wanted_until
from wattmark.importers.bring_in import import_source
from wattmark.importers.csv_mapping.csv_rows import _Hashed
from wattmark.importers.importer import Block, ImportedRun, Importer, Pending
from wattmark.importers.opened import opened_upload
from wattmark.importers.text_lines import TextLines
from wattmark.results.data_folder import Storage
from wattmark.store.sample_store import Samples, SeriesKey

from tests.stored_run import make_run

RUN = make_run("endless", server="s1", begin_ns=0, window_s=1, full_load_limit_pct=None)


def test_a_run_without_end_is_ended_and_its_samples_are_removed(storage: Storage, tmp_path: Path) -> None:
    left, taken = threading.Event(), itertools.count()

    def blocks() -> Iterator[Block]:
        for second in taken:
            if second == 5:
                left.set()
            at = np.array([second * 10**9])
            samples = Samples(at, np.ones(1), np.zeros(1, np.uint16), np.zeros(1, np.float32))
            yield [(SeriesKey("endless", "s1", "m", "power", "power", "W", "averaged"), samples)]

    endless = Importer(
        kind="endless", title="", takes="", time_zone="in the files", recognises=lambda path: True,
        find=lambda path, choices: [Pending("a", "a", lambda: ImportedRun(RUN, blocks, ()))],
    )  # fmt: skip
    with wanted_until(left), pytest.raises(Abandoned):
        import_source(endless, tmp_path, storage.samples, storage.runs)
    assert next(taken) <= 7
    assert storage.samples.list_series("endless") == []
    assert storage.runs.all() == []


def test_reading_and_unpacking_end_as_well(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("a\n")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("log.txt", "a\n")
    left = threading.Event()
    with wanted_until(left):
        assert [text for _, text in TextLines(tmp_path / "log.txt", "log.txt")] == ["a"]
        left.set()
        with pytest.raises(Abandoned):
            list(TextLines(tmp_path / "log.txt", "log.txt"))
        with pytest.raises(Abandoned), opened_upload(packed, "log.zip", tmp_path):
            pass
        with pytest.raises(Abandoned):
            _Hashed(io.BytesIO(b"a"), lambda data: None).read(1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.txt"]
    require_wanted()
