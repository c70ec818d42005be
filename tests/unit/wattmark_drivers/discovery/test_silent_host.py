"""A host that takes connections and says nothing is given up after one time limit, not after ten."""

from __future__ import annotations

import socket
import time

from wattmark_drivers.discovery.hosts import Host, scan_host


async def test_a_silent_port_is_given_up_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        begin = time.monotonic()
        assert await scan_host(Host("127.0.0.1", listening.getsockname()[1]), timeout_s=0.15) == []
        assert time.monotonic() - begin < 8 * 0.15
