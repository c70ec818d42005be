"""The table of a run's cross-check: every source of power against the wall meter."""

from __future__ import annotations

from itertools import chain

from wattmark.core.numbers import format_uncertain
from wattmark.core.quantity import half_of
from wattmark.results.cross_check_part import CrossCheckedSource
from wattmark.results.result import Result
from wattmark.results.tables.marks import SIMULATED, explain, joined_marks, source_marks
from wattmark.tables.fields import Fields, QuantityFields, columns_of
from wattmark.tables.table import Column, Table

_DIFFERENCE = QuantityFields[CrossCheckedSource](
    Column("difference_pct", "Difference", "%"), lambda s: s.difference if s.whole else None, "difference"
)
_GAIN = QuantityFields[CrossCheckedSource](
    Column("gain", "Gain", "1"), lambda s: None if s.line is None else s.line.gain, "gain"
)
_OFFSET = QuantityFields[CrossCheckedSource](
    Column("offset_w", "Offset", "W"), lambda s: None if s.line is None else s.line.offset, "offset"
)
_SOURCE: Fields[CrossCheckedSource] = (
    (Column("source", "Source"), lambda s: s.source),
    (Column("title", "Instrument", for_people=False), lambda s: s.title),
    (Column("measures", "Measures"), lambda s: s.place),
    (Column("power_w", "Mean power", "W", "number"), lambda s: s.power_w),
    (Column("share_pct", "Share of the wall", "%", "number"), lambda s: s.share_pct),
    _DIFFERENCE.value,
    _DIFFERENCE.U95,
    (Column("limit_pct", "Limit", "%", "number"), lambda s: s.limit_pct),
    _GAIN.value,
    _GAIN.U95,
    _OFFSET.value,
    _OFFSET.U95,
    (Column("lag_s", "Lag", "s", "number"), lambda s: s.lag_s),
    (Column("outcome", "Verdict"), lambda s: s.verdict.outcome),
    (Column("statement", "In words"), lambda s: s.statement),
    (Column("remark", "Remark"), lambda s: _remark(s)),
)
METHODS = (
    ("Gain, offset", "power at the wall = offset + gain x source, over the levels of this run"),
    ("Difference", "source minus wall meter over the window; its ± is that of the comparison alone"),
)


def cross_check_table(result: Result) -> Table:
    """Build the table of a run's sources of power; without a cross-check it has no rows, only the reason."""
    check = result.cross_check
    sources = () if check is None else check.sources
    columns = (*columns_of(_SOURCE), Column("marks", "Marks"))
    marks = [_marks(source, result) for source in sources]
    rows = tuple(
        (*(take(source) for _, take in _SOURCE), joined_marks(of)) for source, of in zip(sources, marks, strict=True)
    )
    title = f"Cross-check of the power of run {result.run_id}"
    if check is None:
        note = "Nothing to compare: the run has no wall meter with a window, or no other source of power."
        return Table("cross-check", title, columns, rows, (note,), METHODS)
    reference = format_uncertain(check.power.value, check.power.U95, "W")
    notes = (f"Reference: {check.reference}, {reference}.", *_simulated(sources), *explain(chain(*marks)))
    return Table("cross-check", title, columns, rows, notes, METHODS)


def _marks(source: CrossCheckedSource, result: Result) -> list[str]:
    """Return what its power and the power at the wall, of which it is a share, were measured by."""
    return [SIMULATED] * (source.simulated and not result.simulated) + source_marks(result)


def _remark(source: CrossCheckedSource) -> str | None:
    """Explain an empty ± of a row, or what its limit is."""
    if source.power_w is None:
        return source.verdict.text
    texts = [source.no_line, f"Limit: {source.limit_basis}." if source.limit_basis else ""]
    if source.whole and half_of(source.difference) is None:
        texts.append("No ±: the segment is too short to show the scatter.")
    return " ".join(text for text in texts if text) or None


def _simulated(sources: tuple[CrossCheckedSource, ...]) -> tuple[str, ...]:
    names = [source.source for source in sources if source.simulated]
    return (f"Simulated: {', '.join(names)}.",) if names else ()
