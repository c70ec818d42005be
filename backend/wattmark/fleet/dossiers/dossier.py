"""Everything about a run except its samples, as one document: a second wattmark computes its result from it alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import ValidationError
from wattmark_calibration import CertificateError
from wattmark_calibration.certificate.json_file import read_json

from wattmark.archives.layout import AcceptedNote
from wattmark.core.errors import StoreError
from wattmark.core.schema import Record
from wattmark.results.issued.issued_result import Issue, IssuedResult
from wattmark.results.result import Result
from wattmark.runs.origin import Origin
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import Series, SeriesKey
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Decision, Lost
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


class SeriesNote(Record):
    """A series of the run, with as many samples as it had when this was written."""

    key: dict[str, Any]
    n: int


class Dossier(Record):
    """A run's record, its series, what its result was issued with, and the certificate register as it stood then."""

    format: Literal["wattmark-dossier/1"] = "wattmark-dossier/1"
    lab: str
    """Of the bench file of the appliance that recorded the run; may be empty."""
    record: RunRecord
    origin: Origin | None = None
    """Where the run was recorded, where that appliance has it from another one itself."""
    series: tuple[SeriesNote, ...]
    issue: dict[str, Any] | None
    result: Result | None
    """The result as it was issued last; None where it was never issued."""
    certificates: tuple[AcceptedNote, ...]
    decisions: tuple[dict[str, Any], ...]
    lost: tuple[dict[str, Any], ...]
    cross_calibration: CrossCalibrationRecord | None

    @property
    def keys(self) -> list[tuple[SeriesKey, int]]:
        """List the series in their order, with the counts of then."""
        return [(SeriesKey(**note.key), note.n) for note in self.series]

    @property
    def issued_with(self) -> Issue | None:
        """Return the inputs of the latest version of the result; None where it was never issued."""
        return None if self.issue is None else Issue(**self.issue)

    @property
    def register(self) -> CertificateRegister:
        """Put the register back as it stood."""
        return CertificateRegister(
            tuple(_accepted(note) for note in self.certificates),
            tuple(Decision(**{**decision, "accepts": frozenset(decision["accepts"])}) for decision in self.decisions),
            tuple(Lost(**lost) for lost in self.lost),
        )


def make_dossier(
    record: RunRecord,
    series: list[Series],
    issued: IssuedResult | None,
    register: CertificateRegister,
    cross_calibration: CrossCalibrationRecord | None,
    lab: str = "",
    origin: Origin | None = None,
) -> Dossier:
    """Collect a dossier; ``register`` is the one that the result uses."""
    return Dossier(
        lab=lab,
        record=record,
        origin=origin,
        series=tuple(SeriesNote(key=asdict(entry.key), n=entry.n) for entry in series),
        issue=None if issued is None else asdict(issued.issue),
        result=None if issued is None else issued.result,
        certificates=tuple(AcceptedNote.of(entry) for entry in register.entries),
        decisions=tuple({**asdict(decision), "accepts": sorted(decision.accepts)} for decision in register.decisions),
        lost=tuple(asdict(lost) for lost in register.lost),
        cross_calibration=cross_calibration,
    )


def read_dossier(document: bytes, run_id: str) -> Dossier:
    """Read a dossier. Raises `StoreError` naming what cannot be read."""
    try:
        return Dossier.model_validate_json(document)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise StoreError(
            f"The record of run {run_id} in the fleet store cannot be read ({place}: {first['msg']}).",
            "Update this wattmark, or send the run again: wattmark store sync --again.",
        ) from None


def _accepted(note: AcceptedNote) -> Accepted:
    try:
        certificate = read_json(note.document.encode())
    except CertificateError as error:
        raise StoreError(
            f"A certificate of a run in the fleet store cannot be read ({error}).",
            "Update this wattmark.",
        ) from None
    return Accepted(note.revision, note.accepted_ns, note.reason, certificate, note.sha256)
