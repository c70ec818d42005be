"""Everything about a run except its samples, as one document: a second wattmark computes its result from it alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import ValidationError
from wattmark_calibration import CertificateError, canonical_json
from wattmark_calibration.certificate.json_file import read_json

from wattmark.certificates.shelf import Accepted, Decision, Lost, Shelf
from wattmark.certificates.store import Stated, Statement
from wattmark.errors import StoreError
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.runs.origin import Origin
from wattmark.runs.record import Record, RunRecord
from wattmark.runs.result import Result
from wattmark.storage.sample_store import Series, SeriesKey


class SeriesNote(Record):
    """A series of the run, with as many samples as it had when this was written."""

    key: dict[str, Any]
    n: int


class AcceptedNote(Record):
    """A certificate on the shelf."""

    revision: int
    accepted_ns: int
    reason: str
    document: str
    sha256: str


class Dossier(Record):
    """A run's record, its series, what its result was stated with, and the shelf of certificates as it stood then."""

    format: Literal["wattmark-dossier/1"] = "wattmark-dossier/1"
    lab: str
    """Of the bench file of the appliance that recorded the run; may be empty."""
    record: RunRecord
    origin: Origin | None = None
    """Where the run was recorded, where that appliance has it from another one itself."""
    series: tuple[SeriesNote, ...]
    stated: dict[str, Any] | None
    result: Result | None
    """The result as it was stated last; None where it was never stated."""
    certificates: tuple[AcceptedNote, ...]
    decisions: tuple[dict[str, Any], ...]
    lost: tuple[dict[str, Any], ...]
    reconciliation: ReconciliationRecord | None

    @property
    def keys(self) -> list[tuple[SeriesKey, int]]:
        """List the series in their order, with the counts of then."""
        return [(SeriesKey(**note.key), note.n) for note in self.series]

    @property
    def stated_with(self) -> Stated | None:
        """Tell what the latest version of the result rests on; None where it was never stated."""
        return None if self.stated is None else Stated(**self.stated)

    @property
    def shelf(self) -> Shelf:
        """Put the shelf back as it stood."""
        return Shelf(
            tuple(_accepted(note) for note in self.certificates),
            tuple(Decision(**{**one, "accepts": frozenset(one["accepts"])}) for one in self.decisions),
            tuple(Lost(**one) for one in self.lost),
        )


def make_dossier(
    record: RunRecord,
    series: list[Series],
    statement: Statement | None,
    shelf: Shelf,
    reconciliation: ReconciliationRecord | None,
    lab: str = "",
    origin: Origin | None = None,
) -> Dossier:
    """Gather a dossier; ``shelf`` is the one that the result rests on."""
    return Dossier(
        lab=lab,
        record=record,
        origin=origin,
        series=tuple(SeriesNote(key=asdict(one.key), n=one.n) for one in series),
        stated=None if statement is None else asdict(statement.stated),
        result=None if statement is None else statement.result,
        certificates=tuple(_note(one) for one in shelf.entries),
        decisions=tuple({**asdict(one), "accepts": sorted(one.accepts)} for one in shelf.decisions),
        lost=tuple(asdict(one) for one in shelf.lost),
        reconciliation=reconciliation,
    )


def read_dossier(document: bytes, run_id: str) -> Dossier:
    """Read a dossier. Raises `StoreError` naming what cannot be read."""
    try:
        return Dossier.model_validate_json(document)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise StoreError(
            f"The record of run {run_id} in InfluxDB cannot be read ({place}: {first['msg']}).",
            "Update this wattmark, or send the run again: wattmark store sync --again.",
        ) from None


def _note(one: Accepted) -> AcceptedNote:
    return AcceptedNote(
        revision=one.revision,
        accepted_ns=one.accepted_ns,
        reason=one.reason,
        document=canonical_json(one.certificate),
        sha256=one.sha256,
    )


def _accepted(note: AcceptedNote) -> Accepted:
    try:
        certificate = read_json(note.document.encode())
    except CertificateError as error:
        raise StoreError(
            f"A certificate in a run's record in InfluxDB cannot be read ({error}).", "Update this wattmark."
        ) from None
    return Accepted(note.revision, note.accepted_ns, note.reason, certificate, note.sha256)
