"""The device's side of KLAP: two handshakes prove that both know the login, then AES-128-CBC with a running number."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SEED_BYTES, SIGNATURE_BYTES = 16, 32
KlapVersion = Literal["klap1", "klap2"]


class KlapSession:
    """One session, from the client's seed on; version 2 hashes the login and the seeds in another way."""

    def __init__(self, version: KlapVersion, username: str, password: str, local_seed: bytes) -> None:
        self._local, self._remote = local_seed, secrets.token_bytes(SEED_BYTES)
        name, word = username.encode(), password.encode()
        if version == "klap2":
            self._login = _sha256(hashlib.sha1(name).digest() + hashlib.sha1(word).digest())  # noqa: S324 - the maker's choice
            hello, proof = self._local + self._remote, self._remote + self._local
        else:
            digests = hashlib.md5(name).digest() + hashlib.md5(word).digest()  # noqa: S324
            self._login = hashlib.md5(digests).digest()  # noqa: S324
            hello, proof = self._local, self._remote
        self.hello = self._remote + _sha256(hello + self._login)
        """Answer to the first handshake."""
        self.proof = _sha256(proof + self._login)
        """The proof that the client must send in the second one."""
        self.proven = False

    def decrypt(self, message: bytes, number: int) -> bytes:
        """Decrypt a request. Raises ValueError for one that is not signed with this session's key."""
        body = message[SIGNATURE_BYTES:]
        if message[:SIGNATURE_BYTES] != self._sign(body, number):
            raise ValueError("a message with another signature")
        decryptor = self._cipher(number).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(body) + decryptor.finalize()) + unpadder.finalize()

    def encrypt(self, text: bytes, number: int) -> bytes:
        """Encrypt the answer to a request with that number."""
        padder = padding.PKCS7(128).padder()
        encryptor = self._cipher(number).encryptor()
        body = encryptor.update(padder.update(text) + padder.finalize()) + encryptor.finalize()
        return self._sign(body, number) + body

    def _derive(self, purpose: bytes) -> bytes:
        return _sha256(purpose + self._local + self._remote + self._login)

    def _sign(self, body: bytes, number: int) -> bytes:
        return _sha256(self._derive(b"ldk")[:28] + _number(number) + body)

    def _cipher(self, number: int) -> Cipher[modes.CBC]:
        start = self._derive(b"iv")[:12] + _number(number)
        return Cipher(algorithms.AES(self._derive(b"lsk")[:16]), modes.CBC(start))


def _number(number: int) -> bytes:
    return number.to_bytes(4, "big", signed=True)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
