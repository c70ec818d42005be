"""InfluxQL questions, as text. Every name from outside is quoted."""

from __future__ import annotations

from wattmark.exchange.influx import schema
from wattmark.exchange.influx.lines import stored_tag
from wattmark.store.sample_store import SeriesKey

PAGE_ROWS = 100_000


def literal(value: str) -> str:
    """Quote a text value."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def samples_page(key: SeriesKey, begin_ns: int, end_ns: int) -> str:
    """Ask for samples of the series with these tags, from an instant on, at most a page of them."""
    fields = ", ".join(f'"{name}"' for name in schema.SAMPLE_FIELDS)
    tags = zip(schema.TAGS, (key.run_id, key.server, key.source, key.channel), strict=True)
    where = " AND ".join(f'"{name}" = {literal(stored_tag(value))}' for name, value in tags)
    span = f"time >= {begin_ns} AND time <= {end_ns}"
    return f'SELECT {fields} FROM "{schema.SAMPLES}" WHERE {where} AND {span} ORDER BY time LIMIT {PAGE_ROWS}'  # noqa: S608


def records(run_id: str | None = None, since_ns: int | None = None) -> str:
    """Ask for the records of all runs, or of one; of those that were made since an instant [UTC ns]."""
    wanted = [] if run_id is None else [f'"run" = {literal(stored_tag(run_id))}']
    wanted += [] if since_ns is None else [f"time >= {since_ns}"]
    where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
    return f'SELECT "{schema.WORD}", "run" FROM "{schema.RECORDS}"{where} ORDER BY time'  # noqa: S608


def totals(run_id: str) -> str:
    """Ask for counts and sums of a run's series, apart for each name that the lab had when they were sent."""
    value, other = f'"{schema.VALUE}"', f'"{schema.NOT_FINITE}"'
    aggregates = f"count({value}) AS n, sum({value}) AS total, count({other}) AS n_other"
    group = f'"server", "source", "channel", "{schema.LAB}"'
    return f'SELECT {aggregates} FROM "{schema.SAMPLES}" WHERE "run" = {literal(stored_tag(run_id))} GROUP BY {group}'  # noqa: S608
