"""Queries of the list of runs: filters, sort order, pages."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from wattmark.core.schema import Schema
from wattmark.results.pages.row import Kind, RunQuality, RunRow
from wattmark.results.result import Result
from wattmark.runs.record import RunStatus

MOST_ROWS = 100_000
MOST_RESULTS = 1000
"""Whole results of a page: 9 kB of JSON each."""
COLUMNS = ("configuration", "verdict", "efficiency", "power", "throughput", "workload", "repeat", "created")
"""Keys by which rows can be sorted."""
Grouping = Literal["configuration", "workload", "server", "campaign"]


class RunQuery(BaseModel):
    """A query of the list of runs; a filter that is omitted excludes nothing."""

    text: str = Field("", max_length=200, description="Words to find in names, meter, tags or note")
    status: RunStatus | None = None
    kind: Kind | None = None
    quality: RunQuality | None = None
    server: str | None = None
    configuration: str | None = None
    workload: str | None = None
    level: str | None = None
    campaign_id: str | None = None
    tag: str | None = None
    sort: str = Field(
        "-created",
        pattern=f"^-?({'|'.join(COLUMNS)})$",
        description=f"One of {', '.join(COLUMNS)}; prefix a minus sign for descending order",
    )
    group: Grouping | None = Field(None, description="Keep the runs of a group together, in the order of its first run")
    offset: int = Field(0, ge=0)
    limit: int = Field(200, ge=1, le=MOST_ROWS)


class ResultQuery(RunQuery):
    """A query of whole results, with the filters of the list of runs."""

    limit: int = Field(100, ge=1, le=MOST_RESULTS)


class RunRows(Schema):
    """A page of the list of runs."""

    total: int
    """All runs, without those in the trash."""
    matching: int
    """Runs that match the filter."""
    rows: list[RunRow]
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""
    names: dict[str, str] = {}
    """What to call each configuration among all runs, by "server/configuration"."""


class RunFacetValue(Schema):
    """A value that runs can be filtered by, with the number of runs that have it under the other filters."""

    value: str
    n: int
    since: str | None = None
    """When the first of these runs was made."""


class RunFacets(Schema):
    """What the list of runs can be filtered by; a facet that the store does not count is empty."""

    server: list[RunFacetValue] = []
    configuration: list[RunFacetValue] = []
    """By "server/configuration"."""
    workload: list[RunFacetValue] = []
    level: list[RunFacetValue] = []
    campaign: list[RunFacetValue] = []
    """By id."""
    tag: list[RunFacetValue] = []
    quality: list[RunFacetValue] = []
    status: list[RunFacetValue] = []
    kind: list[RunFacetValue] = []


class ResultPage(Schema):
    """A page of whole results."""

    total: int
    """All runs, without those in the trash."""
    matching: int
    """Runs that match the filter."""
    results: list[Result]
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""
