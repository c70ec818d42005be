"""One row of the list of runs: what is shown, searched and sorted there; a twentieth of a whole result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wattmark.core.quantity import Quantity, bare
from wattmark.core.schema import Record
from wattmark.results.plus_minus import plus_minus_text
from wattmark.results.ranking_bars import failed_rules, why_without
from wattmark.results.result import CLAIMS, Claim, Result
from wattmark.results.state import RunState, run_state
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import RunStatus
from wattmark.tables.fields import QuantityFields
from wattmark.tables.table import Column

Kind = Literal["measured", "simulated", "imported"]
RunQuality = Literal["sound", "partly", "failed", "open"]


class RunRow(Record):
    """Summary of a run. Values are those of its result; None means not known, never zero."""

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
    traceable: bool = True
    kind: Kind
    quality: RunQuality
    """Whether it may be ranked: by all figures, by some, by none; "open" is a complete run that no rule could judge."""
    state: RunState
    failed_rules: tuple[str, ...]
    not_ranked: dict[Claim, str] = {}
    """Why it is not ranked, by claim; one by which it is ranked, or that nobody asked for, is omitted."""
    inclusion: Inclusion | None = None
    """A person's ranking override; like tags and note, not part of the result."""
    remark: str | None = None
    """Why figures have no ±, or what is not in it; None: nothing is missing, or an older build wrote the row."""
    limited_by: str | None
    meter: str
    efficiency: Quantity | None
    power: Quantity | None
    throughput: Quantity | None
    tags: tuple[str, ...] = ()
    note: str = ""
    lab: str = ""
    """Where it was measured, in a fleet; empty on an appliance."""


FIGURES: Mapping[Claim, QuantityFields[RunRow]] = {
    "efficiency": QuantityFields(
        Column("efficiency", "Work per joule", unit_from="efficiency_unit"),
        lambda row: row.efficiency,
        "work per joule",
    ),
    "power": QuantityFields(Column("power", "Power", "W"), lambda row: row.power, "power"),
    "throughput": QuantityFields(
        Column("throughput", "Throughput", unit_from="throughput_unit", partial=True),
        lambda row: row.throughput,
        "throughput",
    ),
}
"""The columns of each figure, in the rows that a fleet's stores and archives have of a run."""
_TAKEN = tuple(name for name in RunRow.model_fields if name in Result.model_fields and name not in FIGURES)


def run_row(result: Result) -> RunRow:
    """Return the row of a result in the list of runs, without tags and note, which belong to the run."""
    failed = tuple(failed_rules(result))
    judged = any(verdict.outcome == "pass" for verdict in result.verdicts)
    barred = {claim: cause for claim in CLAIMS if (cause := why_without(result, claim)) is not None}
    copied = {name: getattr(result, name) for name in _TAKEN}
    figures = {name: bare(getattr(result, name)) for name in FIGURES}
    quality = _quality(result.status, barred, judged=judged or bool(failed))
    state = run_state(result)
    return RunRow(
        **copied,
        **figures,
        kind=_kind(result),
        quality=quality,
        state=state,
        failed_rules=failed,
        not_ranked=barred,
        remark=plus_minus_text(result),
    )


def figures(result: Result) -> dict[str, Quantity]:
    """Return the known quantities of a result by name, for the SQL table of figures."""
    quantities = {
        "efficiency": result.efficiency,
        "energy": None if result.energy_j is None else Quantity(value=result.energy_j, unit="J"),
        "energy per operation": result.energy_per_op,
        "full-load power": None if result.full_load_power is None else result.full_load_power.power,
        "power": result.power,
        "throughput": result.throughput,
    }
    return {name: quantity for name, quantity in quantities.items() if quantity is not None}


def _kind(result: Result) -> Kind:
    if result.simulated:
        return "simulated"
    return "imported" if result.source.startswith("imported") else "measured"


def _quality(status: RunStatus, barred: dict[Claim, str], *, judged: bool) -> RunQuality:
    if status is not RunStatus.COMPLETE or len(barred) == len(CLAIMS):
        return "failed"
    if barred:
        return "partly"
    return "sound" if judged else "open"
