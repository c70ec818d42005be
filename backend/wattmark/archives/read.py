"""Read an archive: verify every hash, then every document, before anything is taken from it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any, TypeVar

from pydantic import BaseModel, ValidationError
from wattmark_calibration import Certificate, CertificateError, canonical_sha256
from wattmark_calibration.certificate.json_file import read_json

from wattmark.archives.container import Container, ContainerLimits, Refusal
from wattmark.archives.gather import document_digest, run_digest
from wattmark.archives.layout import (
    FORMAT,
    MANIFEST,
    PUBLISHED,
    SHARED,
    SIGNATURE,
    ArchivedRun,
    CertificateEntry,
    KeyRecord,
    Manifest,
    PublishedFile,
    RunFile,
    SharedFile,
    certificate_member,
)
from wattmark.archives.samples_file import read_samples, size
from wattmark.archives.signature import LONGEST, PublicKey, Signature, read_signature
from wattmark.audits.audit import Audit
from wattmark.core.errors import InputError
from wattmark.core.inputs import is_printable
from wattmark.core.part import RUN_NAME
from wattmark.core.progress import note_done
from wattmark.runs.record import RunStatus
from wattmark.store.sample_store import Samples

M = TypeVar("M", bound=BaseModel)
_NAMED = ("runs/", "certificates/", "published/")
"""Folders of an archive of which other members name every file."""


class Archive:
    """A verified archive; the document and the samples of a run are read when they are asked for. Raises `InputError`.

    Every document is read once before anything is taken from it, and not kept: that of a run takes 150 kB of memory.
    """

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        limits: ContainerLimits = ContainerLimits(),  # noqa: B008 - it never changes
        refusal: Refusal = Refusal(),  # noqa: B008 - it never changes
    ) -> None:
        self._container = Container(file, name, limits, refusal)
        self._manifest_bytes = self._container.document(MANIFEST)
        self.manifest = self._manifest()
        total = sum(member.size for member in self.manifest.members.values())
        for name, member in self.manifest.members.items():
            self._container.verify(name, member)
            note_done("verified", member.size, of=total)
        self._files = {entry.run_id: entry.file for entry in self.manifest.runs}
        if len(self._files) != len(self.manifest.runs):
            raise self._container.refused("it holds a run twice")
        for run_id in self._files:
            if not re.fullmatch(RUN_NAME, run_id):
                raise self._container.refused(f"{run_id[:80]!r} is not the name of a run")
        named = {file for entry in self.manifest.runs for file in self._verify_run(entry)}
        self.shared = self._parsed(SHARED, self._container.document(SHARED), SharedFile)
        self.certificates = {entry.revision: self._certificate(entry) for entry in self.shared.certificates}
        self.published = self._published()
        for name in self.published.audits:
            self._audit(name, self._container.document(name))
        self._refuse_unnamed(named)

    @property
    def run_ids(self) -> list[str]:
        """List the runs in the order of the archive."""
        return list(self._files)

    def run(self, run_id: str) -> RunFile:
        """Read the document of a run."""
        return self._parsed(self._files[run_id], self._container.read(self._files[run_id]), RunFile)

    def runs(self) -> Iterator[RunFile]:
        """Read the documents of all runs, one after the other."""
        return map(self.run, self._files)

    def samples(self, file: str, n: int) -> Iterator[Samples]:
        """Read the samples of a series in parts that follow each other."""
        try:
            yield from read_samples(self._container.pieces(file), n)
        except ValueError as error:
            raise self._container.refused(f"its member {file} is not a series: {error}") from error

    def certificate_file(self, entry: CertificateEntry) -> bytes:
        """Read the original file of a certificate."""
        return self._container.read(certificate_member(entry.file_sha256))

    def audits(self) -> Iterator[Audit]:
        """Read the audits, one after the other."""
        return (self._audit(name, self._container.read(name)) for name in self.published.audits)

    def digest(self, run_id: str) -> str:
        """Compute the digest of a run's record and samples as this wattmark, maybe a newer one, would write them."""
        run = self.run(run_id)
        return run_digest(run.record, self._hashes(run))

    @property
    def signature(self) -> Signature | None:
        """Read who claims to have signed the manifest; None: it is not signed. Raises `InputError` for a broken one."""
        if SIGNATURE not in self._container.names:
            return None
        signature = read_signature(self._container.read(SIGNATURE, LONGEST).decode("utf-8", "replace"))
        if signature is None:
            raise self.refused(f"its member {SIGNATURE} is not a signature of minisign")
        return signature

    def signed_by(self, key: PublicKey) -> bool:
        """Return whether this key signed the manifest, and with it everything that the manifest lists."""
        return self.signature is not None and key.check(self._manifest_bytes, self.signature)

    def refused(self, reason: str, remedy: str = "") -> InputError:
        """Explain why nothing of this archive is imported."""
        return self._container.refused(reason, remedy)

    def _manifest(self) -> Manifest:
        content = self._manifest_bytes
        if f'"{FORMAT}"'.encode() not in content:
            raise self._container.refused(
                f"its format is not {FORMAT}, the only one that this version reads (written by a newer wattmark?)"
            )
        manifest = self._parsed(MANIFEST, content, Manifest)
        if set(manifest.members) | {MANIFEST} != self._container.names - {SIGNATURE} or manifest.format != FORMAT:
            raise self._container.refused("its members do not match its manifest")
        return manifest

    def _refuse_unnamed(self, named: set[str]) -> None:
        """Refuse an archive with a member that nothing in it names: it would be left out."""
        named |= {certificate_member(entry.file_sha256) for entry in self.shared.certificates}
        named |= {PUBLISHED, *self.published.audits}
        unnamed = sorted(name for name in self.manifest.members if name.startswith(_NAMED) and name not in named)
        if unnamed:
            raise self._container.refused(f"nothing in it names its member {unnamed[0]}; a run may have been taken out")

    def _published(self) -> PublishedFile:
        if PUBLISHED not in self.manifest.members:
            return PublishedFile()
        return self._shown(PUBLISHED, self._container.document(PUBLISHED), PublishedFile)

    def _audit(self, name: str, content: bytes) -> Audit:
        return self._shown(name, content, Audit)

    def _shown(self, name: str, content: bytes, model: type[M]) -> M:
        """Parse a document whose texts are shown as they are."""
        document = self._parsed(name, content, model)
        if not all(is_printable(text) for text in _texts(document.model_dump())):
            raise self._container.refused(f"{name} contains characters that cannot be printed")
        return document

    def _verify_run(self, entry: ArchivedRun) -> tuple[str, ...]:
        """Verify a run; return its members."""
        content = self._container.document(entry.file)
        run = self._parsed(entry.file, content, RunFile)
        members = self.manifest.members
        for series in run.series:
            if series.file not in members or members[series.file].size != size(series.n):
                raise self._container.refused(f"samples of run {entry.run_id[:80]} are missing")
        if run.record.run_id != entry.run_id or self._written_digest(content, run) != entry.digest:
            raise self._container.refused(f"run {entry.run_id[:80]} does not match the manifest")
        if run.record.disclosure.brought_by is not None:
            raise self._container.refused(f"run {entry.run_id[:80]} says itself which archive brought it")
        if run.record.status is RunStatus.RUNNING:
            raise self._container.refused(f"run {entry.run_id[:80]} was still recording")
        real = {meter.name for meter in run.record.meters if not meter.simulated}
        if any(series.key.simulated and series.key.source in real for series in run.series):
            raise self._container.refused(
                f"run {entry.run_id[:80]} calls a meter real whose samples say that it is simulated"
            )
        return entry.file, *(series.file for series in run.series)

    def _written_digest(self, content: bytes, run: RunFile) -> str | None:
        """Compute the digest of a run as it is written; None for numbers that JSON does not have."""
        try:
            return document_digest(json.loads(content)["record"], self._hashes(run))
        except ValueError:
            return None

    def _hashes(self, run: RunFile) -> Iterator[tuple[KeyRecord, str]]:
        return ((series.key, self.manifest.members[series.file].sha256) for series in run.series)

    def _certificate(self, entry: CertificateEntry) -> Certificate:
        try:
            certificate = read_json(entry.document.encode())
        except CertificateError as error:
            raise self._container.refused(f"a certificate in it cannot be read ({error})") from error
        member = self.manifest.members.get(certificate_member(entry.file_sha256))
        if canonical_sha256(certificate) != entry.sha256 or member is None or member.sha256 != entry.file_sha256:
            raise self._container.refused(
                f"certificate {certificate.name} in it is not the accepted one (hash mismatch)"
            )
        return certificate

    def _parsed(self, name: str, content: bytes, model: type[M]) -> M:
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            raise self._container.refused(
                f"{name} cannot be read ({place}: {first['msg']}); it may have been written by a newer wattmark"
            ) from error


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a document, and the names in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for part in item for text in _texts(part))
    elif isinstance(value, (list, tuple)):
        yield from (text for part in value for text in _texts(part))
