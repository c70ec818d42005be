"""The key pair with which this appliance logs in to servers, and the host keys that a person accepted for it."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark.core.errors import Conflict, Disturbed, InputError, StoreError
from wattmark.core.whole_file import part_beside, sync, write_whole
from wattmark.hosts.address import SshAddress

if TYPE_CHECKING:
    import asyncssh

ALGORITHM = "ssh-ed25519"
CONNECT_TIMEOUT_S = 15.0
RESTRICTED = "no-port-forwarding,no-agent-forwarding,no-X11-forwarding,no-pty"
"""What the key may not do on a server, in the words of every OpenSSH."""


@dataclass(frozen=True, slots=True)
class HostKey:
    """The public key by which a server proves that it is the same: as known_hosts has it, and its fingerprint."""

    text: str
    fingerprint: str

    @property
    def algorithm(self) -> str:
        """Return the kind of key, such as ssh-ed25519."""
        return self.text.partition(" ")[0]


async def ask_host_key(host: str, port: int) -> HostKey:
    """Ask a server for its host key; nobody logs in. Raises `Disturbed` where none answers."""
    import asyncssh

    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            # No configuration of the user: it could name a program to connect through.
            key = await asyncssh.get_server_host_key(host, port, config=None)
    except (asyncssh.Error, OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split()) or "no answer in time"
        cause = f"{host}:{port} shows no host key: {reason}."
        raise Disturbed(cause, "Check the host, the port, and that sshd is running.") from None
    if key is None:
        raise Disturbed(f"{host}:{port} shows no host key.", "Name the host in the bench file on the appliance.")
    return _described(key)


def parse_host_key(text: str) -> HostKey:
    """Read a public key as known_hosts has it. Raises `InputError`."""
    import asyncssh

    try:
        return _described(asyncssh.import_public_key(text))
    except (asyncssh.Error, ValueError):
        raise InputError("This is no public host key.", "Ask the server for its key again.") from None


def _described(key: asyncssh.SSHKey) -> HostKey:
    algorithm, encoded = key.export_public_key().decode().split()[:2]
    return HostKey(f"{algorithm} {encoded}", key.get_fingerprint())


@dataclass(frozen=True, slots=True)
class OwnKeys:
    """The folder of the key pair and of known_hosts, readable by the user of wattmark only."""

    folder: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    @property
    def identity(self) -> Path:
        """Return the file of the private key."""
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """Return the file of the host keys that were accepted."""
        return self.folder / "known_hosts"

    def address(self, host: str, port: int, user: str) -> SshAddress:
        """Return the address of a user on an accepted host."""
        files = {"identity_file": str(self.identity.resolve()), "known_hosts": str(self.known_hosts.resolve())}
        return SshAddress(host=host, port=port, user=user, **files)

    def keeps(self, bench_folder: Path, address: SshAddress) -> bool:
        """Return whether a bench names both files of this folder, for a host whose key was accepted."""
        wanted = ((address.identity_file, self.identity), (address.known_hosts, self.known_hosts))
        return all(
            named is not None and bench_folder / named in (own, own.resolve()) for named, own in wanted
        ) and bool(self._accepted(address.host, address.port))

    def state_of(self, host: str, port: int, key: HostKey) -> bool | None:
        """Return whether a host key was accepted; None: another one of this host was."""
        accepted = self._accepted(host, port)
        return key.text in accepted if key.text in accepted or not accepted else None

    def accept(self, host: str, port: int, key: HostKey) -> str:
        """Keep a host key that a person accepted, and return the line of authorized_keys that lets this appliance in.

        The key pair is made at the first time, and never again. Raises `Conflict` for a host with another accepted
        key, and `StoreError`.
        """
        with self._lock:
            try:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.folder.chmod(0o700)
                line = self._public_line()
                state = self.state_of(host, port, key)
                if state is None:
                    raise Conflict(
                        f"Another host key of {_known_as(host, port)} was accepted before.",
                        "Either somebody else answers there, or the server was reinstalled. If it was, remove its "
                        f"line from {self.known_hosts} on the appliance, then accept the new key.",
                    )
                if not state:
                    before = self._lines()
                    text = "".join(f"{kept}\n" for kept in (*before, f"{_known_as(host, port)} {key.text}"))
                    write_whole(self.known_hosts, text.encode(), private=True)
            except OSError as error:
                cause = f"SSH keys cannot be kept in {self.folder}: {error.strerror or error}."
                raise StoreError(cause, "Free space in the data folder, or give wattmark write access to it.") from None
        return line

    def _public_line(self) -> str:
        import asyncssh

        if not self.identity.exists():
            self._make()
        try:
            public = asyncssh.read_private_key(str(self.identity)).export_public_key().decode().strip()
        except ValueError:
            remedy = "Put an unencrypted key there, or move the file away: a new pair is then made."
            raise StoreError(f"{self.identity} is no private key that can be used.", remedy) from None
        return f"{RESTRICTED} {public}"

    def _make(self) -> None:
        """Make the key pair: whole, for its owner only, and never in place of another file."""
        import asyncssh

        beside = part_beside(self.identity)
        try:
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(asyncssh.generate_private_key(ALGORITHM, comment="wattmark").export_private_key())
                file.flush()
                os.fsync(file.fileno())
            os.link(beside, self.identity)
            sync(self.folder)
        finally:
            beside.unlink(missing_ok=True)

    def _accepted(self, host: str, port: int) -> list[str]:
        """List the keys that were accepted for a host."""
        name = f"{_known_as(host, port)} "
        return [line.removeprefix(name) for line in self._lines() if line.startswith(name)]

    def _lines(self) -> list[str]:
        try:
            return self.known_hosts.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []


def _known_as(host: str, port: int) -> str:
    return host if port == 22 else f"[{host}]:{port}"
