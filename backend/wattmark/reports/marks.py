"""The words that mark a figure which is not a plain measurement, and what each means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import SCATTER_ONLY
from wattmark.results.ranking_bars import inclusion_text, not_ranked_text
from wattmark.results.views import CompareGroup
from wattmark.runs.result import Result

SIMULATED = "simulated"
PUBLISHED = "published"
IMPORTED = "imported"
UNTRACEABLE = "not traceable"
UNSTEADY = "not steady"
BELOW_FULL_LOAD = "below full load"
OVERRIDDEN = "overridden"
INCLUDED = "ranked by choice"
NOT_RANKED = "not ranked"
REFUSED = "certificate refused"
EXTRAPOLATED = "outside the calibrated span"
NOT_MEASURED = "extrapolated, not measured"

_MEANING = {
    SIMULATED: "a meter in the result is a simulator; the figure says nothing about real hardware.",
    PUBLISHED: "figure of others, not measured here; its interval comes from the rounding of the printed digits only.",
    IMPORTED: "measured by others and evaluated here from their logs.",
    UNTRACEABLE: "no maker's limits of error and no calibration in force cover the measurement, or one was overridden.",
    UNSTEADY: "power drifted or stepped inside the window; the mean is reported, but it is no full-load power.",
    BELOW_FULL_LOAD: "the CPUs did not reach the utilisation that the run demands.",
    OVERRIDDEN: "a person accepted what speaks against the figure; the notes say who, what and why.",
    INCLUDED: "a person ranked it although a verdict speaks against it; beside it stands who, which rule and why.",
    NOT_RANKED: "a verdict keeps it from being ranked by some or all of its figures; beside it stands which and why.",
    SCATTER_ONLY: "the interval holds scatter only: nothing is known about the meter, whose error is taken to cancel.",
    REFUSED: "a meter's certificate does not serve this measurement; the notes say why.",
    NOT_MEASURED: "what a model gives beyond the measured points; nobody measured it there.",
    EXTRAPOLATED: "corrected beyond the calibrated powers with a doubled uncertainty of the calibration.",
}


class MarkedRow(Protocol):
    """A row of a view that says what it is."""

    simulated: bool
    traceable: bool
    scatter_only: bool
    included: bool


def result_marks(result: Result) -> list[str]:
    """Give the marks of a result."""
    tests = {
        SIMULATED: result.simulated,
        IMPORTED: result.source.startswith("imported"),
        UNTRACEABLE: not result.traceable,
        UNSTEADY: result.steady is False,
        BELOW_FULL_LOAD: result.full_load is False,
        OVERRIDDEN: any("overridden" in note.lower() for note in (*result.notes, *override_texts(result))),
        INCLUDED: inclusion_text(result) is not None,
        NOT_RANKED: not_ranked_text(result) is not None,
        REFUSED: any(one.refusals for one in result.calibrations),
        EXTRAPOLATED: any(one.extrapolated for one in result.calibrations),
    }
    return [mark for mark, holds in tests.items() if holds]


def group_marks(group: CompareGroup) -> list[str]:
    """Give the marks of a compared group."""
    tests = {
        group.kind: group.kind != "measured",
        UNTRACEABLE: not group.traceable,
        UNSTEADY: group.steady is False,
        BELOW_FULL_LOAD: group.full_load is False,
        OVERRIDDEN: any("overridden" in remark.lower() for remark in group.remarks),
        INCLUDED: bool(group.inclusions),
        NOT_RANKED: bool(group.not_ranked),
    }
    return [mark for mark, holds in tests.items() if holds]


def row_marks(row: MarkedRow) -> str | None:
    """Put the marks of a row of a table of factors together; None for a plain measurement."""
    tests = {
        SIMULATED: row.simulated,
        UNTRACEABLE: not row.traceable,
        SCATTER_ONLY: row.scatter_only,
        INCLUDED: row.included,
    }
    return ", ".join(mark for mark, holds in tests.items() if holds) or None


def explain(marks: Iterable[str]) -> tuple[str, ...]:
    """Write one footnote per mark that occurs, in a fixed order."""
    present = set(marks)
    return tuple(f"{mark}: {meaning}" for mark, meaning in _MEANING.items() if mark in present)
