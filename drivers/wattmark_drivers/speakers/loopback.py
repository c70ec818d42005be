"""The only address that simulators serve: nothing outside this machine can reach them."""

from __future__ import annotations

import errno

from wattmark_drivers.errors import ConnectionFailed

LOOPBACK = "127.0.0.1"


def port_refused(protocol: str, port: int, error: OSError) -> ConnectionFailed:
    """Build the error for a port that cannot be served."""
    remedy = "Choose another port, or 0 for any free one."
    match error.errno:
        case errno.EADDRINUSE:
            return ConnectionFailed(f"{protocol} port {port} on {LOOPBACK} is in use.", remedy)
        case errno.EACCES:
            return ConnectionFailed(f"{protocol} port {port} is reserved for root.", "Choose a port from 1024 on.")
    return ConnectionFailed(f"{protocol} port {port} on {LOOPBACK} cannot be served: {error.strerror}.", remedy)
