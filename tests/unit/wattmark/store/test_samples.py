import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError, StoreError
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store import chunks, live_rows, seal
from wattmark.store import samples as sqlite_samples
from wattmark.store.columns import columns_of, make_samples
from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import Samples

from .rows import key, same


def test_full_chunks_are_made_of_the_real_size(storage: Storage) -> None:
    series = storage.samples.series(key("r"))
    n = 2 * chunks.CHUNK_SAMPLES + 7
    t = np.arange(n) * 10**8
    half = n // 2
    storage.samples.append([(series.id, make_samples(t[:half], t[:half]))])
    storage.samples.seal("r")
    storage.samples.append([(series.id, make_samples(t[half:], t[half:]))])
    storage.samples.seal("r")
    with storage.database.snapshot() as connection:
        sizes = [size for (size,) in connection.execute("SELECT n FROM chunk ORDER BY k")]
        assert connection.execute("SELECT count(*) FROM live_row").get == 0
    assert sizes == [4096, 4096, 7]
    np.testing.assert_array_equal(storage.samples.read(series.id).t_ns, t)


def test_a_long_run_seals_itself(storage: Storage) -> None:
    series = storage.samples.series(key("r"))
    for tick in range(sqlite_samples.LIVE_ROWS + 3):
        storage.samples.append([(series.id, make_samples([tick], [1.0]))])
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM live_row").get == 3
    np.testing.assert_array_equal(storage.samples.read(series.id).t_ns, range(sqlite_samples.LIVE_ROWS + 3))


def test_a_commit_in_columns_is_the_same_as_one_in_parts(storage: Storage) -> None:
    a, b, c = (storage.samples.series(key(run)).id for run in ("a", "b", "c"))
    owners, t = np.array([c, a, c, b, a, c]), np.arange(6)
    sample_batch = SampleBatch.of_columns(owners, make_samples(t, t * 10.0, t, t / 4))
    assert [(number, len(samples)) for number, samples in sample_batch] == [(a, 2), (b, 1), (c, 3)]
    storage.samples.append(sample_batch)
    storage.samples.append([(c, make_samples([6], [60.0])), (a, make_samples([7], [70.0]))])
    for _ in range(2):
        assert storage.samples.read(a).value.tolist() == [10, 40, 70]
        same(storage.samples.read(c), [(0, 0.0, 0, 0.0), (2, 20.0, 2, 0.5), (5, 50.0, 5, 1.25), (6, 60.0, 0, 0.0)])
        assert [series.n for series in storage.samples.list_series("b")] == [1]
        for run in ("a", "b", "c"):
            storage.samples.seal(run)


LAST_NS = 2**63 - 1


@pytest.mark.parametrize(
    ("stamps", "stored_bytes"),
    [
        pytest.param([5], 8, id="one sample"),
        pytest.param(range(0, 10**12, 10**9), 8 + 4, id="one step"),
        pytest.param([0, 1, 1, 2**32], 8 + 3 * 4, id="longest step"),
        pytest.param([0, 1, 2**32 + 1], 3 * 8, id="too long a step"),
        pytest.param([-LAST_NS - 1, LAST_NS], 2 * 8, id="step beyond 64 bits"),
        pytest.param([LAST_NS - 3, LAST_NS - 1, LAST_NS], 8 + 2 * 4, id="last stamps there are"),
    ],
)
def test_stamps_are_sealed_as_steps_where_these_are_short(
    storage: Storage, stamps: Sequence[int], stored_bytes: int
) -> None:
    series = storage.samples.series(key("r"))
    storage.samples.append([(series.id, make_samples(stamps, np.arange(len(stamps))))])
    storage.samples.seal("r")
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT length(t) FROM chunk_data").get == stored_bytes
    samples = storage.samples.read(series.id)
    assert samples.t_ns.tolist() == list(stamps)
    assert samples.value.tolist() == list(range(len(stamps)))


