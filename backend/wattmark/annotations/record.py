"""Tags and note of a run, as they are kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Tag = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f,]*$")
]
"""One line without commas: tags are listed with commas between."""
Note = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=4000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$")
]
"""Plain text; nobody is named as its author."""


class Annotation(BaseModel):
    """What people said about a run; the figures never depend on it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tags: tuple[Tag, ...] = ()
    """In alphabetical order."""
    note: Note = ""
