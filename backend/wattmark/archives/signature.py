"""Signatures of an archive's manifest, in the form of minisign: Ed25519 over the BLAKE2b-512 of the file.

The form is that of https://jedisct1.github.io/minisign/ (section "Signature format" and following), so that a stranger
can check a signature without wattmark: `minisign -Vm manifest.json -P KEY`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import write_whole

if TYPE_CHECKING:  # imported where something is signed or checked
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM, PREHASHED, CHECKSUM, UNENCRYPTED = b"Ed", b"ED", b"B2", b"\0\0"
_COMMENT, _TRUSTED = "untrusted comment: ", "trusted comment: "
_ID, _SEED, _PUBLIC, _SIGNATURE = 8, 32, 32, 64
_KDF, _CHECK = 32 + 8 + 8, 32
"""Salt and two costs of a password, and a checksum; minisign 0.11 leaves zeros there in a key without a password."""
LONGEST = 10_000
"""Characters of a signature or a key file that is worth reading."""
KEY_FILE = "signing.key"
"""Name of the secret key in a data folder."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A signer's public key: its name, and the key that checks its signatures."""

    id: bytes
    key: bytes

    @property
    def text(self) -> str:
        """Write the key as the one line that minisign takes after `-P`."""
        return base64.b64encode(ALGORITHM + self.id + self.key).decode()

    @property
    def name(self) -> str:
        """Write the identity of the key in hexadecimal, as minisign shows it."""
        return self.id[::-1].hex().upper()

    @property
    def file(self) -> str:
        """Write the key as a file."""
        return f"{_COMMENT}minisign public key {self.name}\n{self.text}\n"

    def check(self, content: bytes, signature: Signature) -> bool:
        """Return whether this key signed the content and the trusted comment."""
        if signature.key_id != self.id:
            return False
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        key = Ed25519PublicKey.from_public_bytes(self.key)
        try:
            key.verify(signature.signature, _digest(content) if signature.prehashed else content)
            key.verify(signature.whole, signature.signature + signature.comment.encode())
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature as it was read: whose it claims to be, of what, and the comment that it covers too."""

    key_id: bytes
    signature: bytes
    comment: str
    whole: bytes
    prehashed: bool


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A secret key without a password; the permissions of its file guard it."""

    id: bytes
    seed: bytes

    @property
    def public(self) -> PublicKey:
        return PublicKey(self.id, _private_key(self.seed).public_key().public_bytes_raw())

    def sign(self, content: bytes, comment: str) -> str:
        """Sign a file and a comment of one line; equal ones give the same signature."""
        key = _private_key(self.seed)
        signature = key.sign(_digest(content))
        comment = " ".join(comment.split())
        lines = (
            f"{_COMMENT}signature from minisign key {self.public.name}",
            base64.b64encode(PREHASHED + self.id + signature).decode(),
            f"{_TRUSTED}{comment}",
            base64.b64encode(key.sign(signature + comment.encode())).decode(),
        )
        return "\n".join(lines) + "\n"

    @property
    def file(self) -> str:
        """Write the key as the file of a minisign key without a password."""
        content = ALGORITHM + UNENCRYPTED + CHECKSUM + bytes(_KDF) + self.id + self.seed + self.public.key
        content += bytes(_CHECK)
        return f"{_COMMENT}minisign secret key\n{base64.b64encode(content).decode()}\n"


def _private_key(seed: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed)


def new_signing_key() -> SigningKey:
    """Make a secret key."""
    return SigningKey(secrets.token_bytes(_ID), secrets.token_bytes(_SEED))


def create_signing_key(path: Path) -> SigningKey:
    """Make a secret key and write it, readable by its owner alone. Raises `InputError` where a file is there."""
    if path.exists():
        raise InputError(
            f"There is a signing key at {path} already.",
            "Keep it: what it signed cannot be checked with another one. Move it away to make a new one.",
        )
    key = new_signing_key()
    try:
        write_whole(path, key.file.encode(), private=True)
    except OSError as error:
        raise WattmarkError(f"Cannot write {path}: {error.strerror}.", "Choose another file.") from error
    return key


def load_signing_key(path: Path) -> SigningKey | None:
    """Read a secret key; None where there is no file. Raises `InputError` for one that is damaged or open to others."""
    try:
        text = path.read_text("ascii")
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The signing key {path} cannot be read: {error}.", "Check the file.") from error
    if mode & 0o077:
        raise InputError(f"The signing key {path} can be read by others.", f"Run: chmod 600 {path}")
    content = _decoded(text)
    if content[2:4] == b"Sc":
        raise InputError(
            f"The signing key {path} is protected by a password, which wattmark does not ask for.",
            "Use a key without one: minisign -G -W, or `wattmark signing-key --create`.",
        )
    body = content[len(ALGORITHM + UNENCRYPTED + CHECKSUM) + _KDF :]
    key_id, seed, public = body[:_ID], body[_ID : _ID + _SEED], body[_ID + _SEED : _ID + _SEED + _PUBLIC]
    if len(body) != _ID + _SEED + _PUBLIC + _CHECK or SigningKey(key_id, seed).public.key != public:
        raise InputError(f"The signing key {path} is damaged.", "Restore it from its copy.")
    return SigningKey(key_id, seed)


def read_public_key(text: str) -> PublicKey:
    """Read a public key: the line that minisign prints, or the file. Raises `InputError`."""
    content = _decoded(text)
    if len(content) != len(ALGORITHM) + _ID + _PUBLIC or not content.startswith(ALGORITHM):
        raise InputError(
            "This is not a public key of minisign.", "It is one line of 56 characters that begins with RW."
        )
    return PublicKey(content[2 : 2 + _ID], content[2 + _ID :])


def read_signature(text: str) -> Signature | None:
    """Read a signature file; None where it is not one."""
    lines = text[:LONGEST].split("\n")
    if len(lines) < 4 or not lines[2].startswith(_TRUSTED):
        return None
    first, whole = _base64(lines[1]), _base64(lines[3])
    algorithm, key_id, signature = first[:2], first[2 : 2 + _ID], first[2 + _ID :]
    if algorithm not in (ALGORITHM, PREHASHED) or len(signature) != _SIGNATURE or len(whole) != _SIGNATURE:
        return None
    return Signature(key_id, signature, lines[2].removeprefix(_TRUSTED), whole, algorithm == PREHASHED)


def _decoded(text: str) -> bytes:
    """Decode the line of a key, with or without the comment above it."""
    lines = [line.strip() for line in text[:LONGEST].splitlines() if line.strip() and not line.startswith(_COMMENT)]
    return _base64(lines[0]) if lines else b""


def _base64(line: str) -> bytes:
    try:
        return base64.b64decode(line.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content).digest()