@pytest.mark.parametrize(
    "laid_out",
    [
        lambda column: np.repeat(column, 2)[::2],
        lambda column: column.byteswap().view(column.dtype.newbyteorder()),
        lambda column: np.broadcast_to(column[0], len(column)),
        lambda column: column.astype({"i": np.int32, "u": np.uint8, "f": np.float32}[column.dtype.kind]),
    ],
    ids=["every second element", "other byte order", "one element for all", "narrower numbers"],
)
def test_columns_are_stored_alike_however_they_lie_in_memory(
    storage: Storage, laid_out: Callable[[np.ndarray], np.ndarray]
) -> None:
    series, other = (storage.samples.series(key("r", channel)).id for channel in ("a", "b"))
    t_ns, value, quality, u_t_s = map(laid_out, columns_of(make_samples([7, 7], [2.5, 2.5], [3, 3], [0.5, 0.5])))
    storage.samples.append([(series, Samples(t_ns, value, quality, u_t_s)), (other, make_samples([1], [1.0]))])
    for _ in range(2):
        same(storage.samples.read(series), [(7, 2.5, 3, 0.5)] * 2)
        same(storage.samples.read(other), [(1, 1.0, 0, 0.0)])
        storage.samples.seal("r")


def test_many_samples_seal_themselves_before_there_are_many_rows(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_samples, "LIVE_SAMPLES", 40)
    monkeypatch.setattr(sqlite_samples, "LIVE_EACH", 3 * sqlite_samples.LOOK_ROWS)
    number = storage.samples.series(key("r")).id
    for row in range(sqlite_samples.LOOK_ROWS):
        storage.samples.append([(number, make_samples(np.arange(3) + 3 * row, np.zeros(3)))])
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM live_row").get == 0
    assert len(storage.samples.read(number)) == 3 * sqlite_samples.LOOK_ROWS


def test_runs_that_are_recorded_together_seal_themselves(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_samples, "LIVE_ROWS", 20)
    first, a, b = (storage.samples.series(key(run)).id for run in ("one", "a", "b"))
    storage.samples.append([(first, make_samples([0], [0.0]))])
    for tick in range(120):
        storage.samples.append([(a, make_samples([tick], [1.0])), (b, make_samples([tick], [2.0]))])
    with storage.database.snapshot() as connection:
        live = dict(connection.execute("SELECT run_id, count(*) FROM live_row GROUP BY run_id"))
    assert live.pop("one") == 1
    assert max(live.values(), default=0) < 20 + sqlite_samples.LOOK_ROWS


def test_thousands_of_series_are_sealed_share_by_share(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "AT_ONCE", 100)
    numbers = storage.samples.enter([key("r", f"c{index}") for index in range(30)])
    late = storage.samples.enter([key("r", "late")])
    for tick in range(20):
        t = np.array([tick, tick, 0])
        storage.samples.append(list(zip(numbers, (make_samples(t + n, t * n) for n in range(30)), strict=True)))
    storage.samples.append([(late[0], make_samples([1], [2.0]))])
    before = [storage.samples.read(number) for number in [*numbers, *late]]
    storage.samples.seal("r")
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM live_row").get == 0
    for number, samples in zip([*numbers, *late], before, strict=True):
        same(storage.samples.read(number), list(zip(*(column.tolist() for column in columns_of(samples)), strict=True)))


def test_a_thousand_samples_of_a_series_are_chunks_at_once_behind_the_live_ones(storage: Storage) -> None:
    number, other = (storage.samples.series(key(run)).id for run in ("r", "other"))
    t = np.arange(5000)
    storage.samples.append([(number, make_samples([7, 9000], [1.0, 2.0]))])
    storage.samples.append([(other, make_samples([7], [1.0]))])
    storage.samples.append([(number, make_samples(t, t * 10.0, t % 3, t / 4))])
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT run_id FROM live_row").fetchall() == [("other",)]
    samples_read = storage.samples.read(number)
    assert samples_read.t_ns.tolist() == [*range(8), *range(7, 5000), 9000]
    assert samples_read.value[[6, 7, 8, 9, -1]].tolist() == [60.0, 1.0, 70.0, 80.0, 2.0], (
        "equal stamps in order of arrival"
    )
    with pytest.raises(InputError, match="have different lengths"):
        storage.samples.append([(number, Samples(t, t[1:] * 1.0, *columns_of(samples_read)[2:]))])  # type: ignore[arg-type]


