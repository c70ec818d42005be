"""What of the work on stored runs one process does for another."""

from __future__ import annotations

from pydantic import BaseModel

from wattmark.analysis.rule_name import RuleName
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.runs.record import RunRecord
from wattmark.runs.row import RunRow

EVALUATE = "/internal/evaluate"
ROWS = "/internal/rows"


class EvaluationOrder(BaseModel):
    """A run to evaluate, and all that its result rests on besides its samples."""

    run: RunRecord
    rule: RuleName
    shelf_revision: int
    as_found: str | None
    held: ReconciliationRecord | None


class MadeRows(BaseModel):
    """Rows that were made while a revision stood; ``waiting`` tells whether more are to be made."""

    revision: int
    rows: tuple[RunRow, ...]
    waiting: bool
