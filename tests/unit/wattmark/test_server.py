"""The address that a browser opens."""

from __future__ import annotations

import pytest
from wattmark.server import address, listen


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
