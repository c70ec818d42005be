"""The samples of a series as a .npy file: one structured array that numpy, and much else, reads."""

from __future__ import annotations

import hashlib
from functools import cache
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from wattmark.storage.columns import QUALITY, STAMP, U_STAMP, VALUE
from wattmark.storage.sample_store import Samples

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


def write_samples(samples: Samples) -> bytes:
    """Write samples in their order."""
    rows: NDArray[np.void] = np.empty(len(samples), ROW)
    for name in ROW.names or ():
        rows[name] = getattr(samples, name)
    return header(len(samples)) + rows.tobytes()


def read_samples(content: bytes, n: int) -> Samples:
    """Read what `write_samples` wrote. Raises `ValueError` for anything else."""
    head = header(n)
    if len(content) != size(n) or not content.startswith(head):
        raise ValueError("it does not hold the samples that its run names")
    rows = np.frombuffer(content, ROW, offset=len(head))
    return Samples(*(np.ascontiguousarray(rows[name]) for name in ROW.names or ()))


def digest(content: bytes) -> str:
    """Compute the SHA-256 of a member."""
    return hashlib.sha256(content).hexdigest()
