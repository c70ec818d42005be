"""What a full disclosure text states twice: a level that denies itself was changed, or misread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wattmark.audits.audit import Finding
from wattmark.comparison.published.published_result import PublishedLevel
from wattmark.core.numbers import format_number
from wattmark.importers.specpower.fdr_text import Fdr
from wattmark.importers.specpower.levels import IDLE, SUMMARY, number

POWERS = "Aggregate Electrical and Environmental Data"
RATES = "Aggregate Performance Data"
_CALIBRATED = "ssj_ops@calibrated"
_SUM = "sum of ssj_ops / sum of power ="
_DIGITS = "what the last digits printed leave open"
_HALF_OF_LOAD = 0.05
"""Half of the last digit of an actual load [%], which a text writes with one decimal."""
_ROUND = 1e-9
"""What adding floats may leave."""


def contradictions(fdr: Fdr, levels: Sequence[PublishedLevel]) -> Iterator[Finding]:
    """Yield where the ratios, loads and tables of a text deny the levels that its figures are computed from."""
    watts, rates = _column(fdr, POWERS, 3, 1), _column(fdr, RATES, 4, 3)
    calibrated = next((number(cells[-1]) for _, cells in fdr.rows.get(RATES, []) if cells[0] == _CALIBRATED), None)
    for level in levels:
        name = f"{level.target_pct:g}%" if level.target_pct else IDLE
        yield from _differs(name, "average active power", level.power_w, watts.get(name), "W")
        yield from _differs(name, "rate", level.ops_per_s, rates.get(name), "ssj_ops")
        ratio = level.ops_per_s / level.power_w
        open_ratio = ratio * _half(level.power_w) / level.power_w + _half(level.ops_per_s) / level.power_w
        open_ratio += _half(level.printed_ratio or 0.0)
        yield from _differs(name, "performance to power ratio", ratio, level.printed_ratio, "ssj_ops/W", open_ratio)
        if calibrated:
            load_pct = 100 * level.ops_per_s / calibrated
            open_pct = load_pct * (_half(calibrated) / calibrated + _half(level.ops_per_s) / max(level.ops_per_s, 1.0))
            yield from _differs(name, "actual load", load_pct, level.actual_pct, "%", open_pct + _HALF_OF_LOAD)
    stated = next((number(cells[-1]) for _, cells in fdr.rows.get(SUMMARY, []) if cells[0] == _SUM), None)
    if (overall := number(fdr.printed_overall or "")) is not None:
        yield from _differs("Overall", "ratio", overall, stated, "ssj_ops/W")


def missing(fdr: Fdr, levels: Sequence[PublishedLevel]) -> list[str]:
    """List the tables that state the levels a second time and are not in the text."""
    tables = (POWERS, _column(fdr, POWERS, 3, 1)), (RATES, _column(fdr, RATES, 4, 3))
    return [title for title, cells in tables if len(cells) < len(levels)]


def _column(fdr: Fdr, title: str, width: int, place: int) -> dict[str, float]:
    """Read a column of a table by the name of the load."""
    rows = [cells for _, cells in fdr.rows.get(title, []) if len(cells) == width]
    return {cells[0]: value for cells in rows if (value := number(cells[place])) is not None}


def _differs(
    load: str, quantity: str, value: float, stated: float | None, unit: str, left_open: float = 0.0
) -> Iterator[Finding]:
    """Yield a finding where a value lies further from the same stated elsewhere than their digits leave open."""
    if stated is None:
        return
    limit = left_open + _ROUND * abs(value)
    if abs(stated - value) > limit:
        yield Finding(
            rule="stated-twice",
            severity="differs",
            value=stated - value,
            limit=limit,
            unit=unit,
            text=f"{load}: the {quantity} is {stated:,.10g} {unit} in one place and {format_number(value, 6)} {unit} "
            "in another; one of the two is wrong.",
            source=_DIGITS,
        )


def _half(value: float) -> float:
    """Return half of the last digit of a printed number."""
    return 0.5 if value == int(value) else 0.5 * 10.0 ** -len(repr(value).partition(".")[2])
