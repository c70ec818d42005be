"""A Watts Up? on a pseudo-terminal, written from the protocol (revision 4.41) and independent of the simulators."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

NAMES = "W V A WH Cost WH/Mo Cost/Mo Wmax Vmax Amax Wmin Vmin Amin PF DC PC Hz VA".split()  # noqa: SIM905
RECORD = "6125 2301 2720 17 0 0 0 6310 2310 2802 5904 2295 2610 98 0 0 499 6259".split()  # noqa: SIM905


class Device:
    """Answers commands and pushes a record each 50 ms while external logging is on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names, self.record = list(NAMES), list(RECORD)
        self.mask = [True] * len(NAMES)
        self.commands: list[str] = []
        self.once: list[bytes] = []
        """Bytes to push instead of the next records."""
        self.mute = False
        self.stalled = False
        self._logging = False
        self._end = threading.Event()
        self.plug()

    def plug(self) -> None:
        """Appear under the path."""
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.path.symlink_to(os.ttyname(self._theirs))
        self._end.clear()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Disappear; logging is forgotten as at power-off."""
        self._end.set()
        self._thread.join()
        self.path.unlink(missing_ok=True)
        os.close(self._ours)
        os.close(self._theirs)
        self._logging = False

    def packet(self, letter: str, values: list[str]) -> bytes:
        chosen = [value if keep else "_" for value, keep in zip(values, self.mask, strict=True)]
        return f"#{letter},-,{len(values)},{','.join(chosen)};\r\n".encode()

    def _run(self) -> None:
        pending, next_push = b"", time.monotonic()
        while not self._end.wait(0.005):
            with contextlib.suppress(BlockingIOError):
                pending += os.read(self._ours, 4096)
            *commands, pending = pending.split(b";")
            for command in commands:
                self._obey(command.decode().rpartition("#")[2])
            if self._logging and not self.stalled and time.monotonic() >= next_push:
                next_push = time.monotonic() + 0.05
                self._push()

    def _push(self) -> None:
        os.write(self._ours, self.once.pop(0) if self.once else self.packet("d", self.record))

    def _obey(self, command: str) -> None:
        self.commands.append(command)
        if self.mute:
            return
        if command.startswith("H,R"):
            os.write(self._ours, self.packet("h", self.names))
        elif command.startswith("C,W"):
            self.mask = [item == "1" for item in command.split(",")[3:]]
        elif command.startswith("L,W,3,E"):
            self._logging = True
        elif command.startswith("L,R"):
            self._logging = False
        elif command.startswith("R,W"):
            self.stalled = False


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    """Plug in a meter."""
    meter = Device(tmp_path / "ttyUSB0")
    yield meter
    if meter.path.is_symlink():
        meter.unplug()
