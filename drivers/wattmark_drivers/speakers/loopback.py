"""The address that speakers serve unless another is configured: nothing outside this machine can reach it."""

from __future__ import annotations

import errno

from wattmark_drivers.errors import ConnectionFailed

LOOPBACK = "127.0.0.1"


def port_refused(protocol: str, port: int, error: OSError, address: str = LOOPBACK) -> ConnectionFailed:
    """Build the error for a port that cannot be served."""
    remedy = "Choose another port."
    match error.errno:
        case errno.EADDRINUSE:
            return ConnectionFailed(f"{protocol} port {port} on {address} is in use.", remedy)
        case errno.EADDRNOTAVAIL:
            return ConnectionFailed(
                f"{protocol} port {port} cannot be served: this machine does not have the address {address}.",
                "Choose an address that `ip address` lists, or 0.0.0.0 for all of them.",
            )
        case errno.EACCES:
            return ConnectionFailed(f"{protocol} port {port} is reserved for root.", "Choose a port from 1024 on.")
    return ConnectionFailed(f"{protocol} port {port} on {address} cannot be served: {error.strerror}.", remedy)
