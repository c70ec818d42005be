"""What a review of results after an as-found calibration shows, and the issued versions of a run."""

from __future__ import annotations

from typing import Literal

from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.results.result import Result


class ReviewedRange(Schema):
    """The outcome of the review of one range."""

    name: str
    outcome: Literal["pass", "conditional pass", "conditional fail", "fail"] | None
    """None: calibrated before, but without as-found points now."""
    in_doubt: bool


class AffectedRun(Schema):
    """A result in doubt: as it is issued now and, once recomputed, with the as-found points."""

    run_id: str
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int
    measured: str
    range_name: str
    simulated: bool
    power: Quantity | None
    issued_with: str
    recomputed: bool
    """The latest issued version already uses these as-found points."""
    change_pct: float | None
    """Change of mean power by the recomputation [%]; None: not recomputed."""


class ReviewOut(Schema):
    """Which older results an as-found calibration puts in doubt."""

    certificate: str
    version: int
    serial: str
    needed: bool
    since: str | None
    """Day of the last good calibration; None: there is none, all older results count."""
    until: str
    ranges: list[ReviewedRange]
    affected: list[AffectedRun]
    statement: str
    problems: list[str] = []
    """Results that could not be recomputed, each with its reason."""


class RunVersionOut(Schema):
    """One issued version of a result: its certificates, the reason of issue, and the result as issued."""

    version: int
    issued: str
    by: str | None
    reason: str
    software: str
    certificates: list[str]
    """Calibration behind each meter: "CAL-1 v1", "CAL-2 v1 as found", "specification", "not traceable"."""
    difference: str
    """How it differs from the version before, in one sentence; empty for the first."""
    result: Result


class RunVersionsOut(Schema):
    """All issued versions of one result, oldest first; the last one is in force."""

    run_id: str
    versions: list[RunVersionOut]
    newer_available: bool
    """Recomputing now would use other certificates or overrides than the current version."""
