"""The appliance's own key pair and the host keys that a person accepted, against OpenSSH."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.core.errors import Conflict, Disturbed, InputError
from wattmark.hosts.connection import SshConnection
from wattmark.hosts.own_keys import OwnKeys, ask_host_key, parse_host_key

from ..sshd import Sshd


def printed_fingerprint(file: Path) -> str:
    """What OpenSSH itself prints for a public key."""
    return subprocess.run(["ssh-keygen", "-lf", str(file)], check=True, capture_output=True, text=True).stdout.split()[
        1
    ]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_fingerprint_is_the_one_that_openssh_prints(sshd: Sshd) -> None:
    key = await ask_host_key(sshd.host, sshd.port)
    assert key.fingerprint == printed_fingerprint(sshd.folder / "host.pub")
    assert key.text == " ".join((sshd.folder / "host.pub").read_text().split()[:2])
    assert parse_host_key(key.text) == key


async def test_a_server_lets_the_own_key_in_once_its_line_is_there(sshd: Sshd, tmp_path: Path) -> None:
    own = OwnKeys(tmp_path / "ssh")
    line = own.accept(sshd.host, sshd.port, await ask_host_key(sshd.host, sshd.port))
    address = own.address(sshd.host, sshd.port, sshd.user)
    authorized = sshd.folder / "authorized"
    before = authorized.read_text()
    connection = SshConnection(address, tmp_path)
    try:
        authorized.write_text(f"{before}{line}\n")
        assert await connection.run(["echo", "here"]) == b"here\n"
    finally:
        authorized.write_text(before)
        await connection.close()
    (tmp_path / "own.pub").write_text(line.partition("no-pty ")[2] + "\n")
    private = subprocess.run(["ssh-keygen", "-lf", str(own.identity)], check=True, capture_output=True, text=True)
    assert private.stdout.split()[1] == printed_fingerprint(tmp_path / "own.pub")
    assert [mode(path) for path in (own.folder, own.identity, own.known_hosts)] == [0o700, 0o600, 0o600]
    looked_up = subprocess.run(
        ["ssh-keygen", "-F", f"[{sshd.host}]:{sshd.port}", "-f", str(own.known_hosts)], check=False, capture_output=True
    )
    assert looked_up.returncode == 0


async def test_another_server_at_the_same_address_is_not_accepted_in_silence(
    make_sshd: Callable[[], Sshd], sshd: Sshd, tmp_path: Path
) -> None:
    own, other = OwnKeys(tmp_path / "ssh"), make_sshd()
    first = await ask_host_key(sshd.host, sshd.port)
    line = own.accept(sshd.host, sshd.port, first)
    kept = own.known_hosts.read_bytes(), own.identity.read_bytes()
    changed = await ask_host_key(other.host, other.port)
    assert own.state_of(sshd.host, sshd.port, changed) is None
    with pytest.raises(Conflict, match="Another host key"):
        own.accept(sshd.host, sshd.port, changed)
    assert own.accept(sshd.host, sshd.port, first) == line
    assert (own.known_hosts.read_bytes(), own.identity.read_bytes()) == kept


async def test_a_host_that_is_not_the_accepted_one_is_not_logged_in_to(
    make_sshd: Callable[[], Sshd], sshd: Sshd, tmp_path: Path
) -> None:
    """The key of one server is accepted for the address of another: as if somebody else answered there."""
    own, other = OwnKeys(tmp_path / "ssh"), make_sshd()
    own.accept(other.host, other.port, await ask_host_key(sshd.host, sshd.port))
    connection = SshConnection(own.address(other.host, other.port, other.user), tmp_path)
    with pytest.raises(Exception, match="does not match"):
        await connection.open()


def test_an_existing_file_is_never_replaced_by_a_new_key(tmp_path: Path) -> None:
    own = OwnKeys(tmp_path / "ssh")
    own.folder.mkdir()
    own.identity.write_text("somebody's own\n")
    key = parse_host_key(_key_of(tmp_path))
    with pytest.raises(Exception, match="no private key"):
        own.accept("far.lab", 22, key)
    assert own.identity.read_text() == "somebody's own\n"
    assert not own.known_hosts.exists()


@pytest.mark.parametrize("text", ["", "ssh-ed25519 AAAA", "far.lab ssh-ed25519 AAAA", "-oProxyCommand=id"])
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no public host key"):
        parse_host_key(text)


async def test_a_closed_port_is_said() -> None:
    with pytest.raises(Disturbed, match=r"127\.0\.0\.1:1 shows no host key"):
        await ask_host_key("127.0.0.1", 1)


def _key_of(folder: Path) -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "theirs")], check=True)
    return " ".join((folder / "theirs.pub").read_text().split()[:2])
