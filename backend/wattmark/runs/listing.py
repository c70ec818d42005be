"""Which part of the list of runs is asked for: filtered, sorted, and cut into pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import BaseModel, Field

from wattmark.runs.record import RunStatus
from wattmark.runs.result import Result
from wattmark.runs.row import Kind, RunRow, Standing
from wattmark.schema import Schema

MOST_ROWS = 100_000
MOST_RESULTS = 1000
"""Whole results of a page: 9 kB of JSON each."""
COLUMNS: Mapping[str, Callable[[RunRow], float | str | None]] = {
    "configuration": lambda row: row.configuration_title or row.configuration,
    "verdict": lambda row: f"{row.status} {row.standing} {len(row.failed_rules)} {' '.join(row.failed_rules)}",
    "efficiency": lambda row: row.efficiency,
    "power": lambda row: row.power_w,
    "throughput": lambda row: row.throughput,
    "workload": lambda row: f"{row.workload}, {row.level}",
    "repeat": lambda row: row.repeat,
    "created": lambda row: row.created,
}
"""What the rows can be sorted by."""
_NAMES = ("configuration", "workload")
"""Columns where "fb10" stands behind "fb4"."""
_EXACT = ("status", "kind", "standing", "server", "configuration", "workload", "level", "campaign_id")


class RunQuery(BaseModel):
    """Which rows of the list of runs; whatever is left out chooses nothing."""

    text: str = Field("", max_length=200, description="Words that occur in names, meter, tags or note")
    status: RunStatus | None = None
    kind: Kind | None = None
    standing: Standing | None = None
    server: str | None = None
    configuration: str | None = None
    workload: str | None = None
    level: str | None = None
    campaign_id: str | None = None
    tag: str | None = None
    sort: str = Field(
        "-created",
        pattern=f"^-?({'|'.join(COLUMNS)})$",
        description=f"One of {', '.join(COLUMNS)}; a minus sign in front: descending",
    )
    offset: int = Field(0, ge=0)
    limit: int = Field(200, ge=1, le=MOST_ROWS)


class ResultQuery(RunQuery):
    """Which runs' whole results, chosen as the rows of the list are."""

    limit: int = Field(100, ge=1, le=MOST_RESULTS)


class RunRows(Schema):
    """A page of the list of runs."""

    total: int
    """Runs in all, in the trash none."""
    matching: int
    """Runs that the filter leaves."""
    pending: int = 0
    """Runs whose rows are being made after an import or an upgrade; those without an older row are left out yet."""
    rows: list[RunRow]
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""


class ResultPage(Schema):
    """A page of whole results."""

    total: int
    """Runs in all, in the trash none."""
    matching: int
    """Runs that the filter leaves."""
    results: list[Result]
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""


def listed(rows: Sequence[RunRow], query: RunQuery, *, total: int | None = None, pending: int = 0) -> RunRows:
    """Filter rows, which come oldest first, sort them and cut one page; a row without the value stands last."""
    found = _sorted(_chosen(rows, query), query.sort)
    end = query.offset + query.limit
    return RunRows(
        total=len(rows) if total is None else total,
        matching=len(found),
        pending=pending,
        rows=found[query.offset : end],
        next_offset=end if end < len(found) else None,
    )


def _chosen(rows: Iterable[RunRow], query: RunQuery) -> list[RunRow]:
    wanted = [(name, value) for name in _EXACT if (value := getattr(query, name)) is not None]
    words = query.text.lower().split()
    return [
        row
        for row in rows
        if all(getattr(row, name) == value for name, value in wanted)
        and (query.tag is None or query.tag in row.tags)
        and (not words or _holds(row, words))
    ]


def _holds(row: RunRow, words: Sequence[str]) -> bool:
    named = row.run_id, row.server, row.configuration, row.configuration_title, row.workload, row.level, row.meter
    text = " ".join((*named, row.campaign_id or "", *row.tags, row.note)).lower()
    return all(word in text for word in words)


def _sorted(rows: list[RunRow], order: str) -> list[RunRow]:
    column = order.removeprefix("-")
    read = COLUMNS[column]
    values = [(value, row) for row in rows if (value := read(row)) is not None]
    values.sort(key=lambda one: _natural(str(one[0])) if column in _NAMES else one[0], reverse=order.startswith("-"))
    return [row for _, row in values] + [row for row in rows if read(row) is None]


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Split a name so that numbers in it sort by size."""
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", text.lower())]
