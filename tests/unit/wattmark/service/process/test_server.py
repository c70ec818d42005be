"""The address that a browser opens."""

from __future__ import annotations

import socket

import pytest
from wattmark.service.process.server import address, addresses, listen


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::1", "[::1]"),
        ("::", "[::1]"),
        ("127.0.0.2", "127.0.0.2"),
    ],
)
def test_the_address_can_be_opened(host: str, expected: str) -> None:
    with listen(host, 0) as sock:
        assert address(sock) == f"http://{expected}:{sock.getsockname()[1]}"


def test_whoever_listens_everywhere_is_told_the_name_for_other_machines() -> None:
    with listen("0.0.0.0", 0) as sock:
        assert addresses(sock).endswith(
            f" and for other machines on http://{socket.gethostname()}:{sock.getsockname()[1]}"
        )
    with listen("127.0.0.1", 0) as sock:
        assert addresses(sock) == address(sock)
