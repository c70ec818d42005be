"""Reasons why a figure has no ±, or what it does not include: one set for every table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wattmark.core.numbers import partial_u
from wattmark.results.result import Result

SIGN = "±"
"""A note of a result that contains this explains why there is no ±, or what the ± does not include."""
NOT_KNOWN = "No ±: part of the uncertainty is not known; see the notes of the runs."
NOT_TRACEABLE = "No ±: neither a manufacturer's specification nor a valid calibration covers the meter (not traceable)."
SINGLE_RUN = "No ±: with a single run the scatter between runs is not known."
COUNTED = "that of counting"
"""Words of a note that explains the ± of throughput."""
COUNTING_ALONE = (
    "The ± of throughput is that of counting alone, too small to stand for it: how much throughput varies shows in the "
    "repeats."
)
NOMINAL = "No ± of the nominal efficiency: the design power is stated, not measured."
CANCELS = "The interval covers only scatter: the error of the meter is not known and is assumed to cancel."
OF_DIFFERENT_KIND = "No ±: one is simulated, the other is not."
SIMULATED_POWER = "Simulated power."
SCATTER_ONLY = "scatter only"
"""The mark of an interval that no meter's limits of error are in."""


def notes_on(results: Iterable[Result]) -> tuple[str, ...]:
    """List the sentences in the notes of results that concern their ±, each once."""
    return tuple(dict.fromkeys(note for result in results for note in result.notes if SIGN in note))


def why_none(results: Sequence[Result]) -> str:
    """Explain why figures have no ±: in the words of their notes, else in general ones."""
    general = NOT_KNOWN if all(result.traceable for result in results) else NOT_TRACEABLE
    return " ".join(notes_on(results)) or general


def plus_minus_text(result: Result) -> str | None:
    """Explain why figures of a run have no ±, or what is not in it; None where nothing is missing."""
    figures = (result.throughput, result.power, result.efficiency)
    missing = any(figure is not None and figure.u is None for figure in figures)
    return joined([why_none([result]) if missing else joined(notes_on([result])), _counting_alone(result)])


def _counting_alone(result: Result) -> str | None:
    """Explain why people see throughput without its ±, which holds only a part; None where they see it."""
    work = result.throughput
    if work is None or work.U95 is None or partial_u(work.value, work.U95) is not None:
        return None
    return None if any(COUNTED in note for note in notes_on([result])) else COUNTING_ALONE


def joined(texts: Iterable[str | None]) -> str | None:
    """Join remarks, each once; None where there is none."""
    return " ".join(dict.fromkeys(text for text in texts if text)) or None
