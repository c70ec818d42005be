"""Deleted runs, until they are gone for good."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.access.http.about import About
from wattmark.runs.annotations.views import RunsOrder, TrashOut
from wattmark.runs.trash import Trash
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/trash", tags=["trash"])
TrashDep = Annotated[Trash, provided(Trash)]


@router.get("")
def show_trash(trash: TrashDep) -> TrashOut:
    """List the deleted runs that can still be restored."""
    return trash.list()


@router.post("")
def move_to_trash(order: RunsOrder, trash: TrashDep, about: About) -> TrashOut:
    """Move runs into the trash, all or none; their samples stay."""
    about(*order.run_ids)
    return trash.move(order.run_ids)


@router.post("/restore")
def restore(order: RunsOrder, trash: TrashDep, about: About) -> TrashOut:
    """Take runs out of the trash, all or none."""
    about(*order.run_ids)
    return trash.restore(order.run_ids)


@router.delete("/{run_id}", status_code=204)
def delete_for_good(run_id: str, trash: TrashDep) -> None:
    """Delete a run of the trash with its samples; this cannot be undone."""
    trash.delete(run_id)
