"""Annotations of runs: tags, notes, and the choice to rank a run although rules failed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.access.http.about import About
from wattmark.results.pages.inclusions import Inclusions
from wattmark.runs.annotations.annotations import Annotations
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.annotations.views import AnnotationOut, InclusionOrder, NoteOrder, TagOrder
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/annotations", tags=["annotations"])
InclusionsDep = Annotated[Inclusions, provided(Inclusions)]
AnnotationsDep = Annotated[Annotations, provided(Annotations)]


@router.get("")
def list_annotations(annotations: AnnotationsDep) -> list[AnnotationOut]:
    """List tags and notes by run; runs without any are omitted."""
    return annotations.all()


@router.post("/tags")
def tag_runs(order: TagOrder, annotations: AnnotationsDep, about: About) -> list[AnnotationOut]:
    """Add tags to some runs and remove others from them."""
    about(*order.run_ids)
    return annotations.tag(order)


@router.put("/{run_id}/note")
def write_note(run_id: str, order: NoteOrder, annotations: AnnotationsDep) -> AnnotationOut:
    """Write the note of a run; an empty one removes it."""
    return annotations.write_note(run_id, order.note)


@router.put("/{run_id}/inclusion")
def include_run(run_id: str, order: InclusionOrder, inclusions: InclusionsDep, about: About) -> Inclusion:
    """Rank a run although these rules failed. Every output shows the name and reason."""
    about(run_id, *order.rules)
    return inclusions.include(run_id, order)


@router.delete("/{run_id}/inclusion", status_code=204)
def exclude_run(run_id: str, inclusions: InclusionsDep) -> None:
    """Withdraw the ranking override of a run."""
    inclusions.exclude(run_id)
