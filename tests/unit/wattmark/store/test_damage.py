"""One flipped bit on the disk is found, named, and harms nothing else."""

import struct
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store import chunks, live_rows
from wattmark.store.chunks import CHUNK_SAMPLES
from wattmark.store.columns import NO_CHECKSUM, checksum, make_samples
from wattmark.store.database import FILE_NAME
from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import SeriesKey

N = 3 * CHUNK_SAMPLES
MARK = 123456.789


def _record(folder: Path, *, seal: bool) -> tuple[int, int]:
    """Write two series of three chunks or three live rows; the mark lies in the middle of the first series."""
    storage = open_storage(folder)
    hurt, whole = (
        storage.samples.series(SeriesKey("run7", "r1", source, "power", "power", "W", "averaged")).id
        for source in ("wall1", "wall2")
    )
    value = np.arange(N, dtype=float)
    value[N // 2] = MARK
    for part in np.split(np.arange(N), 3):
        sample_batch = SampleBatch.of([(hurt, make_samples(part, value[part])), (whole, make_samples(part, part))])
        storage.database.write(lambda connection, row=sample_batch: live_rows.write(connection, "run7", row))
    if seal:
        storage.samples.seal("run7")
    storage.close()
    return hurt, whole


def _flip(folder: Path, pattern: bytes) -> None:
    """Flip a bit wherever the pattern lies; freed pages may still hold a copy."""
    path = folder / FILE_NAME
    content = path.read_bytes()
    assert pattern in content
    path.write_bytes(content.replace(pattern, pattern[:3] + bytes([pattern[3] ^ 0x10]) + pattern[4:]))


def _change(storage: Storage, sql: str) -> None:
    storage.database.write(lambda connection: connection.execute(sql).get)


def test_a_flipped_bit_in_a_chunk(tmp_path: Path) -> None:
    hurt, whole = _record(tmp_path, seal=True)
    _flip(tmp_path, struct.pack("<d", MARK))
    storage = open_storage(tmp_path)
    with pytest.raises(StoreError, match=r"^Chunk 1 of wall1 power of run run7 in .* is damaged.*backup"):
        storage.samples.read(hurt)
    with pytest.raises(StoreError, match="Chunk 1 of wall1 power"):
        storage.samples.envelope(hurt, 100)
    np.testing.assert_array_equal(storage.samples.read(hurt, None, CHUNK_SAMPLES - 1).value, range(CHUNK_SAMPLES))
    assert len(storage.samples.read(hurt, 2 * CHUNK_SAMPLES)) == CHUNK_SAMPLES
    np.testing.assert_array_equal(storage.samples.read(whole).value, range(N))
    assert [series.n for series in storage.samples.list_series("run7")] == [N, N]
    storage.close()


def test_a_flipped_bit_in_a_live_row(tmp_path: Path) -> None:
    hurt, whole = _record(tmp_path, seal=False)
    _flip(tmp_path, struct.pack("<d", MARK))
    storage = open_storage(tmp_path)
    for number in (hurt, whole):
        with pytest.raises(StoreError, match=r"^Live row 2 of run run7 in .* is damaged"):
            storage.samples.read(number)
        assert len(storage.samples.read(number, None, CHUNK_SAMPLES - 1)) == CHUNK_SAMPLES
    assert [series.n for series in storage.samples.list_series("run7")] == [2 * CHUNK_SAMPLES] * 2
    with pytest.raises(StoreError, match="Live row 2"):
        storage.samples.seal("run7")
    assert len(storage.samples.read(whole, 2 * CHUNK_SAMPLES)) == CHUNK_SAMPLES
    with pytest.raises(StoreError, match="Live row 2"):
        storage.samples.read(whole)
    storage.close()


def test_a_damaged_span_of_a_live_row_hides_nothing(tmp_path: Path) -> None:
    hurt, _ = _record(tmp_path, seal=False)
    storage = open_storage(tmp_path)
    _change(storage, "UPDATE live_row SET t1 = t0 WHERE id = 2")
    assert len(storage.samples.read(hurt)) == N
    assert len(storage.samples.read(hurt, CHUNK_SAMPLES + 5, CHUNK_SAMPLES + 9)) == 5
    storage.close()


@pytest.mark.parametrize("change", ["t1 = t0", "vmax = 1.0", "n = 1, n_usable = 0", "vsum = vsum + 1"])
def test_a_damaged_summary_is_made_again(tmp_path: Path, change: str) -> None:
    hurt, _ = _record(tmp_path, seal=True)
    storage = open_storage(tmp_path)
    before = storage.samples.envelope(hurt, 2)
    _change(storage, f"UPDATE chunk SET {change} WHERE k = 1 AND series_id = {hurt}")
    after = storage.samples.envelope(hurt, 2)
    for name in ("t_ns", "minimum", "maximum", "mean", "n"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert after.maximum.max() == MARK
    assert len(storage.samples.read(hurt, CHUNK_SAMPLES + 5, CHUNK_SAMPLES + 9)) == 5
    storage.close()


@pytest.mark.parametrize("damage", [None, "text", 1.5])
def test_a_value_that_damage_made_another_type_matches_no_checksum(damage: object) -> None:
    head = chunks.Head.of(1, 0, make_samples([1], [2.0]))
    assert head._replace(n=damage).crc == NO_CHECKSUM
    blob = SampleBatch.of([(1, make_samples([1], [2.0]))]).blob
    row = live_rows.LiveRow(1, "r", 5, 5, 1, 0, blob, checksum(blob))
    assert row.sound
    assert not row._replace(blob=damage).sound
    assert row._replace(t0=damage).may_touch(7, 8), "a damaged span excludes nothing"


def test_a_missing_chunk_is_not_a_gap(tmp_path: Path) -> None:
    hurt, whole = _record(tmp_path, seal=True)
    storage = open_storage(tmp_path)
    _change(storage, f"DELETE FROM chunk WHERE k = 1 AND series_id = {hurt}")
    _change(storage, f"DELETE FROM chunk_data WHERE id = {(whole << 32) + 2}")
    with pytest.raises(StoreError, match="Chunk 1 of wall1"):
        storage.samples.read(hurt)
    with pytest.raises(StoreError, match="Chunk 2 of wall2"):
        storage.samples.read(whole)
    storage.close()


def test_recording_goes_on_behind_a_damaged_last_chunk(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    number = storage.samples.series(SeriesKey("run7", "r1", "wall1", "power", "power", "W", "averaged")).id
    storage.samples.append([(number, make_samples([1], [1.0]))])
    storage.samples.seal("run7")
    _change(storage, "UPDATE chunk_data SET v = x'00'")
    storage.samples.append([(number, make_samples([2], [2.0]))])
    storage.samples.seal("run7")
    np.testing.assert_array_equal(storage.samples.read(number, 2).value, [2.0])
    with pytest.raises(StoreError, match="Chunk 0"):
        storage.samples.read(number)
    storage.close()
