"""A serial port for asyncio: a dedicated thread makes the blocking calls."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import serial

from wattmark_drivers.ascii.address import SerialAddress
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.traffic import tell

BLOCK_S = 0.2
"""Longest blocking read; bounds how long closing takes [s]."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes, when they were read and since when they may have waited for that [UTC ns]; empty when nothing came."""

    data: bytes
    t_ns: int
    since_ns: int


class SerialPort:
    """Bytes in and out of a device file; every failure is a `ConnectionFailed`."""

    def __init__(self, address: SerialAddress, clock: Clock, *, rts_cts: bool = False) -> None:
        self._address = address
        self._clock = clock
        self._rts_cts = rts_cts
        self._port: serial.Serial | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="serial")
        self._emptied_ns = 0
        """When the port was read last [UTC ns]."""

    async def open(self) -> None:
        """Open the port for this process alone, 8N1, and forget what waited in it."""
        await self._run(self._open)

    async def read(self) -> Chunk:
        """Read what is there, or wait shortly for the first byte."""
        chunk = await self._run(self._read)
        if chunk.data:
            tell("received", chunk.data)
        return chunk

    async def write(self, data: bytes) -> None:
        await self._run(lambda: self._write(data))
        tell("sent", data)

    async def close(self) -> None:
        """Release the port after a read in progress has ended; never raises."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, call: Callable[[], _T]) -> _T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except OSError as error:
            raise ConnectionFailed(
                f"{self._address.path}: {_reason(error)}.",
                "Check the cable, that nothing else uses the port, and that this user is in the group dialout.",
            ) from None

    def _open(self) -> None:
        self._port = serial.Serial(
            self._address.path,
            self._address.baud,
            timeout=BLOCK_S,
            write_timeout=1,
            exclusive=True,
            rtscts=self._rts_cts,
        )
        self._port.reset_input_buffer()
        self._emptied_ns = self._clock.utc_ns()

    def _close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            with contextlib.suppress(OSError):
                port.close()

    def _read(self) -> Chunk:
        port, since_ns = self._opened(), self._emptied_ns
        waiting = port.in_waiting
        data = port.read(max(1, waiting))
        self._emptied_ns = self._clock.utc_ns()
        return Chunk(data, self._emptied_ns, since_ns if waiting else self._emptied_ns)

    def _write(self, data: bytes) -> None:
        self._opened().write(data)

    def _opened(self) -> serial.Serial:
        if self._port is None:
            raise serial.SerialException("the port is closed")
        return self._port


def _reason(error: OSError) -> str:
    """Return the cause in a few words; pyserial repeats the path and the errno."""
    if error.errno == errno.EAGAIN:
        return "another program has locked the port"
    return os.strerror(error.errno) if error.errno else str(error).splitlines()[0].rstrip(".")
