"""Cut a stream of bytes into messages: lines, and IEEE 488.2 blocks of a stated length."""

from __future__ import annotations

from wattmark_drivers.errors import BadReply

LONGEST = 1 << 16
"""Most bytes of one message."""


class Frames:
    """Collects bytes; a message ends with ``end``, and in a block that end may occur inside."""

    def __init__(self, end: bytes) -> None:
        self._end = end
        self._pending = b""

    def feed(self, data: bytes) -> None:
        """Add bytes. Raises `BadReply` when they are too many for a message."""
        self._pending += data
        if len(self._pending) > LONGEST:
            self.clear()
            raise BadReply(f"The device sent more than {LONGEST} bytes without a line end.", "Check the line settings.")

    def take(self, *, block: bool = False) -> bytes | None:
        """Return the next message without its end; None while it is not complete."""
        start = block_end(self._pending) if block else 0
        if start is None:
            return None
        end = self._pending.find(self._end, start)
        if end < 0:
            return None
        message, self._pending = self._pending[:end], self._pending[end + len(self._end) :]
        return message.removesuffix(b"\r") if self._end == b"\n" and not start else message

    def clear(self) -> None:
        self._pending = b""


def block_end(data: bytes) -> int | None:
    """Find where a definite-length block at the start of the data ends; 0 if there is none, None while unknown."""
    if not data or data[:1] != b"#":
        return None if not data else 0
    digits = data[1:2]
    if not digits:
        return None
    if not digits.isdigit() or digits == b"0":
        return 0
    length = data[2 : 2 + int(digits)]
    if not length.isdigit() and length:
        return 0
    if len(length) < int(digits):
        return None
    end = 2 + int(digits) + int(length)
    return end if len(data) >= end else None
