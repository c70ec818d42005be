"""Connections to a server that runs here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from wattmark.hosts.connection import SshConnection
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark_drivers.clock import SystemClock

from ..sshd import Sshd


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
async def connection(sshd: Sshd) -> AsyncIterator[SshConnection]:
    opened = SshConnection(sshd.address, sshd.folder)
    yield opened
    await opened.close()


@pytest.fixture
def trigger(connection: SshConnection, clock: SystemClock) -> SshTrigger:
    return SshTrigger(connection, clock)
