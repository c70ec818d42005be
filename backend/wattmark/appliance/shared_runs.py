"""Runs of the server that many appliances send to, as the source of an archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from wattmark.appliance.fleet import Fleet
from wattmark.archives.gather import GatheredSeries, relevant_certificates
from wattmark.archives.layout import (
    CertificateEntry,
    DecisionEntry,
    KeyRecord,
    RunFile,
    SeriesFile,
    SharedFile,
    StatedRecord,
)
from wattmark.archives.samples_file import SeriesSamples, digest
from wattmark.errors import StoreError
from wattmark.influx.dossier import Dossier
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.runs.origin import Origin
from wattmark.runs.record import RunRecord
from wattmark.storage.sample_store import SampleStore

NAMELESS = "a lab without a name"


class SharedRun:
    """One run of the server with everything that its dossier tells. Raises `StoreError` where samples are missing."""

    def __init__(self, dossier: Dossier, samples: SampleStore, fleet: Fleet) -> None:
        self._dossier = dossier
        self._samples = samples
        self._fleet = fleet

    def series(self, run_id: str) -> list[GatheredSeries]:
        """List the series of the run in their order."""
        return [GatheredSeries(one, _key(asdict(one.key))) for one in self._samples.list_series(run_id)]

    def samples(self, gathered: GatheredSeries) -> SeriesSamples:
        """Read a series as it goes into the archive; all of what the run's record counts must be there."""
        noted = gathered.series
        found = self._samples.read(noted.id)
        if len(found) < noted.n:
            raise StoreError(
                f"The server has {len(found)} of the {noted.n} samples of {noted.key.source} {noted.key.channel} of "
                f"run {noted.key.run_id}.",
                "Wait until the appliance that recorded it has sent all, or ask there: wattmark store verify.",
            )
        return SeriesSamples(len(found), (found,))

    def record(self, run: RunRecord) -> RunRecord:
        """Give the record as it was where the run was recorded."""
        origin = self._dossier.origin
        return run if origin is None else run.model_copy(update={"source": origin.source})

    def run_file(self, run: RunRecord, series: Sequence[SeriesFile]) -> RunFile:
        """Put everything about the run together; only the latest of its stated versions is told by the server."""
        stated, result = self._dossier.stated_with, self._dossier.result
        versions = () if stated is None or result is None else (StatedRecord(**asdict(stated), result=result),)
        return RunFile(
            record=self.record(run),
            origin=origin_of(self._dossier),
            series=tuple(series),
            statements=versions,
            result=result or self._fleet.result(self._dossier),
        )

    def shared(self, runs: Sequence[RunRecord]) -> SharedFile:
        """Gather the certificates and overrides of the run's meters, and what holds its BMC against a wall meter."""
        shelf, held = self._dossier.shelf, self._dossier.reconciliation
        ids = relevant_certificates(shelf, {meter.serial for run in runs for meter in run.meters if meter.serial})
        notes = {one.revision: one for one in self._dossier.certificates}
        return SharedFile(
            certificates=tuple(
                CertificateEntry(
                    **notes[one.revision].model_dump(), file_sha256=_file_sha256(notes[one.revision].document)
                )
                for one in shelf.entries
                if one.certificate.id in ids
            ),
            decisions=tuple(
                DecisionEntry(**{**asdict(one), "accepts": tuple(sorted(one.accepts))})
                for one in shelf.decisions
                if one.certificate_id in ids
            ),
            reconciliations=() if held is None else (self._held(held),),
        )

    def _held(self, record: ReconciliationRecord) -> ReconciliationRecord:
        """Name the server of a record with its lab, unless it came to that lab from another one."""
        return record if self._dossier.origin else record.at_lab(origin_of(self._dossier).lab)

    def certificate_file(self, entry: CertificateEntry) -> bytes:
        """Give a certificate as wattmark writes it; the original file stays where it was accepted."""
        return entry.document.encode()


def origin_of(dossier: Dossier) -> Origin:
    """Tell where a run was recorded."""
    if dossier.origin is not None:
        return dossier.origin
    software = dossier.result.software if dossier.result else ""
    return Origin(lab=dossier.lab or NAMELESS, software=software, source=dossier.record.source)


def _file_sha256(document: str) -> str:
    return digest(document.encode())


def _key(values: dict[str, object]) -> KeyRecord:
    return KeyRecord.model_validate({name: value for name, value in values.items() if name != "run_id"})
