"""What lies in an archive: its members and the documents in them. README.md beside this describes it for others."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field
from wattmark_calibration import canonical_json

from wattmark.comparison.published.published_result import PublishedResult
from wattmark.core.inputs import LINE
from wattmark.core.schema import Record
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.origin import Origin
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import SeriesKey
from wattmark.traceability.certificates.register import Accepted, Decision
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

FORMAT = "wattmark-archive/1"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.minisig"
"""The signature of the manifest, the one member that the manifest does not list."""
SHARED = "shared.json"
PUBLISHED = "published/published.json"
ORIGIN_KIND = "run-origin"
"""Kind of the stored document that says which archive a run came from."""

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, lt=2**63)]


class Member(Record):
    """Size [bytes] and SHA-256 of a member."""

    size: Size
    sha256: Digest


class ArchivedRun(Record):
    """Where a run lies, and the digest of its record and samples by which a duplicate is recognised."""

    run_id: Annotated[str, Field(min_length=1, max_length=500)]
    file: str
    digest: Digest


class Manifest(Record):
    """The table of contents."""

    format: str
    software: Annotated[str, Field(max_length=200), LINE]
    lab: Annotated[str, Field(max_length=200), LINE]
    runs: tuple[ArchivedRun, ...]
    members: dict[str, Member]
    signed_by: Annotated[str, Field(max_length=100)] = ""
    """Public key of who signed the manifest; it shows that nothing changed since, and not whose key it is."""


class KeyRecord(Record):
    """Identity of a series (`wattmark.store.sample_store.SeriesKey` without the run)."""

    server: str
    source: str
    channel: str
    quantity: str
    unit: str
    kind: str
    range: str = ""
    label: str = ""
    simulated: bool = False

    @classmethod
    def of(cls, key: SeriesKey) -> KeyRecord:
        """Write the key of a stored series."""
        return KeyRecord(**{name: value for name, value in asdict(key).items() if name != "run_id"})


class SeriesFile(Record):
    """A series, the number of its samples and the member that holds them."""

    key: KeyRecord
    n: Size
    file: str


class IssueRecord(Record):
    """An issued version of a result, and the revision of the certificate register that it rests on."""

    version: int
    issued_ns: int
    register_revision: int
    as_found: str | None
    by: str | None
    reason: str
    software: str
    result: Result


class RunFile(Record):
    """Everything about one run but its samples. ``result`` is what the software that wrote the archive gave.

    ``annotation`` holds what people said about the run; None: nothing, or they kept it to themselves.
    """

    record: RunRecord
    origin: Origin | None
    series: tuple[SeriesFile, ...]
    issued: tuple[IssueRecord, ...]
    result: Result
    annotation: Annotation | None = None


class AcceptedNote(Record):
    """A version of a certificate as it was accepted: canonical text and its hash."""

    revision: int
    accepted_ns: int
    reason: str
    document: str
    sha256: str

    @classmethod
    def of(cls, accepted: Accepted) -> AcceptedNote:
        """Write an entry of the register."""
        return AcceptedNote(
            revision=accepted.revision,
            accepted_ns=accepted.accepted_ns,
            reason=accepted.reason,
            document=canonical_json(accepted.certificate),
            sha256=accepted.sha256,
        )


class CertificateEntry(AcceptedNote):
    """An accepted version in an archive, with the hash of its file."""

    sha256: Digest
    file_sha256: Digest


class DecisionEntry(Record):
    """A decision to accept refusals of a certificate."""

    revision: int
    decided_ns: int
    certificate_id: str
    by: str
    reason: str
    accepts: tuple[str, ...]
    run_id: str | None
    serial: str | None

    @classmethod
    def of(cls, decision: Decision) -> DecisionEntry:
        """Write a decision of the register."""
        return DecisionEntry(**{**asdict(decision), "accepts": tuple(sorted(decision.accepts))})


class SharedFile(Record):
    """What several runs rest on: certificates, what holds BMCs against wall meters, check standards, campaigns."""

    certificates: tuple[CertificateEntry, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
    cross_calibrations: tuple[CrossCalibrationRecord, ...] = ()
    check_standards: tuple[CheckStandard, ...] = ()
    check_readings: tuple[CheckReading, ...] = ()
    campaigns: dict[str, dict[str, Any]] = {}
    campaign_starts: dict[str, dict[str, Any]] = {}
    """Plan and bench file of each campaign as they were when it was started."""


class PublishedFile(Record):
    """What others published: figures without readings, and the members with the audits of what they published."""

    figures: tuple[PublishedResult, ...] = ()
    audits: tuple[str, ...] = ()


def certificate_member(file_sha256: str) -> str:
    """Return the member that holds the original file of a certificate."""
    return f"certificates/{file_sha256}"
