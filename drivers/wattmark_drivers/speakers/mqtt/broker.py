"""The broker where devices and their readers meet: a mosquitto on loopback with one user, or somebody else's."""

from __future__ import annotations

import asyncio
import base64
import getpass
import hashlib
import secrets
import shutil
import socket
import ssl
from asyncio.subprocess import DEVNULL, STDOUT, Process
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.parent_death import die_with_parent
from wattmark_drivers.speakers.face import Credentials
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.private_files import write_secret

USERNAME = "simulated"
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 5.0
ITERATIONS = 101
"""Of PBKDF2, as mosquitto_passwd writes them (mosquitto 2.0)."""


@dataclass(frozen=True, slots=True)
class OtherBroker:
    """A broker that runs already: where it is, the login at it, and TLS."""

    host: str
    port: int
    login: Credentials | None = None
    tls: ssl.SSLContext | None = None

    async def acquire(self) -> None:
        """Leave it as it is."""

    async def release(self) -> None:
        """Leave it as it is."""


class MqttBroker:
    """A broker that dies with this process. ``tls`` is a certificate and its key, both PEM files."""

    host = LOOPBACK

    def __init__(self, folder: Path, *, port: int = 0, tls: tuple[Path, Path] | None = None) -> None:
        self._folder = folder
        self._tls = tls
        self._process: Process | None = None
        self._users = 0
        self.port = port
        self.password = secrets.token_hex(8)

    @property
    def login(self) -> Credentials:
        """Return the login of its one user."""
        return Credentials(USERNAME, lambda: self.password)

    @property
    def password_file(self) -> Path:
        """Return the file that holds the user's password."""
        return self._folder / "password"

    async def acquire(self) -> None:
        """Start it for its first user. Raises `ConfigurationError` without mosquitto, `ConnectionFailed`."""
        if self._users == 0:
            await self.start()
        self._users += 1

    async def release(self) -> None:
        """Stop it after its last user."""
        self._users -= 1
        if self._users == 0:
            await self.stop()

    async def start(self) -> None:
        """Start it on the port that it had before, or on a free one."""
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        if program is None:
            raise ConfigurationError("mosquitto is not installed.", "Install it with: apt-get install mosquitto.")
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self.password_file.exists():
            write_secret(self.password_file, self.password)
        self.port = self.port or _free_port()
        self._configure()
        with (self._folder / "mosquitto.log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                program,
                "-c",
                str(self._folder / "mosquitto.conf"),
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                preexec_fn=die_with_parent(),
            )
        deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
        while self._process.returncode is None and asyncio.get_running_loop().time() < deadline:
            if await _listens(self.port):
                return
            await asyncio.sleep(0.02)
        await self.stop()
        lines = (self._folder / "mosquitto.log").read_text("utf-8", "replace").splitlines() or ["it says nothing"]
        raise ConnectionFailed(f"mosquitto did not start: {lines[-1]}.", "Choose another port, or 0 for any free one.")

    async def stop(self) -> None:
        """Stop it at once, as a broker that loses its power."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()

    def _configure(self) -> None:
        salt = secrets.token_bytes(12)
        digest = hashlib.pbkdf2_hmac("sha512", self.password.encode(), salt, ITERATIONS)
        hashed = f"$7${ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"
        users = self._folder / "users"
        users.unlink(missing_ok=True)
        write_secret(users, f"{USERNAME}:{hashed}\n")
        lines = [
            f"listener {self.port} {LOOPBACK}",
            f"user {getpass.getuser()}",
            "allow_anonymous false",
            f"password_file {users}",
            "persistence false",
        ]
        if self._tls is not None:
            lines += [f"certfile {self._tls[0]}", f"keyfile {self._tls[1]}"]
        (self._folder / "mosquitto.conf").write_text("\n".join(lines) + "\n", "utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    return True
