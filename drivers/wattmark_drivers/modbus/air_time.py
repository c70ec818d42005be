"""How long a poll occupies a serial line: bytes of requests and answers at the line's speed, silences, the device.

Formulas: MODBUS over Serial Line V1.02, 2.3.2 (characters of 11 bits with parity or a second stop bit, 10 without
either) and 2.5.1.1 (3.5 characters of silence between frames, 1.75 ms above 19200 baud).
"""

from __future__ import annotations

from collections.abc import Iterable

from wattmark_drivers.catalogue.declaration import Parity

REQUEST_BYTES = 8
"""Device, function, address, count, checksum."""
ANSWER_BYTES = 5
"""Device, function, number of bytes, checksum; two more for each register."""
SILENT_CHARACTERS = 3.5
FAST_BAUD = 19200
FAST_SILENCE_S = 1.75e-3


def character_bits(parity: Parity, stopbits: int) -> int:
    """Count the bits of one character on the line: start, eight of data, parity, stop."""
    return 1 + 8 + (parity is not Parity.NONE) + stopbits


def silence_s(baud: int, bits: int) -> float:
    """Compute the silence between two frames [s]."""
    return FAST_SILENCE_S if baud > FAST_BAUD else SILENT_CHARACTERS * bits / baud


def read_s(registers: int, baud: int, bits: int) -> float:
    """Compute how long a request for registers and its answer are on the line [s], without silences."""
    return (REQUEST_BYTES + ANSWER_BYTES + 2 * registers) * bits / baud


def poll_s(
    counts: Iterable[int], baud: int, parity: Parity, stopbits: int, *, gap_s: float = 0.0, answer_s: float = 0.0
) -> float:
    """Compute how long a poll occupies the line [s].

    ``counts`` are the registers of each request, ``gap_s`` [s] the silence that the device wants before a request,
    ``answer_s`` [s] the time that it takes to answer; neither is shorter than the silence between frames.
    """
    bits = character_bits(parity, stopbits)
    silence = silence_s(baud, bits)
    return sum(read_s(count, baud, bits) + max(silence, gap_s) + max(silence, answer_s) for count in counts)
