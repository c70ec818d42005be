from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark_drivers.clock import SystemClock

from tests.integration.hook_peer import HookHandler, Peer, listening_peer
from tests.web_peer import self_signed, serving


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def peer() -> Iterator[Peer]:
    with listening_peer() as listening:
        yield listening


@pytest.fixture
def secured(peer: Peer, tmp_path: Path) -> Iterator[Path]:
    """Let the peer speak TLS; gives the file with its authority."""
    certificate, key = self_signed(tmp_path)
    with serving(HookHandler, tls=(certificate, key), peer=peer) as peer.port:
        yield certificate
