"""The only address that simulators serve: nothing outside this machine can reach them."""

from __future__ import annotations

from wattmark_drivers.errors import ConnectionFailed

LOOPBACK = "127.0.0.1"


def port_taken(protocol: str, port: int) -> ConnectionFailed:
    """Build the error for a port that is in use."""
    return ConnectionFailed(
        f"{protocol} port {port} on {LOOPBACK} is in use.", "Choose another port, or 0 for any free one."
    )
