"""Put the content of a verified archive into the stores of a data folder, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wattmark.archives.gather import Gatherer, Stores, relevant_certificates
from wattmark.archives.layout import ORIGIN_KIND, IssueRecord, RunFile
from wattmark.archives.outcome import Restoration, Restored, revision_here
from wattmark.archives.presence import presence, refusal
from wattmark.archives.published import restore_published
from wattmark.archives.read import Archive
from wattmark.archives.signer import SIGNER_KIND, Signer, with_lab
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_ELSEWHERE_KIND, read_start, read_state
from wattmark.core.errors import Conflict, Forbidden, StoreError
from wattmark.core.progress import note_done
from wattmark.results.issued.issued_result import Issue
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.disclosure import BroughtBy
from wattmark.runs.origin import Origin, arrived
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import SeriesKey
from wattmark.traceability.certificates.register import CertificateRegister, Decision
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import KIND as CROSS_CALIBRATION_KIND


class Restorer:
    """Restore one archive. Call it inside one transaction of ``stores``: an error must undo everything.

    With ``own`` the runs do not count as imported. Without ``decides`` certificates and overrides must be here already.
    """

    def __init__(
        self, archive: Archive, signer: Signer, stores: Stores, gatherer: Gatherer, *, own: bool, decides: bool
    ) -> None:
        self._archive = archive
        self._signer = signer
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
            revisions = self._restore_register()
            self._restore_documents()
            self._restore_check_standards()
            for run_id in new:
                self._restore_run(self._archive.run(run_id), revisions)
                note_done("restored", 1, of=len(new))
            self._remember_signer()
        lab = "" if self._own else manifest.lab
        published = self._archive.published
        self._notes += restore_published(self._stores.runs, self._archive.audits(), published.figures, lab)
        taken = set(new)
        return Restoration(
            lab=manifest.lab,
            software=manifest.software,
            signer=self._signer,
            runs=tuple(
                Restored(name, "imported" if name in taken else "already here", ()) for name in self._archive.run_ids
            ),
            notes=tuple(self._notes),
        )

    def _here_already(self, run_id: str) -> bool:
        state = presence(self._archive, run_id, self._stores, self._gatherer)
        if state in ("in the trash", "contradicts"):
            raise refusal(run_id, state)
        return state == "already here"

    def _restore_run(self, run: RunFile, revisions: dict[int, int]) -> None:
        origin = self._origin(run)
        record = run.record
        if origin is not None:
            record = arrived(record, origin, self._brought_by)
            self._stores.runs.put_document(ORIGIN_KIND, record.run_id, origin.model_dump(mode="json"))
        for series in run.series:
            number = self._stores.samples.series(SeriesKey(run_id=record.run_id, **series.key.model_dump())).id
            for part in self._archive.samples(series.file, series.n):
                self._stores.samples.append([(number, part)])
        self._stores.samples.seal(record.run_id)
        self._stores.runs.put(record)
        for issue in run.issued:
            self._stores.issued.add(self._issue(record, issue, revisions), issue.result)
        if run.annotation is not None:
            self._stores.annotations.tag([record.run_id], run.annotation.tags, [])
            self._stores.annotations.write_note(record.run_id, run.annotation.note)
            self._restore_inclusion(record.run_id, run.annotation.inclusion)

    def _restore_inclusion(self, run_id: str, inclusion: Inclusion | None) -> None:
        """Restore the decision to rank a run despite its checks; skipped for users who may not decide."""
        if inclusion is not None and not self._decides:
            self._notes.append(
                f"The ranking override of run {run_id} by {inclusion.by} was not imported; only an administrator can "
                "import it."
            )
        elif inclusion is not None:
            self._stores.annotations.include(run_id, inclusion)

    @property
    def _brought_by(self) -> BroughtBy:
        return BroughtBy(lab=self._archive.manifest.lab, signature=self._signer.state, key=self._signer.key)

    def _remember_signer(self) -> None:
        """Store that the key signed an archive of this lab, so that a later one by another key is noticed."""
        key = self._signer.key
        if key is not None and self._signer.state != "own key":
            known = self._stores.runs.document(SIGNER_KIND, key)
            self._stores.runs.put_document(SIGNER_KIND, key, with_lab(known, self._archive.manifest.lab))

    def _origin(self, run: RunFile) -> Origin | None:
        if run.origin is not None:
            return run.origin
        manifest = self._archive.manifest
        return None if self._own else Origin(lab=manifest.lab, software=manifest.software, source=run.record.source)

    def _issue(self, record: RunRecord, issued: IssueRecord, revisions: dict[int, int]) -> Issue:
        concerned = self._concerned(record)
        relevant = {there: restored for there, restored in revisions.items() if restored in concerned}
        revision = revision_here(issued.register_revision, relevant, concerned, self._stores.certificates.revision())
        if revision is None:
            raise Conflict(
                f"The certificates of run {record.run_id} are registered here in a different order than where its "
                "result was issued. Nothing was imported.",
                "Restore the archive into another data folder.",
            )
        values = issued.model_dump(exclude={"result", "register_revision"})
        return Issue(register_revision=revision, **values)

    def _concerned(self, record: RunRecord) -> set[int]:
        """List the revisions here that concern the meters of a run."""
        register = self._stores.certificates.register()
        ids = relevant_certificates(register, {meter.serial for meter in record.meters if meter.serial})
        accepted = {entry.revision for entry in register.entries if entry.certificate.id in ids}
        return accepted | {decision.revision for decision in register.decisions if decision.certificate_id in ids}

    def _restore_register(self) -> dict[int, int]:
        """Add certificates and decisions that are not here, in their order; gives the revision here of each."""
        restored: dict[int, int] = {}
        entries = {entry.revision: entry for entry in self._archive.shared.certificates}
        decisions = {decision.revision: decision for decision in self._archive.shared.decisions}
        for revision in sorted(entries.keys() | decisions.keys()):
            if revision in entries:
                restored[revision] = self._restore_certificate(revision)
            else:
                restored[revision] = self._restore_decision(revision)
        return restored

    def _restore_certificate(self, revision: int) -> int:
        entry = next(candidate for candidate in self._archive.shared.certificates if candidate.revision == revision)
        certificate = self._archive.certificates[revision]
        for accepted in self._stores.certificates.register().versions(certificate.id):
            if accepted.certificate.version == certificate.version:
                if accepted.sha256 == entry.sha256:
                    return accepted.revision
                raise Conflict(
                    f"Certificate {certificate.name} is in the register here with different content. Nothing was "
                    "imported.",
                    "Find out which of the two is right. Until then, restore the archive into another data folder.",
                )
        self._must_decide(f"certificate {certificate.name}")
        content = self._archive.certificate_file(entry)
        self._stores.certificates.add(certificate, content, entry.accepted_ns, entry.reason)
        return self._stores.certificates.revision()

    def _restore_decision(self, revision: int) -> int:
        entry = next(candidate for candidate in self._archive.shared.decisions if candidate.revision == revision)
        wanted = Decision(**{**entry.model_dump(), "accepts": frozenset(entry.accepts)})
        register: CertificateRegister = self._stores.certificates.register()
        for decision in register.decisions:
            if replace(decision, revision=revision) == wanted:
                return decision.revision
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

    def _must_decide(self, subject: str) -> None:
        if not self._decides:
            raise Forbidden(
                f"The import contains {subject}, which only an administrator can accept. Nothing was imported.",
                "Ask an administrator to import it.",
            )

    def _restore_documents(self) -> None:
        shared = self._archive.shared
        native = {run.record.server for run in self._archive.runs() if run.origin is None}
        cross_calibrations = dict(self._cross_calibration(record, native) for record in shared.cross_calibrations)
        for kind, documents in (
            (CROSS_CALIBRATION_KIND, cross_calibrations),
            (CAMPAIGN_KIND, self._readable(shared.campaigns, read_state)),
            (START_ELSEWHERE_KIND, self._readable(shared.campaign_starts, read_start)),
        ):
            stored = self._stores.runs.documents(kind)
            for name, document in documents.items():
                if name not in stored:
                    self._stores.runs.put_document(kind, name, document)
                elif stored[name] != document:
                    self._notes.append(
                        f"{kind.capitalize()} {name} is here with different content and was not changed."
                    )

    def _readable(
        self, documents: Mapping[str, dict[str, Any]], read: Callable[[str, dict[str, Any]], object]
    ) -> dict[str, dict[str, Any]]:
        """Exclude documents of campaigns that no page could show, each with a note."""
        readable: dict[str, dict[str, Any]] = {}
        for name, document in documents.items():
            try:
                read(name, document)
            except StoreError:
                self._notes.append(f"A document of campaign {name[:80]} cannot be read and was not imported.")
            else:
                readable[name] = document
        return readable

    def _cross_calibration(self, record: CrossCalibrationRecord, servers: set[str]) -> tuple[str, dict[str, Any]]:
        """Return a record and its name here. Its server is named with its lab, as in the results of its runs.

        ``servers`` are those of the lab that wrote the archive.
        """
        native = record.server in servers
        if native and self._own:
            return record.name, record.model_dump(mode="json")
        named = record.at_lab(self._archive.manifest.lab) if native else record
        return f"{named.name} at {named.server}", named.model_dump(mode="json")

    def _restore_check_standards(self) -> None:
        taken = set(self._new_check_standards())
        for reading in self._archive.shared.check_readings:
            if reading.check_standard in taken:
                self._stores.check_standards.add_reading(reading)

    def _new_check_standards(self) -> Iterator[str]:
        for load in self._archive.shared.check_standards:
            stored = self._stores.check_standards.get(load.name)
            if stored is None:
                self._stores.check_standards.add(load)
                yield load.name
            elif stored != load:
                self._notes.append(
                    f"Check standard {load.name} exists here with different data; that of the archive was not imported."
                )
