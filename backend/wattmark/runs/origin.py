"""Where a run was recorded, when that was another appliance, and which machine it speaks of then."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.runs.record import Record, RunRecord

_IMPORTED = "imported: archive of "
RECORDED_BY = "recorded_by"
"""Key of a run's disclosure: lab, appliance and bench that recorded it, wherever its record lies now."""


class Origin(Record):
    """Where a run was recorded, when that was another appliance; ``source`` is what its record said there."""

    lab: Annotated[str, Field(max_length=200)]
    software: str
    source: str


def imported_from(lab: str) -> str:
    """Write the source of a run that another lab recorded."""
    return _IMPORTED + lab


def lab_of(source: str) -> str | None:
    """Read the lab that a run was imported from; None: it was recorded here, or came from elsewhere than a lab."""
    return source.removeprefix(_IMPORTED) if source.startswith(_IMPORTED) else None


def machine(run: RunRecord) -> str:
    """Name the server of a run. One of another lab is another machine, even where both labs call theirs the same."""
    lab = lab_of(run.source)
    return run.server if lab is None else at_lab(run.server, lab)


def at_lab(name: str, lab: str) -> str:
    """Name something of another lab."""
    return f"{name} ({lab})"
