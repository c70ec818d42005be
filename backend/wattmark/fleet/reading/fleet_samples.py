"""The samples of one run of a fleet, to read from: what the sinks have sent, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from wattmark.core.errors import InputError, StoreError
from wattmark.fleet.dossiers.rows import series_parts
from wattmark.fleet.reading.fleet_tables import FleetRow, FleetTables
from wattmark.store.columns import make_samples, pick
from wattmark.store.envelope import Cells, cut
from wattmark.store.sample_store import Envelope, Samples, Series, SeriesKey

_FIRST_NS, _LAST_NS = -(2**63), 2**63 - 1
_READ_ONLY = "Record into a data folder; the service sends the recorded samples."
_OF_LAB = "lab = %(lab)s"
_OF_SERIES = (
    "run = %(run)s AND server = %(server)s AND source = %(source)s AND channel = %(channel)s AND part = %(part)s"
)
_COLUMNS = "t_ns, repeat, value, quality, u_t_s"


class FleetSamples:
    """Read the series of one run as its record lists them, by their place in it from 1 on."""

    def __init__(self, tables: FleetTables, row: FleetRow) -> None:
        self._tables = tables
        self._run = {"lab": row.lab, "run": row.dossier.record.run_id}
        self._keys = row.dossier.keys
        self._parts = series_parts(key for key, _ in self._keys)

    def list_series(self, run_id: str) -> list[Series]:
        """List the series of the run with the sample counts of its record."""
        if run_id != self._run["run"]:
            return []
        return [Series(number, key, n) for number, (key, n) in enumerate(self._keys, start=1)]

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        """Read the samples with begin_ns <= t <= end_ns. Raises `StoreError`."""
        key, _ = self._keys[series_id - 1]
        where = f"{_OF_SERIES} AND t_ns >= %(begin)s AND t_ns <= %(end)s"
        parameters = {
            **self._run,
            "server": key.server,
            "source": key.source,
            "channel": key.channel,
            "part": self._parts[series_id - 1],
            "begin": _FIRST_NS if begin_ns is None else max(begin_ns, _FIRST_NS),
            "end": _LAST_NS if end_ns is None else min(end_ns, _LAST_NS),
        }
        if self._of_lab:
            where = f"{_OF_LAB} AND {where}"
        t_ns, repeat, value, quality, u_t_s = self._tables.samples(_COLUMNS, where, "ORDER BY t_ns, repeat", parameters)
        samples = make_samples(t_ns, value, quality, u_t_s)
        again = (t_ns[1:] == t_ns[:-1]) & (repeat[1:] == repeat[:-1])
        return pick(samples, np.flatnonzero(np.append(True, ~again))) if again.any() else samples

    @cached_property
    def _of_lab(self) -> bool:
        """Return whether all samples are stored under the lab's present name, the first column of the table's key.

        Where a lab was renamed, they are stored under its former name, or under both.
        """
        (count,) = self._tables.samples("count() AS n", f"{_OF_LAB} AND run = %(run)s", "", self._run)
        return int(count[0]) >= sum(n for _, n in self._keys)

    def envelope(
        self, series_id: int, buckets: int, begin_ns: int | None = None, end_ns: int | None = None
    ) -> Envelope:
        """Read a series at the resolution of a screen: at most ``buckets`` spans with minimum, maximum and mean."""
        if buckets < 1:
            raise InputError(f"{buckets} buckets were asked for.", "Ask for at least one.")
        return cut(Cells.of_samples(self.read(series_id, begin_ns, end_ns)), buckets)

    def series(self, key: SeriesKey) -> Series:
        """Find a series. Raises `StoreError` where there is none."""
        match = next((series for series in self.list_series(key.run_id) if series.key == key), None)
        if match is None:
            raise StoreError(f"There is no series {key.source} {key.channel} of run {key.run_id}.", _READ_ONLY)
        return match

    def enter(self, keys: Sequence[SeriesKey]) -> list[int]:
        """Find series. Raises `StoreError` where one is not there."""
        return [self.series(key).id for key in keys]

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: nothing is recorded here. Raises `StoreError`."""
        raise StoreError("The fleet store is read-only.", _READ_ONLY)

    def seal(self, run_id: str) -> None:
        """Do nothing: what is here is whole."""

    def delete_run(self, run_id: str) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: only the sending lab may delete its runs. Raises `StoreError`."""
        raise StoreError("The fleet store is read-only.", "Delete the run on the appliance that recorded it.")
