"""Orders by which one process has stored runs evaluated by another."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.runs.record import RunRecord
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

EVALUATE = "/internal/evaluate"


class EvaluationOrder(BaseModel):
    """A run to evaluate, with all inputs of its result besides its samples."""

    model_config = ConfigDict(defer_build=True)

    run: RunRecord
    rule: RuleName
    register_revision: int
    as_found: str | None
    held: CrossCalibrationRecord | None
