"""What became of one result of a source that was imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark.core.errors import InputError

OnProgress = Callable[[int, int, str], None]
"""Called with (results done, results found, what comes next; empty at the end)."""


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """One result of the source: stored under ``run_id``, or refused with ``error`` (then ``run_id`` is None)."""

    source: str
    run_id: str | None
    notes: tuple[str, ...] = ()
    """What the reader had to decide or exclude, one sentence each; also kept in the run's disclosure."""
    error: InputError | None = None


def exit_code(outcomes: Sequence[ImportOutcome]) -> int:
    """Return 0 when everything was stored, else the exit code of the errors (2: wrong input)."""
    return max((outcome.error.exit_code for outcome in outcomes if outcome.error), default=0)
