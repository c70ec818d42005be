from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark_drivers.clock import SystemClock

from tests.integration.hook_peer import Peer, listening_peer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def peer() -> Iterator[Peer]:
    with listening_peer() as listening:
        yield listening


@pytest.fixture
def secured(peer: Peer, tmp_path: Path) -> Path:
    """Let the peer speak TLS; gives the file with its authority."""
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=peer"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    peer.server.socket = context.wrap_socket(peer.server.socket, server_side=True)
    return certificate
