"""Where a run was recorded, when that was another appliance, and which machine it speaks of then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from wattmark.core.errors import StoreError
from wattmark.core.inputs import LINE
from wattmark.core.schema import Record
from wattmark.runs.disclosure import BroughtBy
from wattmark.runs.record import RunRecord

_IMPORTED = "imported: archive of "
_FROM_LOGS = "imported: "
_BY_WAY = ", by way of an archive of "


class Origin(Record):
    """Where a run was recorded, when that was another appliance; ``source`` is what its record said there."""

    lab: Annotated[str, Field(max_length=200), LINE]
    software: str
    source: str


def arrived(run: RunRecord, origin: Origin, brought_by: BroughtBy) -> RunRecord:
    """Return the record of another lab's run as it is stored here."""
    disclosure = run.disclosure.model_copy(update={"brought_by": brought_by})
    return run.model_copy(update={"source": _came_from(origin), "disclosure": disclosure})


def as_recorded(run: RunRecord, origin: Origin | None) -> RunRecord:
    """Return the record as it was where the run was recorded: the reverse of `arrived`."""
    if origin is None:
        return run
    disclosure = run.disclosure.model_copy(update={"brought_by": None})
    return run.model_copy(update={"source": origin.source, "disclosure": disclosure})


def read_origin(run_id: str, document: Mapping[str, Any]) -> Origin:
    """Read where a run was recorded. Raises `StoreError`."""
    try:
        return Origin.model_validate(document)
    except ValidationError as error:
        raise StoreError(
            f"The stored origin of run {run_id} cannot be read ({error.errors()[0]['msg'][:200]}).",
            "Restore the data folder from a backup, or delete the run.",
        ) from error


def imported_from(lab: str) -> str:
    """Write the source of a run that another lab recorded."""
    return _IMPORTED + lab


def _came_from(origin: Origin) -> str:
    """Write the source of a run of another lab's archive; what that lab imported itself keeps its own source first."""
    by_way = origin.source.startswith(_FROM_LOGS)
    return f"{origin.source}{_BY_WAY}{origin.lab}" if by_way else imported_from(origin.lab)


def lab_of(source: str) -> str | None:
    """Read the lab whose archive a run came in; None: it was recorded here, or came from elsewhere than a lab."""
    if not source.startswith(_FROM_LOGS):
        return None
    _, by_way, lab = source.rpartition(_BY_WAY)
    if by_way:
        return lab
    return source.removeprefix(_IMPORTED) if source.startswith(_IMPORTED) else None


def measuring_lab(run: RunRecord) -> str | None:
    """Return the other lab that a run was measured in; None: this one, or whoever submitted the published result."""
    imported = run.disclosure.imported
    return None if imported is not None and imported.submitter else lab_of(run.source)


def machine(run: RunRecord) -> str:
    """Return the server of a run. One of another lab is another machine, even where both labs call theirs the same."""
    lab = measuring_lab(run)
    return run.server if lab is None else at_lab(run.server, lab)


def is_at(server: str, lab: str) -> bool:
    """Return whether a server is named as one of a lab."""
    return server.endswith(at_lab("", lab))


def at_lab(name: str, lab: str) -> str:
    """Name something of another lab."""
    return f"{name} ({lab})"
