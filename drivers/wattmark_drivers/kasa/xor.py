"""The frames of the old Kasa protocol on TCP port 9999: a length, and JSON hidden by an XOR with itself.

It hides nothing from anybody: the first key is public (https://www.softscheck.com/en/reverse-engineering-tp-link-hs110).
"""

from __future__ import annotations

from itertools import accumulate
from operator import xor

FIRST_KEY = 171
PORT = 9999
MOST_BYTES = 1 << 16
"""Longest answer; a strip of six outlets sends 2 KiB."""


def encode(text: bytes) -> bytes:
    """Encode a message as a frame."""
    body = bytes(accumulate(text, xor, initial=FIRST_KEY))[1:]
    return len(body).to_bytes(4, "big") + body


def decode(body: bytes) -> bytes:
    """Decode a frame without its length."""
    return bytes(key ^ byte for key, byte in zip(bytes([FIRST_KEY]) + body, body, strict=False))
