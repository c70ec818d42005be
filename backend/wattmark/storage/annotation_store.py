"""What every store of annotations can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wattmark.annotations.record import Annotation
from wattmark.runs.inclusion import Inclusion


class AnnotationStore(Protocol):
    """Keep tags, notes and choices to rank runs durably."""

    def all(self) -> dict[str, Annotation]:
        """Read all annotations by run; runs without any are left out."""
        ...

    def tag(self, run_ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> None:
        """Remove tags from runs, then add others; what is there or gone already stays so."""
        ...

    def write_note(self, run_id: str, note: str) -> None:
        """Replace the note of a run; an empty one is removed."""
        ...

    def inclusions(self) -> dict[str, Inclusion]:
        """Read people's choices to rank runs although rules failed, by run."""
        ...

    def include(self, run_id: str, inclusion: Inclusion | None) -> None:
        """Replace the choice about a run; None withdraws it."""
        ...

    def delete(self, run_id: str) -> None:
        """Delete what was said about a run."""
        ...
