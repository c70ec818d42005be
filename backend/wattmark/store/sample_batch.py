"""Samples of several series in four columns, end to end: how a commit travels, and how it lies on disk."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.store.columns import QUALITY, SAMPLE_BYTES, STAMP, U_STAMP, VALUE, columns_of, pick
from wattmark.store.sample_store import Samples

Part = tuple[int, Samples]
"""Samples of the series with this number."""

_HEAD = struct.Struct("<I")
_NUMBER = np.dtype("<i8")
_COUNT = np.dtype("<u4")
_COLUMNS: tuple[np.dtype[Any], ...] = STAMP, VALUE, QUALITY, U_STAMP


@dataclass(frozen=True, slots=True, eq=False)
class SampleBatch(Sequence[Part]):
    """A sequence of parts, laid end to end; a series may have several. Arrays have the types that lie on disk."""

    numbers: NDArray[np.int64]
    """The series of each part."""
    counts: NDArray[np.uint32]
    """The samples of each part."""
    samples: Samples
    """The samples of all parts, in their order of arrival."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """Join parts end to end. Raises `InputError` where the columns of a part differ in length."""
        columns: list[list[NDArray[Any]]] = [
            [samples.t_ns for _, samples in parts],
            [samples.value for _, samples in parts],
            [samples.quality for _, samples in parts],
            [samples.u_t_s for _, samples in parts],
        ]
        counts, *others = [list(map(len, column)) for column in columns]
        if any(lengths != counts for lengths in others):
            raise InputError(
                "The columns of a series have different lengths.", "Give one value, quality and time stamp per sample."
            )
        joined: list[NDArray[Any]] = [
            np.concatenate(column, dtype=dtype) for column, dtype in zip(columns, _COLUMNS, strict=True)
        ]
        return cls(np.array([number for number, _ in parts], _NUMBER), np.array(counts, _COUNT), Samples(*joined))

    @classmethod
    def of_columns(cls, owners: NDArray[np.int64], samples: Samples) -> Self:
        """Group samples by their series, in unchanged order within each."""
        numbers, counts = np.unique(owners, return_counts=True)
        return cls(numbers, counts.astype(_COUNT), pick(samples, np.argsort(owners, kind="stable")))

    @classmethod
    def joined(cls, sample_batches: Iterable[SampleBatch]) -> Self:
        """Join sample batches end to end; each is copied before the next is read, to save memory."""
        dtypes: tuple[np.dtype[Any], ...] = (_NUMBER, _COUNT, *_COLUMNS)
        grown = [bytearray() for _ in dtypes]
        for sample_batch in sample_batches:
            for store, column in zip(grown, sample_batch.columns, strict=True):
                store += column.tobytes()
        columns = [np.frombuffer(store, dtype) for store, dtype in zip(grown, dtypes, strict=True)]
        return cls(columns[0], columns[1], Samples(*columns[2:]))

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """Return all columns in their order on disk."""
        return self.numbers, self.counts, *columns_of(self.samples)

    @classmethod
    def decode(cls, blob: bytes) -> Self:
        """Decode what `encode` wrote; the arrays are read-only views."""
        (parts,) = _HEAD.unpack_from(blob)
        counts_at = _HEAD.size + parts * _NUMBER.itemsize
        offset = counts_at + parts * _COUNT.itemsize
        n = (len(blob) - offset) // SAMPLE_BYTES
        columns: list[NDArray[Any]] = []
        for dtype in _COLUMNS:
            columns.append(np.frombuffer(blob, dtype, n, offset))
            offset += n * dtype.itemsize
        return cls(
            np.frombuffer(blob, _NUMBER, parts, _HEAD.size),
            np.frombuffer(blob, _COUNT, parts, counts_at),
            Samples(*columns),
        )

    def encode(self) -> bytes:
        """Encode the number of parts, then all columns."""
        return b"".join((_HEAD.pack(len(self.numbers)), *(column.data for column in self.columns)))

    def rows(self, most: int) -> Iterator[SampleBatch]:
        """Split into sample batches of at most so many samples, in order."""
        total = len(self.samples)
        if total <= most:
            yield self
            return
        ends = np.cumsum(self.counts, dtype=_NUMBER)
        for begin in range(0, total, most):
            inside = np.clip(ends, begin, begin + most) - np.clip(ends - self.counts, begin, begin + most)
            some = inside > 0
            samples = pick(self.samples, slice(begin, begin + most))
            yield SampleBatch(self.numbers[some], inside[some].astype(_COUNT), samples)

    def only(self, wanted: NDArray[np.bool_]) -> SampleBatch:
        """Return the parts for which ``wanted`` is true."""
        samples = pick(self.samples, np.flatnonzero(np.repeat(wanted, self.counts)))
        return SampleBatch(self.numbers[wanted], self.counts[wanted], samples)

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Part: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Part]: ...

    def __getitem__(self, index: int | slice) -> Part | Sequence[Part]:
        return list(self)[index]

    def __iter__(self) -> Iterator[Part]:
        ends = np.cumsum(self.counts, dtype=_NUMBER).tolist()
        for number, (begin, end) in zip(self.numbers.tolist(), pairwise([0, *ends]), strict=True):
            yield number, pick(self.samples, slice(begin, end))

    def places(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield each series with the positions of its samples here, in order of arrival."""
        owners = np.repeat(self.numbers, self.counts)
        order = np.argsort(owners, kind="stable")
        numbers, counts = np.unique(owners, return_counts=True)
        ends = np.cumsum(counts).tolist()
        for number, (begin, end) in zip(numbers.tolist(), pairwise([0, *ends]), strict=True):
            yield number, order[begin:end]
