"""One line of the list of runs: what is shown, searched and sorted there, a twentieth of a whole result."""

from __future__ import annotations

from typing import Literal

from wattmark.results.ranking_bars import CLAIMS, Claim, failed_rules, why_barred
from wattmark.runs.inclusion import Inclusion
from wattmark.runs.record import Record, RunStatus
from wattmark.runs.result import Result

Kind = Literal["measured", "simulated", "imported"]
Standing = Literal["sound", "partly", "failed", "open"]


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
    """Whether it may be ranked: by all figures, by some, by none; "open" is a complete run that no rule could judge."""
    failed_rules: tuple[str, ...]
    not_ranked: dict[Claim, str] = {}
    """Why it is not ranked, by claim; one by which it is ranked is left out."""
    inclusion: Inclusion | None = None
    """A person's choice to rank it although rules failed; like tags and note no part of the result."""
    limited_by: str | None
    meter: str
    efficiency: float | None
    efficiency_U95: float | None  # noqa: N815 - the metrologist's symbol
    efficiency_unit: str
    power_w: float | None
    power_U95_w: float | None  # noqa: N815
    throughput: float | None
    throughput_U95: float | None  # noqa: N815
    throughput_unit: str
    tags: tuple[str, ...] = ()
    note: str = ""


_TAKEN = tuple(name for name in RunRow.model_fields if name in Result.model_fields)


def run_row(result: Result) -> RunRow:
    """Sum a result up for the list; tags and note are people's, not the result's."""
    failed = tuple(failed_rules(result))
    judged = any(verdict.outcome == "pass" for verdict in result.verdicts)
    barred = _not_ranked(result.status, failed, result.inclusion)
    taken = {name: getattr(result, name) for name in _TAKEN}
    standing = _standing(result.status, barred, judged=judged or bool(failed))
    return RunRow(**taken, kind=_kind(result), standing=standing, failed_rules=failed, not_ranked=barred)


def with_inclusion(row: RunRow, inclusion: Inclusion | None) -> RunRow:
    """Say how a row stands with a person's choice, or without one again."""
    if inclusion == row.inclusion:
        return row
    barred = _not_ranked(row.status, row.failed_rules, inclusion)
    standing = _standing(row.status, barred, judged=row.standing != "open")
    return row.model_copy(update={"inclusion": inclusion, "not_ranked": barred, "standing": standing})


def _kind(result: Result) -> Kind:
    if result.simulated:
        return "simulated"
    return "imported" if result.source.startswith("imported") else "measured"


def _not_ranked(status: RunStatus, failed: tuple[str, ...], inclusion: Inclusion | None) -> dict[Claim, str]:
    causes = {claim: why_barred(status, failed, claim, inclusion) for claim in CLAIMS}
    return {claim: cause for claim, cause in causes.items() if cause is not None}


def _standing(status: RunStatus, barred: dict[Claim, str], *, judged: bool) -> Standing:
    if status is not RunStatus.COMPLETE or len(barred) == len(CLAIMS):
        return "failed"
    if barred:
        return "partly"
    return "sound" if judged else "open"
