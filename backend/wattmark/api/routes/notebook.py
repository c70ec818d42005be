"""What people add to runs: tags and notes."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.annotations.views import AnnotationOut, NoteOrder, TagOrder
from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep

router = APIRouter(prefix="/api/annotations", tags=["annotations"])


@router.get("")
def list_annotations(appliance: ApplianceDep) -> list[AnnotationOut]:
    """List tags and notes by run; runs without any are left out."""
    return appliance.notebook.all()


@router.post("/tags")
def tag_runs(order: TagOrder, appliance: ApplianceDep, about: About) -> list[AnnotationOut]:
    """Add tags to some runs and take others off them."""
    about(*order.run_ids)
    return appliance.notebook.tag(order)


@router.put("/{run_id}/note")
def write_note(run_id: str, order: NoteOrder, appliance: ApplianceDep) -> AnnotationOut:
    """Write the note of a run; an empty one removes it."""
    return appliance.notebook.write_note(run_id, order.note)
