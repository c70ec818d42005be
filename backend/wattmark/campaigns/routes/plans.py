"""What a plan editor needs: the workloads, a preview of a plan that is not saved, and what it is expected to show."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from wattmark.bench.bench import Bench
from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.bench.editing.plain import EntryPlace, put_entry
from wattmark.bench.editing.views import ShapedAs
from wattmark.bench.plan import Plan
from wattmark.bench.service import BenchService
from wattmark.campaigns.planning.forecast import Forecasts
from wattmark.campaigns.planning.forecast_views import Forecast
from wattmark.campaigns.planning.view import Plans, PlanView
from wattmark.campaigns.workload_views import WorkloadsOut
from wattmark.campaigns.workloads import list_bench_workloads
from wattmark.web.provided import provided

router = APIRouter(prefix="/api", tags=["plans"])
BenchServiceDep = Annotated[BenchService, provided(BenchService)]
PlansDep = Annotated[Plans, provided(Plans)]
ForecastsDep = Annotated[Forecasts, provided(Forecasts)]
PowerQuery = Annotated[float | None, Query(gt=0, le=1_000_000, description="Power to expect at full load [W].")]


@router.get("/workloads")
def workloads(bench_service: BenchServiceDep) -> WorkloadsOut:
    """List the workloads that a plan can use, and those that exist only in published tables."""
    return list_bench_workloads(bench_service.editor.bench)


@router.post(
    "/campaign/plans/preview", responses={422: {"model": EditProblem, "description": "The problem and its field"}}
)
def preview(
    body: Annotated[dict[str, Any], ShapedAs(Plan)], bench_service: BenchServiceDep, plans: PlansDep
) -> PlanView:
    """Show the run table and the duration of a plan that is not saved. Starts nothing."""
    return plans.supposed(*_supposed(body, bench_service))


@router.post(
    "/campaign/plans/forecast", responses={422: {"model": EditProblem, "description": "The problem and its field"}}
)
def forecast_draft(
    body: Annotated[dict[str, Any], ShapedAs(Plan)],
    bench_service: BenchServiceDep,
    forecasts: ForecastsDep,
    power_w: PowerQuery = None,
) -> Forecast:
    """Compute the ± that a plan that is not saved will reach, and the differences that it will show. Starts nothing."""
    return forecasts.of(*_supposed(body, bench_service), power_w)


@router.get("/campaign/plans/{name}/forecast")
def forecast_plan(name: str, plans: PlansDep, forecasts: ForecastsDep, power_w: PowerQuery = None) -> Forecast:
    """Compute the ± that a plan will reach, and the differences that it will show. Starts nothing."""
    return forecasts.of(*plans.find(name), power_w)


def _supposed(body: dict[str, Any], bench_service: BenchService) -> tuple[Plan, Bench]:
    """Return a plan that is not saved, and the bench with it. Raises `EditRefused`."""
    name = body.get("name") if isinstance(body.get("name"), str) else "preview"
    bench = bench_service.editor.suppose(put_entry(EntryPlace("plans", str(name)), body))
    return bench.plan(str(name)), bench
