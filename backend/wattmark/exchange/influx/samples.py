"""The sample store on InfluxDB, to read from: what sinks have sent there, bit for bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from wattmark.core.errors import InputError, StoreError
from wattmark.exchange.influx import schema
from wattmark.exchange.influx.csv_answer import Rows, read_csv
from wattmark.exchange.influx.questions import PAGE_ROWS, samples_page
from wattmark.store.columns import between, concatenate, in_order, make_samples, pick
from wattmark.store.envelope import Cells, cut
from wattmark.store.sample_store import Envelope, Samples, Series, SeriesKey

_FIRST_NS, _LAST_NS = -(2**63) + 2, 2**63 - 2
"""The instants that InfluxDB knows; it refuses those beyond."""
_NOT_FINITE = {0.0: np.nan, 1.0: np.inf, -1.0: -np.inf}
_READ_ONLY = "Record into a data folder; the service forwards the recorded samples."


class Asked(Protocol):
    """What answers questions: a connection."""

    def query(self, influxql: str) -> str:
        """Answer as CSV. Raises `StoreError`."""
        ...


class Keys(Protocol):
    """What knows the series of a run: the records of runs."""

    def series(self, run_id: str) -> Sequence[tuple[SeriesKey, int]]:
        """List the series of a run in their order, with the counts that were noted last."""
        ...


class InfluxSampleStore:
    """Read samples of any appliance's runs. Numbers of series hold as long as this object."""

    def __init__(self, server: Asked, keys: Keys) -> None:
        self._server = server
        self._keys = keys
        self._listed: list[tuple[SeriesKey, int]] = []
        self._numbers: dict[SeriesKey, int] = {}

    def list_series(self, run_id: str) -> list[Series]:
        """List the series of a run with the sample counts that its record tells."""
        seen: Counter[tuple[str, str, str]] = Counter()
        listed = []
        for key, n in self._keys.series(run_id):
            tags = key.server, key.source, key.channel
            listed.append(Series(self._number(key, seen[tags]), key, n))
            seen[tags] += 1
        return listed

    def series(self, key: SeriesKey) -> Series:
        """Find a series. Raises `StoreError` where there is none."""
        match = next((series for series in self.list_series(key.run_id) if series.key == key), None)
        if match is None:
            raise StoreError(f"There is no series {key.source} {key.channel} of run {key.run_id}.", _READ_ONLY)
        return match

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        """Read the samples with begin_ns <= t <= end_ns. Raises `StoreError`."""
        key, part = self._listed[series_id - 1]
        begin = _FIRST_NS if begin_ns is None else max(begin_ns, _FIRST_NS)
        end = _LAST_NS if end_ns is None else min(end_ns, _LAST_NS)
        pages = [_samples(rows, part) for rows in self._pages(key, begin, min(end + schema.MOST_LATER_NS, _LAST_NS))]
        # A page ends before the next instant, so that equal points are on one page.
        return between(in_order(concatenate(pages)), begin, end)

    def envelope(
        self, series_id: int, buckets: int, begin_ns: int | None = None, end_ns: int | None = None
    ) -> Envelope:
        """Read a series at the resolution of a screen: at most ``buckets`` spans with minimum, maximum and mean."""
        if buckets < 1:
            raise InputError(f"{buckets} buckets were asked for.", "Ask for at least one.")
        return cut(Cells.of_samples(self.read(series_id, begin_ns, end_ns)), buckets)

    def enter(self, keys: Sequence[SeriesKey]) -> list[int]:
        """Find series. Raises `StoreError` where one is not there."""
        return [self.series(key).id for key in keys]

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: nothing is recorded here. Raises `StoreError`."""
        raise StoreError("This InfluxDB connection is read-only.", _READ_ONLY)

    def seal(self, run_id: str) -> None:
        """Do nothing: what is here is whole."""

    def delete_run(self, run_id: str) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: what others sent is theirs to delete. Raises `StoreError`."""
        raise StoreError("This InfluxDB connection is read-only.", "Delete the run on the InfluxDB server.")

    def _number(self, key: SeriesKey, part: int) -> int:
        if key not in self._numbers:
            self._listed.append((key, part))
            self._numbers[key] = len(self._listed)
        return self._numbers[key]

    def _pages(self, key: SeriesKey, begin_ns: int, end_ns: int) -> Iterator[Rows]:
        while begin_ns <= end_ns:
            rows = read_csv(self._server.query(samples_page(key, begin_ns, end_ns)), ("time", *schema.SAMPLE_FIELDS))
            yield rows
            if len(rows) < PAGE_ROWS:
                return
            begin_ns = int(rows.columns["time"][-1]) + 1


def _samples(rows: Rows, part: int) -> Samples:
    if not len(rows):
        return make_samples([], [])
    value = rows.floats(schema.VALUE, np.nan)
    for mark, stands_for in _NOT_FINITE.items():
        value[rows.floats(schema.NOT_FINITE, np.nan) == mark] = stands_for
    stored_ns = rows.stamps()
    samples = make_samples(
        stored_ns - rows.floats(schema.LATER, 0.0).astype(np.int64),
        value,
        rows.floats(schema.QUALITY, 0.0).astype(np.uint16),
        rows.floats(schema.STAMP_UNCERTAINTY, 0.0).astype(np.float32),
    )
    # Points sent again under another name of the lab, or by a version that named none, stand there twice.
    _, first = np.unique(stored_ns, return_index=True)
    return pick(samples, first[rows.floats(schema.PART, 0.0)[first] == part])
