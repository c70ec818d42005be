"""Routes of comparisons, declared once: an appliance compares the runs of its data folder, a fleet all of its store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol

from fastapi import APIRouter, Query

from wattmark.analysis.parts.slopes import AMB_MARGIN_W, claimed
from wattmark.comparison.choices import MOST_PCT
from wattmark.comparison.compare.views import CompareChoice, CompareDetails, MatrixOut
from wattmark.comparison.compare.yardstick import ComparedBy, Yardstick, yardstick
from wattmark.comparison.memory.views import MemoryOut
from wattmark.comparison.parts.views import PartsOut
from wattmark.comparison.published.views import PublishedOut
from wattmark.web.provided import provided

MOST_ROWS = 60
"""Configurations in one matrix: their runs under all workloads are read."""
Figure = Annotated[ComparedBy, Query(description="Quantity to compare; for power, lower is better")]
Smallest = Annotated[float, Query(gt=0, le=MOST_PCT, description="Smallest relevant difference [%]")]
PartKey = Annotated[str, Query(max_length=600, description="Parts with their kind: drive: Intel S3500")]
PartKind = Annotated[str, Query(max_length=200, description="Kind of part, such as drive")]
FromLevel = Annotated[float | None, Query(gt=0, le=1e9, description="Average over this level and higher")]


class Comparing(Protocol):
    """What compares stored results."""

    def choices(self) -> list[CompareChoice]:
        """List the workloads and levels at which configurations can be compared."""
        ...

    def details(self, workload: str, level: str, key: str, baseline: str | None, by: Yardstick) -> CompareDetails:
        """Find what limits the ± of one configuration, and its ratio to the baseline. Raises `InputError`."""
        ...

    def matrix(self, keys: Sequence[str], baseline: str, figure: ComparedBy) -> MatrixOut:
        """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
        ...

    def memory(
        self, server: str, workload: str, level: str, claim: tuple[float, float] | None, *, modules: str | None
    ) -> MemoryOut:
        """Fit watts against DIMM count for one server, and test the slope against a claim [W/DIMM] with its margin."""
        ...

    def parts(self, part: str, server: str, workload: str, level: str) -> PartsOut:
        """Fit watts against the number of parts of one server, such as "drive: Intel S3500". Raises `InputError`."""
        ...

    def published(self) -> PublishedOut:
        """Return the published articles, their figures and conclusions."""
        ...


def add_shared_routes(router: APIRouter, kind: type[Comparing]) -> None:
    """Add the routes of comparisons, answered by the service's instance of a class."""
    source = provided(kind)

    @router.get("/compare/choices")
    def choices(comparing: Comparing = source) -> list[CompareChoice]:
        """List the workloads and levels at which configurations can be compared."""
        return comparing.choices()

    @router.get("/compare/details")
    def compare_details(
        workload: str,
        level: str,
        key: str,
        baseline: str | None = None,
        figure: Figure = "efficiency",
        smallest_pct: Smallest = 2.0,
        comparing: Comparing = source,
    ) -> CompareDetails:
        """Return the budget of one configuration of a comparison, and of its ratio to the baseline."""
        return comparing.details(workload, level, key, baseline, yardstick(figure, smallest_pct))

    @router.get("/compare/matrix")
    def compare_matrix(
        baseline: str,
        key: Annotated[list[str], Query(min_length=1, max_length=MOST_ROWS, description="Configurations, in order")],
        figure: Figure = "efficiency",
        comparing: Comparing = source,
    ) -> MatrixOut:
        """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
        return comparing.matrix(key, baseline, figure)

    @router.get("/memory")
    def memory(
        server: str,
        workload: str,
        level: str,
        claim_w: Annotated[
            float | None, Query(gt=0, le=1000, description="Claimed watts per DIMM. Default: nothing is claimed.")
        ] = None,
        margin_w: Annotated[float, Query(gt=0, le=1000, description="Equivalence margin [W/DIMM]")] = AMB_MARGIN_W,
        modules: Annotated[
            str | None,
            Query(max_length=200, description="Kind of modules, or all. Default: that with most DIMM counts."),
        ] = None,
        comparing: Comparing = source,
    ) -> MemoryOut:
        """Fit watts against the number of DIMMs of one server, and test the slope against a claim."""
        return comparing.memory(server, workload, level, claimed(claim_w, margin_w), modules=modules)

    @router.get("/parts")
    def parts(part: PartKey, server: str, workload: str, level: str, comparing: Comparing = source) -> PartsOut:
        """Fit watts against the number of parts of one server, such as drives, and what these watts give."""
        return comparing.parts(part, server, workload, level)

    @router.get("/published")
    def published(comparing: Comparing = source) -> PublishedOut:
        """Return the library of published figures, not measured here."""
        return comparing.published()
