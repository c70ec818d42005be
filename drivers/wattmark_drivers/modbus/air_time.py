"""How long a poll occupies a serial line: bytes of requests and answers at the line's speed, silences, the device.

Formulas: MODBUS over Serial Line V1.02, 2.3.2 (characters of 11 bits with parity or a second stop bit, 10 without
either) and 2.5.1.1 (3.5 characters of silence between frames, 1.75 ms above 19200 baud).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from wattmark_drivers.catalogue.declaration import Parity
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.engine import LineLoad
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.modbus.address import ModbusAddress, TcpAddress, label
from wattmark_drivers.modbus.chosen import chosen_registers
from wattmark_drivers.settings import MeterSettings

REQUEST_BYTES = 8
"""Device, function, address, count, checksum."""
ANSWER_BYTES = 5
"""Device, function, number of bytes, checksum; two more for each register."""
SILENT_CHARACTERS = 3.5
FAST_BAUD = 19200
FAST_SILENCE_S = 1.75e-3
BAUDS = (2400, 4800, 9600, 19200, 38400, 57600, 115200)


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


def line_load(settings: MeterSettings, registers: ModbusMap, address: ModbusAddress) -> LineLoad | None:
    """Compute it from the blocks to read and the line's settings; None on TCP, whose line is unknown."""
    if isinstance(address, TcpAddress):
        return None
    poll = partial(
        poll_s,
        [block.count for block in chosen_registers(settings, registers).blocks],
        parity=address.parity,
        stopbits=address.stopbits,
        gap_s=registers.request_gap_s,
        answer_s=answer_s(settings, registers),
    )
    faster = {f"{baud} baud": poll(baud=baud) for baud in BAUDS if baud > address.baud}
    return LineLoad(label(address), f"{address.baud} baud", poll(baud=address.baud), faster)


def answer_s(settings: MeterSettings, registers: ModbusMap) -> float:
    """Return the time that the meter needs to answer [s]: the measured one of the bench file, else the declared one."""
    answer_s = settings.options.get("answer_s", registers.answer_s)
    if isinstance(answer_s, str) or not 0 <= answer_s <= 60:
        raise ConfigurationError(f"Meter {settings.name}: answer_s is {answer_s}.", "Write seconds from 0 to 60.")
    return float(answer_s)
