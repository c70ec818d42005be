"""Tags, note and inclusion of a run, as stored."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, StringConstraints

from wattmark.core.inputs import FILLED_LINE, PROSE, Input
from wattmark.runs.annotations.inclusion import Inclusion

Tag = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f,]*$"),
    FILLED_LINE,
]
"""One line without commas: tags are listed with commas between."""
Note = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=4000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$"), PROSE
]
"""Plain text; nobody is named as its author."""


class Annotation(Input):
    """What people said about a run; the figures never depend on it."""

    model_config = ConfigDict(frozen=True)

    tags: tuple[Tag, ...] = ()
    """In alphabetical order."""
    note: Note = ""
    inclusion: Inclusion | None = None
    """Who wants the run ranked although rules failed; the figures stay as they are, rankings count it."""
