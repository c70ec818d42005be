"""What a plan editor needs: the workloads, and a look at a plan that is not saved."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import EditProblem
from wattmark.appliance.workload_views import WorkloadsOut
from wattmark.appliance.workloads import list_bench_workloads
from wattmark.campaigns.show import PlanView, plan_view
from wattmark.editing.plain import Place, put_entry
from wattmark.editing.views import ShapedAs
from wattmark.inventory.plan import Plan

router = APIRouter(prefix="/api", tags=["plans"])


@router.get("/workloads")
def workloads(appliance: ApplianceDep) -> WorkloadsOut:
    """List the workloads that a plan may name, and those that exist in print alone."""
    return list_bench_workloads(appliance.bench.room.bench)


@router.post(
    "/campaign/plans/preview", responses={422: {"model": EditProblem, "description": "What is wrong, at its field"}}
)
def preview(body: Annotated[dict[str, Any], ShapedAs(Plan)], appliance: ApplianceDep) -> PlanView:
    """Show the run table and the duration of a plan that is not saved; nothing is started."""
    name = body.get("name") if isinstance(body.get("name"), str) else "preview"
    bench = appliance.bench.room.suppose(put_entry(Place("plans", str(name)), body))
    return plan_view(bench.plan(str(name)), bench, appliance.now_s())
