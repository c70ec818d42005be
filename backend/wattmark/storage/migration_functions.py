"""What steps of the layout compute beyond SQL. Like the steps, none changes after its release."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

_FIELDS = 8, 8, 2, 4
"""Bytes of a sample's stamp, value, quality and uncertainty."""


def live_row_v2(blob: bytes) -> bytes:
    """Lay out a live row anew: all numbers, all counts, then each column over all series.

    Before, a directory of number and count per series was followed by the four columns of one series after another.
    """
    (parts,) = struct.unpack_from("<I", blob)
    directory = list(struct.iter_unpack("<qI", blob[4 : 4 + 12 * parts]))
    at = 4 + 12 * parts
    columns: list[list[bytes]] = [[], [], [], []]
    for _, n in directory:
        for column, size in zip(columns, _FIELDS, strict=True):
            column.append(blob[at : at + size * n])
            at += size * n
    numbers, counts = zip(*directory, strict=True)
    head = struct.pack(f"<I{parts}q{parts}I", parts, *numbers, *counts)
    return head + b"".join(piece for column in columns for piece in column)


def live_row_crc(blob: bytes) -> int:
    """Compute the CRC-32 of a live row."""
    return zlib.crc32(blob, zlib.crc32(b"\x01"))


FUNCTIONS: dict[str, Callable[..., bytes | int]] = {"live_row_v2": live_row_v2, "live_row_crc": live_row_crc}
