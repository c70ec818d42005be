"""The words that mark a figure which is not a plain measurement, and what each means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from wattmark.results.disagreement import disagreement
from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import SCATTER_ONLY
from wattmark.results.ranking_bars import inclusion_text, why_without
from wattmark.results.result import CLAIMS, Result

SIMULATED = "simulated"
PUBLISHED = "published"
IMPORTED = "imported"
NOT_TRACEABLE = "not traceable"
UNSTEADY = "not steady"
BELOW_FULL_LOAD = "below full load"
OVERRIDDEN = "overridden"
INCLUDED = "ranked by override"
NOT_RANKED = "not ranked"
DISAGREES = "power sources disagree"
PARTLY_RANKED = "partly ranked"
REFUSED = "certificate refused"
EXTRAPOLATED = "outside the calibrated span"
NOT_MEASURED = "extrapolated, not measured"

_MEANING = {
    SIMULATED: "a meter in the result is a simulator; the figure tells nothing about real hardware.",
    PUBLISHED: "published figure, not measured here; it has no ±, and its last digit is that of the printed figures.",
    IMPORTED: "measured by others and evaluated here from their logs.",
    NOT_TRACEABLE: "neither a specification nor a valid calibration covers the measurement, or a refusal was "
    "overridden.",
    UNSTEADY: "power drifted or stepped in the window; the mean is reported, but not as full-load power.",
    BELOW_FULL_LOAD: "the CPUs did not reach the required utilisation.",
    OVERRIDDEN: "a person overrode a refusal of the certificate; the notes give name, refusal and reason.",
    INCLUDED: "a person ranked it although a rule failed; its remark gives name, rule and reason.",
    NOT_RANKED: "a failed rule or a missing figure excludes it from this ranking; its remark gives the reason.",
    PARTLY_RANKED: "it is ranked by some quantities only; its remark names the others and gives the reason.",
    DISAGREES: "another source of power in the run contradicts the reference meter; the remark says which, and by "
    "how much.",
    SCATTER_ONLY: "the interval covers only scatter: the error of the meter is not known and is assumed to cancel.",
    REFUSED: "the certificate of a meter cannot be used for this measurement; the notes give the reason.",
    NOT_MEASURED: "computed by a model beyond the measured points.",
    EXTRAPOLATED: "corrected outside the calibrated span, with the uncertainty of the calibration doubled.",
}


class Sourced(Protocol):
    """A figure that says what measured it."""

    @property
    def simulated(self) -> bool: ...
    @property
    def traceable(self) -> bool: ...


class MarkedRow(Sourced, Protocol):
    """A row of a view that says what it is."""

    sources_disagree: bool
    scatter_only: bool
    included: bool


def result_marks(result: Result) -> list[str]:
    """Return the marks of a result as a whole: not ranked where no claim ranks it, partly ranked where some do."""
    ranked = [why_without(result, claim) is None for claim in CLAIMS]
    tests = {
        SIMULATED: result.simulated,
        IMPORTED: result.source.startswith("imported"),
        NOT_TRACEABLE: not result.traceable,
        UNSTEADY: result.steady is False,
        BELOW_FULL_LOAD: result.full_load is False,
        OVERRIDDEN: any("overridden" in note.lower() for note in (*result.notes, *override_texts(result))),
        INCLUDED: inclusion_text(result) is not None,
        NOT_RANKED: not any(ranked),
        PARTLY_RANKED: any(ranked) and not all(ranked),
        DISAGREES: disagreement(result) is not None,
        REFUSED: any(calibration.refusals for calibration in result.calibrations),
        EXTRAPOLATED: any(calibration.extrapolated for calibration in result.calibrations),
    }
    return [mark for mark, holds in tests.items() if holds]


def source_marks(*of: Sourced) -> list[str]:
    """Return the marks of a figure by what measured those that it rests on."""
    tests = {SIMULATED: any(s.simulated for s in of), NOT_TRACEABLE: not all(s.traceable for s in of)}
    return [mark for mark, holds in tests.items() if holds]


def mark_notes(marks: Iterable[str]) -> tuple[str, ...]:
    """Explain the marks of one row, without those whose reason is given beside them: not ranked, ranked by override."""
    return explain(mark for mark in marks if mark not in (NOT_RANKED, PARTLY_RANKED, INCLUDED))


def row_marks(row: MarkedRow) -> str | None:
    """Join the marks of a row of a table of factors; None for a plain measurement."""
    tests = {
        DISAGREES: row.sources_disagree,
        SCATTER_ONLY: row.scatter_only,
        INCLUDED: row.included,
    }
    return joined_marks([*source_marks(row), *(mark for mark, holds in tests.items() if holds)])


def joined_marks(marks: Iterable[str]) -> str | None:
    """Write the marks of one row in its cell."""
    return ", ".join(dict.fromkeys(marks)) or None


def explain(marks: Iterable[str]) -> tuple[str, ...]:
    """Write one footnote per mark that occurs, in a fixed order."""
    present = set(marks)
    return tuple(f"{mark}: {meaning}" for mark, meaning in _MEANING.items() if mark in present)