def test_a_grown_chunk_is_not_written_again(storage: Storage) -> None:
    number = storage.samples.series(key("r")).id
    for begin in range(0, 3600, 600):
        storage.samples.append([(number, make_samples(np.arange(begin, begin + 600), np.zeros(600)))])
        storage.samples.seal("r")
    with storage.database.snapshot() as connection:
        assert [n for (n,) in connection.execute("SELECT n FROM chunk ORDER BY k")] == [1200, 1200, 1200]
    np.testing.assert_array_equal(storage.samples.read(number).t_ns, range(3600))


def test_equal_and_late_stamps_are_kept_in_order_of_arrival(storage: Storage) -> None:
    series = storage.samples.series(key("r"))
    for t, value in [(5, 1.0), (5, 2.0), (3, 3.0), (5, 2.0)]:
        storage.samples.append([(series.id, make_samples([t], [value]))])
    for _ in range(2):
        samples = storage.samples.read(series.id)
        assert list(zip(samples.t_ns, samples.value, strict=True)) == [(3, 3.0), (5, 1.0), (5, 2.0), (5, 2.0)]
        storage.samples.seal("r")


def test_a_batch_larger_than_a_row_keeps_the_order_of_arrival(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_rows, "ROW_SAMPLES", 3)
    first, other = (storage.samples.series(key("r", channel)).id for channel in ("a", "b"))
    batch = [(first, [1, 2, 3, 4, 5]), (first, [6]), (other, [7, 8]), (first, [9])]
    storage.samples.append([(number, make_samples(np.zeros(len(values)), values)) for number, values in batch])
    for _ in range(2):
        assert storage.samples.read(first).value.tolist() == [1, 2, 3, 4, 5, 6, 9]
        assert storage.samples.read(other).value.tolist() == [7, 8]
        storage.samples.seal("r")


def test_a_bad_reading_keeps_its_quality(storage: Storage) -> None:
    series = storage.samples.series(key("r"))
    storage.samples.append([(series.id, make_samples([1, 2, 3], [10.0, math.nan, 30.0], [0, 1, 4], [0.1, 0.2, 0.3]))])
    for _ in range(2):
        same(storage.samples.read(series.id), [(1, 10.0, 0, 0.1), (2, math.nan, 1, 0.2), (3, 30.0, 4, 0.3)])
        envelope = storage.samples.envelope(series.id, 1)
        assert (envelope.minimum[0], envelope.maximum[0], envelope.mean[0], envelope.n[0]) == (10.0, 30.0, 20.0, 3)
        storage.samples.seal("r")


def test_a_change_of_range_is_another_series(storage: Storage) -> None:
    first, other, again = (storage.samples.series(key("r", range=name)) for name in ("1A", "10A", "1A"))
    assert first.id == again.id != other.id
    assert [series.key.range for series in storage.samples.list_series("r")] == ["1A", "10A"]


def test_a_key_comes_back_as_it_was(storage: Storage) -> None:
    given_key = key("r", label="Wall ü", range="2", simulated=True, unit="°C")
    number = storage.samples.series(given_key).id
    (series,) = storage.samples.list_series("r")
    assert (series.id, series.key, series.n) == (number, given_key, 0)
    assert series.key.simulated is True


def test_series_counts_sealed_and_live_samples(storage: Storage) -> None:
    series = storage.samples.series(key("r"))
    storage.samples.append([(series.id, make_samples([1], [1.0]))])
    storage.samples.seal("r")
    storage.samples.append([(series.id, make_samples([2, 3], [1.0, 1.0]))])
    assert storage.samples.series(key("r")).n == 3


