"""Verdicts of an import join those of the result; files that contradict each other leave no figure."""

from __future__ import annotations

from wattmark.analysis.verdict import Verdict
from wattmark.core.quantity import value_of
from wattmark.results.result import Result
from wattmark.results.withheld import FIGURES, withheld
from wattmark.runs.record import ImportedVerdict, RunRecord, StatedFigure

_PER_SECOND = "/s"


def with_evidence(result: Result, run: RunRecord) -> Result:
    """Add an import's verdicts and figures to its result; withhold all figures where its files are contradictory."""
    if not run.evidence and not run.source_figures:
        return result
    failed = [verdict for verdict in run.evidence if verdict.outcome == "fail"]
    contradictions = [verdict for verdict in failed if verdict.contradicts]
    judged = result.model_copy(
        update={
            "verdicts": (*result.verdicts, *(_verdict(verdict) for verdict in run.evidence)),
            "notes": tuple(dict.fromkeys((*(verdict.text for verdict in failed), *result.notes))),
        }
    )
    if not contradictions:
        return judged.model_copy(update={"source_figures": _source_figures(result, run)})
    return _withheld(judged, contradictions)


def _withheld(result: Result, contradictions: list[ImportedVerdict]) -> Result:
    """Remove the figures based on the files, with their budgets, and add a note with the reason."""
    reasons = "; ".join(verdict.text.removesuffix(".") for verdict in contradictions)
    note = f"The log contradicts itself: {reasons}; no figure is given. Get the original files from the submitter."
    return withheld(result, FIGURES, note, "the log contradicts itself")


def _source_figures(result: Result, run: RunRecord) -> tuple[StatedFigure, ...]:
    """List the figures that the source states, and each per joule: a rate over mean power, an amount over energy."""
    per_joule = []
    for figure in run.source_figures:
        if not _is_work(figure.unit):
            continue
        divisor = value_of(result.power) if figure.unit.endswith(_PER_SECOND) else result.energy_j
        if divisor:
            unit = f"{figure.unit.removesuffix(_PER_SECOND)}/J"
            per_joule.append(StatedFigure(name=f"{figure.name} per joule", value=figure.value / divisor, unit=unit))
    return (*run.source_figures, *per_joule)


def _is_work(unit: str) -> bool:
    """Return whether a figure is an amount of work or a rate of it: energy, a time or a bare number is none."""
    return unit not in ("", "s", "min", "%") and not {"J", "W"} & set(unit.split("/"))


def _verdict(verdict: ImportedVerdict) -> Verdict:
    """Convert a verdict of the import; the text of a failed one names the source of its limit."""
    text = f"{verdict.text} (Limit: {verdict.source}.)" if verdict.outcome == "fail" else verdict.text
    return Verdict(verdict.rule, verdict.value, verdict.limit, verdict.unit, verdict.outcome, text)
