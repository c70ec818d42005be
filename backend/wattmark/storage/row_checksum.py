"""One checksum over all columns of a row; triggers know it as the function `row_crc`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import apsw

from wattmark.storage.columns import checksum


def row_crc(*values: apsw.SQLiteValue) -> int:
    """Compute a CRC-32 over values as SQLite keeps them: text, bytes, numbers and NULL."""
    return checksum(*[_PLAIN[type(value)](value) for value in values])


def teach(connection: apsw.Connection) -> None:
    """Let triggers on this connection compute checksums; without it the tables that have one cannot be changed."""
    connection.create_scalar_function("row_crc", row_crc, deterministic=True)


def _of_float(value: float) -> bytes:
    return struct.pack("<d", value + 0.0)  # SQLite keeps no negative zero


_PLAIN: dict[type, Callable[[Any], bytes | None]] = {
    str: str.encode,
    int: b"%d".__mod__,
    float: _of_float,
    bytes: bytes,
    type(None): lambda _: None,
}
