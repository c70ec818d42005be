"""Servers to reach: real sshd processes on loopback, each with a host key of its own."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from wattmark.hosts.address import SshAddress

from .ports import free_port

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class Sshd:
    """An sshd with one user key; ``known_hosts`` holds its host key.

    ``inside`` is a command that runs another in the place where the server is to live, such as a network namespace;
    ``user`` is who logs in there, ``settings`` are more lines of its configuration.
    """

    def __init__(
        self,
        folder: Path,
        host: str = "127.0.0.1",
        inside: Sequence[str] = (),
        *,
        port: int | None = None,
        user: str | None = None,
        settings: str = "",
    ) -> None:
        self.folder = folder
        self.host = host
        self.user = user or getpass.getuser()
        self.port = port or (22 if inside else free_port(host))
        self._inside = inside
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("host", "user"):
            keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(keygen, check=True)
        (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
        host_key = (folder / "host.pub").read_text().split()
        (folder / "known_hosts").write_text(f"{self.known_as} {host_key[0]} {host_key[1]}\n")
        (folder / "config").write_text(
            f"ListenAddress {host}:{self.port}\nHostKey {folder}/host\nPidFile {folder}/pid\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized\nPasswordAuthentication no\nUsePAM no\nPermitRootLogin yes\n"
            f"{settings}"
        )

    @property
    def known_as(self) -> str:
        """The name under which known_hosts files list it."""
        return self.host if self.port == 22 else f"[{self.host}]:{self.port}"

    @property
    def address(self) -> SshAddress:
        return SshAddress(
            host=self.host,
            port=self.port,
            user=self.user,
            identity_file=str(self.folder / "user"),
            known_hosts=str(self.folder / "known_hosts"),
        )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        log = self.folder / "log"
        argv = [*self._inside, SSHD, "-D", "-E", str(log), "-f", str(self.folder / "config")]
        self._process = subprocess.Popen(argv)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((self.host, self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError(log.read_text())

    def drop(self) -> None:
        """Cut all connections at once, as a network does that is lost; new ones are welcome."""
        for session in self._sessions():
            with contextlib.suppress(ProcessLookupError):
                os.kill(session, signal.SIGKILL)

    def _sessions(self) -> list[int]:
        """List the processes that carry connections."""
        listener = int((self.folder / "pid").read_text())
        shown = subprocess.run(["ps", "-eo", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
        pairs = [tuple(map(int, line.split())) for line in shown.splitlines()]
        children = [pid for pid, parent in pairs if parent == listener]
        return [*children, *(pid for pid, parent in pairs if parent in children)]

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session")
def make_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Sshd]]:
    made: list[Sshd] = []

    def make() -> Sshd:
        made.append(Sshd(tmp_path_factory.mktemp("sshd")))
        made[-1].start()
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture(scope="session")
def sshd(make_sshd: Callable[[], Sshd]) -> Sshd:
    return make_sshd()
