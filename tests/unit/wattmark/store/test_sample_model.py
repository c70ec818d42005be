"""What is read is what was written: against a model that keeps lists in memory."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store import chunks, live_rows, seal
from wattmark.store import samples as sqlite_samples
from wattmark.store.sample_store import Envelope
from wattmark_drivers.reading import Quality

from tests.examples import examples

from .rows import Row, columns, key, same

Commit = list[tuple[int, list[Row]]]

SMALL_CHUNK = 8
_runs = itertools.count()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A store whose chunks and rows are so small that a few samples cross every border."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK_SAMPLES", SMALL_CHUNK)
        patch.setattr(sqlite_samples, "LIVE_ROWS", 5)
        patch.setattr(sqlite_samples, "LOOK_ROWS", 1)
        patch.setattr(sqlite_samples, "GROWN_SAMPLES", 12)
        patch.setattr(seal, "AT_ONCE", 20)
        patch.setattr(live_rows, "ROW_SAMPLES", 11)
        opened = open_storage(tmp_path_factory.mktemp("small"))
        yield opened
        opened.close()


def in_time(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row[0])


values = st.one_of(st.floats(-1e9, 1e9), st.just(math.nan), st.just(math.inf))
qualities = st.one_of(st.just(0), st.integers(0, 63))
uncertainties = st.one_of(st.just(0.0), st.just(0.25), st.floats(0, 8, width=32))
stamps = st.one_of(st.integers(0, 60), st.integers(0, 2**61))
rows = st.lists(st.tuples(stamps, values, qualities, uncertainties), max_size=30)
commits = st.lists(st.lists(st.tuples(st.integers(0, 2), rows), max_size=4), max_size=8)


def write(storage: Storage, recorded: list[Commit], seal_after: set[int]) -> dict[int, list[Row]]:
    """Write commits to three series of a new run, sealing at times; give what each series must hold."""
    run_id = f"run{next(_runs)}"
    numbers = [storage.samples.series(key(run_id, f"c{index}")).id for index in range(3)]
    model: dict[int, list[Row]] = defaultdict(list)
    for index, commit in enumerate(recorded):
        storage.samples.append([(numbers[which], columns(part)) for which, part in commit])
        for which, part in commit:
            model[numbers[which]] += part
        if index in seal_after:
            storage.samples.seal(run_id)
    counts = {series.id: series.n for series in storage.samples.list_series(run_id)}
    assert counts == {number: len(model[number]) for number in numbers}
    return {number: in_time(model[number]) for number in numbers}


@settings(max_examples=examples(80), deadline=None)
@given(commits, st.sets(st.integers(0, 7)), stamps, stamps)
def test_what_is_read_is_what_was_written(
    small: Storage, recorded: list[Commit], seal_after: set[int], begin: int, end: int
) -> None:
    for number, written in write(small, recorded, seal_after).items():
        same(small.samples.read(number), written)
        same(small.samples.read(number, begin), [row for row in written if begin <= row[0]])
        same(small.samples.read(number, begin, end), [row for row in written if begin <= row[0] <= end])


def check_envelope(envelope: Envelope, written: list[Row], buckets: int) -> None:
    """Each bucket must tell exactly the extremes and the mean of the samples that it stands for."""
    assert len(envelope.n) <= buckets
    assert sum(envelope.n) == len(written)
    assert envelope.decimated == (len(written) > buckets)
    rest = iter(written)
    spans = [list(itertools.islice(rest, int(n))) for n in envelope.n]
    for span, t, low, high, mean in zip(
        spans, envelope.t_ns, envelope.minimum, envelope.maximum, envelope.mean, strict=True
    ):
        assert span[0][0] <= t <= span[-1][0]
        good = [value for _, value, quality, _ in span if math.isfinite(value) and Quality(quality).usable]
        if good:
            assert (low, high) == (min(good), max(good))
            assert mean == pytest.approx(fmean(good), rel=1e-9, abs=1e-6)
        else:
            assert np.isnan([low, high, mean]).all()


@settings(max_examples=examples(80), deadline=None)
@given(commits, st.sets(st.integers(0, 7)), st.integers(1, 40), stamps, stamps)
def test_an_envelope_hides_no_peak(
    small: Storage, recorded: list[Commit], seal_after: set[int], buckets: int, begin: int, end: int
) -> None:
    for number, written in write(small, recorded, seal_after).items():
        check_envelope(small.samples.envelope(number, buckets), written, buckets)
        shown = [row for row in written if begin <= row[0] <= end]
        check_envelope(small.samples.envelope(number, buckets, begin, end), shown, buckets)


@settings(max_examples=examples(40), deadline=None)
@given(st.data(), st.integers(1, 12))
def test_an_envelope_from_chunk_extremes_hides_no_peak(small: Storage, data: st.DataObject, buckets: int) -> None:
    n = data.draw(st.integers(SMALL_CHUNK * buckets, SMALL_CHUNK * (buckets + 20)))
    value = data.draw(st.lists(values, min_size=n, max_size=n))
    quality = data.draw(st.lists(qualities, min_size=n, max_size=n))
    written = [(10 * i, v, q, 0.0) for i, (v, q) in enumerate(zip(value, quality, strict=True))]
    live = data.draw(st.integers(0, 9))
    first, last = ([(0, written[: n - live])], [(0, written[n - live :])])
    ((number, _), *_) = write(small, [first, last], {0}).items()
    begin, end = data.draw(st.integers(-5, 200)), data.draw(st.integers(10 * n - 200, 10 * n + 5))
    check_envelope(
        small.samples.envelope(number, buckets, begin, end), [r for r in written if begin <= r[0] <= end], buckets
    )


def test_buckets_end_at_chunk_borders_when_chunks_suffice(small: Storage) -> None:
    written = [(i, float(i), 0, 0.0) for i in range(SMALL_CHUNK * 20)]
    ((number, _), *_) = write(small, [[(0, written)]], {0}).items()
    envelope = small.samples.envelope(number, 10)
    assert all(n % SMALL_CHUNK == 0 for n in envelope.n)
    check_envelope(envelope, written, 10)
