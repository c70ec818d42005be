"""Put the content of a verified archive into the stores of a data folder, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wattmark.archives.gather import Gatherer, Stores, relevant_certificates
from wattmark.archives.layout import ORIGIN_KIND, START_ELSEWHERE_KIND, KeyRecord, RunFile, StatedRecord
from wattmark.archives.outcome import Restoration, Restored, revision_here
from wattmark.archives.read import Archive
from wattmark.archives.standing import refusal, standing
from wattmark.campaigns.stored import CAMPAIGN_KIND
from wattmark.certificates.shelf import Decision, Shelf
from wattmark.certificates.store import Stated
from wattmark.errors import Conflict, Forbidden
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.reconciliations.shelf import KIND as RECONCILIATION_KIND
from wattmark.runs.inclusion import Inclusion
from wattmark.runs.origin import Origin, imported_from
from wattmark.runs.record import RunRecord
from wattmark.storage.sample_store import SeriesKey


class Restorer:
    """Restore one archive. Call it inside one transaction of ``stores``: an error must undo everything.

    With ``own`` the runs do not count as imported. Without ``decides`` certificates and overrides must be here already.
    """

    def __init__(self, archive: Archive, stores: Stores, gatherer: Gatherer, *, own: bool, decides: bool) -> None:
        self._archive = archive
        self._stores = stores
        self._gatherer = gatherer
        self._own = own
        self._decides = decides
        self._notes: list[str] = []

    def restore(self) -> Restoration:
        """Put every run in that is not here yet. Raises `Conflict` for anything that contradicts what is here."""
        manifest = self._archive.manifest
        new = [run_id for run_id in self._archive.run_ids if not self._here_already(run_id)]
        if new:
            revisions = self._restore_shelf()
            self._restore_documents()
            self._restore_check_loads()
            for run_id in new:
                self._restore_run(self._archive.run(run_id), revisions)
        taken = set(new)
        return Restoration(
            manifest.lab,
            manifest.software,
            tuple(Restored(name, "imported" if name in taken else "already here") for name in self._archive.run_ids),
            tuple(self._notes),
        )

    def _here_already(self, run_id: str) -> bool:
        found = standing(self._archive, run_id, self._stores, self._gatherer)
        if found in ("in the trash", "contradicts"):
            raise refusal(run_id, found)
        return found == "already here"

    def _restore_run(self, run: RunFile, revisions: dict[int, int]) -> None:
        origin = self._origin(run)
        record = run.record
        if origin is not None:
            record = record.model_copy(update={"source": imported_from(origin.lab)})
            self._stores.runs.put_document(ORIGIN_KIND, record.run_id, origin.model_dump(mode="json"))
        for series in run.series:
            number = self._stores.samples.series(_key(record.run_id, series.key)).id
            for part in self._archive.samples(series.file, series.n):
                self._stores.samples.append([(number, part)])
        self._stores.samples.seal(record.run_id)
        for stated in run.statements:
            self._stores.statements.add(self._stated(record, stated, revisions), stated.result)
        self._stores.runs.put(record)
        if run.annotation is not None:
            self._stores.annotations.tag([record.run_id], run.annotation.tags, [])
            self._stores.annotations.write_note(record.run_id, run.annotation.note)
            self._restore_inclusion(record.run_id, run.annotation.inclusion)

    def _restore_inclusion(self, run_id: str, inclusion: Inclusion | None) -> None:
        """Take the choice to rank a run over; it is a decision, so one who may not decide goes without it."""
        if inclusion is not None and not self._decides:
            self._notes.append(
                f"The choice of {inclusion.by} to rank run {run_id} was left out: only an administrator may take it."
            )
        elif inclusion is not None:
            self._stores.annotations.include(run_id, inclusion)

    def _origin(self, run: RunFile) -> Origin | None:
        if run.origin is not None:
            return run.origin
        manifest = self._archive.manifest
        return None if self._own else Origin(lab=manifest.lab, software=manifest.software, source=run.record.source)

    def _stated(self, record: RunRecord, one: StatedRecord, revisions: dict[int, int]) -> Stated:
        concerned = self._concerned(record)
        known = {there: here for there, here in revisions.items() if here in concerned}
        here = revision_here(one.shelf_revision, known, concerned, self._stores.certificates.revision())
        if here is None:
            raise Conflict(
                f"The certificates of run {record.run_id} stand here in another order than where it was stated; "
                "nothing was imported.",
                "Restore the archive into another data folder.",
            )
        values = one.model_dump(exclude={"result", "shelf_revision"})
        return Stated(shelf_revision=here, **values)

    def _concerned(self, record: RunRecord) -> set[int]:
        """List the revisions here that concern the meters of a run."""
        shelf = self._stores.certificates.shelf()
        ids = relevant_certificates(shelf, {meter.serial for meter in record.meters if meter.serial})
        mine = {one.revision for one in shelf.entries if one.certificate.id in ids}
        return mine | {one.revision for one in shelf.decisions if one.certificate_id in ids}

    def _restore_shelf(self) -> dict[int, int]:
        """Add certificates and decisions that are not here, in their order; gives the revision here of each."""
        known: dict[int, int] = {}
        entries = {one.revision: one for one in self._archive.shared.certificates}
        decisions = {one.revision: one for one in self._archive.shared.decisions}
        for revision in sorted(entries.keys() | decisions.keys()):
            if revision in entries:
                known[revision] = self._restore_certificate(revision)
            else:
                known[revision] = self._restore_decision(revision)
        return known

    def _restore_certificate(self, revision: int) -> int:
        entry = next(one for one in self._archive.shared.certificates if one.revision == revision)
        certificate = self._archive.certificates[revision]
        for one in self._stores.certificates.shelf().versions(certificate.id):
            if one.certificate.version == certificate.version:
                if one.sha256 == entry.sha256:
                    return one.revision
                raise Conflict(
                    f"Certificate {certificate.name} is on the shelf here with other content; nothing was imported.",
                    "Ask which of the two is right; restore the archive into another data folder meanwhile.",
                )
        self._must_decide(f"certificate {certificate.name}")
        content = self._archive.certificate_file(entry)
        self._stores.certificates.add(certificate, content, entry.accepted_ns, entry.reason)
        return self._stores.certificates.revision()

    def _restore_decision(self, revision: int) -> int:
        entry = next(one for one in self._archive.shared.decisions if one.revision == revision)
        wanted = Decision(**{**entry.model_dump(), "accepts": frozenset(entry.accepts)})
        shelf: Shelf = self._stores.certificates.shelf()
        for one in shelf.decisions:
            if replace(one, revision=revision) == wanted:
                return one.revision
        self._must_decide(f"an override of {wanted.certificate_id}")
        self._stores.certificates.add_decision(
            wanted.certificate_id,
            wanted.by,
            wanted.reason,
            wanted.accepts,
            wanted.decided_ns,
            run_id=wanted.run_id,
            serial=wanted.serial,
        )
        return self._stores.certificates.revision()

    def _must_decide(self, what: str) -> None:
        if not self._decides:
            raise Forbidden(
                f"This would bring {what}, which only an administrator may accept; nothing was imported.",
                "Ask an administrator to import it.",
            )

    def _restore_documents(self) -> None:
        shared = self._archive.shared
        native = {run.record.server for run in self._archive.runs() if run.origin is None}
        reconciliations = dict(self._reconciliation(record, native) for record in shared.reconciliations)
        for kind, documents in (
            (RECONCILIATION_KIND, reconciliations),
            (CAMPAIGN_KIND, shared.campaigns),
            (START_ELSEWHERE_KIND, shared.campaign_starts),
        ):
            here = self._stores.runs.documents(kind)
            for name, document in documents.items():
                if name not in here:
                    self._stores.runs.put_document(kind, name, document)
                elif here[name] != document:
                    self._notes.append(f"{kind.capitalize()} {name} is here with other content; it stays as it is.")

    def _reconciliation(self, record: ReconciliationRecord, servers: set[str]) -> tuple[str, dict[str, Any]]:
        """Give a record and its name here. Its server is named with its lab, as in the results of its runs.

        ``servers`` are those of the lab that wrote the archive.
        """
        native = record.server in servers
        if native and self._own:
            return record.name, record.model_dump(mode="json")
        here = record.at_lab(self._archive.manifest.lab) if native else record
        return f"{here.name} at {here.server}", here.model_dump(mode="json")

    def _restore_check_loads(self) -> None:
        taken = set(self._new_check_loads())
        for reading in self._archive.shared.check_readings:
            if reading.check_load in taken:
                self._stores.check_loads.add_reading(reading)

    def _new_check_loads(self) -> Iterator[str]:
        for load in self._archive.shared.check_loads:
            here = self._stores.check_loads.get(load.name)
            if here is None:
                self._stores.check_loads.add(load)
                yield load.name
            elif here != load:
                self._notes.append(f"Check load {load.name} is another one here; that of the archive was left out.")


def _key(run_id: str, key: KeyRecord) -> SeriesKey:
    return SeriesKey(run_id=run_id, **key.model_dump())
