"""One line of the list of runs: what is shown, searched and sorted there, a twentieth of a whole result."""

from __future__ import annotations

from typing import Literal

from wattmark.runs.record import Record, RunStatus
from wattmark.runs.result import Result

Kind = Literal["measured", "simulated", "imported"]
Standing = Literal["sound", "failed", "open"]


class RunRow(Record):
    """A run at a glance. Figures are those of its result; None means: not known, never zero."""

    run_id: str
    campaign_id: str | None
    server: str
    configuration: str
    configuration_title: str
    dimm_count: int | None
    workload: str
    level: str
    repeat: int
    status: RunStatus
    reason: str | None
    created: str
    source: str
    simulated: bool
    kind: Kind
    standing: Standing
    """Whether it may be used: "open" is a complete run that no rule could judge."""
    failed_rules: tuple[str, ...]
    limited_by: str | None
    meter: str
    efficiency: float | None
    efficiency_U95: float | None  # noqa: N815 - the metrologist's symbol
    efficiency_unit: str
    power_w: float | None
    power_U95_w: float | None  # noqa: N815
    throughput: float | None
    throughput_u: float | None
    throughput_unit: str
    tags: tuple[str, ...] = ()
    note: str = ""


_TAKEN = tuple(name for name in RunRow.model_fields if name in Result.model_fields)


def run_row(result: Result) -> RunRow:
    """Sum a result up for the list; tags and note are people's, not the result's."""
    failed = tuple(verdict.rule for verdict in result.verdicts if verdict.outcome == "fail")
    taken = {name: getattr(result, name) for name in _TAKEN}
    return RunRow(**taken, kind=_kind(result), standing=_standing(result, failed), failed_rules=failed)


def _kind(result: Result) -> Kind:
    if result.simulated:
        return "simulated"
    return "imported" if result.source.startswith("imported") else "measured"


def _standing(result: Result, failed: tuple[str, ...]) -> Standing:
    if result.status is not RunStatus.COMPLETE or failed:
        return "failed"
    return "sound" if any(verdict.outcome == "pass" for verdict in result.verdicts) else "open"
