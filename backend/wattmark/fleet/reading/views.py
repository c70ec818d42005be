"""What the service answers about a fleet beside the views of an appliance."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from wattmark.comparison.choices import MOST_PCT
from wattmark.comparison.compare.views import CompareOut
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.core.schema import Schema
from wattmark.results.pages.listing import RunQuery

MOST_GROUPS = 200
MOST_VALUES = 200
ONLY_LABS = "Only these labs; repeatable"
Named = Annotated[str, Field(max_length=500)]
Several = Annotated[list[Named], Field(max_length=1000)]


class FleetLab(Schema):
    """A lab of the fleet, with the number of its results."""

    name: str
    """Empty: its appliance has no lab name."""
    runs: int


class FleetOut(Schema):
    """The store of a fleet as this service reads it."""

    target: str | None
    """Address and database, without secrets; None: no store is named."""
    problem: str | None = None
    """Why it cannot be read."""
    remedy: str | None = None
    labs: list[FleetLab] = []
    """By name."""
    runs: int = 0
    """Runs with an issued result."""
    alone: bool = False
    """Whether this service only reads the fleet: it has no bench and no meters."""


class FleetRunQuery(RunQuery):
    """A query of the runs of a fleet; tags stay on the appliances, so none has any."""

    lab: Several = []


class LoadQuery(BaseModel):
    """A workload and level, of all labs or only of some."""

    workload: Named
    level: Named
    lab: Several = Field([], description=ONLY_LABS)


class GroupQuery(LoadQuery):
    """Which configurations of a workload and level are asked for; a filter that is omitted excludes nothing."""

    text: str = Field("", max_length=200, description="Words to find in lab, server, model, processor, configuration")
    model: Several = Field([], description="Models of servers")
    processor: Several = []
    dimms: list[Annotated[int, Field(ge=0, le=65535)]] = Field([], max_length=200, description="Numbers of modules")


class FleetCompareQuery(GroupQuery):
    """A page of a comparison."""

    baseline: Named | None = None
    figure: ComparedBy = Field("efficiency", description="Quantity to compare; for power, lower is better")
    smallest_pct: float = Field(2.0, gt=0, le=MOST_PCT, description="Smallest relevant difference [%]")
    any_version: bool = Field(
        False, description="Rank configurations that ran different versions of the load program too"
    )
    offset: int = Field(0, ge=0)
    limit: int = Field(50, ge=1, le=MOST_GROUPS)


class FacetValue(Schema):
    """A value with the number of configurations that have it under the other filters."""

    value: str
    n: int


class Facet(Schema):
    """The most frequent values of a property, with how many ``more`` there are."""

    values: list[FacetValue]
    more: int = 0


class FacetsOut(Schema):
    """What the configurations of a workload and level can be filtered by."""

    lab: Facet
    model: Facet
    processor: Facet
    dimms: Facet
    matching: int
    """Configurations that match all filters."""


class FleetCompareOut(CompareOut):
    """A page of the configurations of a fleet, best first, with the baseline; published figures on the first page.

    Ratios are among the configurations of the page; ranks and the best are given where all that match are on it.
    """

    matching: int
    """Configurations that match the filters."""
    total: int
    """All configurations of the workload and level."""
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""


class RingsQuery(BaseModel):
    """Which ring comparisons are asked for."""

    workload: Named | None = None
    level: Named | None = None
    text: str = Field("", max_length=200, description="Words to find in model, processor, memory, workload, level")


class RingQuery(BaseModel):
    """What the laboratories of a ring comparison measured; what is omitted is that of most laboratories."""

    workload: Named
    level: Named
    model: Named = Field(description="Model of the server")
    processor: Named | None = None
    memory: Named | None = Field(None, description='Memory modules, such as "8 x 4 GiB FB-DIMM"')
    dimms: Annotated[int, Field(ge=0, le=65535)] | None = Field(None, description="Number of modules")
    simulated: bool = False
    figure: ComparedBy = Field("efficiency", description="Quantity to compare")
