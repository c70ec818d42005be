"""What became of each run of an archive, and which revision of the register here stands for one there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark.archives.signer import Signer
from wattmark.core.schema import Record


@dataclass(frozen=True, slots=True)
class Restored:
    """One run of an archive: taken, or here already."""

    run_id: str
    state: Literal["imported", "already here"]
    differences: tuple[str, ...]
    """Fields of the result that come out otherwise here than where the archive was written."""


class Restoration(Record):
    """Outcome of restoring an archive: lab, version of the writer, imported runs, what was excluded."""

    lab: str
    software: str
    signer: Signer
    runs: tuple[Restored, ...]
    notes: tuple[str, ...]


def revision_here(there: int, revisions: dict[int, int], concerned: set[int], now: int) -> int | None:
    """Translate a revision of the archive's register to the register here, for the certificates that concern a run.

    ``revisions`` maps the revisions of these in the archive to those here; ``concerned`` are all revisions here that
    concern the run, also those that the archive does not know; ``now`` is the last one here. A run that was issued
    with none gets the revision before the first. None where their order differs here, so that no revision of
    this register says the same.
    """
    before = [restored for archived, restored in revisions.items() if archived <= there]
    after = [restored for archived, restored in revisions.items() if archived > there]
    chosen = max(before) if before else min(concerned, default=now + 1) - 1
    return None if after and chosen >= min(after) else chosen
