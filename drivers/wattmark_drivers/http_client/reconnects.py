"""When to check the identity of a web server after a reconnection."""

from __future__ import annotations

from wattmark_drivers.clock import Clock

LONGEST_S = 10.0
"""Time between identity checks of a device that closes after each reply [s]; others: at each reconnection."""


class Reconnects:
    """Follows the number of the connection from poll to poll."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._connection = 0
        self._kept = True
        self._confirmed_ns = 0

    def due(self, connection: int) -> bool:
        """Return whether the device on this connection may differ from the confirmed one."""
        if connection == self._connection:
            self._kept = True
            return False
        return self._kept or self._clock.monotonic_ns() - self._confirmed_ns >= LONGEST_S * 1e9

    def confirm(self, connection: int) -> None:
        """Record that the device on ``connection``, the newest one, has identified itself."""
        self._connection, self._kept, self._confirmed_ns = connection, False, self._clock.monotonic_ns()
