"""What people add to runs: tags, notes, and the choice to rank one although verdicts failed."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.annotations.views import AnnotationOut, InclusionOrder, NoteOrder, TagOrder
from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.runs.inclusion import Inclusion

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


@router.put("/{run_id}/inclusion")
def include_run(run_id: str, order: InclusionOrder, appliance: ApplianceDep, about: About) -> Inclusion:
    """Rank a run although these rules failed, with a name and a reason that every output says."""
    about(run_id, *order.rules)
    return appliance.inclusions.include(run_id, order)


@router.delete("/{run_id}/inclusion", status_code=204)
def exclude_run(run_id: str, appliance: ApplianceDep) -> None:
    """Withdraw the choice to rank a run."""
    appliance.inclusions.exclude(run_id)
