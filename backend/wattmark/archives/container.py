"""A zip file from outside, opened with suspicion: only plain members of bounded number and size are ever read."""

from __future__ import annotations

import hashlib
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from wattmark.archives.layout import Member
from wattmark.archives.values import MOST, Values
from wattmark.core.errors import InputError
from wattmark.core.wanted import require_wanted

NAME = re.compile(
    r"manifest\.json(\.minisig)?|shared\.json|ro-crate-metadata\.json|CITATION\.cff|certificates/[0-9a-f]{64}"
    r"|runs/[1-9][0-9]{0,6}/(run\.json|series/[1-9][0-9]{0,6}\.npy)"
    r"|published/(published|audits/[1-9][0-9]{0,6})\.json"
)
_PIECE = 2**20
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES = 20
_ENTRY_BYTES = 46
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """What an archive may hold at most."""

    members: int = 500_000
    total_bytes: int = 2**38
    ratio: int = 200
    """Bytes unpacked for one packed. Samples and JSON of real runs stay below 30."""
    document_bytes: int = 2**27
    values: int = MOST


@dataclass(frozen=True, slots=True)
class Refusal:
    """What does not become of an archive that is refused, and what to do."""

    what: str = "was not imported"
    remedy: str = "Nothing was changed. Ask for a new copy, written by `wattmark archive`."


class Container:
    """Read members of an archive, each in full and only as large as it says it is. Raises `InputError`."""

    def __init__(self, file: IO[bytes], name: str, limits: ContainerLimits, refusal: Refusal) -> None:
        self._name = name
        self._refusal = refusal
        self._limits = limits
        with self._readable():
            entries, self._size = _end_record(file)
            if entries > limits.members:
                raise self.refused(f"it claims {entries} members; at most {limits.members} are accepted")
            self._zip = zipfile.ZipFile(file)
        self._infos = {info.filename: info for info in self._zip.infolist()}
        self._values = Values(most=limits.values)
        self._check()

    @property
    def names(self) -> set[str]:
        return set(self._infos)

    def refused(self, reason: str, remedy: str = "") -> InputError:
        """Explain why nothing of this archive is imported."""
        return InputError(f"{self._name} {self._refusal.what}: {reason}.", remedy or self._refusal.remedy)

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read a member whole; ``most`` bounds its size."""
        bound = self._limits.document_bytes if most is None else most
        if name not in self._infos:
            raise self.refused(f"its member {name} is missing")
        if self._infos[name].file_size > bound:
            raise self.refused(f"its member {name} is larger than {bound} bytes")
        return b"".join(self._pieces(name))

    def pieces(self, name: str) -> Iterator[bytes]:
        """Read a member that `verify` has seen, piece by piece."""
        return self._pieces(name)

    def document(self, name: str) -> bytes:
        """Read a JSON document that does not take more memory than an archive may."""
        content = self.read(name)
        if not self._values.fit(content):
            raise self.refused(f"its member {name} contains too many values")
        return content

    def verify(self, name: str, member: Member) -> None:
        """Compare size and SHA-256 of a member with the manifest, without keeping it."""
        sha256, length = hashlib.sha256(), 0
        for piece in self._pieces(name):
            sha256.update(piece)
            length += len(piece)
        if (length, sha256.hexdigest()) != (member.size, member.sha256):
            raise self.refused(f"the hash of its member {name} does not match the manifest")

    def _pieces(self, name: str) -> Iterator[bytes]:
        with self._readable(f"its member {name} is damaged"), self._zip.open(self._infos[name]) as member:
            while piece := member.read(_PIECE):
                require_wanted()
                yield piece

    def _check(self) -> None:
        infos = self._zip.infolist()
        if len(infos) != len(self._infos):
            raise self.refused("two members have the same name")
        for info in infos:
            self._check_member(info)
        total, packed = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
        most = min(self._limits.total_bytes, self._limits.ratio * self._size + self._limits.document_bytes)
        if total > most or packed > self._size:
            raise self.refused(
                f"it would unpack to {total} bytes; at most {most} are accepted for a file of {self._size}"
            )

    def _check_member(self, info: zipfile.ZipInfo) -> None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if not NAME.fullmatch(info.filename) or kind not in (0, stat.S_IFREG):
            raise self.refused(f"{info.filename[:100]!r} does not belong in a wattmark archive")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 0x1:
            raise self.refused(f"its member {info.filename} is encrypted or uses an unknown compression")

    @contextmanager
    def _readable(self, problem: str = "it is not a complete zip file") -> Iterator[None]:
        try:
            yield
        except _BROKEN as error:
            raise self.refused(problem) from error


def _end_record(file: IO[bytes]) -> tuple[int, int]:
    """Read the number of members and the size of the file from its last bytes; a zip with a comment is not ours."""
    size = file.seek(0, 2)
    file.seek(size - _END.size)
    signature, _, _, _, entries, table, _, comment = _END.unpack(file.read(_END.size))
    if signature != b"PK\5\6" or comment:
        raise zipfile.BadZipFile
    if entries == 0xFFFF or table == 0xFFFFFFFF:
        file.seek(size - _END.size - _LOCATOR_BYTES - _END64.size)
        entries, table = _END64.unpack(file.read(_END64.size))[-3:-1]
    return max(entries, table // _ENTRY_BYTES), size
