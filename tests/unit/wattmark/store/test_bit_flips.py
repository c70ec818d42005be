"""A flipped bit in SQLite's own pages never makes a series shorter, longer or another one without an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.store.columns import columns_of, make_samples
from wattmark.store.database import FILE_NAME
from wattmark.store.sample_store import SeriesKey
from wattmark.store.verify import verify

from .flips import flips

RUNS = ("run0", "run1", "run2")


def key(run_id: str, meter: int) -> SeriesKey:
    return SeriesKey(run_id, "s", f"m{meter}", "power", "power", "W", "averaged")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    storage = open_storage(folder)
    for run_id in RUNS:
        numbers = [storage.samples.series(key(run_id, meter)).id for meter in range(4)]
        for rows, per_row, sealed in ((5, 900, True), (15, 3, run_id == "run1")):
            for k in range(rows):
                t = np.arange(k * per_row, (k + 1) * per_row) + (0 if per_row == 900 else 10**6)
                storage.samples.append([(number, make_samples(t, t + number)) for number in numbers])
            if sealed:
                storage.samples.seal(run_id)
    storage.close()
    return (folder / FILE_NAME).read_bytes()


def look(folder: Path) -> dict[SeriesKey, bytes | None] | None:
    """Everything that can be read; None for a series, or for a list of them, that is told to be damaged."""
    contents: dict[SeriesKey, bytes | None] = {}
    storage = open_storage(folder, read_only=True)
    try:
        for run_id in RUNS:
            try:
                series = storage.samples.list_series(run_id)
            except StoreError:
                contents.update({key(run_id, meter): None for meter in range(4)})
                continue
            for item in series:
                try:
                    contents[item.key] = b"".join(c.tobytes() for c in columns_of(storage.samples.read(item.id)))
                except StoreError:
                    contents[item.key] = None
        return contents
    finally:
        storage.close()


def test_random_flips_are_found_or_harmless(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(whole)
    assert verify(path, LAYOUT) == []
    expected = look(tmp_path)
    assert expected is not None
    assert None not in expected.values()
    reported = 0
    for offset, bit in flips(whole, path, 120):
        try:
            contents = look(tmp_path)
        except StoreError:
            reported += 1
            continue
        readable = {name: samples for name, samples in contents.items() if samples is not None}
        reported += len(readable) < len(expected)
        assert contents.keys() == expected.keys(), (offset, bit)
        assert readable.items() <= expected.items(), (offset, bit)
    assert reported > 5
