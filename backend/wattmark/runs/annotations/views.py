"""Annotations and the trash as they leave the service, and the orders that change them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.core.inputs import Input, Text
from wattmark.core.schema import Schema
from wattmark.runs.annotations.annotation import Note, Tag
from wattmark.runs.annotations.inclusion import Inclusion, Person, Reason, Rule

RunIds = Annotated[list[Text], Field(min_length=1, max_length=10_000)]


class AnnotationOut(Schema):
    """Tags, note and ranking override of one run."""

    run_id: str
    tags: list[str]
    note: str
    inclusion: Inclusion | None = None


class TagOrder(Input):
    """Tags to add to runs and to remove from them."""

    run_ids: RunIds
    add: Annotated[list[Tag], Field(max_length=20)] = []
    remove: Annotated[list[Tag], Field(max_length=1000)] = []


class NoteOrder(Input):
    """The note of a run; empty removes it."""

    note: Note


class InclusionOrder(Input):
    """Request to rank a run although these rules failed, with name and reason."""

    by: Person
    reason: Reason
    rules: Annotated[list[Rule], Field(min_length=1, max_length=50)]


class RunsOrder(Input):
    """Some runs."""

    run_ids: RunIds


class TrashedRun(Schema):
    """A run in the trash: its identity, when it was deleted, and until when it is kept at least."""

    run_id: str
    title: str
    server: str
    workload: str
    level: str
    repeat: int
    created: str
    trashed: str
    kept_until: str


class TrashOut(Schema):
    """The trash, latest first."""

    keep_days: int
    """Older runs are deleted for good when the service starts or when something else is moved to the trash."""
    runs: list[TrashedRun]
