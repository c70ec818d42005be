"""Whether SQLite's log can be read to its end (SQLite file format, 4): SQLite drops what follows damage in silence."""

from __future__ import annotations

import struct
from pathlib import Path

from wattmark.store.schema import LOG, PAGE

_HEADER, _FRAME = 32, 24 + PAGE
_LITTLE_ENDIAN = 0x377F0682
Sums = tuple[int, int]


def lost_commits(path: Path) -> int:
    """Count the commits in the log of a file that no process has open which follow a damaged place.

    The frames after it belong to the log as long as each continues the checksum that the one before it states. One
    such commit may be one that a kill or a power cut interrupted, which was not acknowledged; more were.
    """
    try:
        content = path.with_name(path.name + LOG).read_bytes()
    except OSError:
        return 0
    if len(content) < _HEADER or struct.unpack_from(">I", content)[0] & ~1 != _LITTLE_ENDIAN:
        return 0
    order = "<" if struct.unpack_from(">I", content)[0] == _LITTLE_ENDIAN else ">"
    salts, stated = content[16:24], struct.unpack_from(">II", content, 24)
    damaged, lost = False, 0
    for begin in range(_HEADER, len(content) - _FRAME + 1, _FRAME):
        frame = content[begin : begin + _FRAME]
        if frame[8:16] != salts:
            break
        sums = _continued(_continued(stated, frame[:8], order), frame[24:], order)
        stated = struct.unpack_from(">II", frame, 16)
        damaged = damaged or sums != stated
        lost += damaged and frame[4:8] != bytes(4)
    return lost


def _continued(sums: Sums, content: bytes, order: str) -> Sums:
    first, second = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
