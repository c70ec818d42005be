"""A series goes into an archive and comes out of it in pieces: the same bytes, however long it is, in little memory."""

from __future__ import annotations

import hashlib
import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.archives.gather import Gatherer
from wattmark.archives.samples_file import SeriesSamples, digest_of, read_samples, size
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import Samples, SeriesKey

from tests.examples import examples

BEGIN_NS = 1_700_000_000_000_000_000


def series(n: int, begin: int = 0) -> Samples:
    stamps = np.arange(begin, begin + n)
    return make_samples(
        BEGIN_NS + stamps * 1000, np.sin(stamps), (stamps % 3).astype(np.uint16), (stamps % 7).astype(np.float32)
    )


def joined(parts: list[Samples]) -> list[tuple[float, ...]]:
    return [row for part in parts for row in zip(part.t_ns, part.value, part.quality, part.u_t_s, strict=True)]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.integers(0, 40), max_size=6), st.integers(1, 400))
def test_however_it_is_cut_the_file_is_the_same_and_is_read_back(lengths: list[int], piece: int) -> None:
    n = sum(lengths)
    begins = [sum(lengths[:index]) for index in range(len(lengths))]
    cut = SeriesSamples(n, [series(length, begin) for length, begin in zip(lengths, begins, strict=True)])
    content = b"".join(cut.pieces())
    assert content == b"".join(SeriesSamples(n, [series(n)]).pieces())
    assert (len(content), digest_of([content])) == (size(n), hashlib.sha256(content).hexdigest())
    assert np.load(io.BytesIO(content))["value"].tolist() == series(n).value.tolist()
    pieces = (content[begin : begin + piece] for begin in range(0, len(content), piece))
    assert joined(list(read_samples(pieces, n))) == joined([series(n)])


@pytest.mark.parametrize("n", [0, 1, 50])
def test_another_file_is_refused(n: int) -> None:
    content = b"".join(SeriesSamples(n, [series(n)]).pieces())
    for wrong in (b"", content[:-1], content + b"x", b"x" + content[1:], content.replace(b"'value'", b"'watts'")):
        for pieces in ([wrong], [wrong[:9], wrong[9:]]):
            with pytest.raises(ValueError, match="does not contain"):
                list(read_samples(pieces, n))
    with pytest.raises(ValueError, match="does not contain"):
        list(read_samples([content], n + 1))


def test_a_series_that_changed_meanwhile_is_not_packed() -> None:
    with pytest.raises(StoreError, match="5 samples instead of 6"):
        list(SeriesSamples(6, [series(5)]).pieces())


def test_of_a_long_series_a_part_is_in_memory(storage: Storage) -> None:
    lengths = {"short": 100_000, "long": 800_000}
    for run_id, n in lengths.items():
        number = storage.samples.series(SeriesKey(run_id, "s", "wall", "power", "power", "W", "averaged")).id
        storage.samples.append([(number, series(n))])
        storage.samples.seal(run_id)
    gatherer = Gatherer(storage, lambda run: pytest.fail(f"{run} is not evaluated"))

    def peak(run_id: str) -> int:
        (gathered,) = gatherer.series(run_id)
        tracemalloc.start()
        try:
            n = sum(len(part) for part in read_samples(gatherer.samples(gathered).pieces(), lengths[run_id]))
            assert n == lengths[run_id]
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak("short")
    assert peak("long") < 2 * peak("short")
