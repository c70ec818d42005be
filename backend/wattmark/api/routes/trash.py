"""Deleted runs, until they are gone for good."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.annotations.views import RunsOrder, TrashOut
from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep

router = APIRouter(prefix="/api/trash", tags=["trash"])


@router.get("")
def show_trash(appliance: ApplianceDep) -> TrashOut:
    """List the deleted runs that can still be restored."""
    return appliance.trash.list()


@router.post("")
def move_to_trash(order: RunsOrder, appliance: ApplianceDep, about: About) -> TrashOut:
    """Move runs into the trash, all or none; their samples stay."""
    about(*order.run_ids)
    return appliance.trash.move(order.run_ids)


@router.post("/restore")
def restore(order: RunsOrder, appliance: ApplianceDep, about: About) -> TrashOut:
    """Take runs out of the trash, all or none."""
    about(*order.run_ids)
    return appliance.trash.restore(order.run_ids)


@router.delete("/{run_id}", status_code=204)
def delete_for_good(run_id: str, appliance: ApplianceDep) -> None:
    """Delete a run of the trash with its samples; nothing brings it back."""
    appliance.trash.delete(run_id)
