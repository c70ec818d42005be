"""InfluxQL questions, as text. Every name from outside is quoted."""

from __future__ import annotations

from wattmark.fleet.influx import schema
from wattmark.fleet.influx.lines import stored_tag


def literal(value: str) -> str:
    """Quote a text value."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def totals(run_id: str) -> str:
    """Ask for counts and sums of a run's series, apart for each name that the lab had when they were sent."""
    value, other = f'"{schema.VALUE}"', f'"{schema.NOT_FINITE}"'
    aggregates = f"count({value}) AS n, sum({value}) AS total, count({other}) AS n_other"
    group = f'"server", "source", "channel", "{schema.LAB}"'
    return f'SELECT {aggregates} FROM "{schema.SAMPLES}" WHERE "run" = {literal(stored_tag(run_id))} GROUP BY {group}'  # noqa: S608
