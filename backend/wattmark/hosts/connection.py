"""One SSH connection to a server, opened when it is needed and opened again when it was lost."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import stat
from collections.abc import Sequence
from pathlib import Path

import asyncssh
from wattmark_drivers.clock import Clock

from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.hosts.address import SshAddress

CONNECT_TIMEOUT_S = 15.0
KEEPALIVE_S = 5.0
KEEPALIVES_MISSED = 3
RETRY_S = 1.0
MOST_BYTES = 32 << 20
"""What a short command may print [bytes]: that of all processes takes some hundred bytes for each."""


class SshConnection:
    """Runs commands on one server. All methods belong to one event loop."""

    def __init__(self, address: SshAddress, folder: Path) -> None:
        self.address = address
        self._folder = folder
        self._connection: asyncssh.SSHClientConnection | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> asyncssh.SSHClientConnection:
        """Return the connection, opened if need be. Raises `WorkloadFailed` with the remedy."""
        async with self._opening:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self._connect()
            return self._connection

    async def wait_for(self, clock: Clock, patience_s: float) -> None:
        """Wait until the server answers, as after a reboot. Raises `WorkloadFailed` when the patience [s] ends."""
        begin_ns = clock.monotonic_ns()
        while clock.monotonic_ns() - begin_ns < patience_s * 1e9:
            try:
                await self.open()
            except Disturbed:
                await clock.sleep(RETRY_S)
            except WorkloadFailed:
                return
            else:
                return

    async def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run a short command and return its standard output. Raises `WorkloadFailed` when it fails."""
        connection = await self.open()
        try:
            done = await connection.run(shlex.join(argv), input=stdin, encoding=None, timeout=CONNECT_TIMEOUT_S)
        except (asyncssh.Error, OSError, TimeoutError) as error:
            raise lost(self.address, error) from None
        if done.exit_status is None:
            raise lost(self.address, ConnectionResetError(f"{argv[0]} on the server no longer responds"))
        if done.exit_status != 0:
            message = _bytes(done.stderr).decode("utf-8", "replace").strip().rpartition("\n")[2] or "no output"
            cause = f"{argv[0]} on {self.address.label} ended with status {done.exit_status}: {message}."
            raise WorkloadFailed(cause, "Check that the program exists and the disk is not full.")
        output = _bytes(done.stdout)
        if len(output) > MOST_BYTES:
            cause = f"{argv[0]} on {self.address.label} printed {len(output) >> 20} MiB."
            raise WorkloadFailed(cause, f"At most {MOST_BYTES >> 20} MiB are read: see what it lists there.")
        return output

    async def close(self) -> None:
        """Close the connection; a load that it carries ends with it."""
        if self._connection is not None:
            self._connection.close()
            await self._connection.wait_closed()
            self._connection = None

    async def _connect(self) -> asyncssh.SSHClientConnection:
        address = self.address
        known_hosts, identity = self._key_files()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return await asyncssh.connect(
                    address.host,
                    address.port,
                    username=address.user,
                    known_hosts=str(known_hosts),
                    client_keys=[str(identity)] if identity else (),
                    config=None,
                    preferred_auth="publickey",
                    keepalive_interval=KEEPALIVE_S,
                    keepalive_count_max=KEEPALIVES_MISSED,
                )
        except (asyncssh.Error, OSError, ValueError, TimeoutError) as error:
            raise _refused(address, known_hosts, error) from None

    def _key_files(self) -> tuple[Path, Path | None]:
        """Find the files of host keys and of the private key. Raises `WorkloadFailed` for one that cannot be read."""
        address = self.address
        known_hosts = self._path(address.known_hosts or "~/.ssh/known_hosts", "known_hosts")
        _check_readable(known_hosts, "host key file", "known_hosts", _learn(address, known_hosts))
        if address.identity_file is None:
            return known_hosts, None
        identity = self._path(address.identity_file, "identity_file")
        _check_readable(identity, f"key file of {address.label}", "identity_file", "Correct identity_file.")
        return known_hosts, identity

    def _path(self, text: str, name: str) -> Path:
        try:
            return self._folder / Path(text).expanduser()
        except RuntimeError:
            cause = f"The user of wattmark has no home folder, in which {text} for {self.address.label} would be."
            raise WorkloadFailed(cause, f"Set {name} of the server in the bench file to a whole path.") from None


def _check_readable(file: Path, what: str, name: str, if_missing: str) -> None:
    """Raise `WorkloadFailed` where a file is missing, or may not be read by the user of this process."""
    why = None
    try:
        is_there = stat.S_ISREG(file.stat().st_mode)
        if is_there and not os.access(file, os.R_OK):
            why = os.strerror(errno.EACCES)
    except (FileNotFoundError, NotADirectoryError):
        is_there = False
    except OSError as error:
        is_there, why = True, error.strerror
    if not is_there:
        raise WorkloadFailed(f"The {what}, {file}, does not exist.", if_missing)
    if why is not None:
        raise WorkloadFailed(
            f"The {what}, {file}, cannot be read: {why}.",
            f"Let the user of wattmark read it and enter its folders, or set {name} of the server in the bench file.",
        )


def lost(address: SshAddress, error: Exception) -> Disturbed:
    """Build the error of a lost connection; the run may succeed when it is repeated."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return Disturbed(f"The connection to {address.label} was lost: {reason}.", "Check the network and the server.")


def _refused(address: SshAddress, known_hosts: Path, error: Exception) -> WorkloadFailed:
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return WorkloadFailed(
            f"The host key of {address.label} does not match the one in {known_hosts}.", _learn(address, known_hosts)
        )
    if isinstance(error, asyncssh.PermissionDenied):
        cause = f"{address.label} rejects the key."
        return WorkloadFailed(
            cause, "Add the public key to ~/.ssh/authorized_keys on the server, or choose another key (identity_file)."
        )
    if isinstance(error, asyncssh.KeyImportError | ValueError):
        cause = f"The key for {address.label} cannot be used: {' '.join(str(error).split())}."
        return WorkloadFailed(cause, "Use an unencrypted key file, or load the key into an SSH agent.")
    reason = " ".join(str(error).split()) or "no answer in time"
    return Disturbed(
        f"{address.label} cannot be reached: {reason}.", "Check the host, the port, and that sshd is running."
    )


def _learn(address: SshAddress, known_hosts: Path) -> str:
    port = "" if address.port == 22 else f"-p {address.port} "
    scan = f"`ssh-keyscan {port}{address.host}`"
    return f"Compare the key printed by {scan} with that of the server, then add it to {known_hosts}."


def _bytes(output: bytes | str | None) -> bytes:
    return output if isinstance(output, bytes) else (output or "").encode()
