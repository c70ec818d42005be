"""What a plan editor needs: the workloads, and a preview of a plan that is not saved."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.bench.editing.plain import Place, put_entry
from wattmark.bench.editing.views import ShapedAs
from wattmark.bench.plan import Plan
from wattmark.bench.service import BenchService
from wattmark.campaigns.planning.view import Plans, PlanView
from wattmark.campaigns.workload_views import WorkloadsOut
from wattmark.campaigns.workloads import list_bench_workloads
from wattmark.web.provided import provided

router = APIRouter(prefix="/api", tags=["plans"])
BenchServiceDep = Annotated[BenchService, provided(BenchService)]
PlansDep = Annotated[Plans, provided(Plans)]


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
    name = body.get("name") if isinstance(body.get("name"), str) else "preview"
    bench = bench_service.editor.suppose(put_entry(Place("plans", str(name)), body))
    return plans.supposed(bench.plan(str(name)), bench)
