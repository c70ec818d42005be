"""Write an archive: a zip file whose bytes depend on its content alone."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Protocol

from pydantic import BaseModel

from wattmark.archives.description import CITATION, CRATE, DescribedRun, citation, crate
from wattmark.archives.gather import GatheredSeries, json_bytes, run_digest
from wattmark.archives.layout import (
    FORMAT,
    MANIFEST,
    PUBLISHED,
    SHARED,
    SIGNATURE,
    ArchivedRun,
    CertificateEntry,
    Manifest,
    Member,
    PublishedFile,
    RunFile,
    SeriesFile,
    SharedFile,
    certificate_member,
)
from wattmark.archives.published import Published
from wattmark.archives.samples_file import SeriesSamples, size
from wattmark.archives.signature import SigningKey
from wattmark.archives.values import Values
from wattmark.core.errors import InputError, StoreError
from wattmark.core.part import RUN_NAME
from wattmark.core.progress import note_done
from wattmark.core.version import version
from wattmark.runs.record import RunRecord

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The only date in an archive: when it was packed says nothing about what is in it."""
_RIGHTS = 0o100644 << 16
_LEVEL = 6


class RunSource(Protocol):
    """What gives runs with everything that they rest on: the stores of a folder, or a server that many send to."""

    def series(self, run_id: str) -> list[GatheredSeries]: ...
    def samples(self, gathered: GatheredSeries) -> SeriesSamples: ...
    def record(self, run: RunRecord) -> RunRecord: ...
    def run_file(self, run: RunRecord, series: Sequence[SeriesFile]) -> RunFile: ...
    def shared(self, runs: Sequence[RunRecord]) -> SharedFile: ...
    def certificate_file(self, entry: CertificateEntry) -> bytes: ...


def write_archive(
    file: IO[bytes],
    runs: Sequence[RunRecord],
    gatherer: RunSource,
    lab: str,
    leave_out: Callable[[RunRecord, StoreError], None] | None = None,
    *,
    signing_key: SigningKey | None = None,
    licence: str = "",
    published: Published = Published(),  # noqa: B008 - it never changes
) -> None:
    """Write runs, in order of their ids, with everything that they rest on, signed where there is a key.

    A damaged run, or one that rests on a damaged document, raises `StoreError`, or goes to ``leave_out`` and not into
    the archive. ``licence`` is what others may do with the data: an SPDX identifier or an address.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as out:
        packer = _Packer(out)
        packed: list[tuple[RunRecord, ArchivedRun, DescribedRun]] = []
        for run in sorted(runs, key=lambda run: run.run_id):
            try:
                if leave_out is not None:
                    _read_whole(gatherer, run)
                packed.append((run, *_pack_run(packer, f"runs/{len(packed) + 1}", run, gatherer)))
            except StoreError as error:
                if leave_out is None:
                    raise
                leave_out(run, error)
            note_done("written", 1, of=len(runs))
        shared = gatherer.shared([run for run, _, _ in packed])
        for sha256, entry in {entry.file_sha256: entry for entry in shared.certificates}.items():
            packer.add(certificate_member(sha256), gatherer.certificate_file(entry))
        packer.add_document(SHARED, shared)
        _pack_published(packer, published)
        described = [description for _, _, description in packed]
        packer.add(CRATE, json_bytes(crate(described, lab, version(), licence)))
        packer.add(CITATION, citation(described, lab, licence).encode())
        manifest = Manifest(
            format=FORMAT,
            software=version(),
            lab=lab,
            runs=tuple(entry for _, entry, _ in packed),
            members=dict(sorted(packer.members.items())),
            signed_by="" if signing_key is None else signing_key.public.text,
        )
        content = packer.add_document(MANIFEST, manifest)
        if signing_key is not None:
            comment = f"{len(packed)} runs of {lab}, wattmark {version()}"
            packer.add(SIGNATURE, signing_key.sign(content, comment).encode())


def _pack_published(packer: _Packer, published: Published) -> None:
    """Write what others published, an audit in a member of its own: its traces make it long."""
    members = [f"published/audits/{number}.json" for number in range(1, len(published.audits) + 1)]
    for name, audit in zip(members, published.audits, strict=True):
        packer.add_document(name, audit)
    if members or published.figures:
        packer.add_document(PUBLISHED, PublishedFile(figures=published.figures, audits=tuple(members)))


class _Packer:
    def __init__(self, out: zipfile.ZipFile) -> None:
        self._out = out
        self._values = Values()
        self.members: dict[str, Member] = {}

    def add(self, name: str, content: bytes) -> str:
        return self.add_pieces(name, len(content), (content,))

    def add_pieces(self, name: str, size: int, pieces: Iterable[bytes]) -> str:
        info = zipfile.ZipInfo(name, EARLIEST)
        info.external_attr = _RIGHTS
        info.create_system = 3
        info.compress_type = zipfile.ZIP_DEFLATED
        info.file_size = size  # a hint, from which the zip file knows whether it needs long numbers
        sha256 = hashlib.sha256()
        with self._out.open(info, "w") as member:
            for piece in pieces:
                sha256.update(piece)
                member.write(piece)
        self.members[name] = Member(size=size, sha256=sha256.hexdigest())
        return self.members[name].sha256

    def add_document(self, name: str, document: BaseModel) -> bytes:
        content = json_bytes(document.model_dump(mode="json"))
        if not self._values.fit(content):
            raise InputError("These runs exceed the size limit of an archive.", "Archive fewer of them at once.")
        self.add(name, content)
        return content


def _read_whole(gatherer: RunSource, run: RunRecord) -> None:
    """Read a run and what it rests on before it is packed: a damaged one leaves nothing behind. Raises `StoreError`."""
    gatherer.shared([run])
    for series in gatherer.series(run.run_id):
        for _ in gatherer.samples(series).pieces():
            pass


def _pack_run(packer: _Packer, folder: str, run: RunRecord, gatherer: RunSource) -> tuple[ArchivedRun, DescribedRun]:
    if not re.fullmatch(RUN_NAME, run.run_id):
        raise InputError(f"An archive takes no run that is called {run.run_id[:80]!r}.", "Archive the other runs.")
    read = [(series.key, gatherer.samples(series)) for series in gatherer.series(run.run_id)]
    files = [
        SeriesFile(key=key, n=samples.n, file=f"{folder}/series/{number}.npy")
        for number, (key, samples) in enumerate(read, 1)
    ]
    document = gatherer.run_file(run, files)
    hashes = [
        (file.key, packer.add_pieces(file.file, size(file.n), samples.pieces()))
        for file, (_, samples) in zip(files, read, strict=True)
    ]
    member = f"{folder}/run.json"
    packer.add_document(member, document)
    result = document.result
    configuration = result.configuration_title or run.configuration
    title = f"{run.server} · {configuration}, {run.workload}, {run.level}, repeat {run.repeat}"
    return (
        ArchivedRun(run_id=run.run_id, file=member, digest=run_digest(gatherer.record(run), hashes)),
        DescribedRun(member, run.run_id, title, run.created_ns),
    )
