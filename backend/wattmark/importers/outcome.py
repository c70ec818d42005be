"""Outcome of one result of an imported source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wattmark.core.errors import InputError, WattmarkError
from wattmark.importers.unread import Unread

OnProgress = Callable[[int, int, str], None]
"""Called with (results done, results found, what comes next; empty at the end)."""


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """One result of the source: stored as a run or as published figures, or refused with ``error``."""

    source: str
    run_id: str | None
    """The run; None where there is none."""
    notes: tuple[str, ...] = ()
    """What the reader had to decide or exclude, one sentence each; also kept in the run's disclosure."""
    error: WattmarkError | None = None
    figures_id: str | None = None
    """The published figures; None where there are none."""
    unread: Unread = field(default_factory=Unread)


def exit_code(outcomes: Sequence[ImportOutcome]) -> int:
    """Return 0 when everything was stored, else the exit code of the errors (2: wrong input)."""
    return max((outcome.error.exit_code for outcome in outcomes if outcome.error), default=0)


def same_run(where: str, home: str, identified_by: str) -> InputError:
    """Build the refusal of a result whose run was imported from another place."""
    return InputError(
        f"{where} contains the same {identified_by} as {home}. One log is one run, so this is not another repeat.",
        "Use the run that was imported from there, or delete it to import this folder instead.",
    )
