"""Runs in the store of a fleet, as the source of an archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from wattmark.archives.gather import GatheredSeries, relevant_certificates
from wattmark.archives.layout import (
    CertificateEntry,
    DecisionEntry,
    IssueRecord,
    KeyRecord,
    RunFile,
    SeriesFile,
    SharedFile,
)
from wattmark.archives.samples_file import SeriesSamples, digest
from wattmark.core.errors import StoreError
from wattmark.fleet.reading.fleet_run import FleetRun
from wattmark.runs.origin import Origin, as_recorded
from wattmark.runs.record import RunRecord
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

NAMELESS = "a lab without a name"


class SharedRun:
    """One run of the store with everything in its dossier. Raises `StoreError` where samples are missing."""

    def __init__(self, run: FleetRun) -> None:
        self._run = run
        self._dossier = run.dossier
        self._samples = run.samples

    def series(self, run_id: str) -> list[GatheredSeries]:
        """List the series of the run in their order."""
        return [GatheredSeries(series, KeyRecord.of(series.key)) for series in self._samples.list_series(run_id)]

    def samples(self, gathered: GatheredSeries) -> SeriesSamples:
        """Read a series as it goes into the archive; all of what the run's record counts must be there."""
        noted = gathered.series
        samples = self._samples.read(noted.id)
        if len(samples) < noted.n:
            raise StoreError(
                f"The store has only {len(samples)} of the {noted.n} samples of {noted.key.source} "
                f"{noted.key.channel} of run {noted.key.run_id}.",
                "Wait until the recording appliance has sent all samples, or check there with `wattmark store verify`.",
            )
        return SeriesSamples(len(samples), (samples,))

    def record(self, run: RunRecord) -> RunRecord:
        """Return the record as it was where the run was recorded."""
        return as_recorded(run, self._dossier.origin)

    def run_file(self, run: RunRecord, series: Sequence[SeriesFile]) -> RunFile:
        """Put everything about the run together; only the latest of its issued versions is in the store."""
        issue, result = self._dossier.issued_with, self._dossier.result
        versions = () if issue is None or result is None else (IssueRecord(**asdict(issue), result=result),)
        return RunFile(
            record=self.record(run),
            origin=self.origin,
            series=tuple(series),
            issued=versions,
            result=result or self._run.unnamed(run),
        )

    def shared(self, runs: Sequence[RunRecord]) -> SharedFile:
        """Collect the certificates and overrides of the run's meters, and what holds its BMC against a wall meter."""
        register, cross_calibration = self._dossier.register, self._dossier.cross_calibration
        ids = relevant_certificates(register, {meter.serial for run in runs for meter in run.meters if meter.serial})
        notes = {note.revision: note for note in self._dossier.certificates}
        return SharedFile(
            certificates=tuple(
                CertificateEntry(
                    **dict(notes[entry.revision]), file_sha256=digest(notes[entry.revision].document.encode())
                )
                for entry in register.entries
                if entry.certificate.id in ids
            ),
            decisions=tuple(
                DecisionEntry.of(decision) for decision in register.decisions if decision.certificate_id in ids
            ),
            cross_calibrations=() if cross_calibration is None else (self._with_lab(cross_calibration),),
        )

    @property
    def origin(self) -> Origin:
        """Return where the run was recorded."""
        dossier = self._dossier
        if dossier.origin is not None:
            return dossier.origin
        software = dossier.result.software if dossier.result else ""
        return Origin(lab=dossier.lab or NAMELESS, software=software, source=dossier.record.source)

    def _with_lab(self, record: CrossCalibrationRecord) -> CrossCalibrationRecord:
        """Return the server of a record with its lab, unless that lab imported it from another one."""
        return record if self._dossier.origin else record.at_lab(self.origin.lab)

    def certificate_file(self, entry: CertificateEntry) -> bytes:
        """Return a certificate as wattmark writes it; the original file stays where it was accepted."""
        return entry.document.encode()
