"""A serial port made of a pseudo-terminal, behind a path that survives unplugging."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable
from pathlib import Path

_READ_SIZE = 4096


class PtyPort:
    """The device's end of a serial line.

    The host opens ``path``, a link to the present pseudo-terminal. What nobody reads is lost once the line's buffer is
    full, as on a real serial adapter.
    """

    def __init__(self, path: Path, receive: Callable[[bytes], object]) -> None:
        self.path = path
        self._receive = receive
        self._device = self._host = -1
        self._replug: asyncio.TimerHandle | None = None

    def plug(self) -> None:
        """Create the pseudo-terminal and link it. Needs a running event loop."""
        self._device, self._host = os.openpty()
        tty.setraw(self._host)
        os.set_blocking(self._device, False)
        self.path.symlink_to(os.ttyname(self._host))
        asyncio.get_running_loop().add_reader(self._device, self._readable)

    def unplug(self, seconds: float | None = None) -> None:
        """Hang up the host and remove the path; with ``seconds``, plug in again after that time."""
        if self._replug is not None:
            self._replug.cancel()
            self._replug = None
        if self._device >= 0:
            asyncio.get_running_loop().remove_reader(self._device)
            self.path.unlink(missing_ok=True)
            os.close(self._host)
            os.close(self._device)
            self._device = self._host = -1
        if seconds is not None:
            self._replug = asyncio.get_running_loop().call_later(seconds, self.plug)

    def write(self, data: bytes) -> None:
        """Send bytes to the host; what does not fit into the buffer is lost."""
        if data and self._device >= 0:
            with contextlib.suppress(BlockingIOError):
                os.write(self._device, data)

    def _readable(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._receive(os.read(self._device, _READ_SIZE))
