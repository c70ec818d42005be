"""Gather from the stores the inputs of runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Protocol

from wattmark.archives.layout import (
    ORIGIN_KIND,
    AcceptedNote,
    CertificateEntry,
    DecisionEntry,
    IssueRecord,
    KeyRecord,
    RunFile,
    SeriesFile,
    SharedFile,
)
from wattmark.archives.samples_file import SeriesSamples, digest, digest_of
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_ELSEWHERE_KIND, START_KIND, shareable_start
from wattmark.core.errors import StoreError
from wattmark.results.issued.store import IssuedResultStore
from wattmark.results.meters import result_meters
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.annotations.store import AnnotationStore
from wattmark.runs.origin import Origin, as_recorded, machine, read_origin
from wattmark.runs.record import RunRecord
from wattmark.runs.samples.blocks import blocks
from wattmark.runs.store import RunStore
from wattmark.store.sample_store import SampleStore, Series
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.certificates.store import CertificateStore
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard
from wattmark.traceability.check_standards.store import CheckStandardStore
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations


class Stores(Protocol):
    """The stores of one data folder."""

    @property
    def samples(self) -> SampleStore: ...
    @property
    def runs(self) -> RunStore: ...
    @property
    def check_standards(self) -> CheckStandardStore: ...
    @property
    def certificates(self) -> CertificateStore: ...
    @property
    def issued(self) -> IssuedResultStore: ...
    @property
    def annotations(self) -> AnnotationStore: ...


@dataclass(frozen=True, slots=True)
class GatheredSeries:
    """A series of a run as it lies in the store, and its identity in the archive."""

    series: Series
    key: KeyRecord


class Gatherer:
    """Read runs for an archive. ``evaluate`` gives a run's result as it stands; tags and notes come on request."""

    def __init__(self, stores: Stores, evaluate: Callable[[RunRecord], Result], *, notes: bool = False) -> None:
        self._stores = stores
        self._evaluate = evaluate
        self._annotations: Mapping[str, Annotation] = stores.annotations.all() if notes else {}
        self._origins = stores.runs.documents(ORIGIN_KIND)

    def series(self, run_id: str) -> list[GatheredSeries]:
        """List the series of a run in their order."""
        stored = self._stores.samples.list_series(run_id)
        return [GatheredSeries(series, KeyRecord.of(series.key)) for series in stored]

    def samples(self, gathered: GatheredSeries) -> SeriesSamples:
        """Read a series as it goes into the archive, block by block. A damaged block raises `StoreError`."""
        series = gathered.series
        return SeriesSamples(series.n, (block.samples for block in blocks(self._stores.samples, [series])))

    def origin(self, run_id: str) -> Origin | None:
        """Return where a run was recorded; None: by this appliance. Raises `StoreError` where that cannot be read."""
        document = self._origins.get(run_id)
        return None if document is None else read_origin(run_id, document)

    def record(self, run: RunRecord) -> RunRecord:
        """Return the record as it was where the run was recorded."""
        return as_recorded(run, self.origin(run.run_id))

    def run_file(self, run: RunRecord, series: Sequence[SeriesFile]) -> RunFile:
        """Put everything about a run together."""
        return RunFile(
            record=self.record(run),
            origin=self.origin(run.run_id),
            series=tuple(series),
            issued=tuple(
                IssueRecord(**asdict(version.issue), result=version.result)
                for version in self._stores.issued.of(run.run_id)
            ),
            result=self._evaluate(run),
            annotation=self._annotations.get(run.run_id),
        )

    def run_digest(self, run: RunRecord) -> str:
        """Compute the digest of a run's record and samples."""
        gathered = self.series(run.run_id)
        return run_digest(
            self.record(run), ((series.key, digest_of(self.samples(series).pieces())) for series in gathered)
        )

    def shared(self, runs: Sequence[RunRecord]) -> SharedFile:
        """Collect the inputs of the runs beside their own records."""
        return SharedFile(
            **self._register_part({meter.serial for run in runs for meter in run.meters if meter.serial}),
            **self._check_standards({meter.name for run in runs for meter in run.meters}),
            cross_calibrations=tuple(self._cross_calibrations(runs)),
            **self._campaigns({run.campaign_id for run in runs if run.campaign_id}),
        )

    def certificate_file(self, entry: CertificateEntry) -> bytes:
        """Read the original file of a certificate."""
        document = json.loads(entry.document)
        content = self._stores.certificates.content(document["id"], document["version"])
        if content is None:
            raise StoreError(f"The file of certificate {document['id']} is missing.", "Restore it from a backup.")
        return content

    def _register_part(self, serials: set[str]) -> dict[str, Any]:
        register = self._stores.certificates.register()
        ids = relevant_certificates(register, serials)
        return {
            "certificates": tuple(
                CertificateEntry(
                    **dict(AcceptedNote.of(entry)),
                    file_sha256=self._file_sha256(entry.certificate.id, entry.certificate.version),
                )
                for entry in register.entries
                if entry.certificate.id in ids
            ),
            "decisions": tuple(
                DecisionEntry.of(decision) for decision in register.decisions if decision.certificate_id in ids
            ),
        }

    def _file_sha256(self, certificate_id: str, version: int) -> str:
        return digest(self._stores.certificates.content(certificate_id, version) or b"")

    def _check_standards(self, meters: set[str]) -> dict[str, Any]:
        readings: dict[CheckStandard, list[CheckReading]] = {}
        for load in self._stores.check_standards.all():
            if load.meter in meters:
                with suppress(StoreError):  # no result uses it, and the list of check standards gives the reason
                    readings[load] = self._stores.check_standards.readings(load.name)
        return {"check_standards": tuple(readings), "check_readings": tuple(chain(*readings.values()))}

    def _cross_calibrations(self, runs: Sequence[RunRecord]) -> Iterator[CrossCalibrationRecord]:
        bmcs = {(machine(run), meter.name) for run in runs for meter in run.meters if meter.role == "bmc"}
        measuring = {(machine(run), meter.name) for run in runs for meter in result_meters(run) if meter.role == "bmc"}
        register = CrossCalibrations(self._stores.runs)
        for server, bmc in sorted(bmcs):
            try:
                yield from register.of(server, bmc)
            except StoreError:
                if (server, bmc) in measuring:  # no result uses that of a BMC beside a wall meter
                    raise

    def _campaigns(self, ids: set[str]) -> dict[str, Any]:
        documents = self._stores.runs.documents
        starts = _chosen({**documents(START_ELSEWHERE_KIND), **documents(START_KIND)}, ids)
        shareable = {name: shareable_start(start) for name, start in starts.items()}
        return {"campaigns": _chosen(documents(CAMPAIGN_KIND), ids), "campaign_starts": shareable}


def relevant_certificates(register: CertificateRegister, serials: set[str]) -> set[str]:
    """List the certificates that can serve meters with these serial numbers, by their own or by a decision."""
    own = {entry.certificate.id for entry in register.entries if entry.certificate.meter.serial in serials}
    return own | {decision.certificate_id for decision in register.decisions if decision.serial in serials}


def run_digest(record: RunRecord, series: Iterable[tuple[KeyRecord, str]]) -> str:
    """Compute the SHA-256 of a record, as this wattmark writes it, and of the hashes of its series."""
    return document_digest(record.model_dump(mode="json"), series)


def document_digest(record: Mapping[str, Any], series: Iterable[tuple[KeyRecord, str]]) -> str:
    """Compute the SHA-256 of a record as stored in an archive and of the hashes of its series."""
    return digest(json_bytes([record, *([key.model_dump(), sha256] for key, sha256 in series)]))


def json_bytes(document: Any) -> bytes:
    """Write JSON so that equal documents give equal bytes."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _chosen(documents: Mapping[str, dict[str, Any]], ids: set[str]) -> dict[str, dict[str, Any]]:
    return {name: document for name, document in documents.items() if name in ids}
