"""Tell systemd how the service is doing, where it asks (sd_notify(3)); without systemd nothing happens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Mapping

OWN = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
"""Variables of the service manager that no child may have."""


class ServiceManager:
    """The socket of systemd, by those of the variables `OWN` that are set."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._address = variables.get("NOTIFY_SOCKET", "")
        self.watchdog_s = _watchdog_s(variables)

    def notify(self, state: str) -> None:
        """Send a state, such as ``READY=1``; a systemd that does not listen causes no delay."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock, contextlib.suppress(OSError):
            sock.setblocking(False)
            sock.sendto(state.encode(), address)

    async def keep_alive(self) -> None:
        """Send a sign of life twice per watchdog period until cancelled; return at once where no period is set."""
        while self.watchdog_s:
            self.notify("WATCHDOG=1")
            await asyncio.sleep(self.watchdog_s / 2)


def _watchdog_s(variables: Mapping[str, str]) -> float:
    for_us = variables.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    text = variables.get("WATCHDOG_USEC", "")
    return int(text) * 1e-6 if for_us and text.isdecimal() else 0.0
