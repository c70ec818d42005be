"""Archives of this data folder: write runs to one, restore one, and recompute the restored runs."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import IO

from pydantic import ValidationError

from wattmark.archives.gather import Gatherer
from wattmark.archives.layout import RunFile
from wattmark.archives.outcome import Restoration, Restored
from wattmark.archives.preview import preview
from wattmark.archives.published import published_with
from wattmark.archives.read import Archive
from wattmark.archives.restore import Restorer
from wattmark.archives.signature import SigningKey
from wattmark.archives.signer import SIGNER_KIND, Signer, signer_of
from wattmark.archives.views import ArchiveOut
from wattmark.archives.write import write_archive
from wattmark.campaigns.lab_identity import folder_name
from wattmark.core.alone import Alone
from wattmark.core.errors import Conflict, EvaluationFailed, InputError, NotFound, StoreError
from wattmark.core.progress import note_done
from wattmark.core.validation import first_mistake
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issued_result import COMPUTED_BY
from wattmark.results.issued.issuer import Issuer
from wattmark.results.issued.relocated import relocated
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus

BEFORE_ARCHIVE = "Issue before an archive brought certificates of the same meter."
WHEREABOUTS = {"source", "server", "result_version", "issued", "software"}
"""Fields of a result about its place and the build that computed it, not about its content."""


class Arrivals:
    """Take runs of an archive for good, or refuse it whole. ``storage`` is that of the transaction that put them in."""

    def __init__(self, archive: Archive, storage: Storage, issuer: Issuer) -> None:
        self._archive = archive
        self._storage = storage
        self._issuer = issuer

    def differences(self, run_id: str) -> tuple[str, ...]:
        """Evaluate a run, issue what comes out where it is not what was issued, and list the fields that differ.

        Raises `InputError`, which undoes the transaction, for a run that cannot be evaluated, and for one whose record
        or issued results its own reader refuses or reads otherwise than they came.
        """
        brought = self._archive.run(run_id)
        run = self._read_back(run_id, brought)
        evaluated = self._evaluated(run)
        differing = differing_fields(relocated(brought.result, run), evaluated)
        server = brought.record.server
        named = brought.result.server == server or brought.result.server.startswith(f"{server} (")
        return differing if named else ("server", *differing)

    def _read_back(self, run_id: str, brought: RunFile) -> RunRecord:
        """Read the restored runs as after the next start."""
        try:
            run = self._storage.runs.get(run_id)
            issue = [version.result for version in self._storage.issued.of(run_id)]
        except StoreError as error:
            raise self._refused(run_id, "cannot be read back", error.cause) from error
        if run is None or issue != [version.result for version in brought.issued]:
            raise self._refused(run_id, "cannot be stored", "its stored form does not read back as it was written.")
        return run

    def _evaluated(self, run: RunRecord) -> Result:
        try:
            result = self._issuer.arrived(run)
            Result.model_validate_json(result.model_dump_json())
        except ValidationError as error:
            raise self._refused(run.run_id, "gives a result that cannot be read back", first_mistake(error)) from error
        except EvaluationFailed as error:
            raise self._archive.refused(f"{error.cause[:1].lower()}{error.cause[1:].rstrip('.')}") from error
        except StoreError as error:
            raise self._refused(run.run_id, "cannot be evaluated", error.cause) from error
        except MemoryError as error:
            raise self._refused(run.run_id, "cannot be evaluated", "it needs more memory than is available") from error
        return result

    def _refused(self, run_id: str, problem: str, why: str) -> InputError:
        return self._archive.refused(f"run {run_id[:80]} {problem}: {why.rstrip('.')[:400]}")


def differing_fields(archived: Result, recomputed: Result) -> tuple[str, ...]:
    """List the fields of two results that differ, but for where they lie and which build computed them."""
    left, right = (
        result.model_copy(
            update={"notes": tuple(note for note in result.notes if not note.startswith(COMPUTED_BY))}
        ).model_dump(mode="json", exclude=WHEREABOUTS)
        for result in (archived, recomputed)
    )
    return tuple(name for name in left if left[name] != right[name])


class Archives:
    """Write and restore archives of one data folder."""

    def __init__(
        self,
        storage: Storage,
        results: Evaluations,
        issuer: Issuer,
        lab: Callable[[], str] = str,
        signing_key: SigningKey | None = None,
    ) -> None:
        self._storage = storage
        self._signing_key = signing_key
        self._results = results
        self._issuer = issuer
        self._lab = lab

    @property
    def lab(self) -> str:
        """Return the lab whose data folder this is; empty where it has no name."""
        return self._lab()

    def choose(self, run_ids: Sequence[str], campaign_id: str | None, *, every: bool = False) -> list[RunRecord]:
        """Choose finished runs: those named, those of a campaign, or all. Raises `NotFound`, `Conflict`, `InputError`.

        A run that still records is excluded from a campaign or of all, and refused where it is named.
        """
        if sum((bool(run_ids), campaign_id is not None, every)) != 1:
            raise InputError(
                "The request must name runs or one campaign, or ask for all runs.",
                "Choose what to archive: run ids, one campaign, or all runs.",
            )
        if run_ids:
            return [self._finished(run_id) for run_id in dict.fromkeys(run_ids)]
        runs = [run for run in self._storage.runs.all() if every or run.campaign_id == campaign_id]
        chosen = [run for run in runs if run.status is not RunStatus.RUNNING]
        if not chosen and not (every and published_with(self._storage.runs, (), every=True).text):
            raise NotFound("There is no finished run to archive.", "List the runs with `wattmark results`.")
        return chosen

    def write(
        self,
        file: IO[bytes],
        runs: Sequence[RunRecord],
        lab: str = "",
        *,
        notes: bool = False,
        every: bool = False,
        licence: str = "",
        leave_out: Callable[[RunRecord, StoreError], None] | None = None,
    ) -> None:
        """Write runs to a file, with the audits of what was imported; with ``every`` all audits and published figures.

        Tags and notes go along on request. ``lab`` empty: the names of this machine and of its
        data folder stand for it, so that two labs without a name never pass for one. ``licence`` is what others may do
        with the data. The archive is signed where the data folder has a key.

        A damaged run raises `StoreError`, or goes to ``leave_out`` and not into the archive.
        """
        gatherer = Gatherer(self._storage, self._results.result, notes=notes)
        name = lab or f"{socket.gethostname()}, data folder {folder_name(self._storage.runs)}"
        write_archive(
            file,
            runs,
            gatherer,
            name,
            leave_out,
            signing_key=self._signing_key,
            licence=licence,
            published=published_with(self._storage.runs, runs, every=every),
        )

    def preview(self, file: IO[bytes], name: str) -> ArchiveOut:
        """Verify an archive and tell who vouches for it, what it holds and what of it would come in.

        Raises `InputError`, also for a signature that is wrong.
        """
        archive = Archive(file, name)
        gatherer = Gatherer(self._storage, self._results.result)
        return preview(archive, self._signer(archive), self._storage, gatherer)

    def restore(
        self, file: IO[bytes], name: str, *, own: bool = False, decides: bool = True, alone: Alone = nullcontext
    ) -> Restoration:
        """Import an archive, all of it or nothing, and recompute its runs. Raises `InputError`, `Conflict`.

        One whose signature is wrong is refused. One with a run that cannot be evaluated is refused whole: the runs are
        recomputed before anything is on disk.
        With ``own`` the runs were measured by this lab and do not count as imported. Without ``decides`` an archive
        with certificates or overrides that are not here raises `Forbidden`. ``alone`` holds back campaigns while it is
        open: during the transaction, and not while the archive is verified.
        """
        archive = Archive(file, name)
        return self.take(archive, self._signer(archive), own=own, decides=decides, alone=alone)

    def take(
        self,
        archive: Archive,
        signer: Signer,
        *,
        own: bool = False,
        decides: bool = True,
        alone: Alone = nullcontext,
    ) -> Restoration:
        """Import a verified archive for which ``signer`` vouches as `restore` does."""
        serials = {certificate.meter.serial for certificate in archive.certificates.values()}

        def put(storage: Storage) -> Restoration:
            issuer = self._issuer.inside(storage)
            issuer.keep(serials, BEFORE_ARCHIVE)
            gatherer = Gatherer(storage, self._results.result)
            restored = Restorer(archive, signer, storage, gatherer, own=own, decides=decides).restore()
            arrivals = Arrivals(archive, storage, issuer)
            total = len(restored.runs)
            return restored.changed(runs=tuple(_recomputed(run, arrivals, total) for run in restored.runs))

        with alone():
            return self._storage.all_or_nothing(put)

    def _signer(self, archive: Archive) -> Signer:
        own = None if self._signing_key is None else self._signing_key.public
        return signer_of(archive, own, self._storage.runs.documents(SIGNER_KIND))

    def _finished(self, run_id: str) -> RunRecord:
        run = self._results.record(run_id)
        if run.status is RunStatus.RUNNING:
            raise Conflict(f"Run {run_id} is recording.", "Wait until it has ended.")
        return run


def _recomputed(run: Restored, arrivals: Arrivals, total: int) -> Restored:
    differences = arrivals.differences(run.run_id) if run.state == "imported" else run.differences
    note_done("evaluated", 1, of=total)
    return replace(run, differences=differences)
