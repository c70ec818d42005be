"""Documents as numbers: the schema has float fields only, and a float carries six bytes exactly."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_BYTES = 6
LONGEST_BYTES = 64 * 2**20
"""Longest document that is unpacked."""


def to_words(document: bytes) -> list[float]:
    """Pack a document: its packed length, its CRC-32, then the packed bytes, six per number, big-endian."""
    packed = zlib.compress(document, 6)
    padded = packed + bytes(-len(packed) % _BYTES)
    words = [float(int.from_bytes(padded[begin : begin + _BYTES])) for begin in range(0, len(padded), _BYTES)]
    return [float(len(packed)), float(zlib.crc32(packed)), *words]


def from_words(words: Sequence[float] | NDArray[np.float64]) -> bytes | None:
    """Unpack a document; None where it is not whole, as while it is being replaced. What follows its end is ignored."""
    if len(words) < 2:
        return None
    try:
        length, checksum, *rest = map(int, words)
        packed = b"".join(_packed(rest, length))[:length]
        if length < 1 or len(packed) != length or zlib.crc32(packed) != checksum:
            return None
        unpacking = zlib.decompressobj()
        document = unpacking.decompress(packed, LONGEST_BYTES)
    except (ValueError, OverflowError, zlib.error):
        return None
    return document if unpacking.eof else None


def _packed(words: Sequence[int], length: int) -> Iterator[bytes]:
    for word in words[: -(-length // _BYTES)]:
        yield word.to_bytes(_BYTES)
