"""What one meter measured: channels with their raw samples, which lie on disk, however long the recording is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from wattmark_drivers.reading import Channel

from wattmark.importers.rows_on_disk import Rows, RowsOnDisk
from wattmark.store.columns import concatenate, make_samples, pick
from wattmark.store.sample_store import Samples

ROW = np.dtype([("t_ns", "<i8"), ("value", "<f8"), ("quality", "<u2"), ("u_t_s", "<f4")])
_FIELDS = ("t_ns", "value", "quality", "u_t_s")


def rows_of(samples: Samples) -> Rows:
    """Write samples as rows of `ROW`."""
    rows = np.empty(len(samples), ROW)
    for name in _FIELDS:
        rows[name] = getattr(samples, name)
    return rows


def samples_of(rows: Rows) -> Samples:
    """Read samples from rows of `ROW`."""
    return Samples(*(rows[name] for name in _FIELDS))


class SamplesOnDisk:
    """The samples of a channel, read in the order of their stamps; equal stamps stay in the order they came in."""

    def __init__(self) -> None:
        self._rows = RowsOnDisk(ROW)
        self._latest_ns = np.iinfo(np.int64).min
        self._in_order = True

    @classmethod
    def of(cls, parts: Iterable[Samples]) -> SamplesOnDisk:
        """Write parts that follow each other."""
        samples = cls()
        for part in parts:
            samples.add(part)
        return samples

    def __len__(self) -> int:
        return self._rows.count

    def add(self, samples: Samples) -> None:
        """Append samples. Raises `InputError` where there is no room."""
        if not len(samples):
            return
        rows = rows_of(samples)
        stamps = rows["t_ns"]
        self._in_order &= bool(stamps[0] >= self._latest_ns and np.all(stamps[1:] >= stamps[:-1]))
        self._latest_ns = max(self._latest_ns, int(stamps.max()))
        self._rows.add(rows)

    def read(self, count: int) -> Iterator[Samples]:
        """Read from the first sample, ``count`` at a time. Where a stamp steps back, all are sorted in memory first."""
        if not self._in_order:
            self._sort()
        return map(samples_of, self._rows.read(count))

    def whole(self) -> Samples:
        """Read all samples at once."""
        return concatenate(list(self.read(max(1, len(self)))))

    def _sort(self) -> None:
        rows = np.concatenate(list(self._rows.read(self._rows.count)))
        self._rows = RowsOnDisk(ROW)
        self._rows.add(rows[np.argsort(rows["t_ns"], kind="stable")])
        self._in_order = True


class RecordedColumn(NamedTuple):
    """One channel with its samples."""

    channel: Channel
    samples: SamplesOnDisk


@dataclass(frozen=True, slots=True)
class Recording:
    """What one meter measured; ``remarks`` list what was excluded or assumed."""

    source: str
    columns: tuple[RecordedColumn, ...]
    remarks: tuple[str, ...] = ()


def side_by_side(columns: Sequence[SamplesOnDisk], count: int) -> Iterator[list[Samples]]:
    """Read channels along time: again and again the samples of each before a common stamp; equal stamps come together.

    In memory are about ``count`` samples of each channel.
    """
    sources = [column.read(count) for column in columns]
    ahead = [make_samples([], []) for _ in columns]
    read_on = list(range(len(columns)))
    unfinished = set(read_on)
    while unfinished:
        for number in read_on:
            part = next(sources[number], None)
            if part is None:
                unfinished.discard(number)
            else:
                ahead[number] = concatenate([ahead[number], part])
        if not unfinished:
            break
        # The next part of a channel may begin with the last stamp of this one, which therefore waits for it.
        until_ns = min(int(ahead[number].t_ns[-1]) for number in unfinished)
        ends = [int(np.searchsorted(samples.t_ns, until_ns)) for samples in ahead]
        yield [pick(samples, slice(end)) for samples, end in zip(ahead, ends, strict=True)]
        ahead = [pick(samples, slice(end, None)) for samples, end in zip(ahead, ends, strict=True)]
        read_on = [number for number in unfinished if ahead[number].t_ns[-1] == until_ns]
    yield ahead
