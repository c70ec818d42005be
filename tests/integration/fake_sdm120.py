"""An SDM120 on loopback that can be exchanged for another one, or hang, in a way that no simulator of the lab does."""

from __future__ import annotations

import itertools
import math
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SERIAL_REGISTER = 0xFC00
VOLTAGE, CURRENT, POWER = 0, 6, 12


class FakeSdm120:
    """Answers Modbus TCP requests; what it is and shows is set while it runs.

    Its values move from reading to reading, as those of a load do, except for the registers in ``stuck``.
    """

    def __init__(self) -> None:
        self.serial = 10111
        self.power_w = 100.0
        self.stuck: frozenset[int] = frozenset()
        self._held: dict[int, float] = {}
        self._count = itertools.count()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"modbus-tcp://127.0.0.1:{self._server.getsockname()[1]}/1"

    def exchange(self, serial: int, power_w: float) -> None:
        """Take its place: the connections end, and another unit answers from now on."""
        self.serial, self.power_w = serial, power_w
        for connection in list(self._open):
            connection.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        """End it, if it has not ended."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for connection in list(self._open):
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            while len(request := connection.recv(12)) == 12:
                connection.sendall(self._answer(request))
        except OSError:
            pass
        finally:
            self._open.discard(connection)
            connection.close()

    def _answer(self, request: bytes) -> bytes:
        address, count = struct.unpack_from(">HH", request, 8)
        if address == SERIAL_REGISTER:
            values = struct.pack(">I", self.serial)
        else:
            values = b"".join(
                struct.pack(">f", self._shown(register)) for register in range(address, address + count, 2)
            )
        return request[:4] + struct.pack(">HBBB", 3 + len(values), request[6], request[7], len(values)) + values

    def _shown(self, register: int) -> float:
        if register in self.stuck and register in self._held:
            return self._held[register]
        swing = 0.01 * math.sin(next(self._count))
        moving = {VOLTAGE: 230 + swing, CURRENT: self.power_w / 230 + swing / 100, POWER: self.power_w + swing}
        self._held[register] = moving.get(register, 0.0)
        return self._held[register]


@contextmanager
def fake_sdm120() -> Iterator[FakeSdm120]:
    """Run one for the length of a block."""
    meter = FakeSdm120()
    try:
        yield meter
    finally:
        meter.stop()
