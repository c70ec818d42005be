"""The samples of a series as a .npy file: one structured array that numpy, and much else, reads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import StoreError
from wattmark.store.columns import QUALITY, STAMP, U_STAMP, VALUE
from wattmark.store.sample_store import Samples

ROW = np.dtype([("t_ns", STAMP), ("value", VALUE), ("quality", QUALITY), ("u_t_s", U_STAMP)])


@cache
def header(n: int) -> bytes:
    """Write the head of the file for ``n`` samples; the only head that is accepted when it is read."""
    out = BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": ROW.descr, "fortran_order": False, "shape": (n,)})
    return out.getvalue()


def size(n: int) -> int:
    """Compute the size of the file [bytes]."""
    return len(header(n)) + n * ROW.itemsize


@dataclass(frozen=True, slots=True)
class SeriesSamples:
    """The samples of a series in parts that follow each other, to be gone through once, and how many there are."""

    n: int
    parts: Iterable[Samples]

    def pieces(self) -> Iterator[bytes]:
        """Write the file piece by piece. Raises `StoreError` where the parts hold more or fewer samples."""
        yield header(self.n)
        n = 0
        for part in self.parts:
            n += len(part)
            yield _rows(part)
        if n != self.n:
            raise StoreError(f"A series has {n} samples instead of {self.n}: it changed during the copy.", "Try again.")


def _rows(samples: Samples) -> bytes:
    rows: NDArray[np.void] = np.empty(len(samples), ROW)
    for name in ROW.names or ():
        rows[name] = getattr(samples, name)
    return rows.tobytes()


def read_samples(pieces: Iterable[bytes], n: int) -> Iterator[Samples]:
    """Read what `SeriesSamples.pieces` wrote, about a piece at once. Raises `ValueError` for anything else."""
    head, length = header(n), 0
    buffer = b""
    for piece in pieces:
        length += len(piece)
        buffer += piece
        if length <= len(head):
            continue
        if head:
            if not buffer.startswith(head):
                break
            buffer, head = buffer[len(head) :], b""
        whole = len(buffer) - len(buffer) % ROW.itemsize
        if whole:
            yield _samples(buffer[:whole])
        buffer = buffer[whole:]
    if length != size(n) or buffer not in (b"", header(n)):
        raise ValueError("it does not contain the samples that its run lists")


def _samples(content: bytes) -> Samples:
    rows = np.frombuffer(content, ROW)
    return Samples(*(np.ascontiguousarray(rows[name]) for name in ROW.names or ()))


def digest(content: bytes) -> str:
    """Compute the SHA-256 of a member."""
    return digest_of([content])


def digest_of(pieces: Iterable[bytes]) -> str:
    """Compute the SHA-256 of a member that comes in pieces."""
    sha256 = hashlib.sha256()
    for piece in pieces:
        sha256.update(piece)
    return sha256.hexdigest()
