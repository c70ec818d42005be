"""Servers in network namespaces of their own, each joined to this machine by a cable (veth) and reached by its sshd."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from .sshd import Sshd

NETWORK = "198.18.{process}.{host}"
"""Addresses for tests between devices (RFC 2544), which nobody routes; tests of two processes may meet."""


@pytest.fixture
def two_servers(tmp_path: Path) -> Iterator[tuple[Sshd, Sshd]]:
    """Two machines as far as the network is concerned; fails, saying why, where namespaces cannot be made."""
    with ExitStack() as stack:
        yield stack.enter_context(_server(tmp_path, 1)), stack.enter_context(_server(tmp_path, 2))


@pytest.fixture
def server_on_a_cable(tmp_path: Path) -> Iterator[Sshd]:
    """A machine whose cable `cut_cable` cuts."""
    with _server(tmp_path, 1) as server:
        yield server


def cut_cable() -> None:
    """Cut the cable of the first server: no packet goes either way, and nobody is told."""
    _ip("link", "set", f"{_name(1)}h", "down")


def _name(number: int) -> str:
    return f"wm{os.getpid()}n{number}"


@contextmanager
def _server(folder: Path, number: int) -> Iterator[Sshd]:
    name = _name(number)
    here, there = (NETWORK.format(process=os.getpid() % 256, host=4 * number + side) for side in (1, 2))
    _ip("netns", "add", name)
    try:
        _ip("link", "add", f"{name}h", "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("address", "add", f"{here}/30", "dev", f"{name}h")
        _ip("link", "set", f"{name}h", "up")
        _ip("-n", name, "address", "add", f"{there}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", name, "link", "set", device, "up")
        own = folder / name
        own.mkdir()
        server = Sshd(own, there, inside=("ip", "netns", "exec", name))
        server.start()
        try:
            yield server
        finally:
            server.drop()  # a connection that does not know of its end would keep the namespace
            server.stop()
            _ip("link", "delete", f"{name}h")
    finally:
        _ip("netns", "delete", name)


def _ip(*arguments: str) -> None:
    """Run ip(8). The test fails where it is missing (package iproute2) or not allowed."""
    try:
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.fail("The program ip is missing; install the package iproute2.")
    if done.returncode != 0:
        needs = "Network namespaces need root with CAP_NET_ADMIN and CAP_SYS_ADMIN (docker run --privileged)."
        pytest.fail(f"ip {' '.join(arguments)}: {done.stderr.strip()} {needs}")
