"""Samples of several series in four columns, end to end: how a commit travels, and how it lies on disk."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
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
_PART_BYTES = _NUMBER.itemsize + _COUNT.itemsize
_COLUMNS: tuple[np.dtype[Any], ...] = STAMP, VALUE, QUALITY, U_STAMP
_DTYPES: tuple[np.dtype[Any], ...] = _NUMBER, _COUNT, *_COLUMNS
_DTYPE_OF = attrgetter("dtype")
_FEW = 256
"""Up to this many stamps, the extremes are found faster without an array."""


class SampleBatch(Sequence[Part]):
    """A sequence of parts, laid end to end; a series may have several.

    It is kept as it lies on disk: the number of parts, the series and the samples of each, then the four columns of all
    samples in order of arrival. A commit of a few samples never makes arrays of it.
    """

    def __init__(self, blob: bytes) -> None:
        self.blob = blob
        self._parts: int = _HEAD.unpack_from(blob)[0]
        self._begin = _HEAD.size + self._parts * _PART_BYTES
        self.n = (len(blob) - self._begin) // SAMPLE_BYTES
        """Samples of all parts."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """Join parts end to end. Raises `InputError` where the columns of a part differ in length."""
        numbers: list[int] = []
        columns: tuple[list[NDArray[Any]], ...] = [], [], [], []
        stamps, values, qualities, uncertainties = columns
        for number, samples in parts:
            numbers.append(number)
            stamps.append(samples.t_ns)
            values.append(samples.value)
            qualities.append(samples.quality)
            uncertainties.append(samples.u_t_s)
        counts, *others = [list(map(len, column)) for column in columns]
        if others != [counts] * len(others):
            raise InputError(
                "The columns of a series have different lengths.", "Give one value, quality and time stamp per sample."
            )
        n = len(numbers)
        head = struct.pack(f"<I{n}q{n}I", n, *numbers, *counts)
        return cls(b"".join((head, *map(_end_to_end, columns, _COLUMNS))))

    @classmethod
    def of_arrays(cls, numbers: NDArray[np.int64], counts: NDArray[np.integer[Any]], samples: Samples) -> Self:
        """Take samples that lie end to end: the series and the number of samples of each part, and their columns."""
        columns: list[NDArray[Any]] = [numbers, counts.astype(_COUNT), *columns_of(samples)]
        return cls(b"".join([_HEAD.pack(len(numbers)), *map(_on_disk, columns, _DTYPES)]))

    @classmethod
    def of_columns(
        cls, owners: NDArray[np.integer[Any]], samples: Samples, number_of: Callable[[int], int] = int
    ) -> Self:
        """Group samples by their owners, in unchanged order within each; ``number_of`` maps an owner to its series."""
        order = np.argsort(owners, kind="stable")
        distinct, begins = _runs(owners[order])
        numbers = np.array(list(map(number_of, distinct.tolist())), _NUMBER)
        return cls.of_arrays(numbers, np.diff(begins, append=len(owners)), pick(samples, order))

    @classmethod
    def joined(cls, sample_batches: Iterable[SampleBatch]) -> Self:
        """Join sample batches end to end; each is copied before the next is read, to save memory."""
        parts, grown = 0, [bytearray() for _ in _DTYPES]
        for sample_batch in sample_batches:
            parts += len(sample_batch)
            begin = _HEAD.size
            for column, size in zip(grown, sample_batch.column_bytes, strict=True):
                column += sample_batch.blob[begin : begin + size]
                begin += size
        return cls(b"".join((_HEAD.pack(parts), *grown)))

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The series of each part; read-only, as all arrays here."""
        return np.frombuffer(self.blob, _NUMBER, self._parts, _HEAD.size)

    @cached_property
    def counts(self) -> NDArray[np.uint32]:
        """The samples of each part."""
        return np.frombuffer(self.blob, _COUNT, self._parts, _HEAD.size + self._parts * _NUMBER.itemsize)

    @cached_property
    def samples(self) -> Samples:
        """The samples of all parts, in their order of arrival."""
        begin = self._begin
        columns: list[NDArray[Any]] = []
        for dtype in _COLUMNS:
            columns.append(np.frombuffer(self.blob, dtype, self.n, begin))
            begin += self.n * dtype.itemsize
        return Samples(*columns)

    @property
    def encoded_numbers(self) -> bytes:
        """Return the series of the parts as 64-bit integers."""
        return self.blob[_HEAD.size : _HEAD.size + self._parts * _NUMBER.itemsize]

    def span(self) -> tuple[int, int]:
        """Return the first and the last stamp [ns]; there must be one."""
        if self.n > _FEW:
            stamps = self.samples.t_ns
            return int(stamps.min()), int(stamps.max())
        listed = struct.unpack_from(f"<{self.n}q", self.blob, self._begin)
        return min(listed), max(listed)

    def rows(self, most: int) -> Iterator[SampleBatch]:
        """Split into batches of at most a number of samples, in order."""
        if self.n <= most:
            yield self
            return
        ends = np.cumsum(self.counts, dtype=_NUMBER)
        for begin in range(0, self.n, most):
            inside = np.clip(ends, begin, begin + most) - np.clip(ends - self.counts, begin, begin + most)
            some = inside > 0
            samples = pick(self.samples, slice(begin, begin + most))
            yield SampleBatch.of_arrays(self.numbers[some], inside[some], samples)

    def only(self, wanted: NDArray[np.bool_]) -> SampleBatch:
        """Return the parts for which ``wanted`` is true."""
        samples = pick(self.samples, np.flatnonzero(np.repeat(wanted, self.counts)))
        return SampleBatch.of_arrays(self.numbers[wanted], self.counts[wanted], samples)

    def part(self, number: int) -> Samples:
        """Return the samples of one series, in their order of arrival."""
        return pick(self.samples, np.flatnonzero(np.repeat(self.numbers == number, self.counts)))

    def __len__(self) -> int:
        return self._parts

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
        numbers, begins = _runs(owners[order])
        for number, (begin, end) in zip(numbers.tolist(), pairwise([*begins.tolist(), self.n]), strict=True):
            yield number, order[begin:end]

    @property
    def column_bytes(self) -> tuple[int, ...]:
        """Return how many bytes each column takes."""
        return (
            *(self._parts * _NUMBER.itemsize, self._parts * _COUNT.itemsize),
            *(self.n * STAMP.itemsize, self.n * VALUE.itemsize, self.n * QUALITY.itemsize, self.n * U_STAMP.itemsize),
        )


def _runs(ordered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Find the distinct numbers among ordered ones, and where each begins."""
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])
    return ordered[begins], begins


def _end_to_end(columns: list[Any], dtype: np.dtype[Any]) -> bytes:
    """Join columns as they lie on disk."""
    if list(map(_DTYPE_OF, columns)).count(dtype) == len(columns):
        with suppress(TypeError):  # the elements of a column do not follow each other in memory
            return b"".join(columns)
    return b"".join([_on_disk(column, dtype) for column in columns])


def _on_disk(column: NDArray[Any], dtype: np.dtype[Any]) -> memoryview:
    """Return a column as it lies on disk, a copy only where it does not lie so in memory."""
    return column.astype(dtype, order="C", casting="same_kind", copy=False).data