def test_runs_do_not_mix(storage: Storage) -> None:
    a, b = (storage.samples.series(key(run)).id for run in ("a", "b"))
    storage.samples.append([(a, make_samples([1], [1.0])), (b, make_samples([2], [2.0]))])
    storage.samples.seal("a")
    storage.samples.delete_run("a")
    assert storage.samples.list_series("a") == []
    same(storage.samples.read(b), [(2, 2.0, 0, 0.0)])
    with pytest.raises(StoreError, match=rf"There is no series {a}\."):
        storage.samples.read(a)
    with storage.database.snapshot() as connection:
        for table in ("chunk", "chunk_data"):
            assert connection.execute(f"SELECT count(*) FROM {table}").get == 0


def test_a_batch_for_an_unknown_series_is_refused_whole(storage: Storage) -> None:
    existing = storage.samples.series(key("r")).id
    with pytest.raises(StoreError, match="There is no series 99"):
        storage.samples.append([(existing, make_samples([1], [1.0])), (99, make_samples([1], [1.0]))])
    assert len(storage.samples.read(existing)) == 0


def test_nothing_costs_no_commit(storage: Storage) -> None:
    number = storage.samples.series(key("r")).id
    storage.samples.append([])
    storage.samples.append([(number, make_samples([], []))])
    envelope = storage.samples.envelope(number, 100)
    assert len(storage.samples.read(number)) == len(envelope.n) == 0
    assert envelope.decimated is False


def test_spans_may_be_wider_than_time(storage: Storage) -> None:
    number = storage.samples.series(key("r")).id
    storage.samples.append([(number, make_samples([1], [1.0]))])
    assert len(storage.samples.read(number, -(10**30), 10**30)) == 1
    assert len(storage.samples.envelope(number, 5, 10**30, 10**31).n) == 0


def test_bad_arguments_are_named(storage: Storage) -> None:
    number = storage.samples.series(key("r")).id
    with pytest.raises(InputError, match="0 buckets"):
        storage.samples.envelope(number, 0)
    with pytest.raises(InputError, match="have different lengths"):
        make_samples([1, 2], [1.0])
    torn = Samples(np.array([1, 2]), np.array([1.0]), np.array([0], np.uint16), np.array([0], np.float32))
    with pytest.raises(InputError, match="have different lengths"):
        storage.samples.append([(number, torn)])


def test_data_outlive_the_process(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    number = storage.samples.series(key("r")).id
    storage.samples.append([(number, make_samples([1], [1.0]))])
    storage.close()
    for read_only in (True, False):
        storage = open_storage(tmp_path, read_only=read_only)
        same(storage.samples.read(number), [(1, 1.0, 0, 0.0)])
        storage.close()


def test_series_are_entered_together_or_not_at_all(storage: Storage) -> None:
    keys = [key("r", f"c{number}") for number in range(100)]
    existing = storage.samples.series(keys[40]).id
    numbers = storage.samples.enter(keys)
    assert numbers == [storage.samples.series(key).id for key in keys]
    assert numbers == storage.samples.enter(keys)
    assert numbers[40] == existing
    with pytest.raises(ValueError, match="not enough"):
        storage.samples.enter([key("s"), key("s", unit=None)])
    assert storage.samples.list_series("s") == []


@pytest.mark.parametrize("odd_quality", [0, 4])
def test_many_chunks_are_read_as_they_were_written(odd_quality: int, storage: Storage) -> None:
    """Chunks that are all good are joined without a quality for each sample; one bad sample shows where it is."""
    series = storage.samples.series(key("r"))
    n = 9 * chunks.CHUNK_SAMPLES + 7
    quality = np.zeros(n, np.uint16)
    quality[5 * chunks.CHUNK_SAMPLES + 3] = odd_quality
    written = make_samples(np.arange(n) * 10**8, np.arange(n) / 7, quality, np.full(n, 0.0005, np.float32))
    storage.samples.append([(series.id, written)])
    storage.samples.seal("r")
    for actual, expected in zip(columns_of(storage.samples.read(series.id)), columns_of(written), strict=True):
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)
    inside = storage.samples.read(series.id, 10**8, (n - 2) * 10**8)
    np.testing.assert_array_equal(inside.quality, quality[1:-1])
