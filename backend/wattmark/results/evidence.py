"""What the files of an imported result say joins its own verdicts; files that deny each other leave no figure."""

from __future__ import annotations

from wattmark.runs.record import ImportedVerdict, RunRecord, StatedFigure
from wattmark.runs.result import Result, Verdict

FIGURES = (
    "throughput",
    "power",
    "energy",
    "efficiency",
    "full_load_power",
    "above_idle",
    "delay_product",
    "cost",
    "nominal",
    "suggested_window",
    "idle",
    "steady",
    "n_eff",
    "calibrations",
    "standards",
)
"""How the names of the fields begin that rest on power, work or both."""
KEPT = ("throughput_unit", "efficiency_unit")
_PER_SECOND = "/s"


def with_evidence(result: Result, run: RunRecord) -> Result:
    """Add an imported run's verdicts and its source's figures; withhold all figures where its files deny each other."""
    if not run.evidence and not run.source_figures:
        return result
    failed = [one for one in run.evidence if one.outcome == "fail"]
    contradictions = [one for one in failed if one.contradicts]
    judged = result.model_copy(
        update={
            "verdicts": (*result.verdicts, *(_verdict(one) for one in run.evidence)),
            "notes": tuple(dict.fromkeys((*(one.text for one in failed), *result.notes))),
        }
    )
    if not contradictions:
        return judged.model_copy(update={"source_figures": _source_figures(result, run)})
    return _withheld(judged, contradictions)


def _withheld(result: Result, contradictions: list[ImportedVerdict]) -> Result:
    """Take away what rests on the files, down to the budgets, and say why."""
    reasons = "; ".join(one.text.removesuffix(".") for one in contradictions)
    note = f"The log contradicts itself: {reasons}; no figure is given. Get the original files from the submitter."
    fields = type(result).model_fields
    empty = {
        name: field.get_default(call_default_factory=True)
        for name, field in fields.items()
        if name.startswith(FIGURES) and name not in KEPT
    }
    return result.model_copy(update={**empty, "notes": (note, *result.notes)})


def _source_figures(result: Result, run: RunRecord) -> tuple[StatedFigure, ...]:
    """List the source's own figures, and each per joule: a rate over mean power, an amount over energy."""
    per_joule = []
    for one in run.source_figures:
        divisor = result.power_w if one.unit.endswith(_PER_SECOND) else result.energy_j
        if divisor:
            unit = f"{one.unit.removesuffix(_PER_SECOND)}/J"
            per_joule.append(StatedFigure(name=f"{one.name} per joule", value=one.value / divisor, unit=unit))
    return (*run.source_figures, *per_joule)


def _verdict(one: ImportedVerdict) -> Verdict:
    """Show a verdict of the import; its text ends with who sets the limit."""
    text = f"{one.text} (Limit: {one.source}.)" if one.outcome == "fail" else one.text
    return Verdict(rule=one.rule, value=one.value, limit=one.limit, unit=one.unit, outcome=one.outcome, text=text)
