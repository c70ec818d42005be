"""Ports for peers that must be told theirs before they start."""

from __future__ import annotations

import random
import socket

NOBODYS = range(15_000, 32_768)
"""Linux hands out 32768 and above, to connections and to those that ask for any port: none of these goes meanwhile."""


def free_port(host: str = "127.0.0.1", kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """Find a port on which nobody listens, and which no other test beside this one is given."""
    while True:
        port = random.SystemRandom().choice(NOBODYS)
        with socket.socket(type=kind) as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
