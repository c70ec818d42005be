"""Columns of samples as arrays and as bytes. Little-endian on disk, whatever the machine."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from wattmark_drivers.reading import UNUSABLE

from wattmark.core.errors import InputError
from wattmark.store.sample_store import Samples

STAMP = np.dtype("<i8")
VALUE = np.dtype("<f8")
QUALITY = np.dtype("<u2")
U_STAMP = np.dtype("<f4")
SAMPLE_BYTES = STAMP.itemsize + VALUE.itemsize + QUALITY.itemsize + U_STAMP.itemsize

NO_CHECKSUM = -1
"""Value that no sound row has as its checksum."""

_Number = TypeVar("_Number", np.uint16, np.float32)
_UNUSABLE = np.uint16(UNUSABLE)


def make_samples(
    t_ns: ArrayLike, value: ArrayLike, quality: ArrayLike | None = None, u_t_s: ArrayLike | None = None
) -> Samples:
    """Build the columns of a series; quality defaults to good, the uncertainty of the stamps to 0.

    Raises `InputError` when the columns differ in length.
    """
    stamps = np.asarray(t_ns, STAMP)
    zeros = np.zeros(len(stamps), QUALITY)
    samples = Samples(
        stamps,
        np.asarray(value, VALUE),
        zeros if quality is None else np.asarray(quality, QUALITY),
        zeros.astype(U_STAMP) if u_t_s is None else np.asarray(u_t_s, U_STAMP),
    )
    if len({column.shape for column in columns_of(samples)}) != 1 or stamps.ndim != 1:
        raise InputError(
            "The columns of a series have different lengths.", "Give one value, quality and time stamp per sample."
        )
    return samples


def columns_of(samples: Samples) -> tuple[NDArray[np.generic], ...]:
    """Return the four columns in their order on disk."""
    return samples.t_ns, samples.value, samples.quality, samples.u_t_s


def usable(samples: Samples) -> NDArray[np.bool_]:
    """Return which samples may enter an average: finite, and of a quality that allows it."""
    allowed: NDArray[np.bool_] = (samples.quality & _UNUSABLE) == 0
    return allowed & np.isfinite(samples.value)


def concatenate(parts: Sequence[Samples]) -> Samples:
    """Join columns end to end, without sorting."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return make_samples([], [])
    return Samples(
        np.concatenate([part.t_ns for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.quality for part in parts]),
        np.concatenate([part.u_t_s for part in parts]),
    )


def joined(parts: Iterable[Samples], n: int) -> Samples:
    """Join columns of ``n`` samples in all end to end, without sorting; each part may go before the next one comes.

    Qualities and uncertainties of the stamps that never vary stay one element, as a part has them.
    """
    t_ns, value = np.empty(n, STAMP), np.empty(n, VALUE)
    qualities: list[NDArray[np.uint16]] = []
    uncertainties: list[NDArray[np.float32]] = []
    end = 0
    for part in filter(len, parts):
        begin, end = end, end + len(part)
        t_ns[begin:end], value[begin:end] = part.t_ns, part.value
        qualities.append(part.quality)
        uncertainties.append(part.u_t_s)
    if not end:
        return make_samples([], [])
    return Samples(t_ns[:end], value[:end], _joined(qualities), _joined(uncertainties))


def _joined(columns: Sequence[NDArray[_Number]]) -> NDArray[_Number]:
    if all(column.strides == (0,) and column[0] == columns[0][0] for column in columns):
        return np.broadcast_to(columns[0][0], sum(map(len, columns)))
    return np.concatenate(columns)


def floats(column: NDArray[np.float32]) -> NDArray[np.float64]:
    """Convert a column to float64; one that never varies stays one element."""
    if column.strides == (0,) and len(column):
        return np.broadcast_to(np.float64(column[0]), len(column))
    return column.astype(np.float64)


def pick(samples: Samples, index: slice | NDArray[np.intp]) -> Samples:
    """Select samples by index."""
    return Samples(samples.t_ns[index], samples.value[index], samples.quality[index], samples.u_t_s[index])


def in_order(samples: Samples) -> Samples:
    """Sort by stamp; equal stamps keep the order in which they arrived."""
    t = samples.t_ns
    if bool(np.all(t[1:] >= t[:-1])):
        return samples
    return pick(samples, np.argsort(t, kind="stable"))


def between(samples: Samples, begin_ns: int, end_ns: int) -> Samples:
    """Select begin_ns <= t <= end_ns from samples that are in order."""
    first = int(np.searchsorted(samples.t_ns, begin_ns, side="left"))
    last = int(np.searchsorted(samples.t_ns, end_ns, side="right"))
    return samples if last - first == len(samples) else pick(samples, slice(first, last))


def repeats(t_ns: NDArray[np.int64], before: int = 0) -> NDArray[np.int64]:
    """Count the equal stamps before each of ordered stamps; ``before`` of them lie ahead of the first."""
    place = np.arange(len(t_ns))
    starts = np.maximum.accumulate(np.where(np.diff(t_ns, prepend=t_ns[0] - 1) != 0, place, 0))
    counts: NDArray[np.int64] = place - starts
    return np.where(starts == 0, counts + before, counts)


def to_bytes(column: NDArray[np.generic]) -> bytes | None:
    """Encode a column that seldom varies: None for all zeros, one element for a constant, else all elements."""
    if not column.any():
        return None
    if bool((column == column[0]).all()):
        return column[:1].tobytes()
    return column.tobytes()


def from_bytes(blob: bytes | None, dtype: np.dtype[np.generic], n: int) -> NDArray[np.generic]:
    """Decode what `to_bytes` wrote; the array is read-only."""
    if blob is None:
        return np.broadcast_to(dtype.type(0), n)
    column = np.frombuffer(blob, dtype)
    return np.broadcast_to(column[0], n) if len(column) == 1 else column


def checksum(*parts: bytes | None) -> int:
    """Compute a CRC-32 over parts of which some may be missing; a missing part differs from an empty one.

    A part that damage has made something other than bytes gives `NO_CHECKSUM`.
    """
    crc = 0
    try:
        for part in parts:
            crc = zlib.crc32(b"\x00" if part is None else b"\x01", crc)
            crc = zlib.crc32(part or b"", crc)
    except TypeError:
        return NO_CHECKSUM
    return crc


def checksum_of_numbers(layout: str, *numbers: float, name: str = "") -> int:
    """Compute a CRC-32 over numbers laid out as `struct` says; `NO_CHECKSUM` where damage left a non-number."""
    try:
        packed = struct.pack(layout, *numbers)
    except struct.error:
        return NO_CHECKSUM
    return checksum(name.encode(), packed) if name else checksum(packed)
