"""Where a declared fact comes from, and how sure we are of it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Declared(BaseModel):
    """A part of a declaration: unknown keys are errors, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Status(StrEnum):
    """How sure a fact is."""

    MANUAL = "manual"
    """Read in the maker's manual of this model."""
    CROSS_READ = "cross-read"
    """Named by independent sources that agree, or by the manual of a sister model."""
    UNCONFIRMED = "unconfirmed"
    """No source confirms it; results must not depend on it."""


class Source(Declared):
    """A document or code base that names facts of this model."""

    title: str
    section: str = ""
    """Page, clause or file inside the document."""
    url: str | None = None

    @property
    def citation(self) -> str:
        """Write the title and the place in it as one text."""
        return f"{self.title}, {self.section}" if self.section else self.title


class Fact(Declared):
    """Anything declared together with its sources (keys into the declaration's ``sources``) and its status."""

    status: Status
    source: tuple[str, ...] = Field(default=())
