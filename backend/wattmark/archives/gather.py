"""Gather from the stores what runs rest on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Protocol

from wattmark_calibration import canonical_json

from wattmark.annotations.record import Annotation
from wattmark.archives.layout import (
    ORIGIN_KIND,
    START_ELSEWHERE_KIND,
    CertificateEntry,
    DecisionEntry,
    KeyRecord,
    RunFile,
    SeriesFile,
    SharedFile,
    StatedRecord,
)
from wattmark.archives.samples_file import SeriesSamples, digest, digest_of
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND
from wattmark.certificates.shelf import Shelf
from wattmark.certificates.store import CertificateStore, StatementStore
from wattmark.check_loads.record import CheckLoad, CheckReading
from wattmark.errors import StoreError
from wattmark.rawdata.blocks import blocks
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.reconciliations.shelf import Reconciliations
from wattmark.runs.origin import Origin, machine, read_origin
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result
from wattmark.storage.annotation_store import AnnotationStore
from wattmark.storage.check_load_store import CheckLoadStore
from wattmark.storage.run_store import RunStore
from wattmark.storage.sample_store import SampleStore, Series


class Stores(Protocol):
    """The stores of one data folder."""

    @property
    def samples(self) -> SampleStore: ...  # noqa: D102
    @property
    def runs(self) -> RunStore: ...  # noqa: D102
    @property
    def check_loads(self) -> CheckLoadStore: ...  # noqa: D102
    @property
    def certificates(self) -> CertificateStore: ...  # noqa: D102
    @property
    def statements(self) -> StatementStore: ...  # noqa: D102
    @property
    def annotations(self) -> AnnotationStore: ...  # noqa: D102


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
        self._said: Mapping[str, Annotation] = stores.annotations.all() if notes else {}
        self._origins = stores.runs.documents(ORIGIN_KIND)

    def series(self, run_id: str) -> list[GatheredSeries]:
        """List the series of a run in their order."""
        found = self._stores.samples.list_series(run_id)
        return [GatheredSeries(one, _key(asdict(one.key))) for one in found]

    def samples(self, gathered: GatheredSeries) -> SeriesSamples:
        """Read a series as it goes into the archive, block by block. A damaged block raises `StoreError`."""
        series = gathered.series
        return SeriesSamples(series.n, (block.samples for block in blocks(self._stores.samples, [series])))

    def origin(self, run_id: str) -> Origin | None:
        """Tell where a run was recorded; None: by this appliance. Raises `StoreError` where that cannot be read."""
        document = self._origins.get(run_id)
        return None if document is None else read_origin(run_id, document)

    def record(self, run: RunRecord) -> RunRecord:
        """Give the record as it was where the run was recorded."""
        origin = self.origin(run.run_id)
        return run if origin is None else run.model_copy(update={"source": origin.source})

    def run_file(self, run: RunRecord, series: Sequence[SeriesFile]) -> RunFile:
        """Put everything about a run together."""
        return RunFile(
            record=self.record(run),
            origin=self.origin(run.run_id),
            series=tuple(series),
            statements=tuple(
                StatedRecord(**asdict(one.stated), result=one.result) for one in self._stores.statements.of(run.run_id)
            ),
            result=self._evaluate(run),
            annotation=self._said.get(run.run_id),
        )

    def run_digest(self, run: RunRecord) -> str:
        """Compute the digest of a run's record and samples."""
        found = self.series(run.run_id)
        return run_digest(self.record(run), ((one.key, digest_of(self.samples(one).pieces())) for one in found))

    def shared(self, runs: Sequence[RunRecord]) -> SharedFile:
        """Gather what the runs rest on beside their own records."""
        return SharedFile(
            **self._shelf_part({meter.serial for run in runs for meter in run.meters if meter.serial}),
            **self._check_loads({meter.name for run in runs for meter in run.meters}),
            reconciliations=tuple(self._reconciliations(runs)),
            **self._campaigns({run.campaign_id for run in runs if run.campaign_id}),
        )

    def certificate_file(self, entry: CertificateEntry) -> bytes:
        """Read the original file of a certificate."""
        document = json.loads(entry.document)
        content = self._stores.certificates.content(document["id"], document["version"])
        if content is None:
            raise StoreError(f"The file of certificate {document['id']} is missing.", "Restore it from a backup.")
        return content

    def _shelf_part(self, serials: set[str]) -> dict[str, Any]:
        shelf = self._stores.certificates.shelf()
        ids = relevant_certificates(shelf, serials)
        return {
            "certificates": tuple(
                CertificateEntry(
                    revision=one.revision,
                    accepted_ns=one.accepted_ns,
                    reason=one.reason,
                    document=canonical_json(one.certificate),
                    sha256=one.sha256,
                    file_sha256=self._file_sha256(one.certificate.id, one.certificate.version),
                )
                for one in shelf.entries
                if one.certificate.id in ids
            ),
            "decisions": tuple(
                DecisionEntry(**{**asdict(one), "accepts": tuple(sorted(one.accepts))})
                for one in shelf.decisions
                if one.certificate_id in ids
            ),
        }

    def _file_sha256(self, certificate_id: str, version: int) -> str:
        return digest(self._stores.certificates.content(certificate_id, version) or b"")

    def _check_loads(self, meters: set[str]) -> dict[str, Any]:
        found: dict[CheckLoad, list[CheckReading]] = {}
        for load in self._stores.check_loads.all():
            if load.meter in meters:
                with suppress(StoreError):  # no result rests on it, and the list of check loads says why
                    found[load] = self._stores.check_loads.readings(load.name)
        return {"check_loads": tuple(found), "check_readings": tuple(chain(*found.values()))}

    def _reconciliations(self, runs: Sequence[RunRecord]) -> Iterator[ReconciliationRecord]:
        wanted = {(machine(run), meter.name) for run in runs for meter in run.meters if meter.role == "bmc"}
        shelf = Reconciliations(self._stores.runs)
        for server, bmc in sorted(wanted):
            yield from shelf.of(server, bmc)

    def _campaigns(self, ids: set[str]) -> dict[str, Any]:
        documents = self._stores.runs.documents
        starts = {**documents(START_ELSEWHERE_KIND), **documents(START_KIND)}
        return {"campaigns": _chosen(documents(CAMPAIGN_KIND), ids), "campaign_starts": _chosen(starts, ids)}


def relevant_certificates(shelf: Shelf, serials: set[str]) -> set[str]:
    """List the certificates that can serve meters with these serial numbers, by their own or by a decision."""
    own = {one.certificate.id for one in shelf.entries if one.certificate.meter.serial in serials}
    return own | {one.certificate_id for one in shelf.decisions if one.serial in serials}


def run_digest(record: RunRecord, series: Iterable[tuple[KeyRecord, str]]) -> str:
    """Compute the SHA-256 of a record, as this wattmark writes it, and of the hashes of its series."""
    return document_digest(record.model_dump(mode="json"), series)


def document_digest(record: Mapping[str, Any], series: Iterable[tuple[KeyRecord, str]]) -> str:
    """Compute the SHA-256 of a record as it stands in an archive and of the hashes of its series."""
    return digest(json_bytes([record, *([key.model_dump(), sha256] for key, sha256 in series)]))


def json_bytes(document: Any) -> bytes:
    """Write JSON so that equal documents give equal bytes."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _key(values: Mapping[str, Any]) -> KeyRecord:
    return KeyRecord(**{name: value for name, value in values.items() if name != "run_id"})


def _chosen(documents: Mapping[str, dict[str, Any]], ids: set[str]) -> dict[str, dict[str, Any]]:
    return {name: document for name, document in documents.items() if name in ids}
