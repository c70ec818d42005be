"""Tag runs and write notes to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wattmark.core.errors import InputError, NotFound
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.annotations.store import AnnotationStore
from wattmark.runs.annotations.views import AnnotationOut, TagOrder
from wattmark.runs.store import RunStore

MOST_TAGS = 50
"""A run with more tags than this is not found by any of them."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Tags and notes of the runs of one data folder; the choices that `Inclusions` writes are listed beside them."""

    store: AnnotationStore
    runs: RunStore

    def all(self) -> list[AnnotationOut]:
        """List annotations by run; runs without any are omitted."""
        return [_out(run_id, annotation) for run_id, annotation in sorted(self.store.all().items())]

    def of(self, run_id: str) -> Annotation:
        """Read the annotations of a run; empty without any."""
        return self.store.all().get(run_id, Annotation())

    def tag(self, order: TagOrder) -> list[AnnotationOut]:
        """Add and remove tags. Raises `NotFound` for an unknown run, `InputError` for too many tags."""
        self._require_known(order.run_ids)
        annotations = self.store.all()
        for run_id in order.run_ids:
            tags = (set(annotations.get(run_id, Annotation()).tags) - set(order.remove)) | set(order.add)
            if len(tags) > MOST_TAGS:
                raise InputError(f"Run {run_id[:80]} would have {len(tags)} tags.", f"Use at most {MOST_TAGS}.")
        self.store.tag(order.run_ids, order.add, order.remove)
        return self._listed(order.run_ids)

    def write_note(self, run_id: str, note: str) -> AnnotationOut:
        """Write the note of a run, or remove it by an empty one. Raises `NotFound`."""
        self._require_known([run_id])
        self.store.write_note(run_id, note)
        return self._listed([run_id])[0]

    def _listed(self, run_ids: Sequence[str]) -> list[AnnotationOut]:
        annotations = self.store.all()
        return [_out(run_id, annotations.get(run_id, Annotation())) for run_id in dict.fromkeys(run_ids)]

    def _require_known(self, run_ids: Iterable[str]) -> None:
        stored = {run.run_id for run in self.runs.all()}
        for run_id in run_ids:
            if run_id not in stored:
                raise NotFound(f"There is no run {run_id[:80]!r}.", "Reload the list of runs.")


def _out(run_id: str, annotation: Annotation) -> AnnotationOut:
    return AnnotationOut(
        run_id=run_id, tags=list(annotation.tags), note=annotation.note, inclusion=annotation.inclusion
    )
