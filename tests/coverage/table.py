"""The coverage table as a page."""

from __future__ import annotations

from collections.abc import Sequence

from tests.coverage.count import Row
from tests.coverage.scenario import UNITS

TITLES = {
    "2": "Energy and window",
    "3": "Repeats, comparisons, memory",
    "own": "Further hard cases",
}
INTRODUCTION = """# Coverage

How often a ± contains the truth, counted over simulated runs and campaigns with known truth. `make coverage` writes
this page; the seeds are fixed, so the same code gives the same table.

- **claim**: the quantity with a ±. Power of this window, full-load power of the server as a process, work per joule
  over the window, work per second as a process, the ratio of two configurations, watts per DIMM or drive, watts
  for a gigabyte per second of memory traffic, watts without drives, work per joule of a drive alone, how many drives
  draw as much as one of another model. "No false
  difference" counts campaigns of equal configurations in which none is called different, "true claim not rejected"
  campaigns that hold watts per DIMM against the true value, "forecast difference is found" campaigns with just the
  difference that their plan's forecast promises to find in four of five.
- **bias**: mean of the value minus the truth, in W or % of the truth.
- **coverage**: share of the 95 % intervals that contain the truth, among trials without a failed verdict that bars
  the claim.
- **U95**: mean half width of those intervals. **ideal**: the 95th percentile of the absolute error of all trials.
- **refused**: share of trials without a ±, or with a failed verdict that bars the claim, and the most frequent
  reason.
- **short of the goal**: "too sure": coverage below 0.93 (false differences above 0.06, forecasts found below 0.80)
  by more than chance. "too
  wide": U95 above twice the ideal in a steady, drifting, periodic or register case. "stated": a ± although the truth
  cannot be bounded. "refused": no ± although it can. "no reason": refused without a reason. "not named": the data
  cannot show the error, and the text next to the ± does not say that it is excluded (such rows have no coverage
  goal). The width of full-load power is judged where a ± is required.

Meter unless stated otherwise: 0.1 % of reading + 0.05 % of 600 W, 1 Hz, each reading the mean since the previous one,
its error drawn uniformly within the limits for each trial. Power unless stated otherwise: about 250 W.
"""
COLUMNS = (
    "scenario",
    "claim",
    "trials",
    "bias",
    "coverage",
    "U95",
    "ideal",
    "U95 / ideal",
    "refused",
    "why refused",
    "short of the goal",
)
HEAD = f"| {' | '.join(COLUMNS)} |"
LINE = "|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|"
LONGEST_REASON = 90
SMALLEST_BIAS = 0.005
"""Less than this is what the drawn trials leave, and shown as 0."""


def page(rows: Sequence[Row]) -> str:
    """Write the whole page."""
    short = sum(bool(row.faults) for row in rows)
    summary = f"{len(rows)} claims of {len({row.scenario for row in rows})} scenarios; {short} fall short of the goal."
    parts = [INTRODUCTION, f"{summary}\n"]
    for section, title in TITLES.items():
        lines = [_line(row) for row in rows if row.section == section]
        if lines:
            parts.append("\n".join([f"## {title}", "", HEAD, LINE, *lines]) + "\n")
    return "\n".join(parts)


def _line(row: Row) -> str:
    unit = UNITS[row.claim]
    relative = row.half_width / row.ideal if row.half_width is not None and row.ideal else None
    cells = [
        row.scenario,
        row.claim,
        str(row.trials),
        _number(0.0 if row.bias is not None and abs(row.bias) < SMALLEST_BIAS else row.bias, unit, "+.2g"),
        _number(row.coverage, "", ".3f"),
        _number(row.half_width, unit, ".3g"),
        _number(row.ideal, unit, ".3g"),
        _number(relative, "", ".2g"),
        f"{row.refused:.2f}",
        _shortened(row.reason),
        ", ".join(row.faults),
    ]
    return f"| {' | '.join(cells)} |"


def _number(value: float | None, unit: str, form: str) -> str:
    return "" if value is None else f"{value:{form}} {unit}".strip()


def _shortened(text: str) -> str:
    text = text.replace("|", "/")
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON].rsplit(' ', 1)[0]} ..."
